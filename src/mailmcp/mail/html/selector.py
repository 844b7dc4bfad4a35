"""CSS selectors: a prelude to compounds that can be matched while a document is walked once.

Understood are types, ids, classes, attributes, ``:not()`` of one compound, `:root`, `:link`,
`:first-child` and all four combinators (Selectors 4). What waits for the reader (`:hover`) matches
nothing; what is not understood makes a selector uncertain.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mailmcp.limits import CSS_COMPOUNDS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What selectors see of an element."""

    tag: str
    attributes: Mapping[str, str]
    """Names in lower case, values as written."""

    first_child: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """Conditions on one element, and how it stands to the one before it in the selector."""

    combinator: str
    """One of " ", ">", "+", "~"; "" for the first."""

    tag: str = ""
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    conditions: tuple[Callable[[Element], bool], ...] = ()

    def matches(self, element: Element, classes: frozenset[str]) -> bool:
        """Tell whether an element, with these classes, meets all conditions."""
        return (
            (not self.tag or self.tag == element.tag)
            and all(each == element.attributes.get("id") for each in self.ids)
            and classes.issuperset(self.classes)
            and all(condition(element) for condition in self.conditions)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A complex selector, from left to right."""

    compounds: tuple[Compound, ...]
    specificity: tuple[int, ...]
    """Ids; classes, attributes and pseudo-classes; types."""

    certain: bool
    """False if something in it is not understood: it then matches more elements than are meant."""

    matches: bool
    """False if it matches nothing before the reader does something, or no text of the message."""


def split_selectors(prelude: list[Any]) -> Iterator[list[Any]]:
    """Part the selectors of a rule at their commas."""
    group: list[Any] = []
    for node in [*prelude, None]:
        if node is not None and node != ",":
            group.append(node)
            continue
        yield group
        group = []


def parse_selector(nodes: list[Any]) -> Selector:
    """Read one selector.

    What is not understood of it is left out, so that it matches more elements, and it is not certain.
    """
    reader = _Reader()
    previous = None
    for node in nodes:
        if node.type == "whitespace" or node in (">", "+", "~"):
            reader.combine(" " if node.type == "whitespace" else str(node.value))
        elif previous == ":":
            reader.read_pseudo(node)
        elif previous == ".":
            reader.read_class(node)
        else:
            reader.read(node)
        previous = node
    return reader.finish()


class _Reader:
    """Collects the compounds of one selector."""

    __slots__ = ("certain", "combinator", "compounds", "empty", "matches", "parts", "specificity")

    def __init__(self) -> None:
        self.compounds: list[Compound] = []
        self.specificity = [0, 0, 0]
        self.certain = self.matches = True
        self.combinator = ""
        self._begin()

    def _begin(self) -> None:
        self.parts: dict[str, list[Any]] = {"tag": [], "ids": [], "classes": [], "conditions": []}
        self.empty = True

    def add(self, kind: str, part: Any, weight: int) -> None:
        self.parts[kind].append(part)
        self.specificity[weight] += 1

    def combine(self, sign: str) -> None:
        """End a compound, if there is one, and note what stands after it."""
        if not self.empty:
            self._end()
            self.combinator = sign
        elif sign != " ":
            self.certain = self.certain and self.combinator == " "  # two signs are one too many
            self.combinator = sign

    def _end(self) -> None:
        tags = self.parts.pop("tag")
        if len(self.compounds) == CSS_COMPOUNDS_MAX:
            self.certain = False
            self.compounds.pop()
            self.combinator = " " if len(self.compounds) else ""
        parts = {name: tuple(values) for name, values in self.parts.items()}
        self.compounds.append(Compound(combinator=self.combinator, tag="".join(tags[-1:]), **parts))
        self._begin()

    def read(self, node: Any) -> None:
        """Read a node that does not follow a colon or a dot."""
        first, self.empty = self.empty, False
        if node.type == "ident":
            self.certain = self.certain and first
            self.add("tag", node.lower_value, 2)
        elif node.type == "hash" and node.is_identifier:
            self.add("ids", node.value, 0)
        elif node.type == "[] block":
            self.condition(_attribute_condition(node.content))
        elif node == "*":
            self.certain = self.certain and first
            self.parts["tag"] = []
        elif node not in (":", "."):
            self.certain = False

    def read_class(self, node: Any) -> None:
        """Read what follows a dot."""
        if node.type == "ident":
            self.add("classes", node.value, 1)
        else:
            self.certain = False

    def read_pseudo(self, node: Any) -> None:
        """Read what follows a colon."""
        name = getattr(node, "lower_value", "")
        if node.type == "ident" and name in _NOT_AT_FIRST:
            self.certain = self.certain and self.matches
            self.matches = False
        elif node.type == "function" and node.lower_name == "not":
            inner = parse_selector([each for each in node.arguments if each.type != "whitespace"])
            simple = inner.certain and inner.matches and len(inner.compounds) == 1
            self.condition(_negation(inner.compounds[0]) if simple else None)
        else:
            self.condition(_PSEUDO_CLASSES.get(name) if node.type == "ident" else None)

    def condition(self, condition: Callable[[Element], bool] | None) -> None:
        """Add a condition; None is one that is not understood."""
        if condition is None:
            self.certain = False
        else:
            self.add("conditions", condition, 1)

    def finish(self) -> Selector:
        """Give the selector."""
        if self.empty:
            self.certain = self.certain and self.combinator in ("", " ") and bool(self.compounds)
        if not self.empty or not self.compounds:
            self._end()
        return Selector(
            compounds=tuple(self.compounds),
            specificity=tuple(self.specificity),
            certain=self.certain,
            matches=self.matches,
        )


def _attribute_condition(content: list[Any]) -> Callable[[Element], bool] | None:
    """Read ``[name]``, ``[name=value]`` and the operators ``~= |= ^= $= *=``, with or without ``i``."""
    nodes = [node for node in content if node.type != "whitespace"]
    if not nodes or nodes[0].type != "ident":
        return None
    name = nodes[0].lower_value
    if len(nodes) == 1:
        return lambda element: name in element.attributes
    if len(nodes) not in (3, 4) or nodes[2].type not in ("ident", "string"):
        return None
    test = _OPERATORS.get(str(getattr(nodes[1], "value", "")))
    folds = name in _FOLDED
    if len(nodes) == 4:
        folds = getattr(nodes[3], "lower_value", "") == "i"
        test = test if folds else None
    if test is None:
        return None
    wanted = str(nodes[2].value)
    if folds:
        return lambda element: name in element.attributes and test(element.attributes[name].lower(), wanted.lower())
    return lambda element: name in element.attributes and test(element.attributes[name], wanted)


def _negation(compound: Compound) -> Callable[[Element], bool]:
    return lambda element: not compound.matches(element, classes_of(element))


def classes_of(element: Element) -> frozenset[str]:
    """Give the classes of an element."""
    return frozenset(element.attributes.get("class", "").split())


_FOLDED: Final = frozenset(
    {"align", "bgcolor", "charset", "checked", "clear", "color", "dir", "disabled", "face", "lang", "media"}
    | {"method", "nowrap", "rel", "selected", "shape", "target", "text", "type", "valign"}
)
"""Attributes whose values are compared without case (HTML standard, section 4.16.2), as far as mail has them."""

_NOT_AT_FIRST: Final = frozenset(
    {"hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "autofill", "open"}
    | {"fullscreen", "user-valid", "user-invalid", "before", "after", "selection", "placeholder", "marker"}
    | {"backdrop", "cue", "-moz-focusring", "-moz-selection", "-webkit-scrollbar", "-ms-clear"}
    | {"-moz-placeholder", "-ms-input-placeholder", "-webkit-input-placeholder", "-webkit-autofill"}
)
"""Pseudo-classes that hold of nothing before the reader does something, and pseudo-elements without text
of the message."""

_OPERATORS: Final[dict[str, Callable[[str, str], bool]]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
_PSEUDO_CLASSES: Final[dict[str, Callable[[Element], bool]]] = {
    "link": lambda element: element.tag == "a" and "href" in element.attributes,
    "any-link": lambda element: element.tag == "a" and "href" in element.attributes,
    "root": lambda element: element.tag == "html",
    "first-child": lambda element: element.first_child,
}

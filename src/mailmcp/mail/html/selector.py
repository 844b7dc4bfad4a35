"""CSS selectors: a prelude to compounds that can be matched while a document is walked once.

Understood are types, ids, classes, attributes, ``:not()`` of one of these, `:root`,
`:link`, `:first-child` and all four combinators (Selectors 4). Any other pseudo-class
depends on what the reader does, or counts siblings: such a selector matches nothing.
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
    specificity: tuple[int, int, int]
    """Ids; classes, attributes and pseudo-classes; types."""


def split_selectors(prelude: list[Any]) -> Iterator[list[Any]]:
    """Part the selectors of a rule at their commas."""
    group: list[Any] = []
    for node in [*prelude, None]:
        if node is not None and node != ",":
            group.append(node)
            continue
        yield group
        group = []


def parse_selector(nodes: list[Any]) -> Selector | None:
    """Read one selector; None if it is not understood."""
    compounds: list[Compound] = []
    specificity = [0, 0, 0]
    for combinator, part in _split(nodes):
        compound = _parse_compound(combinator, part, specificity)
        if compound is None or len(compounds) == CSS_COMPOUNDS_MAX:
            return None
        compounds.append(compound)
    if not compounds:
        return None
    ids, classes, types = specificity
    return Selector(compounds=tuple(compounds), specificity=(ids, classes, types))


def _split(nodes: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Part compounds at the combinators between them."""
    combinator = ""
    part: list[Any] = []
    for node in nodes:
        if node.type == "whitespace" or node in (">", "+", "~"):
            sign = " " if node.type == "whitespace" else str(node.value)
            if part:
                yield combinator, part
                combinator, part = sign, []
            elif combinator:
                combinator = sign if sign != " " else combinator
        else:
            part.append(node)
    if part:
        yield combinator, part


def _parse_compound(combinator: str, nodes: list[Any], specificity: list[int]) -> Compound | None:
    """Read the simple selectors of a compound; None if one is not understood."""
    reader = _CompoundReader(specificity)
    rest = iter(nodes)
    if not all(reader.read(node, rest) for node in rest):
        return None
    return Compound(
        combinator=combinator,
        tag=reader.tag,
        ids=tuple(reader.ids),
        classes=tuple(reader.classes),
        conditions=tuple(reader.conditions),
    )


class _CompoundReader:
    """Collects the simple selectors of one compound."""

    __slots__ = ("classes", "conditions", "ids", "specificity", "tag")

    def __init__(self, specificity: list[int]) -> None:
        self.specificity = specificity
        self.tag = ""
        self.ids: list[str] = []
        self.classes: list[str] = []
        self.conditions: list[Callable[[Element], bool]] = []

    def read(self, node: Any, rest: Iterator[Any]) -> bool:
        """Read one simple selector, with the nodes that follow it; False if it is not understood."""
        if node.type == "ident":
            self.tag = node.lower_value
            self.specificity[2] += 1
        elif node.type == "hash":
            self.ids.append(node.value)
            self.specificity[0] += 1
        elif node == ".":
            return self._read_class(next(rest, None))
        elif node.type == "[] block":
            return self._add(_attribute_condition(node.content))
        elif node == ":":
            return self._add(_pseudo_condition(next(rest, None)))
        else:
            return bool(node == "*")
        return True

    def _read_class(self, node: Any) -> bool:
        if node is None or node.type != "ident":
            return False
        self.classes.append(node.value)
        self.specificity[1] += 1
        return True

    def _add(self, condition: Callable[[Element], bool] | None) -> bool:
        if condition is None:
            return False
        self.conditions.append(condition)
        self.specificity[1] += 1
        return True


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
    wanted = str(getattr(nodes[2], "value", "")).lower()
    test = _OPERATORS.get(str(getattr(nodes[1], "value", "")))
    if test is None:
        return None
    return lambda element: name in element.attributes and test(element.attributes[name].lower(), wanted)


def _pseudo_condition(node: Any) -> Callable[[Element], bool] | None:
    if node is None:
        return None
    if node.type == "ident":
        return _PSEUDO_CLASSES.get(node.lower_value)
    if node.type != "function" or node.lower_name != "not":
        return None
    inner = [each for each in node.arguments if each.type != "whitespace"]
    compound = _parse_compound("", inner, [0, 0, 0]) if inner else None
    if compound is None:
        return None
    return lambda element: not compound.matches(element, classes_of(element))


def classes_of(element: Element) -> frozenset[str]:
    """Give the classes of an element."""
    return frozenset(element.attributes.get("class", "").split())


# Values are compared without case: mail clients rewrite it, and hiding depends on no attribute's case.
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

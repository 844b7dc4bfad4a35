"""CSS selectors, parsed into compounds that can be matched in one walk of the document.

The grammar is a part of Selectors 4 that all browsers read alike: types, ids, classes, attributes,
pseudo-classes and all four combinators. A selector outside of it may match anything. So may a
pseudo-class that isn't known: more elements match, and the selector isn't certain. What waits for
the reader (`:hover`) matches nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mailmcp.limits import CSS_COMPOUNDS_MAX
from mailmcp.mail.html.tags import DROPPED, IGNORED, SPACES, to_lower


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What selectors see of an element."""

    tag: str
    attributes: Mapping[str, str]
    """Names in lower case, values as written."""


Condition = Callable[[Element], bool]
Specificity = tuple[int, int, int]
"""Ids; classes, attributes and pseudo-classes; types (Selectors 4 section 15)."""


@dataclass(slots=True)
class Compound:
    """Conditions on one element, and its relation to the compound before it."""

    combinator: str = ""
    """One of " ", ">", "+", "~"; "" for the first."""

    tag: str = ""
    ids: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def matches(self, element: Element, classes: frozenset[str]) -> bool:
        """Return whether an element with these classes meets all conditions."""
        return (
            (not self.tag or self.tag == element.tag)
            and all(each == element.attributes.get("id") for each in self.ids)
            and classes.issuperset(self.classes)
            and all(condition(element) for condition in self.conditions)
        )


HEAVIEST: Final = (200, 200, 200)
"""The specificity of what isn't understood, so that no other rule outweighs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A complex selector, from left to right."""

    compounds: tuple[Compound, ...] = (Compound(),)
    specificity: Specificity = HEAVIEST
    certain: bool = False
    """False if something in it is not understood, or it depends on elements that the tree doesn't have."""

    matches: bool = True
    """False if it matches nothing before the reader does something, or no element."""

    pseudo_element: str = ""
    """As written, with its colons."""

    is_plain: bool = True
    """False if it isn't in the grammar that is understood, so that it may match anything."""


_S: Final = f"[{SPACES}]"
_NAME: Final = r"-?[a-zA-Z_](?:[\w-]|\\[!#$%&*+,./:;<=>?@^`|~])*+"
"""An identifier (CSS Syntax 3 section 4.3.11) in ASCII; of escapes, only those of punctuation."""

_ATTRIBUTE: Final = (
    rf"\[{_S}*+(?P<name>{_NAME}){_S}*+(?:(?P<operator>[~|^$*]?=){_S}*+"
    rf"(?P<value>{_NAME}|\"[^\"\\]*+\"|'[^'\\]*+'){_S}*+(?P<flag>[iI]?){_S}*+)?\]"
)
_OPTION: Final = rf"(?:[^()\[\]\"'\\,]|{re.sub('[?]P<[a-z]+>', '?:', _ATTRIBUTE)})++"
_PART: Final = re.compile(
    rf"#(?P<id>{_NAME})|\.(?P<class>{_NAME})|(?P<attribute>{_ATTRIBUTE})"
    rf"|(?P<pseudo>::?{_NAME})(?P<options>\({_OPTION}(?:,{_OPTION})*+\))?"
    rf"|(?P<combinator>{_S}*+[>+~]{_S}*+|{_S}++)|(?P<tag>\*|{_NAME})",
    re.ASCII,
)
_WORDS: Final = re.compile(f"[^{SPACES}]+")
_DYNAMIC: Final = frozenset(
    {":hover", ":active", ":focus", ":focus-within", ":focus-visible", ":visited", ":target"}
)
"""Pseudo-classes that match nothing before the reader does something."""

_PSEUDO_ELEMENT: Final = re.compile(
    r"::?(?:before|after|first-l(?:ine|etter))|::(?:selection|placeholder|marker|details-content)"
)
_COUNTING: Final = re.compile(
    rf"(?!.*\bof\b):(?:nth-(?:last-)?(?:child|of-type)|lang|dir)\([\w+{SPACES}-]*\)", re.ASCII | re.DOTALL
)
"""Pseudo-classes with options that aren't selectors."""

_LOGICAL: Final = frozenset({":is", ":where", ":not"})
_DROPPED: Final = DROPPED | IGNORED | {"base", "noscript", "template"}
"""Elements that the tree lacks or keeps elsewhere than browsers do: those of the head are in its body."""

_ANYTHING: Final = Selector(is_plain=False)


def parse_selector(text: str) -> Selector:
    """Read one selector."""
    text = text.strip(SPACES)
    compounds, weights = [Compound()], [(0, 0, 0)]
    is_empty, certain, waits = True, True, False  # is_empty: the compound that is being read
    pseudo_element, position = "", 0
    while position < len(text):
        match = _PART.match(text, position) if text.isascii() else None
        if (
            match is None
            or pseudo_element
            or (is_empty if match["combinator"] else match["tag"] and not is_empty)
        ):
            return _ANYTHING
        position, compound = match.end(), compounds[-1]
        is_empty = match["combinator"] is not None
        pseudo = (match["pseudo"] or "").lower()
        if is_empty:
            compounds.append(Compound(match["combinator"].strip(SPACES) or " "))
        elif match["tag"]:
            compound.tag = _unescape(match["tag"]).lower().removeprefix("*")
            weights += [(0, 0, 1)] if match["tag"] != "*" else []
        elif match["id"]:
            compound.ids.append(_unescape(match["id"]))
            weights.append((1, 0, 0))
        elif match["class"]:
            compound.classes.append(_unescape(match["class"]))
            weights.append((0, 1, 0))
        elif pseudo.startswith("::") or _PSEUDO_ELEMENT.fullmatch(pseudo):
            pseudo_element = pseudo
            certain = certain and not match["options"] and _PSEUDO_ELEMENT.fullmatch(pseudo) is not None
        elif pseudo in _DYNAMIC and not match["options"]:
            waits = True
        elif (known := _condition(match)) is not None:
            condition, weight = known
            compound.conditions.append(condition)
            weights.append(weight)
        else:  # whatever it asks for, it weighs what all of its kind do
            certain = False
            is_plain = not match["options"] or _COUNTING.fullmatch(pseudo + match["options"])
            weights.append((0, 1, 0) if is_plain else HEAVIEST)
    if is_empty:
        return _ANYTHING
    if start := _start_of(compounds):  # what is before it isn't looked at, so that more elements match
        compounds, certain = compounds[start:], False
        compounds[0].combinator = ""
    ids, classes, types = map(sum, zip(*weights, strict=True))
    return Selector(
        compounds=tuple(compounds),
        specificity=HEAVIEST if HEAVIEST in weights else (ids, classes, types),
        certain=certain and not _may_be_parted(compounds),
        matches=not (waits or pseudo_element),
        pseudo_element=pseudo_element,
    )


def _start_of(compounds: Sequence[Compound]) -> int:
    """Return the number of the compound before which none is looked at."""
    if len(compounds) > CSS_COMPOUNDS_MAX:
        return len(compounds) - 1
    siblings = (
        number
        for number, compound in enumerate(compounds[1:], start=1)
        if compound.combinator in ("+", "~") and _may_be_dropped(compounds[number - 1])
    )
    return max(siblings, default=0)


def _may_be_parted(compounds: Sequence[Compound]) -> bool:
    """Return whether elements that the tree doesn't have may stand between two that must be neighbours."""
    return any(compound.combinator == "+" for compound in compounds)


def _may_be_dropped(compound: Compound) -> bool:
    """Return whether a compound may match elements that the tree doesn't have, such as `style`."""
    return compound.tag in _DROPPED or not (compound.tag or compound.ids or compound.classes)


def _condition(match: re.Match[str]) -> tuple[Condition, Specificity] | None:
    """Parse a pseudo-class or an attribute, with its weight; None if it isn't understood."""
    if match["options"]:
        return _logical(match["pseudo"].lower(), match["options"][1:-1])
    condition = _PSEUDO_CLASSES.get(match["pseudo"].lower()) if match["pseudo"] else _attribute(match)
    return condition and (condition, (0, 1, 0))


def _attribute(match: re.Match[str]) -> Condition:
    """Parse ``[name]`` and ``[name=value]`` with the operators ``~= |= ^= $= *=``."""
    name, operator, value, flag = match.group("name", "operator", "value", "flag")
    name = _unescape(name).lower()
    if not operator:
        return lambda element: name in element.attributes
    test, wanted = _OPERATORS[operator], value[1:-1] if value[0] in "\"'" else _unescape(value)
    if flag or name in _FOLDED:
        return lambda element: (
            name in element.attributes and test(to_lower(element.attributes[name]), wanted.lower())
        )
    return lambda element: name in element.attributes and test(element.attributes[name], wanted)


def _logical(name: str, options: str) -> tuple[Condition, Specificity] | None:
    """Parse `:is()`, `:where()` or `:not()` of compound selectors; the heaviest of them counts."""
    selectors = [parse_selector(option) for option in re.findall(_OPTION, options)]
    if name not in _LOGICAL or not selectors:
        return None
    if not all(each.certain and each.matches and len(each.compounds) == 1 for each in selectors):
        return None
    compounds = [each.compounds[0] for each in selectors]
    wanted = name != ":not"
    weight = (0, 0, 0) if name == ":where" else max(each.specificity for each in selectors)
    return (
        lambda element: wanted == any(each.matches(element, classes_of(element)) for each in compounds),
        weight,
    )


def _unescape(name: str) -> str:
    return name.replace("\\", "")  # before punctuation only


def classes_of(element: Element) -> frozenset[str]:
    """Return the classes of an element."""
    return frozenset(_WORDS.findall(element.attributes.get("class", "")))


_FOLDED: Final = frozenset(
    {"accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear"}
    | {"codetype", "color", "compact", "declare", "defer", "dir", "direction", "disabled", "enctype", "face"}
    | {"frame", "hreflang", "http-equiv", "lang", "language", "link", "media", "method", "multiple"}
    | {"nohref", "noresize", "noshade", "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling"}
    | {"selected", "shape", "target", "text", "type", "valign", "valuetype", "vlink"}
)
"""Attributes whose values are compared without case (HTML standard, section 4.16.2)."""

_OPERATORS: Final[dict[str, Callable[[str, str], bool]]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in _WORDS.findall(value),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
_PSEUDO_CLASSES: Final[dict[str, Callable[[Element], bool]]] = {
    ":link": lambda element: element.tag == "a" and "href" in element.attributes,
    ":root": lambda element: element.tag == "html",
}

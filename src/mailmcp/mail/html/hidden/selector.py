"""CSS selectors, parsed into compounds that can be matched in one walk of the document.

It understands types, ids, classes, attributes, `:root`, `:link` and all four
combinators (Selectors 4). What waits for the reader (`:hover`) matches nothing; what is not
understood is left out, so that more elements match, and makes the selector uncertain.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mailmcp.limits import CSS_COMPOUNDS_MAX
from mailmcp.mail.html.tags import DROPPED, IGNORED


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What selectors see of an element."""

    tag: str
    attributes: Mapping[str, str]
    """Names in lower case, values as written."""


@dataclass(slots=True)
class Compound:
    """Conditions on one element, and its relation to the compound before it."""

    combinator: str = ""
    """One of " ", ">", "+", "~"; "" for the first."""

    tag: str = ""
    ids: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    conditions: list[Callable[[Element], bool]] = field(default_factory=list)

    def matches(self, element: Element, classes: frozenset[str]) -> bool:
        """Return whether an element with these classes meets all conditions."""
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

    certain: bool
    """False if something in it is not understood."""

    matches: bool
    """False if it matches nothing before the reader does something, or no element."""

    pseudo_element: str = ""
    """As written, with its colons."""


_ESCAPE: Final = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n\f\r]?|[^0-9a-fA-F\n\f\r])"
_LETTER: Final = rf"[a-zA-Z_]|[^\x00-\x7f]|{_ESCAPE}"
_NAME: Final = rf"(?:--|-?(?:{_LETTER}))(?:[0-9-]|{_LETTER})*"
"""An identifier (CSS Syntax Level 3, section 4.3.11)."""

_PART: Final = re.compile(
    rf"""(?P<tag>\*|{_NAME})|\#(?P<id>{_NAME})|\.(?P<class>{_NAME})|(?P<pseudo>::?[\w-]++)(?!\()
    |(?P<function>::?[\w-]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*+\))
    |(?P<attribute>\[\s*(?P<name>{_NAME})\s*
        (?:(?P<operator>[~|^$*]?=)\s*(?P<value>{_NAME}|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')\s*(?P<flag>[iI]?)\s*)?\])
    |(?P<strange>\[(?:[^\]"']|"[^"]*"|'[^']*')*+\])
    |(?P<sign>[ \t\n\f\r]*[>+~][ \t\n\f\r]*|[ \t\n\f\r]+)|(?P<other>.)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_ESCAPED: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\f\r]?|(.))", re.DOTALL)
_WORDS: Final = re.compile(
    r"[^ \t\n\f\r]+"
)  # between white space of HTML, which is less than that of Unicode
_DYNAMIC: Final = re.compile(r":(?:hover|active|focus(?:-within|-visible)?|visited|target)")
"""Pseudo-classes that match nothing before the reader does something."""

_PSEUDO_ELEMENT: Final = re.compile(
    r"::?(?:before|after|first-l(?:ine|etter))|::(?:selection|placeholder|marker|details-content)"
)
_LISTS: Final = re.compile(":(?:is|not|has|-(?:webkit|moz)-any)")
"""Pseudo-classes that weigh what is in them."""

_LOGICAL: Final = re.compile(r":(is|where|not|-webkit-any)\((.*)\)", re.DOTALL)


_BRACKETS: Final = frozenset("()[]\"'")
HEAVIEST: Final = (200, 200, 200)
"""The specificity of what isn't understood, so that no other rule outweighs it."""


def parse_selector(text: str) -> Selector:
    """Read one selector."""
    compounds = [Compound()]
    specificity = [0, 0, 0]
    unread: list[str] = []  # what is not understood, or matches nothing at first
    certain, is_empty, is_broken = True, True, False  # is_empty: the compound that is being read
    for match in _PART.finditer(text.strip(" \t\n\f\r")):
        kind = "attribute" if match["attribute"] else match.lastgroup or ""
        value, compound = match[kind], compounds[-1]
        certain = certain and not (is_empty if kind == "sign" else kind == "tag" and not is_empty)
        certain = certain and not (unread and _PSEUDO_ELEMENT.fullmatch(unread[-1]))  # it is always the last
        begins, is_empty = is_empty, kind == "sign"
        condition = _condition(match) if kind in ("attribute", "pseudo", "function") else None
        if kind == "sign":
            compounds.append(Compound(value.strip() or " "))
        elif kind == "tag":
            if begins:  # another word is part of what isn't understood
                compound.tag = _unescape(value).lower().removeprefix("*")
            specificity[2] += value != "*"
        elif kind == "id":
            compound.ids.append(_unescape(value))
            specificity[0] += 1
        elif kind == "class":
            compound.classes.append(_unescape(value))
            specificity[1] += 1
        elif condition is not None:
            compound.conditions.append(condition)
        else:
            unread.append(kind if kind == "other" else value.lower())
            is_broken = is_broken or value in _BRACKETS
        if kind in ("attribute", "pseudo", "function"):  # which weigh as much if they aren't understood
            for place, count in enumerate(_specificity(value)):
                specificity[place] += count
    if start := _start_of(compounds):  # what is before it isn't looked at, so that more elements match
        compounds, certain = compounds[start:], False
        compounds[0].combinator = ""
    if is_broken:  # it may match anything
        compounds = [Compound()]
    ids, classes, types = specificity
    known = [each for each in unread if _DYNAMIC.fullmatch(each) or _PSEUDO_ELEMENT.fullmatch(each)]
    inert = known or [each for each in unread if each.startswith("::")]
    is_weighed = all(each in known or each in inert for each in unread)
    return Selector(
        compounds=tuple(compounds),
        specificity=(ids, classes, types) if is_weighed else HEAVIEST,
        certain=certain and not is_empty and (not unread or unread == known[:1]),
        matches="other" in unread or not inert,
        pseudo_element=next((each for each in inert if _PSEUDO_ELEMENT.fullmatch(each)), ""),
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


def _may_be_dropped(compound: Compound) -> bool:
    """Return whether a compound may match elements that the tree doesn't have, such as `style`."""
    return compound.tag in DROPPED | IGNORED or not (compound.tag or compound.ids or compound.classes)


def _condition(match: re.Match[str]) -> Callable[[Element], bool] | None:
    """Parse a pseudo-class, or ``[name]`` and ``[name=value]`` with the operators ``~= |= ^= $= *=``."""
    if match["pseudo"]:
        return _PSEUDO_CLASSES.get(match["pseudo"].lower())
    if match["function"]:
        return _logical(match["function"])
    name, operator, value, flag = match.group("name", "operator", "value", "flag")
    name = _unescape(name).lower()
    if not operator:
        return lambda element: name in element.attributes
    test, wanted = _OPERATORS[operator], _unescape(value[1:-1] if value[0] in "\"'" else value)
    if flag or name in _FOLDED:
        return lambda element: (
            name in element.attributes and test(element.attributes[name].lower(), wanted.lower())
        )
    return lambda element: name in element.attributes and test(element.attributes[name], wanted)


def _logical(text: str) -> Callable[[Element], bool] | None:
    """Parse `:is()`, `:where()` or `:not()` of compound selectors."""
    match = _LOGICAL.fullmatch(text)
    if match is None or "(" in match[2]:
        return None
    options = [parse_selector(option) for option in match[2].split(",")]
    if not all(each.certain and each.matches and len(each.compounds) == 1 for each in options):
        return None
    compounds = [each.compounds[0] for each in options]
    wanted = match[1] != "not"
    return lambda element: wanted == any(each.matches(element, classes_of(element)) for each in compounds)


def _specificity(condition: str) -> tuple[int, int, int]:
    """Return the specificity of an attribute, a pseudo-class or a pseudo-element (Selectors 4 section 15).

    `:is()` and the like weigh as much as the most specific selector of their list, `:nth-child(… of …)` as
    that and a class.
    """
    name, _, options = condition.lower().removesuffix(")").partition("(")
    if name == ":where":
        return (0, 0, 0)
    if name.startswith("::"):
        return (0, 0, 1)
    listed = _LISTS.fullmatch(name)
    if name.startswith(":nth-"):
        options, listed = options.partition(" of ")[2], None
    elif listed is None:
        options = ""
    heaviest = max(
        (parse_selector(each).specificity for each in options.split(",") if each), default=(0, 0, 0)
    )
    return heaviest if listed else (heaviest[0], heaviest[1] + 1, heaviest[2])


def _unescape(name: str) -> str:
    """Read the escapes of an identifier or a string (CSS Syntax Level 3, section 4.3.7)."""
    return _ESCAPED.sub(_unescaped, name) if "\\" in name else name


def _unescaped(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    code = int(match[1], 16)
    if not 0 < code <= sys.maxunicode:
        return "\ufffd"
    return "\ufffd" if "\ud800" <= chr(code) <= "\udfff" else chr(code)


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

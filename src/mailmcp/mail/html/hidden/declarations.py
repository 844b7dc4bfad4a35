"""CSS declarations: an inline style, or the block of a rule, to longhand properties.

Only properties that can hide text are kept. Shorthands are split so that the cascade can weigh
each property alone. A declaration is certain if all browsers understand it, and alike: others
hide what they may hide, but show nothing that is hidden without them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import tinycss2

from mailmcp.mail.html.hidden.harmless import is_harmless
from mailmcp.mail.html.hidden.valid import is_known, is_valid
from mailmcp.mail.html.hidden.values import (
    NUMBER,
    OTHER,
    PROPERTIES,
    TRANSITIONS,
    UNKNOWN,
    WIDE,
    collapse,
    is_understood,
    parse_length,
)
from mailmcp.mail.html.tags import SPACES

_PLAIN: Final = re.compile(r"[ -\[\]-~]*")
"""A value without control characters, which aren't white space, and escapes."""

_VALUE_DEPTH_MAX: Final = 4  # functions in functions; serialising deeper ones recurses
_NOWHERE: Final = {
    "display": re.compile("-(?:ms|o|khtml)-[a-z-]+"),
    "filter": re.compile("(?:progid:|alpha\\().*", re.DOTALL),
    # Icons of SendGrid's templates have `height: 30px, width: 30px`.
    **dict.fromkeys(
        ("width", "height", "min-width", "min-height", "max-width", "max-height"),
        re.compile("[^()]*,[^()]*"),
    ),
}
"""Values that no browser of today reads."""

_SIGN: Final = r"\\[!#$%&*+,./:;<=>?@^`|~]"
_ALONE: Final = r"(?<![\w@#\-\x80-\U0010ffff])"
_ODD_TOKEN: Final = re.compile(
    rf"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|{_SIGN})*+\"|'(?:[^'\\\n]|{_SIGN})*+'|{_SIGN}(?:[\w-]|{_SIGN})*+"
    rf"|{_ALONE}url\([{SPACES}]*+[^\"'()\\\x00-\x20\x7f]*+[{SPACES}]*+\)"
    rf"|(?P<odd>[\\\"']|{_ALONE}(?:url\((?![{SPACES}]*+[\"'])|u\+[\da-f?]++[\da-f?-]*+(?![{SPACES},;}}]|\Z)))",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, strings, escapes of punctuation, URLs; other escapes, and URLs and ranges of Unicode that are
written in another way, can change what kind of token something is, or where it ends."""

_MAYBE_ODD: Final = re.compile(r"\\|url\(|u\+", re.IGNORECASE)

_ELSEWHERE: Final = re.compile(r"\b(?:var|env|attr|if|inherit)\(|^revert(?:-layer)?$")
"""Values that depend on something else in the document, or on the browser's own style sheet."""

_VARIABLE: Final = re.compile(
    rf"(?<![\w#@.%+\\-])var\([{SPACES}]*(--[\w-]+)[{SPACES}]*(?:,(?:[\w#%.,+{SPACES}-]|\"[^\"\\\n\f\r]*\")*+)?\)"
)
"""With a fallback of words, numbers and strings: others may be a mistake that ends the declaration."""

MATH: Final = "math"
"""The doubt about a math function: browsers know all of them, or none."""

_IN_URL: Final = re.compile(r"url\([^()]*var\(", re.IGNORECASE)  # a mistake that ends the declaration
_NUMERIC: Final = re.compile(NUMBER)  # 000 is a position
_QUIRK: Final = re.compile(r"-?[\d.]+|[0-9a-f]{3}(?:[0-9a-f]{3})?")
"""Lengths without a unit, and colours without their sign."""

_OTHER_NAMES: Final = {
    **{
        f"-webkit-{name}": name
        for name in (
            *("animation", "animation-name", "backdrop-filter"),
            *("background-clip", "background-origin", "background-size"),
            *("border-radius", "box-shadow", "clip-path", "column-count", "column-width", "columns"),
            *("filter", "flex", "flex-basis", "line-clamp", "mask", "mask-image", "shape-outside"),
            *("transform", "transform-origin", "writing-mode", "align-content", "align-items", "align-self"),
            *("justify-content", "flex-direction", "flex-flow", "box-align", "box-pack"),
            *TRANSITIONS,
        )
    },
    "-moz-border-radius": "border-radius", "-moz-box-align": "box-align", "-moz-box-pack": "box-pack",
    "block-size": "height", "max-block-size": "max-height", "min-block-size": "min-height",
    "inline-size": "width", "max-inline-size": "max-width", "min-inline-size": "min-width",
    "inset-block-start": "top", "inset-inline-start": "left",
    "inset-block-end": "bottom", "inset-inline-end": "right",
    "overflow-block": "overflow-y", "overflow-inline": "overflow-x",
    **{
        name.format(box): f"{box}-{side}"
        for box in ("margin", "padding")
        for names, side in (
            (("{}-block-start", "-webkit-{}-before"), "top"),
            (("{}-inline-start", "-webkit-{}-start", "-moz-{}-start"), "left"),
            (("{}-block-end", "-webkit-{}-after"), "bottom"),
            (("{}-inline-end", "-webkit-{}-end", "-moz-{}-end"), "right"),
        )
        for name in names
    },
}  # fmt: skip
"""Further names of a property: with a prefix, or by the direction of writing (CSS Logical Properties 1).

Writing is taken to go from left to right."""

_BY_DIRECTION: Final = re.compile("(?:margin|padding|inset)-inline(?:-.*)?|-(?:webkit|moz)-.*-(?:start|end)")
_FEW: Final = rf"(?:0|auto|1?\d?\d(?:\.\d+)?p[tx]|\d(?:\.\d+)?(?:r?em|%)|{'|'.join(sorted(WIDE))})"
_SMALL: Final = re.compile(rf"{_FEW}(?: {_FEW})?")
"""Distances that hide nothing on either side."""

_BOXES: Final = {  # top, right, bottom, left; missing ones are as those opposite
    "margin": ("margin-top", "margin-right", "margin-bottom", "margin-left"),
    "padding": ("padding-top", "padding-right", "padding-bottom", "padding-left"),
    "inset": ("top", "right", "bottom", "left"),
    "margin-inline": ("margin-left", "margin-right"),
    "margin-block": ("margin-top", "margin-bottom"),
    "padding-inline": ("padding-left", "padding-right"),
    "padding-block": ("padding-top", "padding-bottom"),
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "overflow": ("overflow-x", "overflow-y"),
}
_SHORTHANDS: Final = frozenset({"all", "font", "background", *_BOXES, *_OTHER_NAMES})

_ALSO: Final = {
    "-webkit-text-stroke": ("-webkit-text-stroke-width",),
    "white-space": ("white-space-collapse", "text-wrap", "text-wrap-mode"),
    "text-wrap": ("text-wrap-mode",),
}
"""Inherited properties that `inherit` for another one inherits as well."""

_WITH_STRINGS: Final = frozenset({"list-style", "list-style-type", "quotes"})

_WEIGHT: Final = "bold|bolder|lighter|[1-9]00"
_IDENT: Final = r"(?!(?:inherit|initial|unset|revert|revert-layer|default)\b)[a-z_][\w-]*"
_GENERIC: Final = r"(?:sans-serif|serif|cursive|fantasy|monospace|math|system-ui|ui-[a-z-]+)(?![\w-])"
_FAMILY: Final = (
    rf"(?:\"[^\"]*\"|'[^']*'|(?:{_GENERIC}|-apple-system)(?! [\w-])|(?!{_GENERIC}){_IDENT}(?: {_IDENT})*)"
)
_FONT: Final = re.compile(
    rf"(?!(?:[a-z-]+ |\d+ ){{5}})(?:normal ){{0,2}}"
    rf"(?:(?:(?:italic|oblique) )?(?:small-caps )?(?:(?:{_WEIGHT}) )?|(?:{_WEIGHT}) (?:italic|oblique) )"
    rf"({NUMBER}(?:%|[a-z]+)|0|{_IDENT})(?: ?/ ?([\w.%+-]+))? {_FAMILY}(?: ?, ?{_FAMILY})*"
)
_SYSTEM_FONTS: Final = frozenset({"caption", "icon", "menu", "message-box", "small-caption", "status-bar"})

_LAYER: Final = re.compile(
    r"(?P<a>scroll|fixed|local)|(?P<r>repeat-[xy]|(?:no-)?repeat)|(?P<b>(?:border|padding|content)-box|text)"
    r"|(?P<p>(?:(?:left|right|center|0|\d+(?:\.\d+)?(?:px|%))"
    r"(?: (?:center|top|bottom|0|\d+(?:\.\d+)?(?:px|%)))?"
    r"|(?:top|bottom)(?: (?:left|right|center))?)"
    r"(?: ?/ ?(?:cover|contain|(?:auto|100%)(?: (?:auto|100%))?))?)(?=\s|$)"
    r"|(?P<i>none|[a-z-]+(?<!rgb)(?<!rgba)(?<!hsl)\((?:[^()]|\([^()]*\))*\))"
    r"|(?P<c>#?[a-z0-9]+(?:\([^()]*\))?)|(?P<x>\S)"
)
"""The parts of a background, in any order: no part twice (CSS Backgrounds 3 section 3.10)."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One longhand property; name and value in lower case."""

    name: str
    value: str
    important: bool = False
    doubt: str = ""
    """What some browsers may not understand: the property as written, or MATH; "" if all do, and alike."""


_NO_VARIABLES: Final[Mapping[str, str]] = MappingProxyType({})


def parse_style(style: str, variables: Mapping[str, str] = _NO_VARIABLES) -> tuple[Declaration, ...]:
    """Parse a style attribute, in the order written."""
    return _parse_style(style, variables) if variables and "var(" in style else _parse_plain(style)


@lru_cache(maxsize=512)
def _parse_plain(style: str) -> tuple[Declaration, ...]:
    return _parse_style(style, _NO_VARIABLES)


def _parse_style(style: str, variables: Mapping[str, str]) -> tuple[Declaration, ...]:
    try:
        nodes = tinycss2.parse_blocks_contents(style, skip_comments=False, skip_whitespace=True)
    except ValueError:  # a number with more digits than Python reads
        return (Declaration("display", UNKNOWN),)
    declarations = parse_block(nodes, variables)
    # Browsers differ in where a block ends that shouldn't be there.
    if "{" in style or has_odd_tokens(style):
        uncertain = (replace(each, doubt=each.name) for each in declarations)
        return (*uncertain, Declaration(OTHER, UNKNOWN))
    return declarations


def has_odd_tokens(css: str) -> bool:
    """Return whether CSS has tokens that parsers may read in several ways, such as most escapes."""
    return _MAYBE_ODD.search(css) is not None and any(match["odd"] for match in _ODD_TOKEN.finditer(css))


def parse_block(nodes: Iterable[Any], variables: Mapping[str, str]) -> tuple[Declaration, ...]:
    """Convert the parsed content of a block, in the order written; skip what isn't a declaration."""
    found: list[Declaration] = []
    for node in nodes:
        if node.type != "declaration":
            continue
        if any(token.type == "literal" and token.value == "!" for token in node.value):
            continue  # browsers drop it, whatever else it says
        if node.lower_name in PROPERTIES or node.lower_name in _SHORTHANDS:
            written = serialize(node.value)
            value = collapse(_substitute(written, variables)) if "var(" in written else written
            if node.lower_name in _WITH_STRINGS:
                value = value and (serialize(_without_signs(node.value)) or "none")
            declared = _declare(node.lower_name, value.lower(), important=node.important)
            if value != written:  # if it isn't valid, it still undoes others (CSS Variables 1 section 3.1)
                declared = [replace(each, value=UNKNOWN) if each.doubt else each for each in declared]
                declared = declared or _declare(node.lower_name, UNKNOWN, important=node.important)
            found += declared
        elif not is_harmless(node.lower_name):
            found.append(Declaration(OTHER, UNKNOWN))
    return tuple(found)


def _substitute(css: str, variables: Mapping[str, str]) -> str:
    """Replace `var()` of custom properties whose value is known; nothing beside it joins the value."""
    if not variables or "var(" not in css or _IN_URL.search(css) is not None:
        return css
    return _VARIABLE.sub(lambda match: f" {variables.get(match[1]) or match[0]} ", css)


def serialize(tokens: Iterable[Any]) -> str:
    """Write tokens as text without comments, with single spaces; UNKNOWN if nested deeply, or not ASCII."""
    runs: list[list[Any]] = [[]]
    for token in tokens:  # a comment parts what is around it, as white space does
        runs += [[]] if token.type == "comment" else []
        runs[-1] += [] if token.type == "comment" else [token]
    return collapse(" ".join(map(serialize_exactly, runs)))


def serialize_exactly(tokens: Iterable[Any]) -> str:
    """Write tokens as `serialize` does, but with all white space: in strings and after escapes it counts."""
    tokens = [token for token in tokens if token.type != "comment"]
    text = str(tinycss2.serialize(tokens)) if _is_shallow(tokens, _VALUE_DEPTH_MAX) else UNKNOWN
    return text if text.isascii() else UNKNOWN


def _without_signs(tokens: Iterable[Any]) -> list[Any]:
    """Leave out the strings that have no letters: quotation marks, and signs before the items of lists."""
    return [each for each in tokens if each.type != "string" or any(map(str.isalnum, each.value))]


def _is_shallow(tokens: Iterable[Any], depth: int) -> bool:
    for token in tokens:
        inner = getattr(token, "arguments", None) or getattr(token, "content", None)
        if token.type == "error" or (inner and (depth == 0 or not _is_shallow(inner, depth - 1))):
            return False
    return True


def _declare(name: str, value: str, *, important: bool) -> list[Declaration]:
    parts = _longhands(name, value)
    checked = parts[:1] if name == "font" else parts  # a line height that isn't understood is valid there
    odd = [part for longhand, part in checked if not _is_certain(longhand, part)]
    doubt = name if not is_fixed(name) else "" if not odd else MATH if all(map(_is_math, odd)) else name
    read = ((each, part if is_understood(each, part) else _with_unit(each, part)) for each, part in parts)
    found = [
        Declaration(each, part, important, doubt or (name if part == UNKNOWN else "")) for each, part in read
    ]
    if found and _BY_DIRECTION.fullmatch(name) is not None and _SMALL.fullmatch(value) is None:
        found.append(Declaration(OTHER, UNKNOWN))  # the other side may not be what undoes it
    return found


@lru_cache(maxsize=1024)
def is_fixed(name: str) -> bool:
    """Return whether all browsers know a property, and it is the same in all directions of writing."""
    return is_known(name) and _BY_DIRECTION.fullmatch(name) is None


def _is_certain(name: str, value: str) -> bool:
    """Return whether all browsers read a value, and alike."""
    if not (is_understood(name, value) and is_valid(name, value)):
        return False
    # Old browsers read colours without their sign; of math functions, only the bounds are known.
    is_bare = "color" in name and _QUIRK.fullmatch(value) is not None
    return not is_bare and not _is_math(value)


def _is_math(value: str) -> bool:
    return value.startswith(("calc(", "min(", "max(", "clamp("))


@lru_cache(maxsize=4096)
def _longhands(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """Split a shorthand; what is not understood of it makes all of it UNKNOWN."""
    name = _OTHER_NAMES.get(name, name)
    if name == "color" and value == "currentcolor":
        value = "inherit"
    if not value or (name not in PROPERTIES and name not in _SHORTHANDS):
        return ()
    if name in _NOWHERE and _NOWHERE[name].fullmatch(value):
        return ()
    if _ELSEWHERE.search(value) or not _PLAIN.fullmatch(value):
        value = UNKNOWN
    match name:
        case "all":
            parts = dict.fromkeys(PROPERTIES, value if value in WIDE else UNKNOWN)
        case "font":
            parts = _font(value)
        case "background":
            parts = _background(value)
        case _ if name in _BOXES:
            parts = _sides(_BOXES[name], value.split(" "))
        case _ if value in WIDE and name in _ALSO:
            parts = dict.fromkeys((name, *_ALSO[name]), value)
        case _:
            parts = {name: value}
    known = {each: part for each, part in parts.items() if _is_read(each, part)}
    if name != "font" and len(known) < len(parts):
        known = {}
    return tuple((dict.fromkeys(parts, UNKNOWN) | known).items())


def _is_read(name: str, value: str) -> bool:
    return is_understood(name, value) or is_understood(name, _with_unit(name, value))


def _with_unit(name: str, value: str) -> str:
    """Read a number as old browsers do, where it isn't one in all of them."""
    return f"{value}px" if _QUIRK.fullmatch(value) and name != "line-height" else value


def _sides(names: tuple[str, ...], values: list[str]) -> dict[str, str]:
    if len(values) > len(names) or (len(values) > 1 and not WIDE.isdisjoint(values)):
        return dict.fromkeys(names, UNKNOWN)
    while len(values) < len(names):
        values.append(values[max(len(values) - 2, 0)])
    return dict(zip(names, values, strict=True))


def _font(value: str) -> dict[str, str]:
    match = _FONT.fullmatch(value)
    parts = ("font-size", "line-height", "font-size-adjust")
    if value in WIDE:
        return dict.fromkeys(parts, value)
    if value in _SYSTEM_FONTS:
        return dict(zip(parts, ("small", "normal", "none"), strict=True))
    leading = match[2] or "normal" if match else "-"
    if match is None or leading.startswith("-") or not (leading == "normal" or parse_length(leading, "em")):
        return dict.fromkeys(parts, UNKNOWN)
    return dict(zip(parts, (match[1], leading, "none"), strict=True))


def _background(value: str) -> dict[str, str]:
    """Split the one layer of a background; more are not understood."""
    parts = {"background-image": "none", "background-color": "transparent", "background-size": "auto"}
    parts |= {
        "background-position": "0%",
        "background-clip": "border-box",
        "background-origin": "padding-box",
    }
    if value in WIDE:
        return dict.fromkeys(parts, value)
    matches = list(_LAYER.finditer(value))
    found = [(match.lastgroup or "", match.group()) for match in matches]
    kinds = dict(found)
    is_read = (
        all(value[match.start() - 1] == " " for match in matches[1:])
        and not _NUMERIC.fullmatch(kinds.get("c", ""))
        and len(kinds) == len(found)
        and "x" not in kinds
        and kinds.get("c") not in WIDE
    )
    if not is_read or kinds.get("b") == "text":  # which some don't know here
        return dict.fromkeys(parts, UNKNOWN)
    parts |= {"background-image": kinds.get("i", "none"), "background-color": kinds.get("c", "transparent")}
    if "gradient" in kinds.get("i", "") and re.search(r"[1-9]", kinds.get("p", "").replace("100%", "")):
        parts["background-image"] = UNKNOWN  # where it is is not computed
    return parts | {"background-clip": kinds.get("b", "border-box")}

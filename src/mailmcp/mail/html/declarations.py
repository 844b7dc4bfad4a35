"""Declarations of styles, reduced to the properties that can hide text; shorthands become longhands."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import tinycss2
from tinycss2.ast import Node

from mailmcp.mail.html.colour import parse_colour

Declaration = tuple[str, str, bool]
"""Name, value in lower case, and whether it is important."""

UNREAD: Final = "unread"
"""A name of ours for the declarations of a style that is too long or too deep to read."""

DEFAULTS: Final = frozenset({"inherit", "unset", "revert", "revert-layer", "initial"})
"""Values of any property. What they stand for is seldom anything but what is inherited."""

FONT_SIZES_PX: Final = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0} | {
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0
}  # fmt: skip
NUMBER: Final = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)(%|[a-z]*)")

_STYLE_CHARS_MAX: Final = 20_000  # of one attribute that isn't written plainly; real ones have 500
_SIDES: Final = ("top", "right", "bottom", "left")
_SAME: Final = {
    "block-size": "height",
    "inline-size": "width",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
    **dict.fromkeys(("overflow-x", "overflow-y", "overflow-block", "overflow-inline"), "overflow"),
    "-webkit-text-fill-color": "fill",
    **dict.fromkeys(("-webkit-mask", "-webkit-mask-image", "mask-image"), "mask"),
    **{f"-webkit-{name}": name for name in ("transform", "filter", "clip-path", "background-clip")},
    "min-block-size": "min-height",
    "min-inline-size": "min-width",
    "animation-name": "animation",
    "inset-inline-start": "left",
    "inset-block-start": "top",
    "margin-inline-start": "margin-left",
}
"""Names that mean another one, in text that is written from left to right."""

_LENGTHS: Final = frozenset(
    {"margin-left", "margin-top", "text-indent", "translate", "width", "height", "max-width", "max-height"}
    | {"min-width", "min-height", "letter-spacing", "line-height", *_SIDES}
)
_COLOURS: Final = frozenset({"color", "background-color", "fill"})
_READ: Final = _LENGTHS | _COLOURS | {
    "display", "visibility", "content-visibility", "opacity", "font-size", "background-image", "position",
    "background-clip", "clip", "clip-path", "transform", "overflow", "mask", "mix-blend-mode", "offset-path",
    "animation", "zoom", "contain", "scale", "filter",
}  # fmt: skip
"""The properties that can hide."""

_FUNCTION: Final = r"(?:var|calc|min|max|clamp|env)\(.*\).*"
_LENGTH: Final = rf"(?:auto|none|normal|\w+-content|{NUMBER.pattern})(?: {NUMBER.pattern}){{0,2}}"
_CLIPS: Final = "(?:visible|hidden|clip|auto|scroll)"
_VALID: Final = {
    name: re.compile(rf"{pattern}|{_FUNCTION}")
    for name, pattern in {
        "display": "none|contents|list-item|flow-root|ruby|inline|table-(?:(?:row|header|footer|column)"
        "(?:-group)?|cell|caption)|(?:-webkit-)?(?:inline-)?(?:block|flex|grid|table|box)",
        "visibility": "visible|hidden|collapse",
        "content-visibility": "visible|hidden|auto",
        "position": "static|relative|absolute|fixed|sticky",
        "overflow": f"{_CLIPS}(?: {_CLIPS})?",
        "opacity": NUMBER.pattern,
        "font-size": rf"{'|'.join(FONT_SIZES_PX)}|smaller|larger|{NUMBER.pattern}",
        "clip": r"auto|rect\(.*\)",
        "scale": rf"none|{NUMBER.pattern}.*",
        "transform": r"none|(?:(?:scale|translate|rotate|skew|matrix|perspective)\w*\(.*\) ?)+",
        "filter": r"none|(?:(?:opacity|blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert"
        r"|saturate|sepia|url)\(.*\) ?)+",
        **dict.fromkeys(_LENGTHS, _LENGTH),
    }.items()
}
"""Values that browsers keep: an invalid one leaves the one before it in force."""

_MAYBE_COLOUR: Final = re.compile(
    r"(?:var|env|light-dark|color(?:-mix)?|(?:ok)?l(?:ab|ch)|rgba?|hsla?|hwb)\(.*\)"
)
_LONG_NUMBER: Final = re.compile(r"\d{100,}")
_PLAIN: Final = re.compile(r"[^\"'(){}\\@!/]*+(?:/(?!\*)[^\"'(){}\\@!/]*+)*+")
_WORD: Final = re.compile(r"[^\s(),/]*\((?:[^()]|\([^()]*\))*\)|[^\s(),/]+")
_FONT: Final = re.compile(r"(?:^|\s)([\d.]+(?:%|[a-z]+)|0)\s*(?:/\s*\S+)?\s+\S")
_PICTURE: Final = re.compile(r"url\(|gradient\(|image[a-z-]*\(")


@lru_cache(maxsize=2_048)
def parse_style(text: str) -> tuple[Declaration, ...]:
    """Parse a style attribute."""
    if _PLAIN.fullmatch(text):  # which is most of them, and twenty times as fast
        pairs = (each.partition(":") for each in text.lower().split(";"))
        expanded = (_longhands(name.strip(), " ".join(value.split())) for name, _, value in pairs)
        return tuple((*longhand, False) for longhands in expanded for longhand in longhands)
    if len(text) > _STYLE_CHARS_MAX:
        return ((UNREAD, "", False),)
    try:
        return expand(tinycss2.parse_blocks_contents(shorten_numbers(text)))
    except RecursionError:  # of tinycss2, which writes nested brackets recursively
        return ((UNREAD, "", False),)


def shorten_numbers(css: str) -> str:
    """Cut numbers that Python refuses to read, and tinycss2 with it."""
    return _LONG_NUMBER.sub("9" * 99, css)


def expand(nodes: Sequence[Node]) -> tuple[Declaration, ...]:
    """Collect the declarations among the contents of a block."""
    found: list[Declaration] = []
    for node in nodes:
        if node.type == "declaration":
            value = tinycss2.serialize([each for each in node.value if each.type != "comment"]).lower()
            longhands = _longhands(node.lower_name, " ".join(value.split()))
            found += ((*each, node.important) for each in longhands)
    return tuple(found)


@lru_cache(maxsize=4_096)
def _longhands(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """Return the valid declarations of what is read that one declaration stands for."""
    name = _SAME.get(name, name)
    found = [(name, value)]
    if name == "font":
        size = _FONT.search(value)
        found = [("font-size", size[1])] if size else [("font-size", value)] if "(" in value else []
    elif name == "background":
        colours = [word for word in _WORD.findall(value) if not _PICTURE.search(word) and _is_colour(word)]
        picture = value if _PICTURE.search(value) else "none"
        found = [
            ("background-color", colours[-1] if colours else "transparent"),
            ("background-image", picture),
        ]
        if not colours and picture != value and value not in ("none", "0"):  # invalid, or paints nothing
            found = []
    elif name in ("margin", "inset"):
        prefix = "margin-" if name == "margin" else ""
        found = [(f"{prefix}{side}", each) for side, each in zip(_SIDES, _four(value), strict=True)]
    return tuple((each, its) for each, its in found if each in _READ and _is_valid(each, its))


def _four(value: str) -> tuple[str, str, str, str]:
    """Return the values for top, right, bottom and left that one to four stand for."""
    words = _WORD.findall(value) or [""]
    top, right = words[0], words[min(1, len(words) - 1)]
    return top, right, words[2] if len(words) > 2 else top, words[3] if len(words) > 3 else right


def _is_valid(name: str, value: str) -> bool:
    if value in DEFAULTS or not value:
        return bool(value)
    if name in _COLOURS:
        return _is_colour(value)
    return name not in _VALID or _VALID[name].fullmatch(value) is not None


def _is_colour(value: str) -> bool:
    """Return whether a value is a colour, or may be one that isn't read."""
    is_read = value in DEFAULTS or value == "currentcolor" or parse_colour(value) is not None
    return is_read or _MAYBE_COLOUR.fullmatch(value) is not None

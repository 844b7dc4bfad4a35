"""CSS declarations: an inline style, or the block of a rule, to longhand properties.

Only what can make text unseen is kept. Shorthands are split so that the cascade can weigh
each property alone. A declaration is certain if all browsers understand it, and alike: others
hide what they may hide, but show nothing that is hidden without them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import tinycss2

from mailmcp.mail.html.colour import parse_colour
from mailmcp.mail.html.length import NUMBER
from mailmcp.mail.html.values import PROPERTIES, UNKNOWN, WIDE, is_understood

_SIMPLE: Final = re.compile(r"(?:[\t\n\f\r !#-&*-.0-:<-Z^-z|~;]|/(?!\*)|\([\w\s%#,./:?=&+-]*+\))*+", re.ASCII)
"""What can be read without a tokenizer: no quotes, comments, escapes, blocks or nested brackets."""

_SPACES: Final = " \t\n\f\r"
_SPACE: Final = re.compile(f"[{_SPACES}]+")
_VALUE_DEPTH_MAX: Final = 4  # functions in functions; serialising deeper ones recurses
_NOWHERE: Final = re.compile(r"-(?:ms|o|khtml|apple)-.*|progid:.*|alpha\(.*|expression\(.*", re.DOTALL)
"""Values that no browser of today understands, or that are the font of a system."""

_QUIRK: Final = re.compile(r"(?:[1-9]|\d{2,3})(?:\.\d+)?")
"""Lengths without unit: pixels to old browsers, nothing to others."""

_LOGICAL: Final = {
    **{"block-size": "height", "max-block-size": "max-height"},
    **{"inline-size": "width", "max-inline-size": "max-width"},
    **{"inset-block-start": "top", "inset-inline-start": "left"},
    **{"inset-block-end": "bottom", "inset-inline-end": "right"},
    **{"margin-block-start": "margin-top", "margin-inline-start": "margin-left"},
    **{"padding-block-start": "padding-top", "padding-inline-start": "padding-left"},
}
"""Names that depend on the direction of writing (CSS Logical Properties 1), read as for left to right."""

_BOXES: Final = {  # top, right, bottom, left; missing ones are as those opposite
    "margin": ("margin-top", "", "", "margin-left"),
    "padding": ("padding-top", "", "", "padding-left"),
    "inset": ("top", "right", "bottom", "left"),
    "margin-inline": ("margin-left", ""),
    "margin-block": ("margin-top", ""),
    "padding-inline": ("padding-left", ""),
    "padding-block": ("padding-top", ""),
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "overflow": ("overflow-x", "overflow-y"),
}
_SHORTHANDS: Final = frozenset({"all", "font", "background", *_BOXES, *_LOGICAL})

_WEIGHT: Final = "bold|bolder|lighter|[1-9]00"
_FAMILY: Final = r"(?:\"[^\"]*\"|'[^']*'|-?[a-z_][\w-]*(?: -?[a-z_][\w-]*)*)"
_FONT: Final = re.compile(
    rf"(?:normal ){{0,3}}(?:(?:italic|oblique) )?(?:small-caps )?(?:(?:{_WEIGHT}) )?(?:(?:italic|oblique) )?"
    rf"({NUMBER}(?:%|[a-z]+)|0|[a-z-]+)(?: ?/ ?([\w.%+-]+))? {_FAMILY}(?: ?, ?{_FAMILY})*"
)
_SYSTEM_FONTS: Final = frozenset({"caption", "icon", "menu", "message-box", "small-caption", "status-bar"})

_BACKGROUND: Final = {
    "n": {"none"},
    "a": {"scroll", "fixed", "local"},
    "r": {"repeat", "no-repeat", "space", "round"},
    "e": {"repeat-x", "repeat-y"},
    "b": {"border-box", "padding-box", "content-box"},
    "t": {"text"},
    "x": {"left", "right"},
    "y": {"top", "bottom"},
    "m": {"center"},
    "k": {"cover", "contain"},
    "o": {"auto"},
}
_BACKGROUND_PART: Final = re.compile(r"([in])|(c)|(a)|(e|rr?)|(t|bb?)|((?:[xml][yml]?|y[xm]?)(?:/(?:k|[lo][lo]?))?)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One longhand property; name and value in lower case."""

    name: str
    value: str
    important: bool = False
    certain: bool = True


@lru_cache(maxsize=512)
def parse_style(style: str) -> tuple[Declaration, ...]:
    """Read an inline style, in the order written."""
    if _SIMPLE.fullmatch(style) is None:
        nodes = tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True)
        certain = "{" not in style  # browsers differ in where a block ends that should not be there
        return tuple(replace(each, certain=each.certain and certain) for each in parse_block(nodes))
    found: list[Declaration] = []
    for declaration in style.lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            text, bang, word = value.partition("!")
            if not bang or word.strip(_SPACES) == "important":
                text = _SPACE.sub(" ", text).strip()
                found.extend(_declare(name.strip(_SPACES), text, important=bool(bang)))
    return tuple(found)


def parse_block(nodes: Iterable[Any]) -> tuple[Declaration, ...]:
    """Read parsed content of a block, in the order written; what is no declaration is passed over."""
    found: list[Declaration] = []
    for node in nodes:
        if node.type == "declaration" and (node.lower_name in PROPERTIES or node.lower_name in _SHORTHANDS):
            found.extend(_declare(node.lower_name, _serialize(node.value), important=node.important))
    return tuple(found)


def _serialize(tokens: list[Any]) -> str:
    text = tinycss2.serialize(tokens) if _is_shallow(tokens, _VALUE_DEPTH_MAX) else UNKNOWN
    return _SPACE.sub(" ", text).strip().lower() if text.isascii() else UNKNOWN


def _is_shallow(tokens: Iterable[Any], depth: int) -> bool:
    for token in tokens:
        inner = getattr(token, "arguments", None) or getattr(token, "content", None)
        if inner and (depth == 0 or not _is_shallow(inner, depth - 1)):
            return False
    return True


def _declare(name: str, value: str, *, important: bool) -> Iterator[Declaration]:
    for longhand, part in _longhands(name, value):
        yield Declaration(longhand, part, important, part != UNKNOWN)


@lru_cache(maxsize=4096)
def _longhands(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """Split a shorthand; what is not understood of it makes all of it UNKNOWN."""
    name = _LOGICAL.get(name, name)
    if not value or _NOWHERE.fullmatch(value) or (name not in PROPERTIES and name not in _SHORTHANDS):
        return ()
    match name:
        case "all":
            parts = dict.fromkeys(PROPERTIES, value if value in WIDE else UNKNOWN)
        case "font":
            parts = _font(value)
        case "background":
            parts = _background(value)
        case _ if name in _BOXES:
            parts = _sides(_BOXES[name], value.split(" "))
        case _:
            parts = {name: value}
    if any(_QUIRK.fullmatch(part) and is_understood(each, f"{part}px") > is_understood(each, part) for each, part in parts.items()):
        return ()
    if not all(is_understood(each, part) for each, part in parts.items()):
        parts = dict.fromkeys(parts, UNKNOWN)
    return tuple(parts.items())


def _sides(names: tuple[str, ...], values: list[str]) -> dict[str, str]:
    if len(values) > len(names):
        return dict.fromkeys(filter(None, names), UNKNOWN)
    while len(values) < len(names):
        values.append(values[max(len(values) - 2, 0)])
    return {name: value for name, value in zip(names, values, strict=True) if name}


def _font(value: str) -> dict[str, str]:
    match = _FONT.fullmatch(value)
    if value in WIDE or value in _SYSTEM_FONTS:
        return {"font-size": value if value in WIDE else "small", "line-height": "normal"}
    if match is None:
        return {"font-size": UNKNOWN, "line-height": UNKNOWN}
    return {"font-size": match[1], "line-height": match[2] or "normal"}


def _background(value: str) -> dict[str, str]:
    """Split the one layer of a background (CSS Backgrounds 3 section 3.10); more are not understood."""
    parts = {"background-image": "none", "background-color": "transparent", "background-size": "auto"}
    if value in WIDE:
        return dict.fromkeys(parts, value)
    kinds = ""
    for token in tinycss2.parse_component_value_list(value, skip_comments=True):
        text = token.serialize()
        kind = _background_kind(token, text)
        kinds += kind
        if kind in "ic" and kind:
            parts["background-image" if kind == "i" else "background-color"] = text
    found = [match.lastindex for match in _BACKGROUND_PART.finditer(kinds)]
    if "?" in kinds or len(found) != len(set(found)) or _BACKGROUND_PART.sub("", kinds):
        return dict.fromkeys(parts, UNKNOWN)
    if "l" in kinds and "gradient" in parts["background-image"]:
        parts["background-image"] = UNKNOWN  # where it is, and how large, is not computed
    return parts | ({"background-clip": "text"} if "t" in kinds else {})


def _background_kind(token: Any, text: str) -> str:
    if token.type == "whitespace":
        return ""
    for kind, words in _BACKGROUND.items():
        if text in words:
            return kind
    if is_understood("background-color", text):
        return "c"
    if is_understood("background-image", text):
        return "i"
    return "/" if text == "/" else "l" if is_understood("left", text) else "?"

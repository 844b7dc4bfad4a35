"""Colours, as far as text can hide in them: text that looks like what it stands on.

Understands names, hex, rgb(), rgba(), hsl() and the like (CSS Color 4), gradients of
these, and the attributes `bgcolor`, `color` and `text` of old HTML.
"""

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import tinycss2
from tinycss2 import color4

_SEEN_FROM: Final = 0.11  # of one channel: #e0e0e0 on white can be read
_UNSEEN_TO: Final = 0.08  # #ebebeb cannot
_ALPHA_MIN: Final = 0.1
_BARE_HEX: Final = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
_N: Final = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
_FUNCTION: Final = re.compile(
    rf"(?:rgba?\( ?{_N} ?, ?{_N} ?, ?{_N} ?(?:, ?{_N}%? ?)?\)"
    rf"|rgba?\( ?{_N}% ?, ?{_N}% ?, ?{_N}% ?(?:, ?{_N}%? ?)?\)"
    rf"|hsla?\( ?{_N}(?:deg)? ?, ?{_N}% ?, ?{_N}% ?(?:, ?{_N}%? ?)?\)"
    rf"|(?:rgba?|hsla?|hwb)\( ?{_N}(?:deg|turn|%)?(?: {_N}%){{2}} ?(?:/ ?{_N}%? ?)?\)"
    rf"|(?:rgba?\( ?|color\( ?srgb ){_N}(?: {_N}){{2}} ?(?:/ ?{_N}%? ?)?\))"
)
"""What all browsers read alike; the parser reads more."""

_SHORT_HEX: Final = re.compile(r"#[0-9a-f]{3}")
_RGB_SPACES: Final = frozenset({"srgb", "hsl", "hwb"})
_SYSTEM: Final = {
    **dict.fromkeys(("canvas", "field", "window"), "#fff"),
    **dict.fromkeys(("canvastext", "fieldtext", "windowtext"), "#000"),
}
"""What these are in a light window (CSS Color 4 section 6.2); Word writes `windowtext`."""

_GRADIENT: Final = re.compile(r"(?:-webkit-)?(?:repeating-)?(?:linear|radial|conic)-gradient")
_LEGACY_CHARS_MAX: Final = 128
_CHANNEL_CHARS_MAX: Final = 8
_HEX_DIGITS: Final = 2  # of a channel


class Colour(NamedTuple):
    """Red, green, blue and opacity, each from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE: Final = Colour(1, 1, 1)
BLACK: Final = Colour(0, 0, 0)
LINK_BLUE: Final = Colour(0, 0, 0.93)


@lru_cache(maxsize=512)
def parse_colour(value: str) -> Colour | None:
    """Read a colour; None for what is none, or depends on things that are not known here."""
    text = value.strip().lower()
    text = _SYSTEM.get(text, text)
    if "(" in text and _FUNCTION.fullmatch(text) is None:
        return None
    parsed = color4.parse_color(f"#{text}" if _BARE_HEX.fullmatch(text) else text)
    if parsed is None or isinstance(parsed, str) or parsed.space not in _RGB_SPACES:
        return None
    channels = [float(part or 0) for part in parsed.to("srgb")]
    if not all(map(math.isfinite, channels)):
        return None
    return Colour(*(min(max(part, 0.0), 1.0) for part in channels))


def parse_legacy_colour(value: str) -> Colour | None:
    """Read a colour of an attribute, where any text is one (HTML standard, section 2.4.6)."""
    text = value.strip().lower()
    if text in ("", "transparent"):
        return None
    named = color4.parse_color(text) if text.isalpha() or _SHORT_HEX.fullmatch(text) else None
    if named is not None and not isinstance(named, str):
        return Colour(*named)
    digits = re.sub(r"[^0-9a-f]", "0", text[:_LEGACY_CHARS_MAX].removeprefix("#"))
    size = max(-(-len(digits) // 3), 1)
    digits = digits.ljust(3 * size, "0")
    channels = [digits[start : start + size][-_CHANNEL_CHARS_MAX:] for start in (0, size, 2 * size)]
    while len(channels[0]) > _HEX_DIGITS and all(each.startswith("0") for each in channels):
        channels = [each[1:] for each in channels]
    return Colour(*(int(each[:_HEX_DIGITS], 16) / 255 for each in channels))


_STOP: Final = re.compile(r"(?: (?:0|\d+(?:\.\d+)?(?:px|%)))+$")
_SHAPE: Final = re.compile(
    "to (?:left|right|top|bottom)(?: (?:left|right|top|bottom))?|-?[0-9.]+deg"
    "|(?:circle|ellipse)?(?: ?at [a-z0-9% ]+)?|closest-side|farthest-corner"
)


def _items(arguments: list[Any]) -> list[str]:
    """Part the colour stops of a gradient at their commas, without its direction or shape."""
    groups: list[list[Any]] = [[]]
    for node in arguments:
        if node == ",":
            groups.append([])
        else:
            groups[-1].append(node)
    items = [" ".join(tinycss2.serialize(group).split()) for group in groups]
    return items[1:] if items[0] and _SHAPE.fullmatch(items[0]) else items


@lru_cache(maxsize=256)
def parse_image(value: str) -> tuple[Colour, ...] | None:
    """Read a `background-image`: the colours of a gradient, or () for a picture; None if not understood."""
    tokens = [token for token in tinycss2.parse_component_value_list(value) if token.type != "whitespace"]
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.type == "url" or (token.type == "function" and token.lower_name == "url"):
        return ()
    if token.type != "function" or not _GRADIENT.fullmatch(token.lower_name):
        return None
    colours = [parse_colour(_STOP.sub("", item)) for item in _items(token.arguments)]
    known = [each for each in colours if each is not None]
    return tuple(dict.fromkeys(known)) if len(known) == len(colours) > 1 else None


def lay_over(upper: Colour, lower: Colour) -> Colour:
    """Give the colour that is seen where one lies over another, which is opaque."""
    share = upper.alpha
    return Colour(*(share * a + (1 - share) * b for a, b in zip(upper[:3], lower[:3], strict=True)))


def judge_contrast(text: Colour | None, backgrounds: Iterable[Colour | None]) -> bool | None:
    """Tell whether text can be told from what may lie behind it; None if that is not certain.

    Args:
        text: Colour of the text; None if it is not known.
        backgrounds: Whatever may lie behind, opaque; None for what is not known.
    """
    if text is not None and text.alpha < _ALPHA_MIN:
        return False
    found = {
        None if text is None or each is None else _is_seen(lay_over(text, each), each) for each in backgrounds
    }
    return found.pop() if len(found) == 1 else None


def _is_seen(text: Colour, background: Colour) -> bool | None:
    difference = max(abs(a - b) for a, b in zip(text[:3], background[:3], strict=True))
    return None if _UNSEEN_TO < difference < _SEEN_FROM else difference > _UNSEEN_TO

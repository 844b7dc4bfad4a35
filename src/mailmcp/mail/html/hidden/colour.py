"""Colours, as far as text can hide in them: text that looks like its background.

Understands names, hex and the functions of sRGB (CSS Color 4), and gradients of these.
"""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from tinycss2 import color4

_SEEN_FROM: Final = 0.11  # of one channel: #e0e0e0 on white can be read
_UNSEEN_TO: Final = 0.08  # #ebebeb can't
_STEP: Final = 0.2  # less than two times `_SEEN_FROM`
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

_OKLCH: Final = re.compile(rf"oklch\( ?({_N})(%?) ({_N})(%?) ({_N})(?:deg)? ?(?:/ ?1(?:\.0)? ?)?\)")
_ANGLE_MAX: Final = 1_000.0
_COMPONENT: Final = re.compile(rf"({_N})(%?)")

_SYSTEM: Final = {"window": "#fff", "windowtext": "#000"}
"""What these are in a light window (CSS Color 4 section 6.2); Word writes `windowtext`."""

_COLOUR: Final = r"(?:#[0-9a-f]{3,8}|[a-z]+\([^()]*\)|(?!to |circle|ellipse|closest|farthest)[a-z]+)"
_STOP: Final = rf"{_COLOUR}(?: (?:0|\d+(?:\.\d+)?(?:px|%))){{0,2}}"
_GRADIENT: Final = re.compile(
    r"(?:-webkit-)?(?:repeating-)?(?:linear|radial|conic)-gradient\( ?"
    r"(?:to (?:left|right|top|bottom)(?: (?:left|right|top|bottom))? ?, ?|-?[0-9.]+deg ?, ?"
    r"|(?:circle|ellipse)(?: at [a-z0-9% ]+)? ?, ?|at [a-z0-9% ]+, ?|(?:closest-side|farthest-corner) ?, ?)?"
    rf"(?P<stops>{_STOP}(?: ?, ?{_STOP})+) ?\)"
)
_URL: Final = re.compile(r"url\( ?(?:[^()\"'\s]*|\"[^\"]*\"|'[^']*') ?\)")


class Colour(NamedTuple):
    """Red, green, blue and opacity, each from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE: Final = Colour(1, 1, 1)
BLACK: Final = Colour(0, 0, 0)


@lru_cache(maxsize=512)
def parse_colour(value: str) -> Colour | None:
    """Parse a colour; None if it isn't one, or depends on something else."""
    text = value.strip(" ").lower()
    text = _SYSTEM.get(text, text)
    if (match := _OKLCH.fullmatch(text)) is not None:
        light, light_unit, chroma, chroma_unit, hue = match.groups()
        parts = [
            float(light) / (100 if light_unit else 1),
            float(chroma) * (0.004 if chroma_unit else 1),
            math.radians(float(hue)),
        ]
        in_range = 0 <= parts[0] <= 1 and 0 <= parts[1] <= 1 and abs(parts[2]) < _ANGLE_MAX
        return _from_oklch(*parts) if in_range else None
    if "(" in text and not (_FUNCTION.fullmatch(text) and _is_in_range(text)):
        return None
    parsed = color4.parse_color(f"#{text}" if _BARE_HEX.fullmatch(text) else text)
    if parsed is None or isinstance(parsed, str):
        return None
    channels = [float(part or 0) for part in parsed.to("srgb")]
    if not all(map(math.isfinite, channels)):
        return None
    return Colour(*(min(max(part, 0.0), 1.0) for part in channels))


def _is_in_range(function: str) -> bool:
    """Return whether no component needs to be clamped. Browsers agree on how only for `rgb()`."""
    name, _, content = function.partition("(")
    if name.startswith("rgb"):
        return True
    found = [(float(number), unit) for number, unit in _COMPONENT.findall(content)]
    angle, shares = (found[0][0], found[1:]) if name.startswith("h") else (0.0, found)
    whole = sum(number for number, _ in shares[:2]) if name == "hwb" else 0.0
    in_range = all(0 <= number <= (100 if unit else 1) for number, unit in shares)
    return in_range and abs(angle) <= _ANGLE_MAX and whole <= 100


def _from_oklch(light: float, chroma: float, hue: float) -> Colour:
    """Convert a colour of OKLCh (CSS Color 4 section 9.3), clipped to sRGB."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    clipped = (min(max(each, 0.0), 1.0) for each in linear)
    return Colour(*(12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055 for x in clipped))


@lru_cache(maxsize=256)
def parse_image(value: str) -> tuple[Colour, ...] | None:
    """Parse a `background-image`: the colours of a gradient, or () for a picture; None if not understood."""
    if _URL.fullmatch(value):
        return ()
    match = _GRADIENT.fullmatch(value)
    if match is None:
        return None
    colours = [parse_colour(each) for each in re.findall(rf"(?:^|, ?)({_COLOUR})", match["stops"])]
    known = [each for each in colours if each is not None]
    if len(known) < len(colours) or ("(" in re.sub(r"\b(?:rgb|hsl)a?\(|hwb\(", "", match["stops"])):
        return None  # between colors that aren't legacy ones, others lie (CSS Color 4 section 12.1)
    between = [shade for pair in pairwise(known) for shade in _shades(*pair)]
    return tuple(dict.fromkeys((*known, *between)))


def _shades(first: Colour, last: Colour) -> Iterator[Colour]:
    """Yield colours between two stops, close enough together that text can't hide between them."""
    steps = math.ceil(max(abs(a - b) for a, b in zip(first, last, strict=True)) / _STEP)
    for step in range(1, steps):
        share = step / steps
        alpha = (1 - share) * first.alpha + share * last.alpha
        # Of colours that are weighed with their opacity (CSS Images 3 section 3.4.2).
        red, green, blue = (
            ((1 - share) * a * first.alpha + share * b * last.alpha) / (alpha or 1.0)
            for a, b in zip(first[:3], last[:3], strict=True)
        )
        yield Colour(red, green, blue, alpha)


def blend(upper: Colour, lower: Colour, opacity: float = 1.0) -> Colour:
    """Return the colour that is seen where one lies over another, which is opaque."""
    share = upper.alpha * opacity
    return Colour(*(share * a + (1 - share) * b for a, b in zip(upper[:3], lower[:3], strict=True)))


def is_readable(
    text: Colour | None, backgrounds: Iterable[Colour | None], opacity: float = 1.0
) -> bool | None:
    """Return whether text stands out from what may lie behind it; None if that isn't certain.

    Args:
        text: Colour of the text; None if it isn't known.
        backgrounds: What may lie behind, opaque; None for an unknown colour.
        opacity: Of the boxes around the text.
    """
    if text is not None and text.alpha < _ALPHA_MIN:
        return False
    found = {
        None if text is None or behind is None else _stands_out(blend(text, behind, opacity), behind)
        for behind in backgrounds
    }
    return found.pop() if len(found) == 1 else None


def _stands_out(text: Colour, background: Colour) -> bool | None:
    difference = max(abs(a - b) for a, b in zip(text[:3], background[:3], strict=True))
    return None if _UNSEEN_TO < difference < _SEEN_FROM else difference > _UNSEEN_TO

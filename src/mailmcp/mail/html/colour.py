"""Colours, as far as text can hide in them: text that looks like what it stands on.

Understands names, hex, rgb(), rgba(), hsl() and the like (CSS Color 4), and the
legacy attributes `bgcolor`, `color` and `text`.
"""

import math
import re
from functools import lru_cache
from typing import Final, NamedTuple

from tinycss2 import color4

_DIFFERENCE_MIN: Final = 0.08  # of one channel: #ebebeb on white is not read, #e0e0e0 can be
_ALPHA_MIN: Final = 0.1
_BARE_HEX: Final = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
_RGB_SPACES: Final = frozenset({"srgb", "hsl", "hwb"})
_LIGHTEST: Final = {"lab": 100.0, "lch": 100.0, "oklab": 1.0, "oklch": 1.0}
_NEAR_WHITE: Final = 0.97
_SYSTEM: Final = {"canvas": "#fff", "field": "#fff", "canvastext": "#000", "fieldtext": "#000"}
"""What these are in a light window (CSS Color 4 section 6.2)."""


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
    parsed = color4.parse_color(f"#{text}" if _BARE_HEX.fullmatch(text) else text)
    if parsed is None or isinstance(parsed, str):
        return None
    if parsed.space in _LIGHTEST and (parsed.coordinates[0] or 0) >= _NEAR_WHITE * _LIGHTEST[parsed.space]:
        return WHITE._replace(alpha=float(parsed.alpha))  # whatever its hue
    if parsed.space not in _RGB_SPACES:
        return None
    red, green, blue, alpha = (float(part or 0) for part in parsed.to("srgb"))
    if not all(map(math.isfinite, (red, green, blue, alpha))):
        return None
    return Colour(*(min(max(part, 0.0), 1.0) for part in (red, green, blue, alpha)))


def lay_over(upper: Colour, lower: Colour) -> Colour:
    """Give the colour that is seen where one lies over another, which is opaque."""
    share = upper.alpha
    return Colour(*(share * a + (1 - share) * b for a, b in zip(upper[:3], lower[:3], strict=True)))


def is_unseen(text: Colour, background: Colour | None) -> bool:
    """Tell whether text of a colour cannot be told from its background.

    Args:
        text: Colour of the text.
        background: What it stands on, opaque; None where an image makes that unknown:
            then only transparent text is unseen.
    """
    if background is None or text.alpha < _ALPHA_MIN:
        return text.alpha < _ALPHA_MIN
    seen = lay_over(text, background)
    return max(abs(a - b) for a, b in zip(seen[:3], background[:3], strict=True)) <= _DIFFERENCE_MIN

"""Lengths (CSS Values 4), in units whose size is known here; any other unit is not understood."""

import math
import re
from functools import lru_cache
from typing import Final, NamedTuple

NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
"""A number (CSS Syntax 3 section 4.3.12), as part of a pattern."""

WINDOW_PX: Final = (1_024.0, 768.0)
"""Width and height of the window that mail is read in: a mail pane on a desk."""

FONT_PX: Final = 16.0
"""What mail is written in where nothing else is said."""

_LENGTH: Final = re.compile(rf"({NUMBER})(%|[a-z]*)")
_VW, _VH = WINDOW_PX[0] / 100, WINDOW_PX[1] / 100
_PIXELS: Final = {
    **{"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945},
    **{f"{size}{axis}": px for size in ("", "s", "l", "d") for axis, px in (("vw", _VW), ("vh", _VH))},
    **{"vmin": _VH, "vmax": _VW, "vi": _VW, "vb": _VH},
}
_EMS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5}


class Length(NamedTuple):
    """A length: pixels, and shares of the font size, of the root's and of what 100 % is."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    whole: float = 0.0

    def to_px(self, em_px: float = FONT_PX, whole_px: float = 0.0, root_px: float = FONT_PX) -> float:
        """Compute the length in pixels."""
        return self.px + self.em * em_px + self.rem * root_px + self.whole * whole_px


@lru_cache(maxsize=1024)
def parse_length(text: str, bare: str = "") -> Length | None:
    """Read a length in lower case; None for what is not understood.

    Args:
        text: As written.
        bare: The unit of a number that is written without one; "" where only 0 may be.
    """
    match = _LENGTH.fullmatch(text)
    if match is None or not math.isfinite(number := float(match[1])):
        return None
    unit = match[2] or bare or ("" if number else "px")
    if unit in _EMS:
        return Length(em=number * _EMS[unit])
    if unit in ("rem", "%"):
        return Length(rem=number) if unit == "rem" else Length(whole=number / 100)
    return Length(px=number * _PIXELS[unit]) if unit in _PIXELS else None

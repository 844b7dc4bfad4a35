"""Sizes of letters: what is too small, or too narrow, to be read (CSS Fonts 4, CSS Text 3)."""

from typing import Final

from mailmcp.mail.html.style import length_px

FONT_PX: Final = 16.0
"""What mail is written in where nothing else is said."""

FONT_MIN_PX: Final = 3.0
"""Small print is 8 and more; preheaders are 0 or 1."""

_WORDS: Final = dict(
    zip(
        ("xx-small", "x-small", "small", "medium", "initial", "large", "x-large", "xx-large", "xxx-large"),
        (9.0, 10.0, 13.0, 16.0, 16.0, 18.0, 24.0, 32.0, 48.0),
        strict=True,
    )
)
_RATIOS: Final = {"smaller": 5 / 6, "larger": 6 / 5}
_SQUEEZED_EM: Final = -0.5  # letters are half as wide as high: they lie on each other


def font_px(size: str, outer_px: float) -> float:
    """Reckon a `font-size` in pixels; that of the element around it where it is none."""
    if size in _RATIOS:
        return outer_px * _RATIOS[size]
    found = _WORDS.get(size)
    if found is None:
        found = length_px(size, em_px=outer_px, whole_px=outer_px)
    return outer_px if found is None or found < 0 else found


def is_squeezed(spacing: str, em_px: float) -> bool:
    """Tell whether a `letter-spacing` lays all letters on each other."""
    px = length_px(spacing, em_px=em_px, whole_px=em_px)
    return px is not None and px <= _SQUEEZED_EM * em_px < 0

"""Colours as browsers paint them: red, green and blue from 0 to 1, and how opaque."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import tinycss2.color4

_DIFFERENCE_MIN: Final = 0.08
"""Of the most different of red, green and blue: people see less of a text, if anything."""

_SYSTEM: Final = {"canvas": "white", "window": "white", "canvastext": "black", "windowtext": "black"}
_PLAIN: Final = re.compile(r"#|[a-z]+$|(?:rgb|hsl)a?\((?!from)|hwb\((?!from)")
"""Notations in use; what another means depends on the screen, or on other colours."""

_HEX: Final = re.compile(r"[0-9a-f]{6}|[0-9a-f]{3}")


class Colour(NamedTuple):
    """A colour of sRGB."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, behind: "Colour") -> "Colour":
        """Return what is seen of this colour in front of another, opaque one."""
        red, green, blue = (
            self.alpha * front + (1 - self.alpha) * back
            for front, back in zip(self[:3], behind[:3], strict=True)
        )
        return Colour(red, green, blue)

    def is_like(self, other: "Colour") -> bool:
        """Return whether nobody can tell two opaque colours apart."""
        return all(
            abs(one - another) < _DIFFERENCE_MIN for one, another in zip(self[:3], other[:3], strict=True)
        )


WHITE: Final = Colour(1, 1, 1)
BLACK: Final = Colour(0, 0, 0)
CLEAR: Final = Colour(0, 0, 0, 0)


@lru_cache(maxsize=1_024)
def parse_colour(value: str) -> Colour | None:
    """Parse a colour in lower case; None if it isn't one, or in a notation that isn't read."""
    if not _PLAIN.match(value):
        return None
    try:
        parsed = tinycss2.color4.parse_color(_SYSTEM.get(value, value))
        if parsed is None or isinstance(parsed, str):
            return None
        found = parsed.to("srgb")
    except (ValueError, TypeError, NotImplementedError, OverflowError, RecursionError):
        return None  # tinycss2 has no errors of its own for values out of bounds
    red, green, blue = (min(max(each or 0.0, 0.0), 1.0) for each in found.coordinates)
    return Colour(red, green, blue, min(max(float(found.alpha), 0.0), 1.0))


def legacy_colour(value: str) -> str:
    """Return what a colour in an attribute such as `bgcolor` is in a style; its # may be missing."""
    value = value.strip().lower()
    return f"#{value}" if _HEX.fullmatch(value) else value

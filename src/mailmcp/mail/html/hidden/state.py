"""What an element hands down to its children, and the verdict on text that stands in it.

A verdict is "" where text is shown, the name of a technique where it is certainly hidden, and MAYBE
where it is not known to be shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.html.hidden.colour import BLACK, WHITE, Colour, judge_contrast
from mailmcp.mail.html.hidden.values import MAYBE, WINDOW_PX

FONT_MIN_PX: Final = 3.0
"""Small print is 8 and more; preheaders are 0 or 1."""
_FONT_SHOWN_PX: Final = (5.0, 300.0)
_OPACITY_SHOWN: Final = 0.2
OFF_PAGE_PX: Final = 500.0  # to the left or above, where no one can scroll
_FAR_PX: Final = 5_000.0  # to the right or below
_SLACK_PX: Final = 150.0  # negative margins make up for padding elsewhere


@dataclass(frozen=True, slots=True)
class State:
    """What an element hands down to its children, and what its own box does."""

    font_px: float = 16.0
    root_px: float = 16.0
    opacity: float = 1.0
    x: float = 0.0
    y: float = 0.0
    indent: float = 0.0
    right: float = WINDOW_PX[0]
    bottom: float = 2_000.0
    """How far to the right and down text is in sight: less within a box that cuts."""

    colour: Colour = BLACK
    fill: Colour | None = None
    backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind, opaque: one colour, those of a gradient, or None for what is not known."""

    helped: bool = False
    """Whether a picture behind it, or a shadow, may show what its colour does not."""

    holds_floats: bool = True
    """Whether the background reaches behind what floats in it."""

    lifted: bool = False
    """Whether it may lie over other text, on other backgrounds."""

    tight: bool = False
    """Whether a box around has no extent, without cutting off what does not fit in it."""

    inherited: frozenset[tuple[str, str]] = frozenset()
    """Verdicts on inherited properties, by name."""

    box: str = ""
    """The verdict on the boxes around, which nothing within can undo."""

    painted: bool = False
    """Whether the element has a background of its own."""

    covers: bool = False
    """Whether it would hide what it lies over."""

    room: tuple[float, float] | None = None
    """Width and height beyond which the element's content is cut off, or not on its background."""

    def judge_text(self) -> str:
        """Judge text that stands here."""
        size = self._judge_size()
        verdicts = {self.box, size, self._judge_place(), self._judge_colour()}
        verdicts.update(verdict for _, verdict in self.inherited)
        if self.box == MAYBE and size in ("", MAYBE):  # what is not known may undo the rest
            return MAYBE
        return worst(verdicts)

    def _judge_place(self) -> str:
        x = self.x + self.indent
        if min(x, self.y) <= -OFF_PAGE_PX or max(x, self.y) >= _FAR_PX:
            return "position"
        return "" if -_SLACK_PX <= x < self.right and -_SLACK_PX <= self.y < self.bottom else MAYBE

    def _judge_size(self) -> str:
        if self.font_px < FONT_MIN_PX:
            return "font size"
        low, high = _FONT_SHOWN_PX
        return "" if low <= self.font_px <= high and self.opacity >= _OPACITY_SHOWN else MAYBE

    def _judge_colour(self) -> str:
        seen = judge_contrast(self.fill or self.colour, self.backgrounds)
        return "" if seen else MAYBE if seen is None or self.helped or self.lifted else "colour"


def worst(verdicts: Iterable[str]) -> str:
    """Choose among verdicts: a technique that hides, MAYBE, or ""."""
    return min(set(verdicts) - {""}, key=lambda verdict: (verdict == MAYBE, verdict), default="")

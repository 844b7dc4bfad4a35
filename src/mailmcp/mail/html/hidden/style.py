"""What is known of an element's style: what its children inherit, and what hides its text."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.html.hidden.colour import BLACK, WHITE, Colour, is_readable
from mailmcp.mail.html.hidden.values import MAYBE, WINDOW_PX, Length

FONT_MIN_PX: Final = 3.0
"""Small print is 8 and more; preheaders are 0 or 1."""

COLOURS: Final = frozenset({"color", "-webkit-text-fill-color"})
FONT_SHOWN_PX: Final = 5.0
FONT_MAX_PX: Final = 300.0
"""One letter may fill the window."""

_LINE_EM: Final = 0.4  # lines that are lower lie on each other
_LETTER_EM: Final = 0.45  # width of a narrow letter
_PULL_MAX_EM: Final = 0.3  # of letters or words onto each other
NORMAL_LINE: Final = Length(em=1.0)
"""At the least, of a `line-height`."""


@dataclass(frozen=True, slots=True)
class ComputedStyle:
    """What the children of an element inherit, and what the boxes around them do to their text."""

    font_px: float = 16.0
    most_px: float = 16.0
    """The least and the greatest that the font size may be."""

    root_px: float = 16.0
    line_height: Length = NORMAL_LINE
    white_space: str = "normal"
    spacing_px: tuple[float, float] = (0.0, 0.0)
    """Between letters, and between words."""

    indent_px: float = 0.0
    opacity: float = 1.0
    colour: Colour = BLACK
    fill: Colour | None = None
    inherited: frozenset[tuple[str, str]] = frozenset()
    """Verdicts on inherited properties, by name."""

    backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind the text, opaque; None for an unknown colour."""

    block_backgrounds: tuple[Colour | None, ...] = (WHITE,)
    float_backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind a child where the background of an inline element, or of a box that doesn't
    contain its floats, doesn't reach."""

    seen_backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind parts of boxes that their own background doesn't reach, such as captions."""

    has_canvas: bool = False
    """Whether the page can't have the background of the body, which then ends with the body's box."""

    aided: bool = False
    """Whether a picture or a shadow may make text readable that its colour doesn't."""

    floats: bool = False
    """Whether it is a box that floats, or in one."""

    letters: str = ""
    """The kind of the box whose background paints the letters, rather than their own colour, if one does."""

    box: str = ""
    """The verdict on the boxes around, which nothing inside can undo."""

    place: str = ""
    """The verdict on where these boxes are."""

    width_px: float = WINDOW_PX[0]
    height_px: float = math.inf
    """Of the parent; the width is negative if it isn't known, the height infinite unless it is fixed."""

    room_px: float = WINDOW_PX[0]
    """How far to the right text is seen."""

    clips: bool = False
    """Whether a box around clips what leaves it."""

    clipped: bool = False
    """Whether a box around clips what is higher than it."""

    layout: str = ""
    """How the element lays out its children, if it may leave nothing of one that clips.

    "items" for a flexible box or a grid, whose children are boxes; "box" for an old flexible box and for
    `details`, of which they may be; "" for others.
    """

    low_line: bool = False
    """Whether blocks inside have lines that lie on each other, since `sup` or `sub` around them does."""

    capacity: int | None = None
    """How many characters fit into the element's own box; None if it grows with them."""

    unchecked: bool = False
    """Whether the element may hide text that isn't in it."""

    @property
    def nowrap(self) -> bool:
        """Whether lines may be longer than their box."""
        return self.white_space not in ("normal", "pre-line", "pre-wrap")

    @property
    def letter_px(self) -> float:
        """How much of a line a narrow letter takes."""
        return _LETTER_EM * self.font_px + max(self.spacing_px[0], 0.0)

    @property
    def needs_background(self) -> bool:
        """Whether the text can't be read where it leaves the backgrounds around it."""
        return not is_readable(self.fill or self.colour, self.seen_backgrounds)

    @property
    def removal(self) -> str:
        """The verdict on the element as a whole, whatever is in it."""
        return self.box if self.box == MAYBE else worst([self.box, self.place])

    def judge_text(self) -> str:
        """Return "" for text that is shown, MAYBE, or the technique that hides it."""
        unknown = {name for name, verdict in self.inherited if verdict == MAYBE}
        size = "" if FONT_SHOWN_PX <= self.font_px <= FONT_MAX_PX else MAYBE
        if self.font_px < FONT_MIN_PX and "font-size" not in unknown:
            size = "font size"
        if self.box == MAYBE and size != "font size":  # it may undo the rest
            return MAYBE
        readable = is_readable(self.fill or self.colour, self.backgrounds, self.opacity)
        unsure = readable is None or self.aided or not unknown.isdisjoint(COLOURS)
        colour = "" if readable else MAYBE if unsure else "colour"
        line_px = self.line_height.to_px(self.font_px, self.font_px, self.root_px)
        is_apart = min(self.spacing_px) >= -_PULL_MAX_EM * self.font_px
        room = "" if self.room_px > 0 and line_px >= _LINE_EM * self.font_px and is_apart else MAYBE
        return worst([self.box, self.place, size, room, colour, *(verdict for _, verdict in self.inherited)])


def worst(verdicts: Iterable[str]) -> str:
    """Return a technique that hides, else MAYBE, else ""."""
    return min(set(verdicts) - {""}, key=lambda verdict: (verdict == MAYBE, verdict), default="")

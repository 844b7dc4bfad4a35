"""Traits that hide text together, though each alone doesn't, wherever in the document they are."""

import re
from collections.abc import Mapping
from typing import Final

from mailmcp.mail.html.hidden.boxes import SIZES, is_caption, is_clipping, kind_of
from mailmcp.mail.html.hidden.colour import Colour, is_readable
from mailmcp.mail.html.hidden.painting import BACKGROUNDS
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.style import ComputedStyle
from mailmcp.mail.html.hidden.values import PLACES, WINDOW_PX
from mailmcp.mail.html.tags import SPACES, to_lower

_TOGETHER: Final = (
    # Text outside of its line or table may be where something is painted in its colour.
    {"raised", "line"},
    {"raised", "shadow"},
    {"caption", "shadow"},
    # If `html` and `body` have `overflow`, the body clips, and may be too small.
    {"html", "body", "size"},
    # A long line from right to left, or in a box on the right, leaves the window to the left, where nobody
    # can scroll.
    {"leftward", "long"},
    {"auto", "right to left", "long"},
    # A block after a float begins beside it, and its background behind it (CSS 2 section 9.5).
    {"behind"},
)
_COLOURS_MAX: Final = 16  # of texts that float; with more, any background behind them counts
RAISED_MIN: Final = 2
"""Elements within each other that raise or lower their text, from which it may be in another line."""

_LINE: Final = re.compile("(?:border|outline)(?:-top|-bottom)?(?:-width)?")
_FULL: Final = ("100%", "auto", "none", "100vw", "100vh")
_NONE: Final = ("0", "0px", "auto")
_BREAK: Final = re.compile(f"[{SPACES}]+")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")


class Traits:
    """Which traits a document has."""

    __slots__ = ("_block", "_floated", "_line_px", "_seen")

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._floated: set[Colour] = set()  # colours of texts in boxes that float
        self._block = 0  # of the last text
        self._line_px = 0.0  # how long it may be since the last break

    @property
    def may_hide(self) -> bool:
        """Whether some traits hide text together."""
        return any(traits <= self._seen for traits in _TOGETHER)

    def add_element(
        self, element: Element, values: Mapping[str, str], style: ComputedStyle, raised: int
    ) -> None:
        """Add the traits of an element.

        Args:
            element: The element.
            values: What its properties may be.
            style: Its style.
            raised: How many elements, with itself, raise or lower its text.
        """
        tag, attributes = element.tag, element.attributes
        found = {"line" for name in values if _LINE.fullmatch(name) and values[name] not in ("0", "none")}
        if values.get("box-shadow", "none") != "none":
            found.add("shadow")
        if is_caption(tag, values):
            found.add("caption")
        if raised >= RAISED_MIN:
            found.add("raised")
        if tag in ("html", "body"):
            found |= {tag} if is_clipping(values) else set()
            found |= {"html"} if "contain" in values else set()  # it keeps the body's from the window
            found |= {"size" for name in SIZES & values.keys() if values[name] not in _FULL}
            found |= {"size" for name in PLACES & values.keys() if values[name] not in _NONE}
        directions = {to_lower(attributes.get("dir", "")), values.get("direction", "ltr")}
        if not directions <= {"", "ltr", "auto"} or values.get("float") in ("right", "inline-end"):
            found.add("leftward")
        if "auto" in directions or tag == "bdi" or values.get("unicode-bidi") == "plaintext":
            found.add("auto")
        if self._floated and not BACKGROUNDS.isdisjoint(values) and kind_of(tag, values) == "block":
            is_over = len(self._floated) > _COLOURS_MAX
            if is_over or not all(is_readable(colour, style.backgrounds) for colour in self._floated):
                found.add("behind")
        self._seen |= found

    def add_text(self, text: str, style: ComputedStyle, block: int) -> None:
        """Add the traits of a text.

        Args:
            text: Not blank.
            style: That of its element.
            block: Which block it is in: other texts in it may be in the same line.
        """
        lines = [text] if style.nowrap else _BREAK.split(text)
        before_px = self._line_px if block == self._block else 0.0
        first_px, last_px = (len(line) * style.font_px for line in (lines[0], lines[-1]))
        longest_px = max(before_px + first_px, max(map(len, lines)) * style.font_px)
        self._block, self._line_px = block, last_px + (before_px if len(lines) == 1 else 0.0)
        if longest_px > WINDOW_PX[0]:
            self._seen.add("long")
        if _RIGHT_TO_LEFT.search(text) is not None:
            self._seen.add("right to left")
        if style.floats and len(self._floated) <= _COLOURS_MAX:
            self._floated.add(style.fill or style.colour)

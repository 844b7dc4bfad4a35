"""Whether the content of a box that cuts off what does not fit in it can fit: an estimate, and a kind one."""

import math
from typing import Final

from selectolax.lexbor import LexborNode

from mailmcp.mail.html.hidden.style import parse_style
from mailmcp.mail.html.hidden.values import parse_length
from mailmcp.mail.html.tags import BLOCKS, TABLE_PARTS

_LETTER_EMS: Final = 0.4  # width of a narrow letter
_KINDNESS: Final = 1.25
_NODES_MAX: Final = 50_000
_NODE_CHARS: Final = 100  # that are searched in the time that one node takes
_TALL: Final = frozenset({"height", "padding-top", "margin-top"})


class OverflowEstimate:
    """Estimates boxes until that has taken _NODES_MAX steps in a document; then no box is said to fit."""

    __slots__ = ("nodes",)

    def __init__(self) -> None:
        self.nodes = 0

    def overflows(self, box: LexborNode, room_px: tuple[float, float], font_px: float) -> bool:
        """Tell whether text in a box may lie beyond its width or height, both infinite if not set."""
        width, height = room_px
        if height == math.inf:
            source = box.html or ""
            self.nodes += len(source) // _NODE_CHARS
            if "nowrap" not in source and self.nodes <= _NODES_MAX:
                return False
        lines, chars, spaced, breaks = 0, 0, 0.0, True
        is_nowrap = False
        for number, node in enumerate(box.traverse(include_text=True)):  # the first one is the box
            self.nodes += 1
            if self.nodes > _NODES_MAX:
                return True
            if node.is_text_node:
                text = " ".join((node.text_content or "").split())
                chars += len(text)
                lines += bool(text) and breaks
                breaks = breaks and not text
                continue
            breaks = breaks or node.tag in BLOCKS or node.tag in TABLE_PARTS
            lines += node.tag == "br"
            style = node.attributes.get("style") or ""
            is_nowrap = is_nowrap or "nowrap" in style.lower()
            if number or "border-box" in style:
                spaced += _height_px(node, style, own=not number)
        per_line = width / (_LETTER_EMS * font_px or 1.0)
        if is_nowrap:
            return chars > per_line * max(lines, 1) * _KINDNESS
        needed = max(lines, chars / per_line if width < math.inf else 0.0) * font_px + spaced
        return needed > height * _KINDNESS


def _height_px(node: LexborNode, style: str, *, own: bool) -> float:
    """Add up what makes an element high, whatever is in it."""
    values = [
        each.value
        for each in parse_style(style)
        if each.name in _TALL and not (own and each.name != "padding-top")
    ]
    if node.tag == "img":
        values.append(node.attributes.get("height") or "0")
    lengths = [parse_length(value, "px") for value in values]
    return sum(length.to_px() for length in lengths if length is not None)

"""Whether the text of a box fits into it."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from mailmcp.mail.html.hidden.style import ComputedStyle
from mailmcp.mail.html.hidden.values import WINDOW_PX
from mailmcp.mail.html.tags import TAG_ATTRIBUTE

_PHRASING: Final = frozenset({"a", "b", "em", "font", "i", "small", "span", "strong", "u"})
_BLANKS: Final = "\xa0" * 80
_PUSHED: Final = re.compile(r"\n.*\n|\t")


def fits(box: LexborNode, style: ComputedStyle) -> bool:
    """Return whether a box holds nothing but plain text, and no more than fits."""
    capacity = style.capacity or 0
    if capacity <= 0:
        texts = (node.text_content for node in box.traverse(include_text=True) if node.is_text_node)
        return not any((text or "").strip() for text in texts)
    if box.tag == "details":  # its first line is a summary, if need be the browser's own
        return False
    for node in box.traverse(include_text=True):
        if node.is_text_node:
            text = node.text_content or ""
            capacity -= len(text.strip())
            if style.white_space != "normal" and _PUSHED.search(text):
                return False
        elif node.mem_id != box.mem_id and (
            node.tag not in _PHRASING or (node.tag == "span" and TAG_ATTRIBUTE in node.attributes)
        ):
            return False
        capacity -= 1
        if capacity < 0:
            return False
    return True


def is_cut(text: str, style: ComputedStyle) -> bool:
    """Return whether a box clips a word, or blanks push it out of sight."""
    if style.room_px >= WINDOW_PX[0]:
        return _BLANKS in text
    letters = style.room_px / (style.letter_px or 1.0)
    return len(text) > letters and any(len(word) > letters for word in text.split(" "))

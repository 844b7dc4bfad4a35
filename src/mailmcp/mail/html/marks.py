"""The marks around text that may be hidden: `[may be hidden: …]`. Each is on one line."""

import re
from typing import Final

MARK_OPENING: Final = "[may be hidden: "
"""Written before text that may be hidden; a bracket closes it, and those in the text become round."""

ROUND: Final = str.maketrans("[]", "()")
"""What becomes of brackets in a stranger's words in a mark."""

OPEN: Final = "\x01"
CLOSE: Final = "\x02"
"""Around what may be hidden until the marks are written: clean text has neither."""

_PASSAGE: Final = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
_JOINT: Final = re.compile(f"{CLOSE}([ |/]*){OPEN}")
_MARKED: Final = re.compile(rf"{re.escape(MARK_OPENING)}[^\]]*\]?")


def write_marks(text: str) -> tuple[str, int, int]:
    """Write the marks; return the text, how many passages are marked, and how many characters they have."""
    text = _JOINT.sub(r"\1", text)
    passages = _PASSAGE.findall(text)
    marked = text.replace(OPEN, MARK_OPENING).replace(CLOSE, "]")
    return marked, len(passages), sum(map(len, passages))


def is_in_mark(text: str, position: int) -> bool:
    """Return whether a mark begins before a position and ends after it."""
    opened = text.rfind(MARK_OPENING, 0, position + len(MARK_OPENING) - 1) if position else -1
    return 0 <= opened < position and "]" not in text[opened:position]


def without_marked(text: str) -> str:
    """Return a text without the passages that may be hidden."""
    return _MARKED.sub(" ", text)

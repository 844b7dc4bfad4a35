"""The marks around text that may be hidden: `[may be hidden: …]`. Each is on one line."""

import re
from typing import Final

MARK_OPENING: Final = "[may be hidden: "
"""Written before text that may be hidden; a bracket closes it, and those in the text become round."""

ROUND: Final = str.maketrans("[]", "()")
"""What becomes of brackets in a stranger's words in a mark."""

_OPEN, _CLOSE = "\x01", "\x02"  # until the marks are written: clean text has neither
_PASSAGE: Final = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_JOINT: Final = re.compile(f"{_CLOSE}([ |/]*){_OPEN}")
_MARKED: Final = re.compile(rf"{re.escape(MARK_OPENING)}[^\]]*\]?")


def mark(text: str) -> str:
    """Mark a text without line ends, for `write_marks`."""
    return f"{_OPEN}{text.translate(ROUND)}{_CLOSE}"


def write_marks(text: str) -> tuple[str, int, int]:
    """Write the marks; return the text, how many passages are marked, and how many characters they have."""
    text = _JOINT.sub(r"\1", text)
    passages = _PASSAGE.findall(text)
    marked = text.replace(_OPEN, MARK_OPENING).replace(_CLOSE, "]")
    return marked, len(passages), sum(map(len, passages))


def is_in_mark(text: str, position: int) -> bool:
    """Return whether a mark begins before a position and ends after it."""
    opened = text.rfind(MARK_OPENING, 0, position + len(MARK_OPENING) - 1) if position else -1
    return 0 <= opened < position and "]" not in text[opened:position]


def without_marked(text: str) -> str:
    """Return a text without the passages that may be hidden."""
    return _MARKED.sub(" ", text)

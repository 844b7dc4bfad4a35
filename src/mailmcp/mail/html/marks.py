"""The marks around text that may be hidden: `[may be hidden: …]`. Each is on one line."""

import re
from collections.abc import Iterable
from typing import Final

MARK_OPENING: Final = "[may be hidden: "
"""Written before text that may be hidden; a bracket closes it, and those in the text become round."""

ROUND: Final = str.maketrans("[]", "()")
"""What becomes of brackets in a stranger's words in a mark."""

_MARKED: Final = re.compile(rf"{re.escape(MARK_OPENING)}[^\]]*\]?")
_INDENT: Final = re.compile("[> ]*")


def is_in_mark(text: str, position: int) -> bool:
    """Return whether a mark begins before a position and ends after it."""
    opened = text.rfind(MARK_OPENING, 0, position + len(MARK_OPENING) - 1) if position else -1
    return 0 <= opened < position and "]" not in text[opened:position]


def leaves_mark_open(text: str, *, was_open: bool = False) -> bool:
    """Return whether a mark is open after a text; without an opening or a bracket in it, nothing changes."""
    opened, closed = text.rfind(MARK_OPENING), text.rfind("]")
    return was_open if opened == closed else opened > closed


def without_marked(text: str) -> str:
    """Return a text without the passages that may be hidden."""
    return _MARKED.sub(" ", text)


def mark_lines(lines: Iterable[str]) -> list[str]:
    """Write a mark around each line of a passage, so that none is without one if others are left out."""
    found: list[str] = []
    is_open = False
    for line in lines:
        content = _INDENT.sub("", line, count=1)
        indent = line[: len(line) - len(content)]
        if content:
            content = f"{MARK_OPENING if is_open else ''}{content}"
            is_open = leaves_mark_open(content)
            content += "]" if is_open else ""
        found.append(f"{indent}{content}")
    return found

"""Comments of structured fields, which nest and may stand between any two tokens (RFC 5322 section 3.2.2)."""

import re
from typing import Final

_COMMENT_EDGE: Final = re.compile(r"\\.|[()]", re.DOTALL)
_OUTSIDE: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|\(', re.DOTALL)


def comment_end(value: str, start: int) -> int:
    """Return the offset after the comment that begins at `start`; -1 if it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(value, start):
        depth += {"(": 1, ")": -1}.get(edge.group(), 0)
        if depth == 0:
            return edge.end()
    return -1


def blank_comments(value: str) -> str:
    """Replace each comment with a space; what is quoted stays, and so does a comment without an end."""
    kept: list[str] = []
    end = 0
    position = 0
    while (found := _OUTSIDE.search(value, position)) is not None:
        position = found.end()
        if found.group() != "(":
            continue
        after = comment_end(value, found.start())
        if after < 0:
            break
        kept += (value[end : found.start()], " ")
        end = position = after
    return "".join(kept) + value[end:]

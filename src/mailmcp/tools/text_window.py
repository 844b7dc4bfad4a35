"""Windows of a long text."""

from dataclasses import dataclass

from mailmcp.mail.html.marks import MARK_OPENING, is_in_mark
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """Part of a text."""

    text: str
    offset: int
    """Where it begins in the whole text."""

    end: int
    total_chars: int
    next_offset: int | None
    """Where the next window begins; None if this one reaches the end."""


def cut_window(text: str, *, offset: int, max_chars: int, argument: str = "text_offset") -> TextWindow:
    """Cut a window out of a text. But for marks, consecutive windows join to the whole text.

    Args:
        text: The whole text; may be empty.
        offset: Where to begin, from 0; negative, counted from the end, or from the start if the text is
            shorter than that.
        max_chars: The size of the window, from 1.
        argument: The name of the caller's offset argument, for the error.

    Raises:
        InvalidInputError: The offset is past the end.
    """
    total = len(text)
    if offset and offset >= total:
        raise InvalidInputError.of(
            argument,
            BaseReason.OUT_OF_RANGE,
            f"is past the end: the text has {counted(total, 'character')}. Send less, or leave it out.",
        )
    start = offset if offset >= 0 else max(0, total + offset)
    end = min(start + max_chars, total)
    # What begins within a mark of possibly hidden text gets a mark of its own.
    opening = MARK_OPENING if is_in_mark(text, start) else ""
    return TextWindow(
        text=opening + text[start:end],
        offset=start,
        end=end,
        total_chars=total,
        next_offset=end if end < total else None,
    )

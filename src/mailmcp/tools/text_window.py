"""A long text in pieces: a window of it, and where the next one starts."""

from dataclasses import dataclass

from mcp_envelope import BaseReason, InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """Some characters of a text, and where they stand in it."""

    text: str
    offset: int
    """Of the first character, from 0."""

    total_chars: int
    """Of the whole text."""

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.offset + len(self.text)

    @property
    def next_offset(self) -> int | None:
        """Where the next window starts; None if this one reaches the end."""
        return self.end if self.end < self.total_chars else None


def cut_window(text: str, *, offset: int, max_chars: int, argument: str = "text_offset") -> TextWindow:
    """Cut a window out of a text; windows that follow each other join to the whole text.

    Args:
        text: All of it; may be empty.
        offset: Of the first character wanted, from 0.
        max_chars: Most characters wanted, from 1.
        argument: What the caller calls the offset, for the error.

    Raises:
        InvalidInputError: The offset is not 0 and not within the text.
    """
    if offset and offset >= len(text):
        raise InvalidInputError.of(
            argument,
            BaseReason.OUT_OF_RANGE,
            f"is past the end: the text has {len(text)} characters. Send less, or leave it out.",
        )
    return TextWindow(text=text[offset : offset + max_chars], offset=offset, total_chars=len(text))

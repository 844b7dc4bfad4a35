"""What a reader of a format writes to: the text so far, within its ceilings.

Every write looks at the two ceilings, characters and time, and ends the reading
by `StopReading` when one is reached: what is there by then is the result.
"""

import json
import re
import time
from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.mail.clean import clean_line, clean_text

_SECTION_NAME_CHARS_MAX: Final = 100
_PLAIN_NAME: Final = re.compile(r"[^()\"\\]*")
_AROUND_NAME: Final = 5
_TOO_SLOW: Final = "Reading the document took too long: only its beginning was read."


def section_title(kind: str, name: str, *, hidden: bool) -> str:
    """Write what a section is, its name, and whether it is hidden.

    A name that could be taken for the last is quoted.
    """
    shown = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"{kind} {shown}{' (hidden)' if hidden else ''}"


class StopReading(BaseException):
    """Enough was read; `Writer.truncated` and its notes are set.

    No `Exception`: parsers that pass over errors must not pass over this.
    """


@dataclass(slots=True)
class _Section:
    name: str
    pieces: list[str] = field(default_factory=list)


class Writer:
    """Collects text in sections."""

    def __init__(self, *, max_chars: int, stop_at: float) -> None:
        """Take at most `max_chars`, until `stop_at` on the clock `time.monotonic`."""
        self._left = max_chars
        self._stop_at = stop_at
        self._sections = [_Section("")]
        self._notes: dict[str, None] = {}
        self._hidden = 0
        self._closed = False
        self.truncated = False

    @property
    def is_empty(self) -> bool:
        """Whether no text was written; names of sections do not count."""
        return not any(piece.strip() for section in self._sections for piece in section.pieces)

    def begin(self, name: str) -> None:
        """Begin a section; its name may come from the document.

        Raises:
            StopReading: There are too many, or the text is full.
        """
        if len(self._sections) > limits.DOCUMENT_SECTIONS_MAX:
            self.stop(f"Only the first {limits.DOCUMENT_SECTIONS_MAX} pages, sheets or slides were read.")
        short = clean_line(name[: 2 * _SECTION_NAME_CHARS_MAX]).text[:_SECTION_NAME_CHARS_MAX]
        # The name is part of the text, in brackets and between line ends.
        if len(short) + _AROUND_NAME > self._left:
            self.truncated = True
            raise StopReading
        self._left -= len(short) + _AROUND_NAME
        self._sections.append(_Section(short))

    def line(self, text: str) -> None:
        """Write a line, or several; white space at its end is dropped.

        Raises:
            StopReading: The text is full, or time is up.
        """
        self.check_time()
        kept = f"{text.rstrip()}\n"
        self._sections[-1].pieces.append(kept[: self._left])
        if len(kept) > self._left:
            self.truncated = True
            raise StopReading
        self._left -= len(kept)

    def check_time(self) -> None:
        """Look at the clock; for readers of much that is not text.

        Raises:
            StopReading: Time is up.
        """
        if time.monotonic() > self._stop_at:
            self.stop(_TOO_SLOW)

    def interrupt(self) -> None:
        """End the reading from a signal, wherever it is; nothing once it has ended.

        Raises:
            StopReading: It has not ended.
        """
        if not self._closed:
            self.stop(_TOO_SLOW)

    def close(self) -> None:
        """Say that the reading has ended, so that no signal comes between the text and its result."""
        self._closed = True

    def hide(self, text: str) -> None:
        """Leave out, and count, what the document hides from its readers."""
        self._hidden += len(text)

    def stop(self, note: str) -> None:
        """End the reading for a reason that a reader of the text must know.

        Raises:
            StopReading: Always.
        """
        self.note(note)
        self.truncated = True
        raise StopReading

    def note(self, text: str) -> None:
        """Say something about the reading, once however often it is said."""
        self._notes[text] = None

    def result(self) -> dict[str, object]:
        """Join what was written: cleaned text, sections and notes, as the parent expects them."""
        if self._hidden:
            self.note(f"{self._hidden} characters that the document hides were left out.")
        removed = 0
        sections: list[tuple[str, int]] = []
        pieces: list[str] = []
        length = 0
        for section in self._sections:
            cleaned = clean_text("".join(section.pieces).strip("\n"))
            removed += cleaned.removed
            if section.name:
                sections.append((section.name, length))
                pieces.append(f"[{section.name}]\n")
                length += len(pieces[-1])
            if cleaned.text.strip():
                pieces.append(f"{cleaned.text}\n\n")
                length += len(pieces[-1])
        text = "".join(pieces).rstrip()
        if removed:
            self.note(f"{removed} invisible characters were taken out.")
        return {"text": text, "sections": sections, "truncated": self.truncated, "notes": list(self._notes)}

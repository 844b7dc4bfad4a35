"""Collects the text of a document, within limits on characters and time.

Every write checks both limits, and raises `StopReading` when one is reached: the text so far is the result.
"""

import json
import re
import time
from dataclasses import dataclass, field
from typing import Final

from mailmcp.mail.clean import clean_line, clean_text
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.wording import counted

DOCUMENT_SECTIONS_MAX: Final = 5_000
"""Pages, sheets or slides of one document."""

_SECTION_NAME_CHARS_MAX: Final = 100
_PLAIN_NAME: Final = re.compile(r"[\w &'+,./%…-]*")
_NAME_OVERHEAD_CHARS: Final = 5
_TOO_SLOW: Final = "Reading the document took too long: only its beginning was read."


def section_title(kind: str, name: str, *, hidden: bool) -> str:
    """Format the title of a section that the document names; a long name is cut.

    A name of more than words is quoted, so that none passes for "(hidden)" or for two sections.
    """
    name = make_snippet(clean_line(name[: 2 * _SECTION_NAME_CHARS_MAX]).text, _SECTION_NAME_CHARS_MAX)
    shown = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"{kind} {shown}{' (hidden)' if hidden else ''}"


class StopReading(BaseException):
    """Stops the reader; `Writer.truncated` and the notes are set.

    Not an `Exception`: parsers that ignore errors must not ignore this.
    """


@dataclass(slots=True)
class _Section:
    name: str
    pieces: list[str] = field(default_factory=list)


class Writer:
    """Collects text in sections."""

    def __init__(self, *, max_chars: int, stop_at: float) -> None:
        """Accept `max_chars` characters until `stop_at`, on the clock of `time.monotonic`."""
        self._left = max_chars
        self._full = f"Only the first {max_chars} characters of the document were read."
        self._stop_at = stop_at
        self._sections = [_Section("")]
        self._notes: dict[str, None] = {}
        self._hidden = 0
        self._closed = False
        self.truncated = False
        self.is_scanned = False
        self.files: list[str] = []

    @property
    def notes(self) -> list[str]:
        """The notes so far."""
        return list(self._notes)

    @property
    def is_empty(self) -> bool:
        """Whether no text was written, apart from section names."""
        return not any(piece.strip() for section in self._sections for piece in section.pieces)

    def begin_section(self, name: str) -> None:
        """Begin a section.

        Args:
            name: One line of ours, or from `section_title`.

        Raises:
            StopReading: There are too many, or the text is full.
        """
        if len(self._sections) > DOCUMENT_SECTIONS_MAX:
            self.stop(f"Only the first {DOCUMENT_SECTIONS_MAX} pages, sheets or slides were read.")
        # The name becomes part of the text, in brackets and between line breaks.
        if len(name) + _NAME_OVERHEAD_CHARS > self._left:
            self.stop(self._full)
        self._left -= len(name) + _NAME_OVERHEAD_CHARS
        self._sections.append(_Section(name))

    def write_line(self, text: str) -> None:
        """Write one or more lines, without trailing white space.

        Raises:
            StopReading: The text is full, or time is up.
        """
        self.check_time()
        kept = f"{text.rstrip()}\n"
        self._sections[-1].pieces.append(kept[: self._left])
        if len(kept) > self._left:
            self.stop(self._full)
        self._left -= len(kept)

    def check_time(self) -> None:
        """Check the time; for readers that parse much before they write.

        Raises:
            StopReading: Time is up.
        """
        if time.monotonic() > self._stop_at:
            self.stop(_TOO_SLOW)

    def interrupt(self) -> None:
        """Stop the reader from a signal handler, unless it has ended.

        Raises:
            StopReading: It has not ended.
        """
        if not self._closed:
            self.stop(_TOO_SLOW)

    def close(self) -> None:
        """Ignore interrupts from now on: the reader has ended."""
        self._closed = True

    def count_hidden(self, text: str) -> None:
        """Count text that the document hides, and drop it."""
        self._hidden += len(text)

    def stop(self, note: str) -> None:
        """Stop reading, for a reason that is worth a note.

        Raises:
            StopReading: Always.
        """
        self.add_note(note)
        self.truncated = True
        raise StopReading

    def add_note(self, text: str) -> None:
        """Add a note, unless it is there already."""
        self._notes[text] = None

    def result(self) -> dict[str, object]:
        """Return the cleaned text, the sections and the notes, as the parent expects them."""
        if self._hidden:
            self.add_note(f"Removed {counted(self._hidden, 'hidden character')}.")
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
            self.add_note(f"Removed {counted(removed, 'invisible character')}.")
        return {
            "text": text,
            "sections": sections,
            "truncated": self.truncated,
            "notes": self.notes,
            "is_scanned": self.is_scanned,
            "files": self.files,
        }

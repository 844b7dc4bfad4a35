"""What comes out of a document, or why nothing does."""

from dataclasses import dataclass
from enum import StrEnum, unique


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A page, sheet or slide."""

    name: str
    """One clean line, as `Page 3`, `Sheet Prices`, `Slide 2`; the document's words where it has names."""

    offset: int
    """Character of the text where it begins, with a line that holds its name in brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The text of a document, without invisible characters and hidden text."""

    text: str

    sections: tuple[Section, ...]
    """In order; empty for kinds that have none (text documents)."""

    truncated: bool
    """There is more text than was read; `notes` say why, unless it is the ceiling of characters."""

    notes: tuple[str, ...]
    """Sentences about what was left out or could not be read; our words, with nothing from the document."""


@unique
class Cause(StrEnum):
    """Why there is no text."""

    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    ENCRYPTED = "encrypted"
    UNSUPPORTED = "unsupported"


class ExtractionError(Exception):
    """No text could be had from a document; the message says what to do instead."""

    def __init__(self, message: str, *, cause: Cause) -> None:
        """Say it in a sentence for the reader of the reply, with nothing from the document."""
        super().__init__(message)
        self.message = message
        self.cause = cause

"""What the server and the worker exchange: a job, and the text of a document or why there is none."""

import struct
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

CONTENT_LENGTH: Final = struct.Struct(">Q")
"""Comes before the content on the worker's stdin, which stays open after the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One document to read; passed to the worker as a JSON argument."""

    kind: str
    max_chars: int

    time_s: float
    """Reading stops after this long, with the text read so far. The server waits a little longer."""

    memory_octets: int
    """Address space of the worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A page, sheet or slide."""

    name: str
    """One line, such as `Page 3`, `Sheet Prices` or `Slide 2`. The document may have named it."""

    offset: int
    """The character of the text at which it starts, with a line that has its name in brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The text of a document, without invisible characters and hidden text."""

    text: str

    sections: tuple[Section, ...]
    """In order; empty for kinds that have none (text documents)."""

    truncated: bool
    """There is more text than was read. `notes` say why, unless it is the limit of characters."""

    notes: tuple[str, ...]
    """Sentences about what was removed or can't be read; they never quote the document."""


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
    """There is no text. The message says what to do instead, and never quotes the document."""

    def __init__(self, message: str, *, cause: Cause) -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause


class UnreadableError(Exception):
    """Raised in the worker: a format can't be read any further."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause.value)
        self.cause = cause

"""What the server and the worker exchange: a job, and the text, picture or file that was asked for."""

import struct
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from mailmcp import limits

CONTENT_LENGTH: Final = struct.Struct(">Q")
"""Comes before the content on the worker's stdin, which stays open after the content."""


@unique
class Task(StrEnum):
    """What to do with a document."""

    TEXT = "text"
    PICTURE = "picture"
    """Draw one page, or scale an image."""

    MEMBER = "member"
    """Take one file out of an archive, or an attachment out of an Outlook message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One document to read; passed to the worker as a JSON argument."""

    task: str
    kind: str
    max_chars: int = limits.EXTRACTED_CHARS_MAX
    """Of a text."""

    page: int = 1
    """Of a picture, from 1."""

    member: str = ""
    """The listed name of the file to take out."""

    time_s: float = limits.EXTRACT_TIMEOUT_S
    """Reading stops after this long, with the text read so far. The server waits a little longer."""

    memory_octets: int = limits.EXTRACT_MEMORY_OCTETS
    """Address space of the worker, where the platform limits it."""


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

    is_scanned: bool = False
    """It has pages but no text, so only pictures of its pages show what it says."""

    files: tuple[str, ...] = ()
    """The listed names of the first files inside whose text isn't part of this one. The sender's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image or a page of a document, as PNG or JPEG."""

    octets: bytes = field(repr=False)
    """Empty if there is no such page."""

    content_type: str
    width: int
    height: int
    source_width: int
    """In pixels; 0 for a page, which has none."""

    source_height: int
    pages: int
    """At least 1. An animation has one page, its first frame."""

    notes: tuple[str, ...]
    """As in `Extraction`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive or of a message."""

    octets: bytes = field(repr=False)
    notes: tuple[str, ...]
    """As in `Extraction`, about what contains it."""


@unique
class Cause(StrEnum):
    """Why a document can't be read."""

    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    ENCRYPTED = "encrypted"
    UNSUPPORTED = "unsupported"
    UNSUPPORTED_IMAGE = "unsupported_image"
    UNSUPPORTED_ARCHIVE = "unsupported_archive"
    NO_MEMBER = "no_member"
    NOT_A_FILE = "not_a_file"
    NOT_AN_ARCHIVE = "not_an_archive"
    NOT_DRAWABLE = "not_drawable"
    IS_IMAGE = "is_image"
    NO_TEXT = "no_text"


_MESSAGES: Final = {
    Cause.CRASHED: "The process that reads documents crashed on this one. "
    "The file itself can still be downloaded.",
    Cause.TIMED_OUT: "Reading the document took too long and was stopped. "
    "The file itself can still be downloaded.",
    Cause.OUT_OF_MEMORY: "Reading the document took too much memory and was stopped. "
    "The file itself can still be downloaded.",
    Cause.TOO_LARGE: "The document, or what it contains, is too large to be read. "
    "The file itself can still be downloaded, in parts if necessary.",
    Cause.MALFORMED: "The document is damaged or mislabelled, and can't be read. "
    "Ask the sender for another copy.",
    Cause.ENCRYPTED: "The document is encrypted, and can't be read without the password. "
    "Ask the user to open it, or the sender for an unencrypted copy.",
    Cause.UNSUPPORTED: "The formats of Office before 1997 aren't supported. "
    "Ask the sender for DOCX, XLSX, PPTX or PDF.",
    Cause.UNSUPPORTED_IMAGE: "HEIC and AVIF images aren't supported. "
    "Get the file itself, or ask the sender for JPEG.",
    Cause.UNSUPPORTED_ARCHIVE: "Archives of 7-Zip and RAR aren't supported. "
    "Get the file itself, or ask the sender for ZIP.",
    Cause.NO_MEMBER: "It lists no file under that name. mode=text without member lists the names.",
    Cause.NOT_A_FILE: "It is a link or a device, not a file, so there is nothing to read.",
    Cause.NOT_AN_ARCHIVE: "The attachment isn't an archive or an Outlook message: leave member out.",
    Cause.NOT_DRAWABLE: "Only PNG, JPEG, GIF, WebP, BMP, TIFF and PDF can be shown as images: send text.",
    Cause.IS_IMAGE: "It is an image: mode=image shows it.",
    Cause.NO_TEXT: "It has no readable text: it has another type or is damaged.",
}
"""What happened, and what to do instead."""


class UnreadableError(Exception):
    """A document can't be read, or no further. The message says what to do instead, and never quotes it."""

    def __init__(self, cause: Cause) -> None:
        self.cause = cause
        self.message = _MESSAGES[cause]
        super().__init__(self.message)

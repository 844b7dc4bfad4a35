"""What the server and the worker exchange: a job, and the text, picture or file that was asked for."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum, unique
from typing import Final, NamedTuple

from mailmcp import limits

PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"


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
    page: int = 1
    """Of a picture, from 1."""

    member: str = ""
    """The listed name of the file to take out."""

    time_s: float = limits.EXTRACT_TIMEOUT_S
    """Reading stops after this long, with the text read so far. The server waits a little longer."""

    memory_octets: int = limits.EXTRACT_MEMORY_OCTETS
    """Address space of the worker, where the platform limits it."""


class Section(NamedTuple):
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

    width: int
    height: int
    source_width: int
    """In pixels; 0 for a page, which has none."""

    source_height: int
    pages: int
    """At least 1. An animation has one page, its first frame."""

    notes: tuple[str, ...]
    """As in `Extraction`."""

    @property
    def content_type(self) -> str:
        """What it is encoded as."""
        return "image/png" if self.octets.startswith(PNG_MAGIC) else "image/jpeg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive or of a message."""

    octets: bytes = field(repr=False)
    notes: tuple[str, ...]
    """As in `Extraction`, about what contains it."""


@unique
class Cause(Enum):
    """Why a document can't be read: what happened, and what to do instead."""

    CRASHED = "The process that reads documents crashed on this one. The file itself can still be downloaded."
    TIMED_OUT = "Reading the document took too long and was stopped. The file itself can still be downloaded."
    OUT_OF_MEMORY = (
        "Reading the document took too much memory and was stopped. The file itself can still be downloaded."
    )
    TOO_LARGE = (
        "The document, or what it contains, is too large to be read. "
        "The file itself can still be downloaded, in parts if necessary."
    )
    MALFORMED = "The document is damaged or mislabelled, and can't be read. Ask the sender for another copy."
    ENCRYPTED = (
        "The document is encrypted, and can't be read without the password. "
        "Ask the user to open it, or the sender for an unencrypted copy."
    )
    UNSUPPORTED = (
        "The formats of Office before 1997 aren't supported. Ask the sender for DOCX, XLSX, PPTX or PDF."
    )
    UNSUPPORTED_IMAGE = (
        "HEIC and AVIF images aren't supported. Get the file itself, or ask the sender for JPEG."
    )
    UNSUPPORTED_ARCHIVE = (
        "Archives of 7-Zip and RAR aren't supported. Get the file itself, or ask the sender for ZIP."
    )
    NO_MEMBER = "It lists no file under that name. mode=text without member lists the names."
    NOT_A_FILE = "It is a link or a device, not a file, so there is nothing to read."
    NOT_AN_ARCHIVE = "The attachment isn't an archive or an Outlook message: leave member out."
    NOT_DRAWABLE = "Only PNG, JPEG, GIF, WebP, BMP, TIFF and PDF can be shown as images: send text."
    IS_IMAGE = "It is an image: mode=image shows it."
    NO_TEXT = "It has no readable text: it has another type or is damaged."


class UnreadableError(Exception):
    """A document can't be read, or no further. The message says what to do instead, and never quotes it."""

    def __init__(self, cause: Cause) -> None:
        self.cause = cause
        self.message = cause.value
        super().__init__(self.message)

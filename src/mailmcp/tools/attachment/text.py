"""Reads the text of an attachment: documents, calendars, messages, HTML and anything else that is text.

Invisible characters are removed, and counted in a warning. Nothing here raises: unreadable text is an issue.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Section, UnreadableError
from mailmcp.documents.kind import WITHOUT_TEXT, Kind, detect_kind, guess_kind
from mailmcp.mail.calendar.invitation import calendar_text
from mailmcp.mail.charset.decode import WRONG_CHARSET, guess_charset
from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.mime.structure import MESSAGE_TYPES, Part
from mailmcp.mail.mime.transfer import complete_lines, decode_transfer
from mailmcp.mail.read import read_attached_message
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.smime import is_entity, without_signatures
from mailmcp.tools.tool import Call
from mcp_envelope import Code, Issue
from mcp_envelope.markdown import quote

_TEXT_TYPES: Final = frozenset(
    {
        "application/json",
        "application/xml",
        "application/xhtml+xml",
        "application/ics",
        "application/sql",
        "application/x-sh",
        "application/x-yaml",
        "application/yaml",
        "application/toml",
        "application/javascript",
        "application/csv",
        "application/pgp-signature",
        "application/pgp-keys",
    }
)
"""Text types whose names don't say so."""

_TEXT_SUFFIXES: Final = ("+json", "+xml", "+yaml")
"""Suffixes of types whose syntax is text (RFC 6839)."""

_TYPES_BY_EXTENSION: Final = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "htm": "text/html",
    "html": "text/html",
    "xhtml": "application/xhtml+xml",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "eml": "message/rfc822",
    "mht": "message/rfc822",
    "mhtml": "message/rfc822",
    "json": "application/json",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "sql": "application/sql",
    "asc": "text/plain",
    "ini": "text/plain",
    "cfg": "text/plain",
    "conf": "text/plain",
    "diff": "text/x-diff",
    "patch": "text/x-diff",
    **dict.fromkeys(("tab", "rst", "tex", "bib", "srt", "vtt", "properties", "toml", "nfo"), "text/plain"),
    **dict.fromkeys(("css", "js", "py", "sh", "bat", "ps1", "c", "h", "cpp", "java", "php"), "text/plain"),
}
"""For senders that don't say: they call half of all attachments application/octet-stream."""

SIGNED: Final = "The attachment is signed; the signature was not checked."

DOCUMENT_OCTETS_MAX: Final = limits.EXTRACT_OCTETS_MAX * 3 // 2
"""Fetched of a document, which is read completely or not at all. Base64 takes 78 octets for 57; the rest is
for odd lines."""

_TEXT_OCTETS_FETCHED_MAX: Final = 2_097_152
"""Fetched of an attached text, as stored: 40 windows at their longest. Only logs are longer."""

TOO_LARGE: Final = f"The document is too large: the limit is {limits.EXTRACT_OCTETS_MAX} octets."

_CODES: Final[Mapping[Cause, Code]] = {
    Cause.TIMED_OUT: Code.TIMEOUT,
    Cause.CRASHED: Code.INTERNAL,
    Cause.OUT_OF_MEMORY: Code.INTERNAL,
}
"""The codes of documents that can't be read; all others are invalid input."""

_UNKNOWN_TYPES: Final = frozenset(
    {"application/octet-stream", "application/binary", "application/x-download"}
)
_NEVER_TEXT: Final = ("image/", "audio/", "video/", "font/", "model/")

_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_TEXT_OCTETS_MIN: Final = 40
"""So much data without a control character, and three quarters of it ASCII, is text by more than chance."""

_WIDE_SAMPLE_OCTETS: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentText:
    """The text of an attachment, or the reason why there is none."""

    text: str = ""
    sections: tuple[Section, ...] = ()
    """Pages, sheets or slides by their offsets in the text. Their names are the sender's."""

    warnings: tuple[str, ...] = ()
    """Sentences; they hold nothing from the attachment."""

    issue: Issue | None = None
    """Why there is no text; None if there is one, even an empty one. The caller adds `about`."""

    is_picture: bool = False
    """Whether it says something that only a picture shows."""


def code_of(error: UnreadableError) -> Code:
    """Return the code of a document that can't be read."""
    return _CODES.get(error.cause, Code.INVALID_INPUT)


def text_type(content_type: str, filename: str) -> str:
    """Return the type by which to read a part as text; "" if its labels don't say that it is text."""
    by_name = _TYPES_BY_EXTENSION.get(filename.rpartition(".")[2].strip().lower(), "")
    if content_type == "text/plain" and by_name:
        return by_name
    is_text = content_type.startswith(("text/", "message/")) or content_type.endswith(_TEXT_SUFFIXES)
    if is_text or content_type in _TEXT_TYPES:
        return content_type
    # Windows calls CSV application/vnd.ms-excel, and other programs call it what they like.
    return "" if content_type.startswith(_NEVER_TEXT) else by_name


def can_have_text(content_type: str, filename: str) -> bool:
    """Return whether the labels of a part promise text: those of signed data promise what is signed."""
    filename = filename.strip().lower().removesuffix(".p7m")
    kind = guess_kind(content_type, filename)
    return (kind is not None and kind not in WITHOUT_TEXT) or text_type(content_type, filename) != ""


def octets_wanted(part: Part) -> int:
    """Return how many octets of a part, as stored, to fetch for its text."""
    if guess_kind(part.content_type, part.filename) is None and text_type(part.content_type, part.filename):
        return _TEXT_OCTETS_FETCHED_MAX
    return DOCUMENT_OCTETS_MAX


async def read_attachment_text(call: Call, part: Part, octets: bytes, *, cut: bool = False) -> AttachmentText:
    """Read the text of a part in a worker thread or another process; raises nothing but cancellation.

    Args:
        call: For the extractor and the deadline.
        part: What the labels say. The content decides.
        octets: Still transfer-encoded.
        cut: Whether the part has more octets. A document is then not read.
    """
    threads = CapacityLimiter(1)  # not the default limiter, which serves stdin and stdout
    read = await to_thread.run_sync(_read, part, octets, cut, limiter=threads, abandon_on_cancel=True)
    if isinstance(read, AttachmentText):
        return read
    if read.kind is Kind.IMAGE:
        return replace(_no_text(Code.INVALID_INPUT, "It is an image: mode=image shows it."), is_picture=True)
    if cut:
        return _no_text(Code.INVALID_INPUT, TOO_LARGE)
    try:
        extraction = await call.extractor.extract(read.content, read.kind, deadline=call.deadline)
    except UnreadableError as error:
        return _no_text(code_of(error), error.message)
    return AttachmentText(
        text=extraction.text,
        sections=extraction.sections,
        warnings=tuple(extraction.notes),
        is_picture=extraction.is_scanned,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """A document for the extraction process."""

    kind: Kind
    content: bytes = field(repr=False)


def _read(part: Part, octets: bytes, cut: bool) -> AttachmentText | _Document:  # noqa: FBT001 - run_sync passes positionally
    octets = complete_lines(octets) if cut else octets
    content = decode_transfer(octets, part.encoding).octets
    filename, inner = without_signatures(part.filename, part.content_type, content)
    if inner is not content:
        return _read_signed(replace(part, filename=filename, params={}), inner, cut)
    content_type = text_type(part.content_type, part.filename)
    kind = detect_kind(content, guess_kind(part.content_type, part.filename))
    if kind is not None:
        return _Document(kind=kind, content=content)
    charset = part.charset or _wide_charset(content)
    by_name_alone = text_type(part.content_type, "") == "" and part.content_type not in _UNKNOWN_TYPES
    is_binary = by_name_alone and b"\0" in content and not charset
    if is_binary or (content_type == "" and not charset and not _looks_like_text(content)):
        return _no_text(
            Code.INVALID_INPUT,
            f"It has no readable text ({quote(part.content_type)}): it has another type or is damaged.",
        )
    not_in_html: list[str] = []
    if content_type in MESSAGE_TYPES:
        message = read_attached_message(
            content, part_id=part.part_id if part.has_numbered_parts else "", cut=cut
        )
        body, not_in_html = message.body, message.not_in_html.warnings()
    else:
        params = {**part.params, "charset": charset}
        labelled = replace(part, content_type=content_type or "text/plain", params=params)
        body = _read_labelled(labelled, octets)
    warnings = (*_warnings(body, len(octets) if cut else 0), *not_in_html)
    return AttachmentText(text=body.text, warnings=warnings)


def _read_signed(part: Part, content: bytes, cut: bool) -> AttachmentText | _Document:  # noqa: FBT001 - as `_read`
    """Read what was signed in one piece: a message without header fields, or a file."""
    # A message whose parts the server doesn't know.
    content_type = "message/global" if is_entity(content) else "application/octet-stream"
    inner = replace(part, content_type=content_type, encoding="binary", size_octets=len(content))
    read = _read(inner, content, cut)
    return replace(read, warnings=(*read.warnings, SIGNED)) if isinstance(read, AttachmentText) else read


def _looks_like_text(content: bytes) -> bool:
    """Return whether a content without labels of text is text, in UTF-8 or in another charset."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if error.start > 0 and error.start >= len(content) - 3 and error.reason == "unexpected end of data":
            return True
        if _CONTROLS.search(content):
            return False
        ascii_octets = sum(octet < 0x80 for octet in content)
        is_latin = len(content) >= _TEXT_OCTETS_MIN and ascii_octets * 4 >= len(content) * 3
        return is_latin or guess_charset(content) != ""
    return True


def _wide_charset(content: bytes) -> str:
    """Return the UTF-16 that a content is in, with its mark or without; "" if it isn't.

    Without a mark, every other octet of the beginning is NUL, as in ASCII, and no other is.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = content[:_WIDE_SAMPLE_OCTETS]
    even, odd = sample[::2], sample[1::2]
    for zeros, letters, charset in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if len(zeros) > 1 and zeros.count(0) * 4 >= len(zeros) * 3 and 0 not in letters:
            return charset
    return ""


def _read_labelled(part: Part, octets: bytes) -> BodyText:
    """Read events, HTML or lines; a calendar without events is shown as it is."""
    if part.is_calendar and (events := calendar_text(octets, part)).text:
        return events
    return body_text(TextParts(plain=(part,)), {part.part_id: octets}, full_links=True)


def _warnings(body: BodyText, cut_after: int) -> list[str]:
    warnings: list[str] = []
    if cut_after:
        warnings.append(f"Only the first {cut_after} octets of the attachment, as stored, were read.")
    warnings += body.removed.warnings(where="the text")
    # Files often say a charset that isn't theirs; where every character is read, nobody minds.
    is_read = "\ufffd" not in body.text
    if defects := [each for each in body.defects if not (is_read and each == WRONG_CHARSET)]:
        warnings.append(f"The attachment is malformed: {'; '.join(defects)}.")
    return warnings


def _no_text(code: Code, message: str) -> AttachmentText:
    return AttachmentText(issue=Issue(code=code, stage="extract", message=message))

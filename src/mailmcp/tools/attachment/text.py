"""Reads an attachment: its text, its picture, or one file inside it.

Documents, calendars, messages, HTML and anything else that is text have text. Invisible characters are
removed, and counted in a warning.
"""

import codecs
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Extraction, Picture, UnreadableError
from mailmcp.documents.kind import (
    CONTAINERS,
    DRAWABLE,
    UNREADABLE,
    WITHOUT_TEXT,
    Kind,
    detect_kind,
    guess_kind,
)
from mailmcp.mail.calendar.invitation import calendar_text
from mailmcp.mail.charset.decode import WRONG_CHARSET
from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.mime.structure import MESSAGE_TYPES, Part, clean_filename
from mailmcp.mail.mime.transfer import complete_lines, decode_transfer
from mailmcp.mail.read import read_attached_message
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.smime import is_entity, without_signatures
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import AttachedFile
from mailmcp.tools.attachment.save import TYPES
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, DeadlineError, InternalError, InvalidInputError, NextAction, ToolError

ResultT = TypeVar("ResultT")

_TEXT_TYPES: Final = re.compile(
    r"(?:text|message)/.*|.*\+(?:json|xml|yaml)"
    r"|application/(?:x-)?(?:json|xml|yaml|csv|ics|sql|toml|javascript|pgp-signature|pgp-keys)"
)
"""Types of text. The suffixes are those of RFC 6839."""

_TYPES_BY_EXTENSION: Final = {
    **dict.fromkeys(("htm", "html", "xhtml"), "text/html"),
    **dict.fromkeys(("eml", "mht", "mhtml"), "message/rfc822"),
    "ics": "text/calendar",
    **dict.fromkeys(("txt", "csv", "tsv", "tab", "log", "md", "rst", "tex", "bib", "vcf"), "text/plain"),
    **dict.fromkeys(("json", "xml", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties"), "text/plain"),
    **dict.fromkeys(("sql", "diff", "patch", "asc", "srt", "vtt", "nfo"), "text/plain"),
    **dict.fromkeys(("css", "js", "py", "sh", "bat", "ps1", "c", "h", "cpp", "java", "php"), "text/plain"),
}
"""For senders that don't say: they call half of all attachments application/octet-stream."""

SIGNED: Final = "The attachment is signed; the signature was not checked."

DOCUMENT_OCTETS_MAX: Final = limits.EXTRACT_OCTETS_MAX * 3 // 2
"""Fetched of a document, which is read completely or not at all. Base64 takes 78 octets for 57; the rest is
for odd lines."""

_TEXT_OCTETS_FETCHED_MAX: Final = 2_097_152
"""Fetched of an attached text, as stored: 40 windows at their longest. Only logs are longer."""

_INSTEAD: Final[Mapping[Cause, tuple[str, Mapping[str, str]]]] = {
    Cause.NO_MEMBER: ("List the files in it.", {}),
    Cause.NOT_A_FILE: ("List the files in it.", {}),
    Cause.NOT_DRAWABLE: ("Get the text.", {}),
    Cause.IS_IMAGE: ("Show the image.", {"mode": "image"}),
}
_NEVER_TEXT: Final = ("image/", "audio/", "video/", "font/", "model/")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")


def document_error(error: UnreadableError, argument: str, next_action: NextAction | None = None) -> ToolError:
    """Build the error for a document that can't be read; `argument` is what to change."""
    match error.cause:
        case Cause.TIMED_OUT:
            return DeadlineError(error.message, reason=Reason.COMMAND, next_action=next_action)
        case Cause.CRASHED | Cause.OUT_OF_MEMORY:
            return InternalError(error.message, reason=BaseReason.UNEXPECTED, next_action=next_action)
        case _:
            reason = BaseReason.INVALID_VALUE
            return InvalidInputError.of(argument, reason, error.message, next_action=next_action)


def unreadable_file(call: Call, file: AttachedFile, error: UnreadableError, argument: str) -> ToolError:
    """Build the same error with another way to get the file."""
    instruction, mode = _INSTEAD.get(error.cause, ("", {}))
    next_action = file.get(instruction, **mode) if instruction else file.get_whole(call)
    return document_error(error, argument, next_action)


def text_type(content_type: str, filename: str) -> str:
    """Return the type by which to read a part as text; "" if its labels don't say that it is text."""
    by_name = _TYPES_BY_EXTENSION.get(filename.rpartition(".")[2].strip().lower(), "")
    if content_type == "text/plain" and by_name:
        return by_name
    if _TEXT_TYPES.fullmatch(content_type):
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


async def in_thread(work: Callable[[], ResultT], *, abandon: bool = True) -> ResultT:
    """Run blocking work, and leave it behind if the call is cancelled, unless it must end."""
    # Not the default limiter, which serves stdin and stdout.
    return await to_thread.run_sync(work, limiter=CapacityLimiter(1), abandon_on_cancel=abandon)


async def read_attachment_text(call: Call, part: Part, octets: bytes, *, cut: bool = False) -> Extraction:
    """Read the text of a part in a worker thread or another process, from octets still transfer-encoded.

    `cut` says that the part has more octets. A document is then not read.

    Raises:
        UnreadableError: There is no text, or it can't be read.
    """
    read = await in_thread(lambda: _read(part, octets, cut=cut))
    if isinstance(read, Extraction):
        return read
    content, kind = read
    if kind is Kind.IMAGE:
        raise UnreadableError(Cause.IS_IMAGE)
    if cut:
        raise UnreadableError(Cause.TOO_LARGE)
    return await call.extractor.extract(content, kind, deadline=call.deadline)


def _read(part: Part, octets: bytes, *, cut: bool) -> Extraction | tuple[bytes, Kind]:
    """Read a text; of a document return the content and the kind, for another process."""
    octets = complete_lines(octets) if cut else octets
    content = decode_transfer(octets, part.encoding).octets
    filename, inner = without_signatures(part.filename, part.content_type, content)
    if inner is not content:
        return _read_signed(replace(part, filename=filename, params={}), inner, cut=cut)
    kind = detect_kind(content, guess_kind(part.content_type, part.filename))
    if kind is not None:
        return content, kind
    content_type = text_type(part.content_type, part.filename)
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    charset = part.charset or ("utf-16" if is_wide else "")
    # The name alone promises too much: what Windows calls a spreadsheet may be CSV, or really is one.
    says_text = charset or text_type(part.content_type, "") or (content_type and b"\0" not in content)
    if not says_text and _CONTROLS.search(content):
        raise UnreadableError(Cause.NO_TEXT)
    notes: list[str] = []
    if cut:
        notes.append(f"Only the first {len(octets)} octets of the attachment, as stored, were read.")
    not_in_html: list[str] = []
    if content_type in MESSAGE_TYPES:
        own_id = part.part_id if part.has_numbered_parts else ""
        message = read_attached_message(content, part_id=own_id, cut=cut)
        body, not_in_html = message.body, message.not_in_html.warnings()
    else:
        params = {**part.params, "charset": charset}
        body = _read_labelled(replace(part, content_type=content_type or "text/plain", params=params), octets)
    notes += body.removed.warnings(where="the text")
    # Files often name a charset that isn't theirs; where every character is read, nobody minds.
    is_read = "\ufffd" not in body.text
    if defects := [each for each in body.defects if not (is_read and each == WRONG_CHARSET)]:
        notes.append(f"The attachment is malformed: {'; '.join(defects)}.")
    return Extraction(text=body.text, sections=(), truncated=cut, notes=(*notes, *not_in_html))


def _read_signed(part: Part, content: bytes, *, cut: bool) -> Extraction | tuple[bytes, Kind]:
    """Read what was signed in one piece: a message without header fields, or a file."""
    # A message whose parts the server doesn't know.
    content_type = "message/global" if is_entity(content) else "application/octet-stream"
    inner = replace(part, content_type=content_type, encoding="binary", size_octets=len(content))
    read = _read(inner, content, cut=cut)
    return replace(read, notes=(*read.notes, SIGNED)) if isinstance(read, Extraction) else read


def _read_labelled(part: Part, octets: bytes) -> BodyText:
    """Read events, HTML or lines; a calendar without events is shown as it is."""
    if part.is_calendar and (events := calendar_text(octets, part)).text:
        return events
    return body_text(TextParts(plain=(part,)), {part.part_id: octets}, full_links=True)


async def open_member(call: Call, file: AttachedFile, name: str) -> AttachedFile:
    """Take one file out of an archive or an Outlook message, by its name in the text of that.

    Raises:
        InvalidInputError: There is no such file, or it can't be read.
        ToolError: Reading took too long or failed.
    """
    try:
        content, kind = await in_thread(lambda: _detect(file, CONTAINERS, Cause.NOT_AN_ARCHIVE))
        read = await call.extractor.unpack(content, kind, member=name, deadline=call.deadline)
    except UnreadableError as error:
        raise unreadable_file(call, file, error, "member") from error
    filename = clean_filename(name)
    part = Part(
        part_id=file.part.part_id,
        content_type=TYPES.guess_type(filename)[0] or "application/octet-stream",
        encoding="binary",
        size_octets=len(read.octets),
        filename=filename,
    )
    return replace(file, part=part, octets=read.octets, member=name, notes=read.notes)


async def draw_file(call: Call, file: AttachedFile, page: int) -> Picture:
    """Return a picture of an image, or of a page of a PDF or TIFF, as a model can see it.

    Raises:
        InvalidInputError: It is something else, has no such page, or can't be read.
        ToolError: Reading took too long or failed.
    """
    try:
        content, kind = await in_thread(lambda: _detect(file, DRAWABLE, Cause.NOT_DRAWABLE))
        picture = await call.extractor.draw(content, kind, page=page, deadline=call.deadline)
    except UnreadableError as error:
        raise unreadable_file(call, file, error, "mode") from error
    if not picture.octets:
        raise InvalidInputError.of(
            "page",
            BaseReason.OUT_OF_RANGE,
            f"must be 1 to {picture.pages}." if picture.pages > 1 else "must be 1: there is one page.",
            next_action=file.get("Show the last page.", mode="image", page=picture.pages),
        )
    return picture


def _detect(file: AttachedFile, kinds: Collection[Kind], otherwise: Cause) -> tuple[bytes, Kind]:
    """Return the content of a file and its kind, which must be one of some."""
    content = decode_transfer(file.octets, file.part.encoding).octets
    name, content = without_signatures(file.part.filename, file.part.content_type, content)
    kind = detect_kind(content, guess_kind(file.part.content_type, name))
    if kind is None or (kind not in kinds and kind not in UNREADABLE):
        raise UnreadableError(otherwise)
    if file.cut:
        raise UnreadableError(Cause.TOO_LARGE)
    return content, kind

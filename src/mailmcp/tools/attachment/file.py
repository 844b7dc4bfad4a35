"""An attachment as fetched, or one file within it: its picture, its content, and the files in it."""

import hashlib
import mimetypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Picture, UnreadableError
from mailmcp.documents.kind import CONTAINERS, DRAWABLE, UNREADABLE, Kind, detect_kind, guess_kind
from mailmcp.mail.mime.structure import Part, clean_filename
from mailmcp.mail.mime.transfer import TransferDecoder, decode_transfer, open_decoder
from mailmcp.mail.text.smime import without_signatures
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import OpenPart
from mailmcp.tools.attachment.save import save_file
from mailmcp.tools.attachment.text import TOO_LARGE, can_have_text, code_of
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.tool import Call
from mcp_envelope import (
    BaseReason,
    Code,
    DeadlineError,
    InternalError,
    InvalidInputError,
    NextAction,
    ToolError,
)

_SAVED_OCTETS_MAX: Final = 75_000_000
"""A saved file: as Base64 twice what the most generous providers accept as a message."""

_TYPES: Final = mimetypes.MimeTypes()
"""Python's own table, not the machine's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """An attachment as fetched, or a file within it."""

    ref: MessageRef
    part: Part
    octets: bytes = field(default=b"", repr=False)
    """Still transfer-encoded; empty in `Content`."""

    member: str = ""
    """The name of the file within the attachment; "" for the attachment itself."""

    notes: tuple[str, ...] = ()
    """Sentences about what contains it."""

    cut: bool = False
    """Whether the attachment has more octets."""

    short: bool = False
    """As in `OpenPart`."""

    def get(self, instruction: str, **arguments: object) -> NextAction:
        """Suggest to get this file in another way."""
        named = {"message_id": self.ref.message_id, "part_id": self.part.part_id}
        member = {"member": self.member} if self.member else {}
        return NextAction(instruction=instruction, tool=GET_ATTACHMENT, arguments=named | member | arguments)

    def get_whole(self, call: Call) -> NextAction | None:
        """Suggest to save the file, or to get it in a reply; None if it is too large."""
        if call.preferences.save_folder is not None and self.part.decoded_size <= _SAVED_OCTETS_MAX:
            return self.get("Save the file for the user.", mode="save")
        if self.part.decoded_size <= limits.ATTACHMENT_CONTENT_OCTETS_MAX:
            return self.get("Get the file itself.", mode="content")
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A decoded file, in memory or saved."""

    file: AttachedFile
    size_octets: int
    sha256: str
    octets: bytes = field(default=b"", repr=False)
    """Empty if it was saved."""

    path: Path | None = None
    """Where it was saved."""

    defects: tuple[str, ...] = ()


def document_error(
    code: Code, message: str, argument: str, next_action: NextAction | None = None
) -> ToolError:
    """Build the error for a document that can't be read; `argument` is what to change."""
    match code:
        case Code.TIMEOUT:
            return DeadlineError(message, reason=Reason.COMMAND, next_action=next_action)
        case Code.INVALID_INPUT:
            return InvalidInputError.of(argument, BaseReason.INVALID_VALUE, message, next_action=next_action)
        case _:
            return InternalError(message, reason=BaseReason.UNEXPECTED, next_action=next_action)


async def open_member(call: Call, file: AttachedFile, name: str) -> AttachedFile:
    """Take one file out of an archive, or out of an Outlook message.

    Args:
        call: For the process that reads documents, and the deadline.
        file: What contains it.
        name: As the text of `file` lists it.

    Raises:
        InvalidInputError: There is no such file, or it can't be read.
        ToolError: Reading took too long or failed.
    """
    content, kind = await _decode_file(file)
    if kind is None or (kind not in CONTAINERS and kind not in UNREADABLE):
        message = "can't be used: the attachment isn't an archive or an Outlook message. Leave it out."
        raise document_error(Code.INVALID_INPUT, message, "member")
    if file.cut:
        raise document_error(Code.INVALID_INPUT, f"can't be read. {TOO_LARGE}", "member")
    try:
        read = await call.extractor.unpack(content, kind, member=name, deadline=call.deadline)
    except UnreadableError as error:
        is_missing = error.cause in {Cause.NO_MEMBER, Cause.NOT_A_FILE}
        next_action = file.get("List the files in it.") if is_missing else file.get_whole(call)
        raise document_error(code_of(error), error.message, "member", next_action) from error
    filename = clean_filename(name)
    part = Part(
        part_id=file.part.part_id,
        content_type=_TYPES.guess_type(filename)[0] or "application/octet-stream",
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
    content, kind = await _decode_file(file)
    if kind is None or (kind not in DRAWABLE and kind not in UNREADABLE):
        message = "can't be image: it shows only PNG, JPEG, GIF, WebP, BMP, TIFF and PDF. Send text."
        raise document_error(Code.INVALID_INPUT, message, "mode", file.get("Get the text."))
    if file.cut:
        raise document_error(Code.INVALID_INPUT, f"can't be image. {TOO_LARGE}", "mode")
    try:
        picture = await call.extractor.draw(content, kind, page=page, deadline=call.deadline)
    except UnreadableError as error:
        raise document_error(code_of(error), error.message, "mode", file.get_whole(call)) from error
    if not picture.octets:
        raise InvalidInputError.of(
            "page",
            BaseReason.OUT_OF_RANGE,
            f"must be 1 to {picture.pages}." if picture.pages > 1 else "must be 1: there is one page.",
            next_action=file.get("Show the last page.", mode="image", page=picture.pages),
        )
    return picture


async def _decode_file(file: AttachedFile) -> tuple[bytes, Kind | None]:
    """Return the content of a file and its kind, found out in a thread."""

    def decode() -> tuple[bytes, Kind | None]:
        content = decode_transfer(file.octets, file.part.encoding).octets
        name, content = without_signatures(file.part.filename, file.part.content_type, content)
        return content, detect_kind(content, guess_kind(file.part.content_type, name))

    return await to_thread.run_sync(decode, limiter=CapacityLimiter(1), abandon_on_cancel=True)


def read_content(opened: OpenPart, folder: Path | None) -> Content:
    """Read a part into memory; with a folder, save it there, one range of it in memory at a time. Blocking.

    Raises:
        InvalidInputError: With reason `too_large`; nothing is left behind.
        InternalError: With reason `save_failed`.
        ToolError: As for `OpenPart.chunks`.
    """
    file = AttachedFile(ref=opened.ref, part=opened.part)
    decoder = open_decoder(opened.part.encoding)
    content = make_content(file, _decoded_chunks(opened, decoder), folder)
    return replace(content, file=replace(file, short=opened.short), defects=decoder.defects)


def _decoded_chunks(opened: OpenPart, decoder: TransferDecoder) -> Iterator[bytes]:
    for chunk in opened.chunks():
        yield decoder.feed(chunk)
    yield decoder.finish()


def make_content(file: AttachedFile, chunks: Iterable[bytes], folder: Path | None) -> Content:
    """Collect the decoded octets of a file in memory, or save them if there is a folder. Blocking.

    Raises:
        InvalidInputError: With reason `too_large`, by the announced size before the first chunk is taken.
        InternalError: With reason `save_failed`.
    """
    file = replace(file, octets=b"")
    if folder is None:
        limited = _limit(file, chunks, "a reply holds", limits.ATTACHMENT_CONTENT_OCTETS_MAX)
        octets = b"".join(limited)
        digest = hashlib.sha256(octets).hexdigest()
        return Content(file=file, size_octets=len(octets), sha256=digest, octets=octets)
    saved = save_file(folder, file.part, _limit(file, chunks, "a saved file holds", _SAVED_OCTETS_MAX))
    return Content(file=file, size_octets=saved.size_octets, sha256=saved.sha256, path=saved.path)


def _limit(file: AttachedFile, chunks: Iterable[bytes], what: str, limit: int) -> Iterator[bytes]:
    """Yield the chunks of a file, unless it is larger than the limit or turns out to be."""
    total = file.part.decoded_size
    if total > limit:
        raise _too_large(file, what, limit)
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limit:  # the server announced less
            raise _too_large(file, what, limit)
        yield chunk


def _too_large(file: AttachedFile, what: str, limit: int) -> InvalidInputError:
    part = file.part
    next_action = None
    if can_have_text(part.content_type, part.filename):
        next_action = file.get("Get the text of the attachment.")
    elif guess_kind(part.content_type, part.filename) is Kind.IMAGE:
        next_action = file.get("Show the image.", mode="image")
    return InvalidInputError.of(
        "mode",
        Reason.TOO_LARGE,
        f"can't be used: the file has about {part.decoded_size} octets, but {what} at most {limit}. "
        "Send text or image, or save if the user has set a folder.",
        next_action=next_action,
    )

"""An attachment as fetched, or one file within it: the files in it, its picture, its content."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Picture, UnreadableError
from mailmcp.documents.kind import CONTAINERS, DRAWABLE, UNREADABLE, Kind, detect_kind, guess_kind
from mailmcp.mail.mime.structure import Part, clean_filename
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.text.smime import without_signatures
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import SAVED_OCTETS_MAX, AttachedFile
from mailmcp.tools.attachment.save import TYPES
from mailmcp.tools.attachment.text import can_have_text, document_error, in_thread
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError


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
        next_action = file.get_whole(call)
        if error.cause in {Cause.NO_MEMBER, Cause.NOT_A_FILE}:
            next_action = file.get("List the files in it.")
        raise document_error(error, "member", next_action) from error
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
        next_action = file.get_whole(call)
        if error.cause is Cause.NOT_DRAWABLE:
            next_action = file.get("Get the text.")
        raise document_error(error, "mode", next_action) from error
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


def check_size(file: AttachedFile, folder: Path | None, size_octets: int) -> int:
    """Return the octets that a file may have, to be saved in a folder or else sent in a reply.

    Raises:
        InvalidInputError: With reason `too_large`: it has more.
    """
    limit = limits.ATTACHMENT_CONTENT_OCTETS_MAX if folder is None else SAVED_OCTETS_MAX
    if size_octets <= limit:
        return limit
    part, next_action = file.part, None
    if can_have_text(part.content_type, part.filename):
        next_action = file.get("Get the text of the attachment.")
    elif guess_kind(part.content_type, part.filename) is Kind.IMAGE:
        next_action = file.get("Show the image.", mode="image")
    what = "a reply holds" if folder is None else "a saved file holds"
    raise InvalidInputError.of(
        "mode",
        Reason.TOO_LARGE,
        f"can't be used: the file has about {size_octets} octets, but {what} at most {limit}. "
        "Send text or image, or save if the user has set a folder.",
        next_action=next_action,
    )

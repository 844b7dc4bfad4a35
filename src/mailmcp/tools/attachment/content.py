"""The decoded content of a part, in memory or saved as a file. Blocking."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mailmcp import limits
from mailmcp.documents.kind import Kind, guess_kind
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import TransferDecoder, decode_transfer, open_decoder
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.file import save_file
from mailmcp.tools.attachment.inside import FetchedFile
from mailmcp.tools.attachment.name import safe_filename
from mailmcp.tools.attachment.part import OpenPart
from mailmcp.tools.attachment.text import can_have_text
from mailmcp.tools.names import GET_ATTACHMENT
from mcp_envelope import InvalidInputError, NextAction


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A decoded part."""

    part: Part
    size_octets: int
    sha256: str
    octets: bytes = field(default=b"", repr=False)
    """Empty if it was saved."""

    path: Path | None = None
    """Where it was saved."""

    short: bool
    """Whether the server sent less than it announced."""

    defects: tuple[str, ...]


def read_content(opened: OpenPart) -> Content:
    """Read a part that fits a reply.

    Raises:
        InvalidInputError: With reason `too_large`.
        ToolError: As for `OpenPart.chunks`.
    """
    part, limit = opened.part, limits.ATTACHMENT_CONTENT_OCTETS_MAX
    if part.decoded_size > limit:
        raise _too_large(opened.ref, opened.part, "a reply holds", limit)
    decoded = decode_transfer(opened.read(2 * limit), part.encoding)
    if opened.cut or len(decoded.octets) > limit:  # the server announced less
        raise _too_large(opened.ref, opened.part, "a reply holds", limit)
    return Content(
        part=part,
        size_octets=len(decoded.octets),
        sha256=hashlib.sha256(decoded.octets).hexdigest(),
        octets=decoded.octets,
        short=opened.short,
        defects=decoded.defects,
    )


def save_content(opened: OpenPart, folder: Path) -> Content:
    """Save a part under a safe form of its name, holding one range of it in memory at a time.

    Raises:
        InvalidInputError: With reason `too_large`; nothing is left behind.
        InternalError: With reason `save_failed`.
        ToolError: As for `OpenPart.chunks`.
    """
    part, limit = opened.part, limits.ATTACHMENT_SAVE_OCTETS_MAX
    if part.size_octets > limit:
        raise _too_large(opened.ref, opened.part, "a saved file holds", limit)
    decoder = open_decoder(part.encoding)
    name = safe_filename(part.filename, content_type=part.content_type, part_id=part.part_id)
    saved = save_file(folder, name, _decode(opened, decoder, limit))
    return Content(
        part=part,
        size_octets=saved.size_octets,
        sha256=saved.sha256,
        path=saved.path,
        short=opened.short,
        defects=decoder.defects,
    )


def member_content(file: FetchedFile, folder: Path | None) -> Content:
    """Return a file from within an attachment, saved if there is a folder.

    Raises:
        InvalidInputError: With reason `too_large`, if it doesn't fit a reply.
        InternalError: With reason `save_failed`.
    """
    part, octets = file.part, file.octets
    if folder is None and len(octets) > limits.ATTACHMENT_CONTENT_OCTETS_MAX:
        raise _too_large(file.ref, part, "a reply holds", limits.ATTACHMENT_CONTENT_OCTETS_MAX)
    path = None
    if folder is not None:
        name = safe_filename(part.filename, content_type=part.content_type, part_id=part.part_id)
        path = save_file(folder, name, [octets]).path
    return Content(
        part=part,
        size_octets=len(octets),
        sha256=hashlib.sha256(octets).hexdigest(),
        octets=b"" if folder else octets,
        path=path,
        short=file.short,
        defects=(),
    )


def _decode(opened: OpenPart, decoder: TransferDecoder, limit: int) -> Iterator[bytes]:
    total = 0
    for chunk in opened.chunks():
        total += len(chunk)
        if total > limit:  # the server announced less
            raise _too_large(opened.ref, opened.part, "a saved file holds", limit)
        yield decoder.feed(chunk)
    yield decoder.finish()


def _too_large(ref: MessageRef, part: Part, what: str, limit: int) -> InvalidInputError:
    named = {"message_id": ref.message_id, "part_id": part.part_id}
    next_action = None
    if can_have_text(part.content_type, part.filename):
        next_action = NextAction(
            instruction="Get the text of the attachment.", tool=GET_ATTACHMENT, arguments=named
        )
    elif guess_kind(part.content_type, part.filename) is Kind.IMAGE:
        next_action = NextAction(
            instruction="Show the image.", tool=GET_ATTACHMENT, arguments={**named, "mode": "image"}
        )
    return InvalidInputError.of(
        "mode",
        Reason.TOO_LARGE,
        f"can't be used: the file has about {part.decoded_size} octets, but {what} at most {limit}. "
        "Send text or image, or save if the user has set a folder.",
        next_action=next_action,
    )

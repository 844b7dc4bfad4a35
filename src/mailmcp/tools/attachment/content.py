"""The file that a part is, its transfer encoding taken off: in memory, or saved. Blocking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mailmcp import limits
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import NULS_LOST, TransferDecoder, decode_transfer, open_decoder
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.file import SavedFile, save_file
from mailmcp.tools.attachment.name import safe_filename
from mailmcp.tools.attachment.part import OpenPart
from mailmcp.tools.attachment.text import can_have_text
from mailmcp.tools.names import GET_ATTACHMENT
from mcp_envelope import InvalidInputError, NextAction


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """A file that was fetched."""

    part: Part
    octets: bytes = field(repr=False)
    short: bool
    """Whether the server gave less than it says there is."""

    defects: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedContent:
    """A file that was fetched and saved."""

    part: Part
    file: SavedFile
    short: bool
    """As of `FileContent`."""

    defects: tuple[str, ...]


def read_content(opened: OpenPart) -> FileContent:
    """Read a file that fits a reply.

    Raises:
        InvalidInputError: With reason `too_large`, before anything more is fetched.
        ToolError: As `OpenPart.chunks`.
    """
    most = limits.ATTACHMENT_CONTENT_OCTETS_MAX
    too_large = _too_large(opened, "a reply has", most)
    if opened.part.decoded_size > most:
        raise too_large
    decoded = decode_transfer(opened.read(2 * most), opened.part.encoding)
    if opened.cut or len(decoded.octets) > most:  # more than the server said
        raise too_large
    return FileContent(
        part=opened.part, octets=decoded.octets, short=opened.short, defects=_defects(opened, decoded.defects)
    )


def save_content(opened: OpenPart, folder: Path) -> SavedContent:
    """Save a file under a harmless form of its name, in memory of one range.

    Raises:
        InvalidInputError: With reason `too_large`; nothing is left behind.
        InternalError: With reason `save_failed`.
        ToolError: As `OpenPart.chunks`.
    """
    part = opened.part
    if part.size_octets > limits.ATTACHMENT_SAVE_OCTETS_MAX:
        raise _not_saved(opened)
    stream = open_decoder(part.encoding)
    name = safe_filename(part.filename, content_type=part.content_type, part_id=part.part_id)
    file = save_file(folder, name, _decoded(opened, stream))
    return SavedContent(part=part, file=file, short=opened.short, defects=_defects(opened, stream.defects))


def _defects(opened: OpenPart, found: Iterable[str]) -> tuple[str, ...]:
    return (*found, *([NULS_LOST] if opened.lacks_nuls else []))


def _decoded(opened: OpenPart, stream: TransferDecoder) -> Iterator[bytes]:
    total = 0
    for chunk in opened.chunks():
        total += len(chunk)
        if total > limits.ATTACHMENT_SAVE_OCTETS_MAX:  # more than the server said
            raise _not_saved(opened)
        yield stream.feed(chunk)
    yield stream.finish()


def _not_saved(opened: OpenPart) -> InvalidInputError:
    return _too_large(opened, "a file that is saved has", limits.ATTACHMENT_SAVE_OCTETS_MAX)


def _too_large(opened: OpenPart, what: str, limit_octets: int) -> InvalidInputError:
    part, ref = opened.part, opened.ref
    text = NextAction(
        instruction="Get the text of the attachment.",
        tool=GET_ATTACHMENT,
        arguments={"message_id": ref.message_id, "part_id": part.part_id},
    )
    return InvalidInputError.of(
        "mode",
        Reason.TOO_LARGE,
        f"does not suit: the file has about {part.decoded_size} octets, and {what} at most {limit_octets}. "
        "Send text, or save where the user has set a folder.",
        next_action=text if can_have_text(part.content_type, part.filename) else None,
    )

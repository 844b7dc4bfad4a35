"""What `imap_get_attachment` works on: an attachment as fetched, or one file within it."""

import mimetypes
from dataclasses import dataclass, field, replace
from typing import Final, Self

from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.kind import CONTAINERS, UNREADABLE, Kind, detect_kind, guess_kind
from mailmcp.mail.mime.structure import Part, clean_filename
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.text.smime import without_signatures
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.errors import document_error
from mailmcp.tools.attachment.part import OpenPart
from mailmcp.tools.attachment.text import TOO_LARGE
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError, NextAction

_TYPES: Final = mimetypes.MimeTypes()
"""Python's own table, not the machine's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFile:
    """An attachment as fetched, or a file within it."""

    ref: MessageRef
    part: Part
    octets: bytes = field(repr=False)
    """Still transfer-encoded."""

    member: str = ""
    """The name of the file within the attachment; "" for the attachment itself."""

    notes: tuple[str, ...] = ()
    """Sentences about what contains it."""

    cut: bool = False
    """Whether the attachment has more octets."""

    short: bool = False
    """As in `OpenPart`."""

    @classmethod
    def of(cls, opened: OpenPart, *, limit_octets: int) -> Self:
        """Fetch an attachment, up to a limit. Blocking; raises as `OpenPart.chunks` does."""
        octets = opened.read(limit_octets)
        return cls(
            ref=opened.ref,
            part=opened.part,
            octets=octets,
            cut=opened.cut,
            short=opened.short,
        )

    async def decode(self) -> tuple[bytes, Kind | None]:
        """Return the content and its kind, found out in a thread."""

        def decode() -> tuple[bytes, Kind | None]:
            content = decode_transfer(self.octets, self.part.encoding).octets
            name, content = without_signatures(self.part.filename, self.part.content_type, content)
            return content, detect_kind(content, guess_kind(self.part.content_type, name))

        return await to_thread.run_sync(decode, limiter=CapacityLimiter(1), abandon_on_cancel=True)

    def get(self, instruction: str, **arguments: object) -> NextAction:
        """Suggest to get this file in another way."""
        named = {"message_id": self.ref.message_id, "part_id": self.part.part_id}
        member = {"member": self.member} if self.member else {}
        return NextAction(instruction=instruction, tool=GET_ATTACHMENT, arguments=named | member | arguments)

    def get_whole(self, *, saving: bool) -> NextAction | None:
        """Suggest to get the file itself; None if it is too large. `saving` says whether it can be saved."""
        if saving and self.part.size_octets <= limits.ATTACHMENT_SAVE_OCTETS_MAX:
            return self.get("Save the file for the user.", mode="save")
        if self.part.decoded_size <= limits.ATTACHMENT_CONTENT_OCTETS_MAX:
            return self.get("Get the file itself.", mode="content")
        return None


async def open_member(call: Call, file: FetchedFile, name: str) -> FetchedFile:
    """Take one file out of an archive, or out of an Outlook message.

    Args:
        call: For the process that reads documents, and the deadline.
        file: What contains it.
        name: As the text of `file` lists it.

    Raises:
        InvalidInputError: There is no such file, or it can't be read.
        ToolError: Reading took too long or failed.
    """
    content, kind = await file.decode()
    if kind is None or (kind not in CONTAINERS and kind not in UNREADABLE):
        raise InvalidInputError.of(
            "member",
            BaseReason.INVALID_VALUE,
            "can't be used: the attachment isn't an archive or an Outlook message. Leave it out.",
        )
    if file.cut:
        raise InvalidInputError.of("member", BaseReason.INVALID_VALUE, f"can't be read. {TOO_LARGE}")
    try:
        read = await call.extractor.unpack(content, kind, member=name, deadline=call.deadline)
    except UnreadableError as error:
        if error.cause in {Cause.NO_MEMBER, Cause.NOT_A_FILE}:
            next_action: NextAction | None = file.get("List the files in it.")
        else:
            next_action = file.get_whole(saving=call.preferences.save_folder is not None)
        raise document_error(error, "member", next_action) from error
    filename = clean_filename(name)
    part = Part(
        part_id=file.part.part_id,
        content_type=_TYPES.guess_type(filename)[0] or "application/octet-stream",
        encoding="binary",
        size_octets=len(read.octets),
        filename=filename,
    )
    return replace(file, part=part, octets=read.octets, member=name, notes=read.notes)

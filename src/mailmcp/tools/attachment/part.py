"""Fetches one part of a message: finds it in the structure and fetches it alone, in ranges.

If the server sends no usable structure, or not the part that it lists, the whole message is fetched and
parsed here, unless it is too large. Blocking.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_rest, fetch_start, fetch_whole
from mailmcp.imap.session import Session
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, find_part, has_no_content
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.names import GET_ATTACHMENT, GET_MESSAGE, GET_MESSAGE_RAW
from mailmcp.tools.tool import Call
from mcp_envelope import InternalError, NextAction, NotFoundError, Report, Resource

SAVED_OCTETS_MAX: Final = 75_000_000
"""A saved file: as Base64 twice what the most generous providers accept as a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """An attachment as fetched, or a file within it."""

    ref: MessageRef
    part: Part
    octets: bytes = field(default=b"", repr=False)
    """Still transfer-encoded."""

    member: str = ""
    """The name of the file within the attachment; "" for the attachment itself."""

    notes: tuple[str, ...] = ()
    """Sentences about what contains it."""

    cut: bool = False
    """Whether the attachment has more octets than were wanted."""

    short: bool = False
    """Whether the server sent less than it announced."""

    def get(self, instruction: str, **arguments: object) -> NextAction:
        """Suggest to get this file in another way."""
        named = {"message_id": self.ref.message_id, "part_id": self.part.part_id}
        member = {"member": self.member} if self.member else {}
        return NextAction(instruction=instruction, tool=GET_ATTACHMENT, arguments=named | member | arguments)

    def get_whole(self, call: Call) -> NextAction | None:
        """Suggest to save the file, or to get it in a reply; None if it is too large."""
        if call.preferences.save_folder is not None and self.part.decoded_size <= SAVED_OCTETS_MAX:
            return self.get("Save the file for the user.", mode="save")
        if self.part.decoded_size <= limits.ATTACHMENT_CONTENT_OCTETS_MAX:
            return self.get("Get the file itself.", mode="content")
        return None


ChooseLimit: TypeAlias = Callable[[AttachedFile], int]


def fetch_part(
    session: Session, ref: MessageRef, part_id: str, choose_limit: ChooseLimit, report: Report
) -> AttachedFile:
    """Fetch a part; one round trip up to `limits.PART_RANGE_OCTETS`, and one for each further range.

    `part_id` has numbers and dots only. `choose_limit` says how many octets, as stored, are wanted of the
    file; it may raise.

    Raises:
        NotFoundError: The mailbox, the message or the part doesn't exist.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError: The server failed to send the message.
    """
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    start = fetch_start(session, ref.uid, part_id)
    if isinstance(start, FetchFailure):
        raise fetch_error(ref, start)
    octets = bytearray(start.sections.get(part_id, b""))
    structure = parse_body_structure(start.body_structure)
    found = find_part(structure.root, part_id)
    is_small = start.size_octets is not None and start.size_octets <= limits.MESSAGE_WINDOW_OCTETS
    is_sound = structure.root is not None and structure.is_readable and not has_no_content(structure.root)
    is_lacking = not is_sound and (is_small or found is None or not octets)
    # pymap sends nothing of most parts within an attached message, and of the first one the wrong part.
    as_announced = found is None or len(octets) == min(found.size_octets, limits.PART_RANGE_OCTETS)
    if is_lacking or (not as_announced and (is_small or not octets)):
        return _fetch_from_whole(session, ref, part_id, choose_limit)
    part = _choose(structure.root, ref, part_id)
    limit = choose_limit(AttachedFile(ref=ref, part=part))
    if len(octets) <= limit:
        rest = fetch_rest(session, ref.uid, part_id, offset=len(octets), size_octets=part.size_octets)
        for more in rest:
            if isinstance(more, FetchFailure):
                raise fetch_error(ref, more)
            octets += more
            report(len(octets), max(part.size_octets, len(octets)), "Fetching the attachment")
            if len(octets) > limit:
                break
    cut = len(octets) > limit
    short = not cut and len(octets) < part.size_octets
    return AttachedFile(ref=ref, part=part, octets=bytes(octets[:limit]), cut=cut, short=short)


def _fetch_from_whole(
    session: Session, ref: MessageRef, part_id: str, choose_limit: ChooseLimit
) -> AttachedFile:
    """Fetch the whole message and parse the part out of it."""
    fetched = fetch_whole(session, ref.uid, limit_octets=limits.RAW_RESOURCE_OCTETS_MAX)
    if isinstance(fetched, FetchFailure):
        raise fetch_error(ref, fetched)
    if isinstance(fetched, Window):
        raise InternalError(
            "The server doesn't send the parts of this message, and the whole message is too large to parse: "
            f"{fetched.size_octets} octets. Read its source in windows.",
            reason=Reason.SERVER_REFUSED,
            details={"message_id": ref.message_id, "part_id": part_id},
            next_action=NextAction(
                instruction="Get the source of the message.",
                tool=GET_MESSAGE_RAW,
                arguments={"message_id": ref.message_id},
            ),
        )
    view = parse_message(fetched, complete=True)
    part = _choose(view.structure, ref, part_id)
    limit = choose_limit(AttachedFile(ref=ref, part=part))
    octets = view.part_octets(part) or b""
    return AttachedFile(ref=ref, part=part, octets=octets[:limit], cut=len(octets) > limit)


def _choose(root: Part | None, ref: MessageRef, part_id: str) -> Part:
    part = find_part(root, part_id)
    if part is not None and not part.is_multipart:
        return part
    known = [each.part_id for each in _content_parts(root)]
    raise NotFoundError(
        f"The message has no part {part_id}. Parts: {', '.join(known)}.",
        reason=Reason.PART_MISSING,
        resource=Resource(type="part", id=part_id),
        details={"message_id": ref.message_id, "part_ids": known},
        next_action=NextAction(
            instruction="Get the message, which lists its attachments.",
            tool=GET_MESSAGE,
            arguments={"message_id": ref.message_id},
        ),
    )


def _content_parts(root: Part | None) -> list[Part]:
    """List all parts with content of their own: leaves, attached messages, and their leaves."""
    if root is None:
        return []
    inside = [part for child in root.parts for part in _content_parts(child)]
    return inside if root.is_multipart else [root, *inside]

"""Opens one part of a message: finds it in the structure and fetches it alone, in ranges.

If the server sends no usable structure, or not the part that it lists, the whole message is fetched and
parsed here, unless it is too large. Blocking.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import PartStart, Window, fetch_rest, fetch_start, fetch_whole
from mailmcp.imap.session import Session
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, find_part, has_no_content, leaf_parts
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.names import GET_MESSAGE, GET_MESSAGE_RAW
from mcp_envelope import InternalError, NextAction, NotFoundError, Report, Resource

_FETCHING: Final = "Fetching the attachment"
_PARTS_NAMED_MAX: Final = 50
"""Parts that an error names if the requested one doesn't exist; hardly any message has more."""


@dataclass(slots=True, kw_only=True)
class OpenPart:
    """A part and its first octets. The rest is fetched on demand."""

    part: Part
    """Its size is what the server announced, or the message shows."""

    _session: Session = field(repr=False)
    ref: MessageRef
    _start: PartStart = field(repr=False)
    _report: Report = field(repr=False)

    short: bool = False
    """Whether the server sent less than it announced; known when all was read."""

    cut: bool = False
    """Whether `read` stopped at its limit."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the octets in order, still transfer-encoded. Call it once.

        Raises:
            NotFoundError: The message is gone by now.
            InternalError: The server failed to send the rest.
        """
        said, have = self.part.size_octets, len(self._start.octets)
        yield self._start.octets
        rest = fetch_rest(self._session, self.ref.uid, self.part.part_id, self._start, size_octets=said)
        for octets in rest:
            if isinstance(octets, FetchFailure):
                raise fetch_error(self.ref, octets)
            have += len(octets)
            self._report(have, max(said, have), _FETCHING)
            yield octets
        self.short = have < said

    def read(self, limit_octets: int) -> bytes:
        """Read the part up to a limit; sets `cut` if there is more. Raises as `chunks` does."""
        octets = bytearray()
        for chunk in self.chunks():
            octets += chunk
            if len(octets) > limit_octets:
                self.cut = True
                break
        return bytes(octets[:limit_octets])


def open_part(session: Session, ref: MessageRef, part_id: str, report: Report) -> OpenPart:
    """Find a part and fetch its first range; one round trip.

    Args:
        session: A session of the account.
        ref: The message.
        part_id: Numbers and dots only.
        report: Called with progress if the part takes more than one range.

    Raises:
        NotFoundError: The mailbox, the message or the part doesn't exist.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError: The server failed to send the message.
    """
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    start = fetch_start(session, ref.uid, part_id)
    if isinstance(start, FetchFailure):
        if not start.is_of_items:
            raise fetch_error(ref, start)
        return _from_whole_message(session, ref, part_id, report)
    structure = parse_body_structure(start.body_structure)
    root = structure.root
    is_small = start.message_octets is not None and start.message_octets <= limits.MESSAGE_WINDOW_OCTETS
    unsure = not structure.is_readable and (is_small or find_part(root, part_id) is None)
    if root is None or has_no_content(root) or unsure:
        return _from_whole_message(session, ref, part_id, report)
    part = _choose(root, ref, part_id)
    if _contradicts(part, start, inside=all(part is not each for each in leaf_parts(root))):
        return _from_whole_message(session, ref, part_id, report)
    if not start.whole and len(start.octets) < part.size_octets:
        report(len(start.octets), part.size_octets, _FETCHING)
    return OpenPart(part=part, _session=session, ref=ref, _start=start, _report=report)


def _contradicts(part: Part, start: PartStart, *, inside: bool) -> bool:
    """Return whether the server sent something other than the part it listed.

    For the first part `inside` an attached message pymap sends its whole body, and nothing for the others.
    A size that may merely be wrong is no reason to fetch a large message.
    """
    if part.size_octets and not start.octets:
        return True
    ended = start.whole or len(start.octets) < limits.PART_RANGE_OCTETS
    if not ended or len(start.octets) == part.size_octets or start.message_octets is None:
        return False
    limit = limits.RAW_RESOURCE_OCTETS_MAX if inside else limits.MESSAGE_WINDOW_OCTETS
    return start.message_octets <= limit


def _from_whole_message(session: Session, ref: MessageRef, part_id: str, report: Report) -> OpenPart:
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
    octets = view.part_octets(part)
    assert octets is not None  # noqa: S101 - the structure was parsed from them
    start = PartStart(body_structure=None, message_octets=len(fetched), octets=octets, whole=True)
    return OpenPart(part=part, _session=session, ref=ref, _start=start, _report=report)


def _choose(root: Part | None, ref: MessageRef, part_id: str) -> Part:
    part = find_part(root, part_id)
    if part is None or part.is_multipart:
        raise _part_missing(ref, part_id, root)
    return part


def _part_missing(ref: MessageRef, part_id: str, root: Part | None) -> NotFoundError:
    """Build the error that names the parts that exist."""
    known = [part.part_id for part in content_parts(root)]
    shown = ", ".join(known[:_PARTS_NAMED_MAX])
    more = f" and {len(known) - _PARTS_NAMED_MAX} more" if len(known) > _PARTS_NAMED_MAX else ""
    return NotFoundError(
        f"The message has no part {part_id}. Parts: {shown}{more}.",
        reason=Reason.PART_MISSING,
        resource=Resource(type="part", id=part_id),
        details={"message_id": ref.message_id, "part_ids": known[:_PARTS_NAMED_MAX]},
        next_action=NextAction(
            instruction="Get the message, which lists its attachments.",
            tool=GET_MESSAGE,
            arguments={"message_id": ref.message_id},
        ),
    )


def content_parts(root: Part | None) -> list[Part]:
    """List all parts with content of their own: leaves, attached messages, and their leaves.

    An empty text that nothing describes is left out if there are others: some servers make one of a closing
    boundary.
    """
    if root is None:
        return []
    children = [
        child for child in root.parts if child.size_octets or not child.is_bare or not root.is_multipart
    ]
    inside = [part for child in children for part in content_parts(child)]
    return inside if root.is_multipart else [root, *inside]

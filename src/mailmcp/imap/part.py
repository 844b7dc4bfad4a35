"""One part of a message, range by range, and nothing else of it.

`BODY.PEEK[2.1]<offset.count>` (RFC 9051 section 6.4.5) of the mailbox that is open. What is
there is still transfer-encoded. Servers exist that ignore the range and give everything,
that give less than was asked for before the end, and whose sizes are estimates.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.envelope.errors import Code, Reason
from mailmcp.imap.fetch import FetchedMessage, FetchFailure, fetch_messages
from mailmcp.imap.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStart:
    """The structure of a message, and the first octets of one of its parts."""

    body_structure: object
    """As `FetchedMessage.body_structure`; nothing says yet that the part is in it."""

    message_octets: int | None
    """Size of the message, as the server says."""

    octets: bytes
    """Empty also if there is no such part."""

    whole: bool
    """Whether the server gave all of the part, whatever range it was asked for."""


def fetch_start(session: Session, uid: int, part_id: str) -> PartStart | FetchFailure:
    """Fetch the structure and the first range of a part together; one round trip.

    Raises:
        DeadlineError, InternalError: The connection failed; refusals become failures.
    """
    count = limits.PART_RANGE_OCTETS
    items = ("UID", "RFC822.SIZE", "BODYSTRUCTURE", f"BODY.PEEK[{part_id}]<0.{count}>")
    result = fetch_messages(session, [uid], items)
    if uid in result.failures:
        return result.failures[uid]
    fetched = result.messages[uid]
    octets = fetched.sections.get(part_id.upper(), b"")
    return PartStart(
        body_structure=fetched.body_structure,
        message_octets=fetched.size_octets,
        octets=octets,
        whole=len(octets) > count,  # more than was asked for: it takes no notice of ranges
    )


def fetch_rest(
    session: Session, uid: int, part_id: str, start: PartStart, *, size_octets: int
) -> Iterator[bytes | FetchFailure]:
    """Fetch what follows the first range; one round trip a range, none if there is nothing more.

    Args:
        session: With the mailbox open still.
        uid: Of the message.
        part_id: Of the part.
        start: What is there of it already.
        size_octets: What the structure says of the part's size; believed if it fits.

    Yields:
        Octets, never empty, to the end of the part; or a failure, and nothing after it.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    have, latest = len(start.octets), len(start.octets)
    while not start.whole and not _at_end(have, latest, size_octets):
        items = ("UID", f"BODY.PEEK[{part_id}]<{have}.{limits.PART_RANGE_OCTETS}>")
        result = fetch_messages(session, [uid], items)
        if uid in result.failures:
            yield result.failures[uid]
            return
        octets = _range_of(result.messages[uid], part_id, offset=have)
        if octets is None:
            yield FetchFailure(
                uid=uid,
                code=Code.INTERNAL,
                reason=Reason.SERVER_REFUSED,
                stage="fetch",
                message="The server gave another range of the part than it was asked for.",
            )
            return
        if not octets:
            return
        yield octets
        latest = len(octets)
        have += latest


def _at_end(have: int, latest: int, size_octets: int) -> bool:
    """Judge whether all is there: an answer that was not full may be the end, if the size agrees."""
    return have == size_octets or (have > size_octets and latest < limits.PART_RANGE_OCTETS)


def _range_of(fetched: FetchedMessage, part_id: str, *, offset: int) -> bytes | None:
    """Take what lies from `offset` on; None if the answer begins behind it."""
    name = part_id.upper()
    octets = fetched.sections.get(name, b"")
    # Without an origin it is the whole part by the standard; some servers forget to say it.
    origin = fetched.origins.get(name, 0 if len(octets) > limits.PART_RANGE_OCTETS else offset)
    return octets[offset - origin :] if origin <= offset else None

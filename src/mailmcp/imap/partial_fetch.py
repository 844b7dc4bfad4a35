"""Parts of messages and stored messages, fetched range by range (RFC 9051 section 6.4.5).

Servers exist that ignore the range and send everything, that send less than was asked for before the
end, and that only estimate sizes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mailmcp import limits
from mailmcp.imap.fetch import Fetched, FetchedMessage, FetchFailure, fetch_messages
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import Code, InternalError

BINARY_ENCODINGS = frozenset({"7bit", "8bit", "binary"})
"""Transfer encodings of which BINARY changes nothing. Dovecot refuses it for any it does not know."""


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

    binary: bool = False
    """Whether this is what BINARY gives, with NUL octets; the rest is then asked for likewise."""


def fetch_binary(session: Session, uid: int, counts: Mapping[str, int]) -> dict[str, bytes]:
    """Fetch the first octets of parts with NULs, if the server can; one round trip.

    Args:
        session: With the mailbox open.
        uid: Of the message.
        counts: Most octets of each part, by part id; of encodings in BINARY_ENCODINGS alone.

    Returns:
        Octets by part id; nothing if the server cannot give them.

    Raises:
        DeadlineError, InternalError: The connection failed. If BINARY was the reason, it is not sent again.
    """
    if not counts or not session.can("BINARY") or session.quirks.binary_fails:
        return {}
    items = [f"BINARY.PEEK[{part_id}]<0.{count}>" for part_id, count in counts.items()]
    result = _fetch_binary(session, uid, items)
    if uid in result.failures:
        return {}
    sections = result.messages[uid].sections
    return {part_id: sections[part_id.upper()] for part_id in counts if part_id.upper() in sections}


def _fetch_binary(session: Session, uid: int, items: list[str]) -> Fetched:
    try:
        return fetch_messages(session, [uid], ["UID", *items])
    except InternalError:
        session.quirks.binary_fails = True
        raise


def refetch_with_nuls(session: Session, uid: int, part_id: str, start: PartStart) -> PartStart:
    """Fetch the first range of a part again, with NULs; the same as before if the server cannot give them.

    One round trip; raises as `fetch_binary`.
    """
    count = limits.PART_RANGE_OCTETS
    found = fetch_binary(session, uid, {part_id: count}).get(part_id, b"")
    if len(found) != len(start.octets):
        return start
    return replace(start, octets=found, binary=True)


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
        item = f"{'BINARY' if start.binary else 'BODY'}.PEEK[{part_id}]<{have}.{limits.PART_RANGE_OCTETS}>"
        result = fetch_messages(session, [uid], ("UID", item))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some octets of a message."""

    offset: int
    """Of the first octet, from 0."""

    octets: bytes
    """At most as many as were asked for; fewer, or none, where the message ends."""

    said_octets: int
    """RFC822.SIZE, which some servers estimate; what was seen of the message where they say none."""

    @property
    def end(self) -> int:
        """The offset after the last octet."""
        return self.offset + len(self.octets)

    @property
    def size_octets(self) -> int:
        """The size of the message by all that is known: an answer without octets is its end."""
        return max(self.said_octets, self.end) if self.octets else min(self.said_octets, self.offset)


def fetch_window(session: Session, uid: int, *, offset: int, count: int) -> Window | FetchFailure:
    """Fetch `count` octets of a message from `offset` on; one round trip.

    Raises:
        DeadlineError, InternalError: The connection failed; refusals become failures.
    """
    items = ("UID", "RFC822.SIZE", f"BODY.PEEK[]<{offset}.{count}>")
    result = fetch_messages(session, [uid], items)
    if uid in result.failures:
        return result.failures[uid]
    fetched = result.messages[uid]
    octets = _cut(fetched, offset=offset, count=count)
    said = fetched.size_octets if fetched.size_octets is not None else offset + len(octets)
    return Window(offset=offset, octets=octets, said_octets=said)


def _cut(fetched: FetchedMessage, *, offset: int, count: int) -> bytes:
    """Take the window out of what came: it, a larger one, or the whole message."""
    octets = fetched.sections.get("", b"")
    origin = fetched.origins.get("")
    if origin is None:
        # Without an origin it is the whole message by the standard; some servers forget to say it.
        whole = len(octets) > count or len(octets) == fetched.size_octets
        origin = 0 if whole else offset
    return octets[max(0, offset - origin) :][:count] if origin <= offset else b""


def fetch_whole(session: Session, uid: int, *, limit_octets: int) -> bytes | Window | FetchFailure:
    """Fetch all octets of a message; one round trip up to `limits.MESSAGE_WINDOW_OCTETS`.

    Returns:
        The octets; or the first window, if the message is longer than `limit_octets`.

    Raises:
        DeadlineError, InternalError: The connection failed; refusals become failures.
    """
    octets = bytearray()
    first: Window | None = None
    while True:
        count = limits.MESSAGE_WINDOW_OCTETS
        window = fetch_window(session, uid, offset=len(octets), count=count)
        if isinstance(window, FetchFailure):
            return window
        first = first or window
        octets += window.octets
        if max(len(octets), first.said_octets) > limit_octets:
            return first
        # Less than was asked for is the end only if the size agrees; nothing at all always is.
        if not window.octets or (len(octets) >= window.said_octets and len(window.octets) < count):
            return bytes(octets)

"""Parts of messages and stored messages, fetched range by range (RFC 9051 section 6.4.5).

`BODY.PEEK[2.1]<offset.count>` and `BODY.PEEK[]<offset.count>` in the open mailbox; parts are still
transfer-encoded. Some servers ignore the range and send everything, send less than requested before the
end, or only estimate sizes.

All functions raise `DeadlineError` or `InternalError` if the connection failed; refusals become failures.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure, fetch_messages
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some octets of a stored message."""

    offset: int
    """Of the first octet, from 0."""

    octets: bytes
    """As many as requested; fewer, or none, at the end of the message."""

    said_octets: int
    """RFC822.SIZE, which some servers estimate; where they send none, what was seen of the message."""

    @property
    def end(self) -> int:
        """The offset after the last octet."""
        return self.offset + len(self.octets)

    @property
    def size_octets(self) -> int:
        """The best guess at the size of the message: a window without octets is its end."""
        return max(self.said_octets, self.end) if self.octets else min(self.said_octets, self.offset)


def fetch_start(session: Session, uid: int, part_id: str) -> FetchedMessage | FetchFailure:
    """Fetch the size and structure of a message and the first range of a part; one round trip.

    The part may be missing in the structure, and in the sections.
    """
    count = limits.PART_RANGE_OCTETS
    return _fetch(session, uid, "RFC822.SIZE", "BODYSTRUCTURE", f"BODY.PEEK[{part_id}]<0.{count}>")


def fetch_rest(
    session: Session, uid: int, part_id: str, *, offset: int, size_octets: int
) -> Iterator[bytes | FetchFailure]:
    """Fetch what follows the first range of a part, from `offset` on; one round trip for each range.

    `size_octets` is its size by the structure, which may be wrong. Yields octets, never empty, to the end of
    the part; or a failure, and nothing after it. Without `part_id`, of the whole message.
    """
    count = limits.PART_RANGE_OCTETS if part_id else limits.MESSAGE_WINDOW_OCTETS
    latest = offset
    # A range that was not full may be the end, if the size agrees.
    while not (offset == size_octets or (offset > size_octets and latest < count)):
        fetched = _fetch(session, uid, f"BODY.PEEK[{part_id}]<{offset}.{count}>")
        if isinstance(fetched, FetchFailure):
            yield fetched
            return
        octets = _octets_from(fetched, part_id, offset, count)
        if not octets:
            return
        yield octets
        latest = len(octets)
        offset += latest


def fetch_window(session: Session, uid: int, *, offset: int, count: int) -> Window | FetchFailure:
    """Fetch `count` octets of a message from `offset` on; one round trip."""
    fetched = _fetch(session, uid, "RFC822.SIZE", f"BODY.PEEK[]<{offset}.{count}>")
    if isinstance(fetched, FetchFailure):
        return fetched
    octets = _octets_from(fetched, "", offset, count)[:count]
    said = fetched.size_octets if fetched.size_octets is not None else offset + len(octets)
    return Window(offset=offset, octets=octets, said_octets=said)


def fetch_whole(session: Session, uid: int, *, limit_octets: int) -> bytes | Window | FetchFailure:
    """Fetch all octets of a message; one round trip up to `limits.MESSAGE_WINDOW_OCTETS`.

    Return the first window if the message is longer than `limit_octets`.
    """
    first = fetch_window(session, uid, offset=0, count=limits.MESSAGE_WINDOW_OCTETS)
    if isinstance(first, FetchFailure):
        return first
    octets = bytearray(first.octets)
    rest = fetch_rest(session, uid, "", offset=len(octets), size_octets=first.said_octets)
    while max(len(octets), first.said_octets) <= limit_octets:
        more = next(rest, b"")
        if isinstance(more, FetchFailure):
            return more
        if not more:
            return bytes(octets)
        octets += more
    return first


def _fetch(session: Session, uid: int, *items: str) -> FetchedMessage | FetchFailure:
    result = fetch_messages(session, [uid], ("UID", *items))
    return result.failures[uid] if uid in result.failures else result.messages[uid]


def _octets_from(fetched: FetchedMessage, part_id: str, offset: int, count: int) -> bytes:
    """Return the octets of a section from `offset` on, which may be more than the `count` requested.

    Without an origin it should be all there is, but some servers forget the origin. Of another range than
    requested, nothing.
    """
    name = part_id.upper()
    octets = fetched.sections.get(name, b"")
    is_all = len(octets) > count or (not name and len(octets) == fetched.size_octets)
    origin = fetched.origins.get(name, 0 if is_all else offset)
    return octets[offset - origin :] if origin <= offset else b""

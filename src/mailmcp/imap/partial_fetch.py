"""A message as it is stored: a window of its octets, or all of them in a few windows.

`BODY.PEEK[]<offset.count>` (RFC 9051 section 6.4.5) of the mailbox that is open. Servers exist
that ignore the window and give everything, and servers whose RFC822.SIZE is an estimate.
"""

from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage, FetchFailure, fetch_messages
from mailmcp.imap.session import Session


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


def fetch_whole(session: Session, uid: int, *, most_octets: int) -> bytes | Window | FetchFailure:
    """Fetch all octets of a message; one round trip up to `limits.MESSAGE_WINDOW_OCTETS`.

    Returns:
        The octets; or the first window, if the message is longer than `most_octets`.

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
        if max(len(octets), first.said_octets) > most_octets:
            return first
        # Less than was asked for is the end only if the size agrees; nothing at all always is.
        if not window.octets or (len(octets) >= window.said_octets and len(window.octets) < count):
            return bytes(octets)

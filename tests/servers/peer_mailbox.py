"""The mailboxes of a scripted peer: plain values that a test can change while it runs."""

from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(slots=True, kw_only=True)
class PeerMessage:
    """One message."""

    uid: int
    octets: bytes
    """All of it, with CRLF line ends."""

    flags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    """Gmail's."""

    received: datetime = datetime(2024, 1, 1, 12, tzinfo=UTC)
    """INTERNALDATE."""

    structure: bytes | None = None
    """What BODYSTRUCTURE shows, instead of what the octets have."""

    ends_early: bool = False
    """Whether its FETCH response ends after BODYSTRUCTURE, even inside a string or list."""

    @property
    def header(self) -> bytes:
        """Its header, with the empty line that ends it."""
        head, _, _ = self.octets.partition(b"\r\n\r\n")
        return head + b"\r\n\r\n"

    @property
    def body(self) -> bytes:
        """The octets after the header."""
        return self.octets.partition(b"\r\n\r\n")[2]


@dataclass(slots=True, kw_only=True)
class PeerMailbox:
    """One mailbox."""

    name: str = "INBOX"
    """Encoded: non-ASCII in modified UTF-7 (RFC 3501 section 5.1.3)."""

    quoted: bool = True
    """Whether LIST quotes a name that needs it; Exchange doesn't always."""

    messages: list[PeerMessage] = field(default_factory=list)
    """In the order of their UIDs."""

    uidvalidity: int = 1700000000
    attributes: tuple[str, ...] = ("\\HasNoChildren",)
    permanent_flags: str | None = "\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*"
    _uidnext: int = field(default=1, init=False)

    @property
    def uidnext(self) -> int:
        """One more than the highest UID; it never falls, whatever is expunged."""
        self._uidnext = max([self._uidnext, *(message.uid + 1 for message in self.messages)])
        return self._uidnext

    @property
    def unseen(self) -> int:
        """Number of messages that are not marked as seen."""
        return sum("\\Seen" not in message.flags for message in self.messages)


def make_messages(*uids: int) -> list[PeerMessage]:
    """Make a short plain message for each UID, which its subject and text name."""
    return [
        PeerMessage(
            uid=uid,
            octets=(
                b"From: Ann Example <ann@example.org>\r\n"
                b"To: Bob Example <bob@example.org>\r\n"
                b"Subject: Message %d\r\n"
                b"Date: Mon, 1 Jan 2024 12:00:00 +0000\r\n"
                b"Message-ID: <%d@example.org>\r\n"
                b"Content-Type: text/plain; charset=utf-8\r\n"
                b"\r\n"
                b"Text of message %d.\r\n" % (uid, uid, uid)
            ),
        )
        for uid in uids
    ]

"""Copies of one message: in All Mail and under a label, in a mailbox and in an archive.

Only proven copies count, since a reply shows nothing of a copy but its place. Headers prove nothing:
whoever received a message can write another text under the same headers, and so hide one behind the
other. So the copy in Sent and the one that a mailing list sent back are two messages. Nothing is folded
within one mailbox.
"""

from collections.abc import Hashable, Sequence
from typing import Final, Generic, TypeVar

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.header.fields import parse_headers

_TOGETHER: Final = ("Date", "From", "Subject", "Message-ID")

PlaceT = TypeVar("PlaceT", bound=Hashable)
ItemT = TypeVar("ItemT")


class Folded(Generic[PlaceT, ItemT]):
    """The messages of several mailboxes, each once."""

    def __init__(self) -> None:
        self.messages: list[dict[PlaceT, ItemT]] = []
        """For each message its copies by mailbox, in the order in which they were added."""

        self._by_key: dict[Hashable, list[dict[PlaceT, ItemT]]] = {}

    def find(self, place: PlaceT, keys: Sequence[Hashable]) -> dict[PlaceT, ItemT] | None:
        """Find the first message with one of these keys and no copy in this mailbox."""
        known = (message for key in keys for message in self._by_key.get(key, ()))
        return next((message for message in known if place not in message), None)

    def add(self, place: PlaceT, item: ItemT, keys: Sequence[Hashable]) -> None:
        """Add a copy of a message, or a message of its own; `keys` are what only copies of it share."""
        message = self.find(place, keys)
        if message is None:
            message = {}
            self.messages.append(message)
        message[place] = item
        for key in keys:
            known = self._by_key.setdefault(key, [])
            if all(each is not message for each in known):
                known.append(message)


def copy_keys(account_id: str, message: FetchedMessage) -> tuple[Hashable, ...]:
    """Return what only copies of a message share; empty if nothing would prove a copy.

    COPY keeps INTERNALDATE (RFC 9051 section 6.4.7), and nobody who sends mail later can choose it. With
    the size it tells a copy from another message under the same headers, without a round trip. Where the
    server has ids of its own (EMAILID of RFC 8474, X-GM-MSGID), these decide.
    """
    keys: list[Hashable] = []
    if message.email_id:
        keys.append(("email_id", account_id, message.email_id))
    if message.gmail_id:
        keys.append(("gmail_id", account_id, message.gmail_id))
    if keys or message.size_octets is None or message.internaldate_epoch is None:
        return tuple(keys)
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    if not headers.get("Message-ID"):
        return ()
    # Servers refold lines.
    shown = tuple(tuple(" ".join(raw.split()) for raw in headers.raw_all(name)) for name in _TOGETHER)
    return ((message.size_octets, message.internaldate_epoch, message.body_structure, shown),)

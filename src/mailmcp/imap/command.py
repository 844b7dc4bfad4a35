"""A command before it is sent, and the names that stand in it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is ready to be sent."""

    name: str
    arguments: Sequence[bytes] = ()
    """Sent as they are; 8-bit ones as literals. Strings are quoted by `connection.quoted`."""

    uid: bool = False
    """Whether to send the UID form (RFC 9051 section 6.4.9)."""

    @property
    def words(self) -> list[bytes]:
        """All that stands after the tag."""
        return [*([b"UID"] if self.uid else []), self.name.encode(), *self.arguments]


def canonical_name(name: str) -> str:
    """Give a mailbox's one name: `inbox` in any case is INBOX (RFC 9051 section 5.1)."""
    return "INBOX" if name.lower() == "inbox" else name

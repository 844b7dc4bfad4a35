"""A command before it is sent, and the strings and names in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from imapclient.imap_utf7 import encode as encode_utf7


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is ready to be sent."""

    name: str
    arguments: Sequence[bytes] = ()
    """Sent as they are; 8-bit ones as literals. Strings are quoted by `quoted`."""

    uid: bool = False
    """Whether to send the UID form (RFC 9051 section 6.4.9)."""

    @property
    def words(self) -> list[bytes]:
        """All that stands after the tag."""
        return [*([b"UID"] if self.uid else []), self.name.encode(), *self.arguments]


def canonical_name(name: str) -> str:
    """Give a mailbox's one name: `inbox` in any case is INBOX (RFC 9051 section 5.1)."""
    return "INBOX" if name.lower() == "inbox" else name


def quoted(text: str) -> bytes:
    """Write a string argument (RFC 9051 section 4.3): quoted, or as it is for a literal when not ASCII.

    Raises:
        ValueError: `text` holds CR, LF or NUL, which would end the command: callers refuse
            them before, in words for whoever sent them.
    """
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a string argument holds CR, LF or NUL")
    octets = text.encode()
    if not octets.isascii():
        return octets
    return b'"' + octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def encode_mailbox(name: str) -> bytes:
    """Write a mailbox name in modified UTF-7 (RFC 3501 section 5.1.3), as the server keeps it."""
    return bytes(encode_utf7(name))

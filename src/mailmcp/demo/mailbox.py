"""What an embedded mailbox holds: messages as octets, each with flags and a date."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleMessage:
    """One message as an IMAP server stores it."""

    octets: bytes
    """The whole message: RFC 5322 with CRLF line ends, unless it is broken on purpose."""

    flags: tuple[str, ...] = ()
    r"""System flags with their backslash (``\Seen``) and keywords without (``$Forwarded``)."""

    internal_date: datetime
    """When the server received it; aware."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleMailbox:
    """One mailbox and its messages, lowest UID first."""

    name: str
    """Decoded Unicode name; ``/`` separates levels."""

    messages: tuple[SampleMessage, ...] = ()

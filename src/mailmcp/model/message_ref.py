"""Message references: the opaque ids that tools return and accept.

A reference is valid as long as its mailbox keeps its UIDVALIDITY (RFC 9051 section 2.3.1.1). This module
only converts; `mailmcp.imap` finds out whether the message still exists.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

ACCOUNT_ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"

UINT32_MAX = 2**32 - 1
"""Largest UID and UIDVALIDITY (RFC 9051 section 9, nz-number)."""

_ID = re.compile(
    r"imap:(?P<account>[A-Za-z0-9_-]{1,64}):(?P<mailbox>.+):(?P<uidvalidity>[1-9]\d{0,9}):(?P<uid>[1-9]\d{0,9})",
    re.ASCII | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRef:
    """Where one message is; equal references name the same message."""

    account_id: str
    """Name of the account in the settings."""

    mailbox: str
    """Decoded mailbox name, with the server's own separator."""

    uidvalidity: int
    """1 to 2**32 - 1. A new value invalidates every older reference."""

    uid: int
    """1 to 2**32 - 1, unique within `uidvalidity`."""

    @property
    def message_id(self) -> str:
        """The id that tools accept: `imap:{account}:{mailbox}:{uidvalidity}:{uid}`."""
        return f"imap:{self.account_id}:{self.mailbox}:{self.uidvalidity}:{self.uid}"

    @property
    def message_uri(self) -> str:
        """URI of the parsed message; the mailbox is percent-encoded as one segment."""
        mailbox = quote(self.mailbox, safe="")
        return f"imap://{self.account_id}/mailbox/{mailbox}/message/{self.uidvalidity}/{self.uid}"

    @property
    def message_raw_uri(self) -> str:
        """URI of the message as stored."""
        return f"{self.message_uri}/raw"

    def attachment_uri(self, part_id: str) -> str:
        """Return the URI of one part, decoded; `part_id` as the message's attachments list it."""
        return f"{self.message_uri}/attachment/{part_id}"


def make_ref(account_id: str, mailbox: str, uidvalidity: str, uid: str) -> MessageRef | None:
    """Make a reference from texts; None if a number is too large, or the mailbox has CR, LF or NUL."""
    numbers = int(uidvalidity), int(uid)
    if max(numbers) > UINT32_MAX or any(character in mailbox for character in "\r\n\0"):
        return None
    return MessageRef(account_id=account_id, mailbox=mailbox, uidvalidity=numbers[0], uid=numbers[1])


def parse_ref(text: str) -> MessageRef | None:
    """Parse an id from the right, since a mailbox may contain colons; None if it is not an id."""
    match = _ID.fullmatch(text)
    return make_ref(*match.groups()) if match else None

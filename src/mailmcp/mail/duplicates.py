"""Which messages are copies of one: in All Mail and under a label, in a mailbox and in an archive.

Only what is proven to be equal is a copy, since its place is all that a reader learns of it. Headers
prove nothing: whoever was sent a message can write another text under them, and would hide the one behind
the other. So the copy in Sent and the one that a list sent back are two messages.
"""

from collections.abc import Hashable
from typing import Final

from mailmcp.mail.header.fields import Headers

DUPLICATE_HEADER_FIELDS: Final = "DATE FROM SUBJECT MESSAGE-ID"
"""What `header_key` reads."""

_TOGETHER: Final = ("Message-ID", "Date", "From", "Subject")


def server_keys(*, account_id: str = "", email_id: str = "", gmail_id: int = 0) -> tuple[Hashable, ...]:
    """Give the server's word for what is a copy; two messages that share a key are copies for certain.

    Args:
        account_id: Where the ids hold.
        email_id: EMAILID (RFC 8474); "" where the server has none.
        gmail_id: X-GM-MSGID; 0 where the server has none.
    """
    keys: list[Hashable] = []
    if email_id:
        keys.append(("email_id", account_id, email_id))
    if gmail_id:
        keys.append(("gmail_id", account_id, gmail_id))
    return tuple(keys)


def header_key(headers: Headers) -> Hashable | None:
    """Return what the headers of copies have in common, all together; None where nothing tells copies.

    Args:
        headers: With DUPLICATE_HEADER_FIELDS at least.
    """
    if not headers.get("Message-ID"):
        return None
    # Servers fold lines anew.
    return ("headers", *(tuple(" ".join(raw.split()) for raw in headers.raw_all(name)) for name in _TOGETHER))


def stored_key(
    headers: Headers, *, size_octets: int | None, internaldate_epoch: int | None, structure: object
) -> Hashable | None:
    """Return what only copies of one stored message share, where the server has no ids; None for none.

    COPY keeps INTERNALDATE (RFC 9051 section 6.4.7), and nobody who sends mail later can choose it: that and
    the size tell a copy from another message under the same headers, and no round trip is needed.

    Args:
        headers: With DUPLICATE_HEADER_FIELDS at least.
        size_octets: RFC822.SIZE.
        internaldate_epoch: INTERNALDATE in seconds since 1970.
        structure: BODYSTRUCTURE, with the sizes of all parts.
    """
    by_headers = header_key(headers)
    if by_headers is None or size_octets is None or internaldate_epoch is None:
        return None
    return ("stored", by_headers, size_octets, internaldate_epoch, repr(structure))

"""Which messages are copies of one: in All Mail and under a label, in a mailbox and in an archive.

Only proven copies count, since a reply shows nothing of a copy but its place. Headers prove nothing:
whoever received a message can write another text under the same headers, and so hide one behind the
other. So the copy in Sent and the one that a mailing list sent back are two messages.
"""

from collections.abc import Hashable
from typing import Final

from mailmcp.mail.header.fields import Headers

DUPLICATE_HEADER_FIELDS: Final = "DATE FROM SUBJECT MESSAGE-ID"
"""The fields that `header_key` reads."""

_TOGETHER: Final = ("Message-ID", "Date", "From", "Subject")


def server_keys(*, account_id: str = "", email_id: str = "", gmail_id: int = 0) -> tuple[Hashable, ...]:
    """Return the server's own keys for copies: two messages that share one are certainly copies.

    Args:
        account_id: The account in which the ids are valid.
        email_id: EMAILID (RFC 8474); "" if the server has none.
        gmail_id: X-GM-MSGID; 0 if the server has none.
    """
    keys: list[Hashable] = []
    if email_id:
        keys.append(("email_id", account_id, email_id))
    if gmail_id:
        keys.append(("gmail_id", account_id, gmail_id))
    return tuple(keys)


def header_key(headers: Headers) -> Hashable | None:
    """Return a key of the headers that all copies share; None without a Message-ID.

    Args:
        headers: With DUPLICATE_HEADER_FIELDS at least.
    """
    if not headers.get("Message-ID"):
        return None
    # Servers refold lines.
    return ("headers", *(tuple(" ".join(raw.split()) for raw in headers.raw_all(name)) for name in _TOGETHER))


def stored_key(
    headers: Headers, *, size_octets: int | None, internaldate_epoch: int | None, structure: object
) -> Hashable | None:
    """Return a key that only copies of one stored message share, for servers without ids; None if unknown.

    COPY keeps INTERNALDATE (RFC 9051 section 6.4.7), and nobody who sends mail later can choose it. With
    the size it tells a copy from another message under the same headers, without a round trip.

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

"""Which messages are copies of one: in Sent and in a list's mailbox, in All Mail and under a label."""

from collections.abc import Hashable
from typing import Final

from mailmcp.mail.header.fields import Headers

HEADER_FIELDS: Final = "DATE FROM SUBJECT MESSAGE-ID"
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
    """Give what the headers of copies have in common, all together; None where nothing tells copies.

    A Message-ID alone will not do: whoever knows it could hide a message behind his own. Whoever
    was sent a message knows the others, too: within one mailbox they prove nothing.

    Args:
        headers: With HEADER_FIELDS at least.
    """
    if not headers.get("Message-ID"):
        return None
    # Servers fold lines anew.
    return ("headers", *(tuple(" ".join(raw.split()) for raw in headers.raw_all(name)) for name in _TOGETHER))

"""Which messages are copies of one: in Sent and in a list's mailbox, in All Mail and under a label."""

from collections.abc import Hashable
from typing import Final

from mailmcp.mail.header.fields import Headers

HEADER_FIELDS: Final = "DATE FROM SUBJECT MESSAGE-ID"
"""What `copy_keys` reads."""

_TOGETHER: Final = ("Message-ID", "Date", "From", "Subject")


def copy_keys(
    headers: Headers, *, account_id: str = "", email_id: str = "", gmail_id: int = 0
) -> tuple[Hashable, ...]:
    """Give what only copies of a message have in common; two that share a key are copies.

    Args:
        headers: With HEADER_FIELDS at least.
        account_id: Where the server's ids hold.
        email_id: EMAILID (RFC 8474); "" where the server has none.
        gmail_id: X-GM-MSGID; 0 where the server has none.

    Returns:
        The server's ids, then the headers together. A Message-ID alone will not do: whoever
        knows it could hide a message behind his own. Empty where nothing tells copies.
    """
    keys: list[Hashable] = []
    if email_id:
        keys.append(("email_id", account_id, email_id))
    if gmail_id:
        keys.append(("gmail_id", account_id, gmail_id))
    if headers.get("Message-ID"):
        # Servers fold lines anew.
        said = (tuple(" ".join(raw.split()) for raw in headers.raw_all(name)) for name in _TOGETHER)
        keys.append(("headers", *said))
    return tuple(keys)

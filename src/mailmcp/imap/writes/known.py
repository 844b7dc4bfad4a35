"""What tells a message from others in two mailboxes: the server's id, or else its Message-ID."""

from typing import Final

from mailmcp.imap.fetch import id_items
from mailmcp.imap.mailboxes import decode_mailbox
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.writes.values import Known
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids

_MESSAGE_ID: Final = "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]"


def known_items(session: Session) -> list[str]:
    """Return the data items to fetch for `read_known`."""
    labels = ["X-GM-LABELS"] if session.can("X-GM-EXT-1") else []
    return ["UID", "FLAGS", *labels, *id_items(session), _MESSAGE_ID]


def read_known(row: FetchedMessage) -> Known:
    """Read what was fetched of a message."""
    headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
    return Known(
        flags=row.flags,
        labels=tuple(map(decode_mailbox, row.labels)),
        header_message_id=next(iter(find_ids(headers.get("Message-ID"))), ""),
        email_id=row.email_id or (str(row.gmail_id) if row.gmail_id else ""),
    )

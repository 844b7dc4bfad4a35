"""One message of a conversation, as its search found it."""

from collections.abc import Hashable
from dataclasses import dataclass

from mailmcp.imap.fetch_response import FetchedMessage
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.duplicates import server_keys, stored_key
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.thread import ThreadHeaders
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.thread_cursor import mark_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One message of a conversation."""

    ref: MessageRef
    row: FetchedMessage
    headers: Headers
    links: ThreadHeaders
    copies: tuple[MessageRef, ...] = ()
    """Other places of the message, in the order of the mailboxes."""

    draft: bool = False
    """Whether it has not been sent: by its flag or its mailbox, and no copy of it is elsewhere."""

    @property
    def place(self) -> tuple[int, int]:
        """Its place in the conversation: seconds since 1970 when it was written, or else received."""
        moment = self.links.date or self.row.internal_date
        return (int(moment.timestamp()) if moment else 0, mark_of(str(self.identity or self.ref)))

    @property
    def invitation(self) -> str:
        """What it does with an invitation, as `invitation_method`; "" for any other message."""
        return invitation_method(parse_body_structure(self.row.body_structure).root)

    @property
    def identity(self) -> Hashable | None:
        """What only copies of it share: the server's ids where it has any."""
        row = self.row
        account_id = self.ref.account_id
        return server_keys(account_id=account_id, email_id=row.email_id, gmail_id=row.gmail_id) or stored_key(
            self.headers,
            size_octets=row.size_octets,
            internaldate_epoch=row.internaldate_epoch,
            structure=row.body_structure,
        )

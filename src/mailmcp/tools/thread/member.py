"""One message of a conversation, as its search found it."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.thread import ThreadHeaders
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.thread_cursor import mark_of
from mailmcp.tools.copies import copy_keys


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
        mark = mark_of(f"{self.links.own_id} {self.row.size_octets} {self.row.internaldate_epoch}")
        return (int(moment.timestamp()) if moment else 0, mark)

    @property
    def refs(self) -> tuple[MessageRef, ...]:
        """Its id, then those of its copies."""
        return (self.ref, *self.copies)

    @property
    def invitation(self) -> str:
        """What it does with an invitation, as `invitation_method`; "" for any other message."""
        return invitation_method(parse_body_structure(self.row.body_structure).root)

    @property
    def copy_keys(self) -> tuple[Hashable, ...]:
        """What only copies of it share."""
        return copy_keys(self.ref.account_id, self.row)

    def with_copies(self, others: Iterable["Member"]) -> "Member":
        """Return the message with the places of others that are copies of it."""
        return replace(self, copies=(*self.copies, *(ref for each in others for ref in each.refs)))

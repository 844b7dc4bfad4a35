"""Recognizes mail that the owner of an account wrote: lists show its recipients instead of its sender."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.mail.header.address import Address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.owner import Owner
from mailmcp.tools.people import first_addresses_of
from mailmcp.tools.preferences import DEFAULTS

_OUTGOING = frozenset({"\\Sent", "\\Drafts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMail:
    """Recognizes the owner's mail by its mailbox or its sender."""

    owner_of: Callable[[str], Owner] = DEFAULTS.owner_of
    listings: Mapping[str, Sequence[Mailbox]] = field(default_factory=lambda: MappingProxyType({}))
    """The mailboxes of accounts that were listed; for the others, mailbox names decide."""

    def recipients(self, ref: MessageRef, headers: Headers) -> str | None:
        """Format the first recipients of a message that the owner wrote; "" if it has none.

        None if someone else wrote it, or the owner wrote only to themselves.
        """
        if not self._is_outgoing(ref):
            own = {address.lower() for address in self.owner_of(ref.account_id).addresses}
            senders = _plain(parse_addresses(*headers.raw_all("From")))
            if not senders or not senders <= own or _plain(parse_addresses(*headers.raw_all("To"))) <= own:
                return None
        return first_addresses_of(headers, "To", limit=limits.ROW_RECIPIENTS_MAX)

    def _is_outgoing(self, ref: MessageRef) -> bool:
        uses = {each.name: each.special_use for each in self.listings.get(ref.account_id, ())}
        return uses.get(ref.mailbox, usual_use(ref.mailbox)) in _OUTGOING


def _plain(addresses: Sequence[Address]) -> set[str]:
    return {each.address.lower() for each in addresses if each.address}

"""Who a message is from and to in a row, and mail that the owner sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import addresses_in, format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.people import people_of
from mailmcp.mail.trust.sender import check_sender
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS

ROW_RECIPIENTS_MAX: Final = 2
"""Recipients named in a row of sent mail; the others are counted."""

_LOOKALIKES: Final = frozenset(
    {
        "name_imitates_user",
        "address_imitates_user",
        "mixed_script_domain",
        "confusable_domain",
        "mixed_script_name",
    }
)
_OUTGOING: Final = frozenset({"\\Sent", "\\Drafts"})


def addresses_of(headers: Headers, name: str) -> str:
    """Format all addresses of a field; "" if there are none."""
    return clean_line(", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))).text


def first_addresses_of(headers: Headers, name: str, *, limit: int) -> str:
    """Format the first addresses of a field for a row and count the others; "" if there are none."""
    return people_of(headers, name, max_chars=limits.ROW_CHARS_MAX, limit=limit).text


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMail:
    """Recognizes mail that an account's owner wrote, by its mailbox or its sender.

    Lists show the recipients of such mail instead of its sender.
    """

    owner_of: Callable[[str], Owner] = DEFAULTS.owner_of
    listings: Mapping[str, Sequence[Mailbox]] = field(default_factory=lambda: MappingProxyType({}))
    """The mailboxes of accounts that were listed; for the others, mailbox names decide."""

    def recipients(self, ref: MessageRef, headers: Headers) -> str | None:
        """Format the first recipients of a message that the owner wrote; "" if it has none.

        None if someone else wrote it, or the owner wrote only to themselves.
        """
        if self.use_of(ref.account_id, ref.mailbox) not in _OUTGOING:
            own = {address.lower() for address in self.owner_of(ref.account_id).addresses}
            senders = addresses_in(headers, "From")
            if not senders or not senders <= own:
                return None
            if addresses_in(headers, "To") <= own:
                return None
        return first_addresses_of(headers, "To", limit=ROW_RECIPIENTS_MAX)

    def lookalikes(self, ref: MessageRef, headers: Headers) -> list[str]:
        """Return the kinds of suspicions that From alone shows: the sender looks like someone else."""
        owner = self.owner_of(ref.account_id)
        found = check_sender(headers, own_names=owner.names, own_addresses=owner.addresses)
        return [each.kind for each in found if each.kind in _LOOKALIKES]

    def use_of(self, account_id: str, mailbox: str) -> str:
        """Return the special use of a mailbox; "" for an ordinary one."""
        mailboxes = self.listings.get(account_id, ())
        uses = [each.special_use for each in mailboxes if each.name == mailbox]
        return uses[0] if uses else usual_use(mailbox)

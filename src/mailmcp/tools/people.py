"""Who a message is from and to: addresses within limits, and mail that the owner sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address, addresses_in, format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS

_USUAL_CHARS: Final = 80
_SHORT_NAME_CHARS: Final = 40
_OUTGOING: Final = frozenset({"\\Sent", "\\Drafts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """As many addresses of a field as fit."""

    text: str
    """`Name <address>, …`, each address whole; ends with ", 3 more" if some were left out."""

    shown: int
    total: int
    """Addresses that were read. A field that was cut itself (`Headers.is_cut`) has more."""


def addresses_of(headers: Headers, name: str) -> str:
    """Format all addresses of a field; "" if there are none."""
    return clean_line(", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))).text


def people_of(headers: Headers, name: str, *, max_chars: int, limit: int | None = None) -> People:
    """Format the addresses of a field, at most `limit` of them, and count the others.

    An address is never cut, but a long name is. With `limit`, a long name leaves room for the others.
    """
    usual_chars = _USUAL_CHARS if limit else max_chars
    addresses = parse_addresses(*headers.raw_all(name))
    plus = "+" if headers.is_cut(name) else ""
    text = ""
    for shown, each in enumerate(addresses):
        more = f", {len(addresses) - shown}{plus} more"
        one = f"{', ' if shown else ''}{_format(each, max_chars - len(more), usual_chars)}"
        room = max_chars - len(text) - (len(more) if plus or shown + 1 < len(addresses) else 0)
        if shown == limit or (shown and len(one) > room):
            return People(text=text + more, shown=shown, total=len(addresses))
        text += one
    return People(text=text, shown=len(addresses), total=len(addresses))


def first_addresses_of(headers: Headers, name: str, *, limit: int) -> str:
    """Format the first addresses of a field for a row and count the others; "" if there are none."""
    return people_of(headers, name, max_chars=limits.ROW_CHARS_MAX, limit=limit).text


def _format(address: Address, max_chars: int, usual_chars: int) -> str:
    whole = clean_line(format_address(address)).text
    if len(whole) <= min(max_chars, usual_chars):
        return whole
    name = make_snippet(address.name, _SHORT_NAME_CHARS) if address.name else ""
    for shorter in (format_address(Address(name=name, address=address.address)), address.address):
        if shorter and len(shorter) <= max_chars:
            return shorter
    return make_snippet(whole, max_chars)


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
        return first_addresses_of(headers, "To", limit=limits.ROW_RECIPIENTS_MAX)

    def use_of(self, account_id: str, mailbox: str) -> str:
        """Return the special use of a mailbox; "" for an ordinary one."""
        mailboxes = self.listings.get(account_id, ())
        uses = [each.special_use for each in mailboxes if each.name == mailbox]
        return uses[0] if uses else usual_use(mailbox)

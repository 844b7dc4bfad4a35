"""The mailboxes of accounts, listed to say what else there is. A server that refuses costs no reply."""

from collections.abc import Iterable, Mapping

from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.tools.tool import Call

Listings = dict[str, tuple[Mailbox, ...]]
"""By account."""


async def list_accounts(
    call: Call, account_ids: Iterable[str], known: Mapping[str, tuple[Mailbox, ...]]
) -> Listings:
    """Add the listings of accounts to those that are known; one round trip for each new one, in parallel."""
    wanted = dict.fromkeys(account_ids)
    found = await call.ask_accounts({each: list_mailboxes for each in wanted if each not in known})
    listings = dict(known) | {each: listed for each, listed in found.items() if isinstance(listed, tuple)}
    return {each: listings[each] for each in [*known, *wanted] if each in listings}

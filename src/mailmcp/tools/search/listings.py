"""The mailboxes of accounts, listed to say what else there is. A server that refuses costs no reply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import anyio

from mailmcp.imap.mailboxes import Mailbox, count_mailboxes, list_mailboxes
from mailmcp.tools.search.coverage import Coverage, Place, cover
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

Listings = dict[str, tuple[Mailbox, ...]]
"""By account."""


async def list_accounts(
    call: Call, account_ids: Iterable[str], known: Mapping[str, tuple[Mailbox, ...]]
) -> Listings:
    """Add the listings of accounts to those that are known; one round trip for each new one, in parallel."""
    listings = dict(known)

    async def add(account_id: str) -> None:
        try:
            listings[account_id] = await call.ask(list_mailboxes, account_id=account_id)
        except ToolError:
            return

    async with anyio.create_task_group() as tasks:
        for account_id in dict.fromkeys(account_ids):
            if account_id not in listings:
                tasks.start_soon(add, account_id)
    return {each: listings[each] for each in dict.fromkeys([*known, *account_ids]) if each in listings}


async def cover_empty(
    call: Call, search: Search, searches: Searches, *, caveats: tuple[str, ...] = ()
) -> tuple[Coverage, Listings]:
    """Compare a search that found nothing with all mailboxes of its accounts, and return their listings.

    One round trip for accounts that weren't listed, and one if only Junk and Trash are left to search, to
    see whether they are empty.
    """
    listings = await list_accounts(call, [each.account_id for each in search.sources], searches.listings)
    coverage = cover(search, searches, listings, caveats=caveats)
    left = tuple(place for place in coverage.others if place[1] not in search.excluded)
    if coverage.aside and coverage.aside == left:
        listings = await count_places(call, coverage.aside, listings)
        coverage = cover(search, searches, listings, caveats=caveats)
    return coverage, listings


async def count_places(call: Call, places: Sequence[Place], listings: Listings) -> Listings:
    """Count the messages of some mailboxes; one round trip for each account, in parallel."""
    counted = dict(listings)

    async def count(account_id: str, names: set[str]) -> None:
        wanted = [each for each in counted[account_id] if each.name in names]
        try:
            found = await call.ask(lambda session: count_mailboxes(session, wanted), account_id=account_id)
        except ToolError:
            return
        by_name = {each.name: each for each in found.mailboxes}
        counted[account_id] = tuple(
            replace(each, messages=by_name[each.name].messages) if each.name in by_name else each
            for each in counted[account_id]
        )

    async with anyio.create_task_group() as tasks:
        for account_id in {account_id for account_id, _ in places}:
            tasks.start_soon(count, account_id, {name for account, name in places if account == account_id})
    return counted

"""Where else the messages of a search that found nothing may be."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from mailmcp.imap.mailboxes import count_mailboxes
from mailmcp.tools.search.coverage import Coverage, Place, cover
from mailmcp.tools.search.listings import Listings, list_accounts
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError


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
        listings = await _count_places(call, coverage.aside, listings)
        coverage = cover(search, searches, listings, caveats=caveats)
    return coverage, listings


async def _count_places(call: Call, places: Sequence[Place], listings: Listings) -> Listings:
    """Count the messages of some mailboxes; one round trip for each account, in parallel."""
    names: dict[str, set[str]] = {}
    for account_id, name in places:
        names.setdefault(account_id, set()).add(name)
    counted = await call.ask_accounts(
        {
            account_id: partial(
                count_mailboxes, mailboxes=[each for each in listings[account_id] if each.name in wanted]
            )
            for account_id, wanted in names.items()
        }
    )
    updated = dict(listings)
    for account_id, found in counted.items():
        if not isinstance(found, ToolError):
            by_name = {each.name: each for each in found.mailboxes}
            updated[account_id] = tuple(
                replace(each, messages=by_name[each.name].messages) if each.name in by_name else each
                for each in listings[account_id]
            )
    return updated

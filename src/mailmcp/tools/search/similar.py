"""Similar searches that find something, after a search for words or names found nothing; see `spelling`."""

from collections.abc import Sequence
from dataclasses import replace

import anyio

from mailmcp import limits
from mailmcp.imap.search.page import MailboxPage
from mailmcp.imap.search.similar import Similar, SimilarRequest, find_similar
from mailmcp.imap.workarounds.server import CheckedServer
from mailmcp.model.query import CRITERIA, SearchQuery
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.listings import Listings, cover_empty
from mailmcp.tools.search.sources import Searched, Searches
from mailmcp.tools.search.spelling import Offer, best_offers, close_names, other_spellings, searched_texts
from mailmcp.tools.search.state import Search, arguments_of, read_query
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError


async def look_around(
    call: Call, search: Search, searches: Searches, *, caveats: tuple[str, ...]
) -> tuple[Coverage, Listings, list[Offer]]:
    """Find out which mailboxes weren't searched, and what similar searches find, in parallel."""
    offers: list[Offer] = []

    async def look() -> None:
        offers.extend(await find_offers(call, search, searches))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look)
        coverage, listings = await cover_empty(call, search, searches, caveats=caveats)
    return coverage, listings, offers


async def find_offers(call: Call, search: Search, searches: Searches) -> list[Offer]:
    """Return what was found close to a search, the closest first; one round trip for each account.

    Only the largest of the mailboxes that were searched are looked at. What fails is left out: the reply is
    complete without it.
    """
    arguments = arguments_of(search)
    if search.query.awaiting_reply is not None or not list(searched_texts(arguments)):
        return []
    offers = other_spellings(arguments)
    queries = tuple(_query_of(call, search, each) for each in offers)
    by_account: dict[str, list[tuple[int, Searched]]] = {}
    for each in searches.searched:
        if isinstance(each.found, MailboxPage) and each.found.exists:
            by_account.setdefault(each.source.account_id, []).append((each.found.exists, each))
    found: list[Similar] = []
    deadline = anyio.current_time() + (call.deadline - anyio.current_time()) * limits.SPELLING_DEADLINE_SHARE

    async def look(account_id: str, requests: Sequence[SimilarRequest]) -> None:
        try:
            found.extend(
                each
                for each in await call.ask(
                    lambda session: find_similar(CheckedServer(session), requests),
                    mailbox=requests[0].mailbox,
                    account_id=account_id,
                    deadline=deadline,
                )
                if isinstance(each, Similar)
            )
        except ToolError:
            return

    async with anyio.create_task_group() as tasks:
        for account_id, mailboxes in by_account.items():
            by_size = sorted(mailboxes, key=lambda each: each[0], reverse=True)
            largest = by_size[: limits.SPELLING_MAILBOXES_MAX]
            sample = max(limits.SPELLING_SAMPLE_MESSAGES // (len(largest) * len(by_account)), 1)
            requests = [
                SimilarRequest(
                    mailbox=each.source.mailbox,
                    uidvalidity=each.found.uidvalidity,
                    exists=exists,
                    queries=queries,
                    sample=sample,
                )
                for exists, each in largest
                if isinstance(each.found, MailboxPage)
            ]
            tasks.start_soon(look, account_id, requests)
    counts = [sum(each.counts[number] for each in found) for number in range(len(offers))]
    counted = [replace(each, count=count) for each, count in zip(offers, counts, strict=True)]
    headers = [header for each in found for header in each.headers]
    close = await anyio.to_thread.run_sync(close_names, arguments, headers)
    return best_offers([*close, *counted])


def _query_of(call: Call, search: Search, offer: Offer) -> SearchQuery:
    [row] = [row for row in CRITERIA if row.argument == offer.argument]
    changed = search.arguments.model_copy(update={row.name: offer.text})
    query = read_query(changed, search.first_day, call.preferences.zone)
    return replace(search.query, **{row.name: query[row]})

"""Similar searches that find something, after a search for words or names found nothing; see `spelling`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import anyio

from mailmcp import limits
from mailmcp.imap.search.page import MailboxPage
from mailmcp.imap.search.similar import Similar, SimilarRequest, find_similar
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.server import CheckedServer
from mailmcp.model.query import CRITERIA, SearchQuery
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.listings import Listings
from mailmcp.tools.search.nothing_found.elsewhere import cover_empty
from mailmcp.tools.search.nothing_found.spelling import (
    Offer,
    best_offers,
    close_names,
    other_spellings,
    searched_texts,
)
from mailmcp.tools.search.sources import Searches
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
    """Return what was found close to a search, the closest first.

    One round trip for each account, and another one if there are close names, to count them together with
    the other words and criteria. Only the largest of the mailboxes that were searched are looked at. What
    fails is left out: the reply is complete without it.
    """
    arguments = arguments_of(search)
    if search.query.awaiting_reply is not None or not list(searched_texts(arguments)):
        return []
    spelled, headers = await _count(call, search, searches, other_spellings(arguments), look=True)
    close = await anyio.to_thread.run_sync(close_names, arguments, headers)
    if close and (len(search.query.criteria) > 1 or any(" " in each.text for each in close)):
        close, _ = await _count(call, search, searches, best_offers(close), look=False)
    return best_offers([*close, *spelled])


async def _count(
    call: Call, search: Search, searches: Searches, offers: Sequence[Offer], *, look: bool
) -> tuple[list[Offer], list[bytes]]:
    """Return some offers with their counts, and the headers of the newest messages if they are looked at."""
    queries = tuple(_query_of(call, search, each) for each in offers)
    by_account: dict[str, list[MailboxPage]] = {}
    for source, page in searches.pages:
        if page.exists:
            by_account.setdefault(source.account_id, []).append(page)
    requests: dict[str, list[SimilarRequest]] = {}
    for account_id, pages in by_account.items():
        largest = sorted(pages, key=lambda page: page.exists, reverse=True)[: limits.SPELLING_MAILBOXES_MAX]
        sample = max(limits.SPELLING_SAMPLE_MESSAGES // (len(largest) * len(by_account)), 1)
        requests[account_id] = [
            SimilarRequest(
                mailbox=page.mailbox,
                uidvalidity=page.uidvalidity,
                exists=page.exists,
                queries=queries,
                sample=sample if look else 0,
            )
            for page in largest
        ]
    results = await call.ask_accounts(
        {account_id: partial(_find_similar, requests=some) for account_id, some in requests.items()},
        mailboxes={account_id: some[0].mailbox for account_id, some in requests.items()},
        deadline=anyio.current_time()
        + (call.deadline - anyio.current_time()) * limits.SPELLING_DEADLINE_SHARE,
    )
    found = [
        each
        for result in results.values()
        if not isinstance(result, ToolError)
        for each in result
        if isinstance(each, Similar)
    ]
    counts = [sum(each.counts[number] for each in found) for number in range(len(offers))]
    counted = [replace(each, count=count) for each, count in zip(offers, counts, strict=True)]
    return counted, [header for each in found for header in each.headers]


def _find_similar(session: Session, requests: Sequence[SimilarRequest]) -> list[Similar | ToolError]:
    return find_similar(CheckedServer(session), requests)


def _query_of(call: Call, search: Search, offer: Offer) -> SearchQuery:
    [row] = [row for row in CRITERIA if row.argument == offer.argument]
    changed = search.arguments.model_copy(update={row.name: offer.text})
    query = read_query(changed, search.first_day, call.preferences.zone)
    return replace(search.query, **{row.name: query[row]})

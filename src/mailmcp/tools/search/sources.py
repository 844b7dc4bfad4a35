"""Search many mailboxes at once: accounts in parallel, each on a few sessions.

The result of a mailbox that fails is its error. It never delays the others beyond a share of the call's time.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import ceil
from time import monotonic
from types import MappingProxyType
from typing import Final, TypeVar

import anyio

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.values import MailboxPage, PageRequest, Tally
from mailmcp.imap.session import Session
from mailmcp.model.cursor import Position
from mailmcp.model.query import SearchQuery
from mailmcp.tools.evidence import search_terms
from mailmcp.tools.people import SentMail
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

SEARCH_GROUP_MAILBOXES: Final = 5
"""Mailboxes that justify another session: a login costs five round trips, a search on an open session two."""

SEARCH_TIME_S: Final = 20.0
"""A search that takes longer returns what it has found. The next page goes on, so a caller sees progress well
before hosts give up, after 60 s by default."""

_LAST: Final = {"\\Archive": 1, "\\All": 2}
"""Mailboxes that hold copies: the others say more about a message."""

Items = Callable[[Session], Sequence[str]]
"""Chooses the data items of a row."""

Listings = Mapping[str, tuple[Mailbox, ...]]
"""The mailboxes of accounts that were listed."""

_PageResults = list[MailboxPage | ToolError]
_ItemT = TypeVar("_ItemT")
_ResultT = TypeVar("_ResultT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One mailbox: a page of its matches, or the error."""

    source: Position
    found: MailboxPage | ToolError


@dataclass(slots=True, kw_only=True)
class Searches:
    """The results of all sources."""

    searched: list[Searched] = field(default_factory=list)
    """In the order of the sources; `*` is replaced by the mailboxes it means."""

    listings: dict[str, tuple[Mailbox, ...]] = field(default_factory=dict)
    """The mailboxes of the accounts that were listed."""

    cut: bool = False
    """Whether there were more mailboxes than one search takes."""

    notes: list[str] = field(default_factory=list)
    """Sentences about accounts that lack a mailbox."""

    anywhere: bool = False
    """Whether words were looked for in file names and all header fields, since they were nowhere else."""

    def as_made(self, search: Search) -> Search:
        """Return the search as it was made: the next pages continue it so."""
        return search.look_anywhere() if self.anywhere else search

    @property
    def pages(self) -> list[tuple[Position, MailboxPage]]:
        """The mailboxes that were searched."""
        found = ((each.source, each.found) for each in self.searched)
        return [(source, page) for source, page in found if isinstance(page, MailboxPage)]

    @property
    def failures(self) -> list[tuple[Position, ToolError]]:
        """The mailboxes that could not be searched."""
        found = ((each.source, each.found) for each in self.searched)
        return [(source, error) for source, error in found if isinstance(error, ToolError)]


def choose_items(search: Search) -> Items:
    """Choose what to fetch of each message."""
    return row_items(snippets=brings_texts(search), terms=search_terms(search.query))


def brings_texts(search: Search) -> bool:
    """Return whether texts come with the rows, for snippets: all rows of one mailbox are shown."""
    wanted = search.arguments.snippet_max_chars > 0
    return wanted and search.one_mailbox and not search.query.has_attachment


async def list_accounts(
    call: Call, account_ids: Iterable[str], known: Listings
) -> dict[str, tuple[Mailbox, ...]]:
    """Add the listings of accounts to those that are known; one round trip for each new one, in parallel.

    An account whose server refuses is left out.
    """
    wanted = dict.fromkeys(account_ids)
    found = await call.ask_accounts({each: list_mailboxes for each in wanted if each not in known})
    listings = dict(known) | {each: listed for each, listed in found.items() if isinstance(listed, tuple)}
    return {each: listings[each] for each in [*known, *wanted] if each in listings}


async def search_sources(
    call: Call,
    search: Search,
    items: Items,
    *,
    new_tally: Callable[[], Tally] | None = None,
    listings: Listings = MappingProxyType({}),
) -> Searches:
    """Search all sources; two round trips a session, or one if the candidates are remembered.

    `new_tally` makes what adds up the matches of a mailbox, instead of a page of them. Mailboxes that were
    listed before save a LIST for `*`.
    """
    found = await _Run(call, search, items, new_tally, Searches(listings=dict(listings))).search_all()
    nothing = bool(found.pages) and not any(page.total for _, page in found.pages)
    if search.is_first_page and search.query.query and nothing:
        again = Searches(listings=found.listings, anywhere=True)
        found = await _Run(call, search.look_anywhere(), items, new_tally, again).search_all()
    return found


class _Run:
    """One search of several sources while it runs."""

    def __init__(
        self, call: Call, search: Search, items: Items, new_tally: Callable[[], Tally] | None, found: Searches
    ) -> None:
        self.call, self.search, self.items, self.new_tally, self.found = call, search, items, new_tally, found
        self.done = self.total = 0
        self.alone = [each.mailbox != EVERYTHING for each in search.sources] == [True]
        now = anyio.current_time()
        share = 1.0 if self.alone else limits.SEARCH_DEADLINE_SHARE
        self.deadline = now + (call.deadline - now) * share
        self.search_until = monotonic() + min((self.deadline - now) / 2, SEARCH_TIME_S)

    async def search_all(self) -> Searches:
        """Search the accounts side by side."""
        by_account: dict[str, list[Position]] = {}
        for source in self.search.sources:
            by_account.setdefault(source.account_id, []).append(source)
        found, listings = self.found, self.found.listings
        found.searched = await _side_by_side(self._search_account, list(by_account.values()))
        found.listings = {each: listings[each] for each in by_account if each in listings}
        pages = found.pages
        self.call.telemetry.cache_hit = 0 < len(found.searched) == sum(page.from_cache for _, page in pages)
        return found

    async def _search_account(self, sources: list[Position]) -> list[Searched]:
        """Search the sources of one account, in parallel groups."""
        account_id = sources[0].account_id
        try:
            account = self.call.pool.sessions_of(account_id).account
            sources = await self._with_mailboxes(account_id, sources)
        except ToolError as error:
            return [Searched(source=source, found=error) for source in sources]
        self.total += len(sources)
        return await _side_by_side(self._search_group, divide(sources, limit=account.max_sessions))

    async def _with_mailboxes(self, account_id: str, sources: list[Position]) -> list[Position]:
        """Replace `*` by the mailboxes it means; one round trip if it is there."""
        if all(source.mailbox != EVERYTHING for source in sources):
            return sources
        listed = self.found.listings.get(account_id)
        if listed is None:
            listed = await self.call.ask(list_mailboxes, account_id=account_id, deadline=self.deadline)
            self.found.listings[account_id] = listed
        excluded = {
            *self.search.arguments.exclude_mailboxes,
            EVERYTHING,
        }  # no cursor can say a mailbox of that name
        names = [each.name for each in in_preferred_order(listed) if each.name not in excluded]
        kept = names[: limits.SEARCH_SOURCES_MAX // len({each.account_id for each in self.search.sources})]
        self.found.cut = self.found.cut or len(kept) < len(names)
        return [Position(account_id=account_id, mailbox=name) for name in kept]

    async def _search_group(self, sources: Sequence[Position]) -> list[Searched]:
        """Search some mailboxes on one session."""
        found: _PageResults
        kept: list[_PageResults] = []
        try:
            found = await self.call.ask(
                lambda session: search_mailboxes(  # a repeated read begins with new requests
                    SearchServer(session), [self._request(each) for each in sources], keep=kept.append
                ),
                account_id=sources[0].account_id,
                deadline=self.deadline,
            )
        except ToolError as error:
            found = max(kept, key=_count_rows, default=[error] * len(sources))
            if not (self.new_tally or self.alone):
                # Messages that didn't come would take the places of those that others have.
                found = [error if _is_interrupted(each) else each for each in found]
        self.done += len(sources)
        if self.total > 1 and not self.new_tally:
            self.call.report(self.done, self.total, "mailboxes searched")
        return [Searched(source=source, found=each) for source, each in zip(sources, found, strict=True)]

    def _request(self, source: Position) -> PageRequest:
        return PageRequest(
            position=source,
            query=self._query(source),
            size=self.search.page_size,
            items=self.items,
            order=self.search.order,
            tally=self.new_tally() if self.new_tally else None,
            cache=self.call.uid_cache,
            search_until=self.search_until,
            report=self._report_messages,
        )

    def _query(self, source: Position) -> SearchQuery:
        """Return the query for one mailbox: whose it is, and that all mail in Sent is the owner's."""
        query = self.search.query
        if query.kind is not None:
            owner = self.call.preferences.owner_of(source.account_id)
            own = tuple(sorted({each.lower() for each in owner.addresses}))
            query = replace(query, kind=replace(query.kind, own=own))
        if query.awaiting_reply is None:
            return query
        use = SentMail(listings=self.found.listings).use_of(source.account_id, source.mailbox)
        return replace(query, awaiting_reply=replace(query.awaiting_reply, only_sent=use == "\\Sent"))

    def _report_messages(self, searched: int, exists: int) -> None:
        """Report the progress of one mailbox, unless mailboxes are counted."""
        if self.total == 1:
            self.call.report(searched, exists, "messages searched")


async def _side_by_side(
    work: Callable[[_ItemT], Awaitable[list[_ResultT]]], items: Sequence[_ItemT]
) -> list[_ResultT]:
    """Do some work for each item at the same time; returns all results in the order of the items."""
    results: list[list[_ResultT]] = [[] for _ in items]

    async def run(number: int) -> None:
        results[number] = await work(items[number])

    async with anyio.create_task_group() as tasks:
        for number in range(len(items)):
            tasks.start_soon(run, number)
    return list(chain.from_iterable(results))


def _count_rows(found: _PageResults) -> int:
    return sum(len(each.uids) - len(each.fetched.failures) for each in found if isinstance(each, MailboxPage))


def _is_interrupted(found: MailboxPage | ToolError) -> bool:
    return isinstance(found, MailboxPage) and found.fetched.interrupted


def divide(sources: Sequence[Position], *, limit: int) -> list[Sequence[Position]]:
    """Divide mailboxes into up to `limit` groups of about equal size, each worth a session."""
    count = max(min(limit, ceil(len(sources) / SEARCH_GROUP_MAILBOXES)), 1)
    edges = [len(sources) * number // count for number in range(count + 1)]
    return [sources[low:high] for low, high in pairwise(edges) if low < high]


def in_preferred_order(mailboxes: Sequence[Mailbox]) -> list[Mailbox]:
    """Return the mailboxes that a search of all covers; those that only hold copies come last."""
    usual = (each for each in mailboxes if each.is_usual)
    return sorted(usual, key=lambda each: _LAST.get(each.special_use, 0))

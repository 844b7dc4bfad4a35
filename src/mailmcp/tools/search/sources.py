"""Search many mailboxes at once: accounts in parallel, each on a few sessions.

The result of a mailbox that fails is its error. It never delays the others beyond a share of the call's time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil
from time import monotonic
from types import MappingProxyType
from typing import Final

import anyio
from anyio.abc import TaskGroup

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.values import MailboxPage, PageRequest, Tally
from mailmcp.model.cursor import Position
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

Listings = Mapping[str, tuple[Mailbox, ...]]
"""The mailboxes of accounts that were listed."""


@dataclass(slots=True, kw_only=True)
class Searches:
    """The results of all sources."""

    search: Search
    """As it was made: the next pages continue it so."""

    results: dict[Position, MailboxPage | ToolError] = field(default_factory=dict)
    """A page of the matches of each mailbox, or the error, in the order of the sources.

    `*` is replaced by the mailboxes it means.
    """

    listings: dict[str, tuple[Mailbox, ...]] = field(default_factory=dict)
    """The mailboxes of the accounts that were listed."""

    cut: bool = False
    """Whether there were more mailboxes than one search takes."""

    notes: list[str] = field(default_factory=list)
    """Sentences about accounts that lack a mailbox."""

    @property
    def pages(self) -> dict[Position, MailboxPage]:
        """The mailboxes that were searched."""
        return {source: each for source, each in self.results.items() if isinstance(each, MailboxPage)}

    @property
    def failures(self) -> dict[Position, ToolError]:
        """The mailboxes that could not be searched."""
        return {source: each for source, each in self.results.items() if isinstance(each, ToolError)}


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
    found = await call.ask_accounts({each: list_mailboxes for each in account_ids if each not in known})
    return dict(known) | {each: listed for each, listed in found.items() if isinstance(listed, tuple)}


async def search_sources(
    call: Call,
    search: Search,
    *,
    listings: Listings = MappingProxyType({}),
    new_tally: Callable[[], Tally] | None = None,
    tally_items: Sequence[str] = (),
) -> Searches:
    """Search all sources; two round trips a session, or one if the candidates are remembered.

    Mailboxes that were listed before save a LIST for `*`. `new_tally` makes what adds up the matches of a
    mailbox, instead of a page of them; `tally_items` is what it needs of each.
    """
    searches = await _Run(call, search, listings, new_tally, tally_items).search_all()
    nothing = bool(searches.pages) and not any(page.total for page in searches.pages.values())
    if search.is_first_page and search.query.query and nothing:
        again = _Run(call, search.look_anywhere(), searches.listings, new_tally, tally_items)
        return await again.search_all()
    return searches


class _Run:
    """One search of several sources while it runs."""

    def __init__(
        self,
        call: Call,
        search: Search,
        listings: Listings,
        new_tally: Callable[[], Tally] | None,
        tally_items: Sequence[str],
    ) -> None:
        self.call, self.search, self.listings = call, search, dict(listings)
        self.new_tally = new_tally
        self.items = row_items(snippets=brings_texts(search), terms=search_terms(search.query))
        if new_tally:
            self.items = lambda _session: tally_items
        self.accounts: dict[str, list[Position]] = {}
        self.results: dict[Position, MailboxPage | ToolError] = {}
        self.cut = False
        self.alone = [each.mailbox != EVERYTHING for each in search.sources] == [True]
        now = anyio.current_time()
        share = 1.0 if self.alone else limits.SEARCH_DEADLINE_SHARE
        self.deadline = now + (call.deadline - now) * share
        self.search_until = monotonic() + min((self.deadline - now) / 2, SEARCH_TIME_S)

    async def search_all(self) -> Searches:
        """Search the accounts side by side."""
        for source in self.search.sources:
            self.accounts.setdefault(source.account_id, []).append(source)
        async with anyio.create_task_group() as tasks:
            for account_id in self.accounts:
                tasks.start_soon(self._search_account, tasks, account_id)
        sources = [source for some in self.accounts.values() for source in some]
        cached = [isinstance(each, MailboxPage) and each.from_cache for each in self.results.values()]
        self.call.telemetry.cache_hit = bool(cached) and all(cached)
        return Searches(
            search=self.search,
            results={each: self.results[each] for each in sources},
            listings={each: self.listings[each] for each in self.accounts if each in self.listings},
            cut=self.cut,
        )

    async def _search_account(self, tasks: TaskGroup, account_id: str) -> None:
        """Search the sources of one account in parallel groups, each worth a session.

        One round trip before, if they are all of its mailboxes.
        """
        sources = self.accounts[account_id]
        try:
            account = self.call.pool.sessions_of(account_id).account
            if any(each.mailbox == EVERYTHING for each in sources):
                if account_id not in self.listings:
                    listed = await self.call.ask(
                        list_mailboxes, account_id=account_id, deadline=self.deadline
                    )
                    self.listings[account_id] = listed
                sources = self.accounts[account_id] = self._all_mailboxes(account_id)
        except ToolError as error:
            self.results |= dict.fromkeys(sources, error)
            return
        count = max(min(account.max_sessions, ceil(len(sources) / SEARCH_GROUP_MAILBOXES)), 1)
        edges = [len(sources) * number // count for number in range(count + 1)]
        for low, high in pairwise(edges):
            tasks.start_soon(self._search_group, sources[low:high])

    def _all_mailboxes(self, account_id: str) -> list[Position]:
        """Return the mailboxes that `*` means, as many as one search takes."""
        listed = in_preferred_order(self.listings[account_id])
        names = [each.name for each in listed if each.name not in self.search.arguments.exclude_mailboxes]
        kept = names[: limits.SEARCH_SOURCES_MAX // len(self.accounts)]
        self.cut = self.cut or len(kept) < len(names)
        return [Position(account_id=account_id, mailbox=name) for name in kept]

    async def _search_group(self, sources: Sequence[Position]) -> None:
        """Search some mailboxes on one session."""
        if not sources:
            return
        kept: list[list[MailboxPage | ToolError]] = []
        try:
            found = await self.call.ask(
                lambda session: search_mailboxes(  # a repeated read begins with new requests
                    session, [self._request(each) for each in sources], on_lost=kept.append
                ),
                account_id=sources[0].account_id,
                deadline=self.deadline,
            )
        except ToolError as error:
            found = max(kept, key=_count_rows, default=[error] * len(sources))
            if not (self.new_tally or self.alone):
                # Messages that didn't come would take the places of those that others have.
                found = [
                    error if isinstance(each, MailboxPage) and each.fetched.interrupted else each
                    for each in found
                ]
        self.results |= zip(sources, found, strict=True)
        total = sum(map(len, self.accounts.values()))
        if total > 1 and not self.new_tally:
            self.call.report(len(self.results), total, "mailboxes searched")

    def _request(self, source: Position) -> PageRequest:
        """Build the request for one mailbox: whose it is, and that all mail in Sent is the owner's."""
        query = self.search.query
        if query.kind is not None:
            owner = self.call.preferences.owner_of(source.account_id)
            own = tuple(sorted({each.lower() for each in owner.addresses}))
            query = replace(query, kind=replace(query.kind, own=own))
        if query.awaiting_reply is not None:
            use = SentMail(listings=self.listings).use_of(source.account_id, source.mailbox)
            query = replace(query, awaiting_reply=replace(query.awaiting_reply, only_sent=use == "\\Sent"))
        return PageRequest(
            position=source,
            query=query,
            size=self.search.page_size,
            items=self.items,
            order=self.search.order,
            tally=self.new_tally() if self.new_tally else None,
            cache=self.call.uid_cache,
            search_until=self.search_until,
            report=self._report_messages,
        )

    def _report_messages(self, searched: int, exists: int) -> None:
        """Report the progress of one mailbox, unless mailboxes are counted."""
        if sum(map(len, self.accounts.values())) == 1:
            self.call.report(searched, exists, "messages searched")


def _count_rows(found: Sequence[MailboxPage | ToolError]) -> int:
    return sum(len(each.uids) - len(each.fetched.failures) for each in found if isinstance(each, MailboxPage))


def in_preferred_order(mailboxes: Sequence[Mailbox]) -> list[Mailbox]:
    """Return the mailboxes that a search of all covers; those that only hold copies come last."""
    usual = (each for each in mailboxes if each.is_usual)
    return sorted(usual, key=lambda each: _LAST.get(each.special_use, 0))

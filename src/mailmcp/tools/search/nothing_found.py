"""A search that found nothing: what it would find elsewhere, with a criterion less, or by the Date header.

Everything is counted in one round trip, by the server alone: counts are hints, and no matches are proven.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import anyio

from mailmcp import limits
from mailmcp.imap.search.server import count_matches
from mailmcp.model.query import ARGUMENT_CRITERIA, Criterion, SearchQuery
from mailmcp.tools.names import LIST_MAILBOXES
from mailmcp.tools.search.advice import suggest_written
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import Coverage, Place
from mailmcp.tools.search.sources import list_accounts
from mailmcp.tools.search.state import Search, read_query, repeat_search
from mailmcp.tools.tool import Call
from mcp_envelope import NextAction, ToolError, code

_DEADLINE_SHARE: Final = 0.3
"""Share of the time that is left of a call: the reply is complete without the counts."""

_MAILBOXES_MAX: Final = 60
"""Mailboxes of an account in which matches are counted: three bursts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the server counted."""

    places: Mapping[Place, int]
    """Matches of the same search in mailboxes that weren't searched; none where there are 0."""

    without: Mapping[Criterion, int]
    """Matches without one criterion, in the mailboxes that were searched; none where there are 0."""

    written: int = 0
    """Matches if times go by the Date header."""

    @property
    def sentence(self) -> str:
        """Name what was found; "" for nothing."""
        parts = [
            f"{code(name)} {count}"
            for (_, name), count in [*self.places.items()][: limits.COVERAGE_NAMES_MAX]
        ]
        parts += [f"without {row.argument} {count}" for row, count in self.without.items()]
        parts += [f"by the Date header {self.written}"] if self.written else []
        return f"The server counts matches elsewhere: {', '.join(parts)}." if parts else ""


NO_COUNTS: Final = Counts(places={}, without={})


async def look_around(call: Call, coverage: Coverage) -> Counts:
    """Find out which mailboxes weren't searched, and count what there is.

    One round trip, and one before for accounts that weren't listed.
    """
    search, query, searches = coverage.search, coverage.search.query, coverage.searches
    accounts = [each.account_id for each in search.sources]
    searches.listings = await list_accounts(call, accounts, searches.listings)
    if query.awaiting_reply is not None or not query.criteria:
        return NO_COUNTS
    rows = [row for row in ARGUMENT_CRITERIA if query[row]] if len(query.criteria) > 1 else []
    fewer = [query.only(each for each in query.criteria if each is not row) for row in rows]
    if query.since or query.before:  # imported mail may be missing, which arrived later
        written = search.arguments.model_copy(update={"dates": "written"})
        fewer.append(read_query(written, call.preferences.zone))
    searched = {(source.account_id, source.mailbox) for source, _ in searches.pages}
    queries: dict[Place, tuple[SearchQuery, ...]] = dict.fromkeys(searched, tuple(fewer)) if fewer else {}
    queries |= {
        place: (query,) for place in coverage.others if place[1] not in search.arguments.exclude_mailboxes
    }
    asked: dict[str, dict[str, tuple[SearchQuery, ...]]] = {}
    for (account_id, name), some in queries.items():
        if len(asked.setdefault(account_id, {})) < _MAILBOXES_MAX:
            asked[account_id][name] = some
    now = anyio.current_time()
    results = await call.ask_accounts(
        {account_id: partial(count_matches, queries=some) for account_id, some in asked.items()},
        deadline=now + (call.deadline - now) * _DEADLINE_SHARE,
    )
    places: dict[Place, int] = {}
    sums = [0] * len(fewer)
    for account_id, found in results.items():
        counted_here = [] if isinstance(found, ToolError) else found
        for name, counts in zip(asked[account_id], counted_here, strict=False):
            place = (account_id, name)
            if isinstance(counts, ToolError):
                continue
            if place in searched:
                sums = [before + count for before, count in zip(sums, counts, strict=True)]
            elif counts[0]:
                places[place] = counts[0]
    return Counts(
        places=places,
        without={row: count for row, count in zip(rows, sums, strict=False) if count},
        written=sums[-1] if len(sums) > len(rows) else 0,
    )


def suggest_search(coverage: Coverage, counts: Counts) -> NextAction:
    """Suggest what to search next: where matches were counted, else where none could be."""
    search, others = coverage.search, coverage.others
    usual = [place for place in others if place not in coverage.aside]
    aside = [place for place in coverage.aside if place in counts.places] or coverage.aside
    search_all = repeat_search(search, "Search all mailboxes.", without=["mailboxes"], mailbox=EVERYTHING)
    if any(place in counts.places for place in usual):
        return search_all
    if any(place in counts.places for place in aside):
        return _search_aside(search, aside)
    if counts.written or counts.without:
        return _search_wider(search, counts)
    if usual and not (search.all_mailboxes or coverage.only_aside):
        return search_all
    if aside:
        return _search_aside(search, aside)
    return NextAction(
        instruction="Search with fewer criteria, or look at the mailboxes.",
        tool=LIST_MAILBOXES,
        arguments={"account_id": search.sources[0].account_id},
    )


def _search_wider(search: Search, counts: Counts) -> NextAction:
    """Suggest a search by the Date header, or without the criterion that rules out least."""
    if counts.written:
        return suggest_written(search)
    row = min(counts.without, key=lambda each: counts.without[each])
    return repeat_search(search, f"Search without {row.argument}.", without=[row.argument])


def _search_aside(search: Search, aside: Sequence[Place]) -> NextAction:
    """Suggest a search of what was left out."""
    account_ids, names = ({each[part]: None for each in aside} for part in (0, 1))
    account_id = search.arguments.account_id if len(account_ids) > 1 else next(iter(account_ids))
    return repeat_search(
        search,
        "Search the mailboxes that were left out.",
        without=["mailbox", "mailboxes", "exclude_mailboxes"],
        account_id=account_id,
        mailboxes=list(names),
    )

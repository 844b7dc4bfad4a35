"""A search that found nothing: what it would find elsewhere, with a criterion less, or by the Date header.

Everything is counted in one round trip, by the server alone: counts are hints, and no matches are proven.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio

from mailmcp import limits
from mailmcp.imap.search.server import count_matches
from mailmcp.model.query import ARGUMENT_CRITERIA, SearchQuery
from mailmcp.tools.names import LIST_MAILBOXES
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import Coverage, Place
from mailmcp.tools.search.sources import list_accounts
from mailmcp.tools.search.state import read_query, repeat_search
from mailmcp.tools.tool import Call
from mcp_envelope import NextAction, ToolError, code

_DEADLINE_SHARE: Final = 0.3
"""Share of the time that is left of a call: the reply is complete without the counts."""

_MAILBOXES_MAX: Final = 60
"""Mailboxes of an account in which matches are counted: three bursts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the server counted; nothing where there are 0."""

    places: Mapping[Place, int] = field(default_factory=dict)
    """Matches of the same search in mailboxes that weren't searched."""

    without: Mapping[str, int] = field(default_factory=dict)
    """Matches without one argument, in the mailboxes that were searched."""

    written: int = 0
    """Matches if times go by the Date header."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence that names what was found; none for nothing."""
        first = [*self.places.items()][: limits.COVERAGE_NAMES_MAX]
        parts = [f"{code(name)} {count}" for (_, name), count in first]
        parts += [f"without {argument} {count}" for argument, count in self.without.items()]
        parts += [f"by the Date header {self.written}"] if self.written else []
        return (f"The server counts matches elsewhere: {', '.join(parts)}.",) if parts else ()


async def look_around(call: Call, coverage: Coverage) -> Counts:
    """Find out which mailboxes weren't searched, and count what there is.

    One round trip, and one before for accounts that weren't listed.
    """
    searches, search, query = coverage.searches, coverage.searches.search, coverage.searches.search.query
    accounts = [each.account_id for each in search.sources]
    searches.listings = await list_accounts(call, accounts, searches.listings)
    if query.awaiting_reply is not None or not query.criteria:
        return Counts()
    rows = [row for row in ARGUMENT_CRITERIA if query[row]] if len(query.criteria) > 1 else []
    fewer = {row.argument: query.only(each for each in query.criteria if each is not row) for row in rows}
    if query.since or query.before:  # imported mail may be missing, which arrived later
        written = search.arguments.model_copy(update={"dates": "written"})
        fewer["dates"] = read_query(written, call.preferences.zone)
    searched = {(each.account_id, each.mailbox) for each in searches.pages}
    queries: dict[str, dict[str, Sequence[SearchQuery]]] = {}
    for account_id, name in [*(searched if fewer else ()), *coverage.others]:
        is_searched = (account_id, name) in searched
        here = queries.setdefault(account_id, {})
        if len(here) < _MAILBOXES_MAX and (is_searched or name not in search.arguments.exclude_mailboxes):
            here[name] = (*fewer.values(),) if is_searched else (query,)
    now = anyio.current_time()
    results = await call.ask_accounts(
        {account_id: partial(count_matches, queries=some) for account_id, some in queries.items()},
        deadline=now + (call.deadline - now) * _DEADLINE_SHARE,
    )
    places: dict[Place, int] = {}
    sums = dict.fromkeys(fewer, 0)
    for account_id, found in results.items():
        answers = [] if isinstance(found, ToolError) else found
        for name, counts in zip(queries[account_id], answers, strict=False):
            place = (account_id, name)
            if isinstance(counts, ToolError):
                continue
            if place in searched:
                sums = {name: sums[name] + count for name, count in zip(fewer, counts, strict=True)}
            elif counts[0]:
                places[place] = counts[0]
    by_written = sums.pop("dates", 0)
    return Counts(places=places, without={name: n for name, n in sums.items() if n}, written=by_written)


def suggest_search(coverage: Coverage, counts: Counts) -> NextAction:
    """Suggest what to search next: where matches were counted, else where none could be."""
    searches, search = coverage.searches, coverage.searches.search
    searched = {(each.account_id, each.mailbox) for each in searches.pages}
    usual = {
        (name, each.name) for name, listed in searches.listings.items() for each in listed if each.is_usual
    }
    excluded = search.arguments.exclude_mailboxes
    aside = [place for place in coverage.others if place not in usual and place[1] not in excluded]
    counted = [place for place in aside if place in counts.places]
    search_all = repeat_search(search, "Search all mailboxes.", without=["mailboxes"], mailbox=EVERYTHING)
    if not usual.isdisjoint(counts.places):
        return search_all
    if counts.written and not counted:
        return repeat_search(search, "Search by the Date header.", dates="written")
    if counts.without and not counted:
        argument = min(counts.without, key=lambda each: counts.without[each])  # what rules out least
        return repeat_search(search, f"Search without {argument}.", without=[argument])
    # Who has searched only what was left out comes from here.
    if not (
        counted or search.arguments.mailbox == EVERYTHING or usual <= searched or usual.isdisjoint(searched)
    ):
        return search_all
    if aside:
        accounts = list(dict.fromkeys(account_id for account_id, _ in counted or aside))
        return repeat_search(
            search,
            "Search the mailboxes that were left out.",
            without=["mailbox", "exclude_mailboxes"],
            account_id=accounts[0] if len(accounts) == 1 else search.arguments.account_id,
            mailboxes=list(dict.fromkeys(name for _, name in counted or aside)),
        )
    return NextAction(
        instruction="Search with fewer criteria, or look at the mailboxes.",
        tool=LIST_MAILBOXES,
        arguments={"account_id": search.sources[0].account_id},
    )

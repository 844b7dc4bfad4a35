"""The candidates of a search: what may match, in the order asked for, and where a page begins among them."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mailmcp import limits
from mailmcp.imap.fetch import Fetched, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.order import (
    Order,
    Position,
    arrange,
    find_start,
    from_rising,
    is_after,
    rank_of,
    rest_of_uids,
)
from mailmcp.imap.search.plan import Plan, make_plan
from mailmcp.imap.search.result import CandidateList
from mailmcp.imap.search.uid_search import Found, PlanChangedError, search_steps
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.uid_order import UnarrangedError
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery
from mcp_envelope import Code

_PIVOTS = 64
"""Candidates whose ranks are asked for at once to find a place among them: two rounds for 4,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What may match."""

    plan: Plan
    uids: "array[int]"
    """In order; complete after the position."""

    start: int
    """Index of the first one after the position."""

    statements: tuple[str, ...] = ()
    complete: bool = True
    ranks: dict[int, int] = field(default_factory=dict)
    """Of all candidates where they had to be asked for; else empty."""

    sorted_there: bool = False
    """Whether the server has put them in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateQuery:
    """What candidates are to be found for."""

    mailbox: str
    query: SearchQuery
    order: Order
    after: Position | None
    known: CandidateList | None
    """The candidates, if an earlier page left them; whether they still hold is for the caller to see."""

    expected: Sequence[int] = ()
    """What the server has just found: what it sorts must hold all of them."""

    whole: bool = False
    """Whether too many to be put in order are not to be found, instead of the newest of them."""


def find_candidates(session: Session, quest: CandidateQuery) -> Steps[Candidates]:
    """Find the candidates of a search; no round trip if they are known.

    Raises:
        ToolError: As `make_plan` and `search_steps`.
        UnarrangedError: As `CandidateQuery.whole` says.
    """
    plan = make_plan(quest.query, quirks=session.quirks, can=session.can)
    if quest.known is not None:
        start = find_start(quest.known.uids, quest.after, quest.order)
        if start is not None:
            return Candidates(
                plan=plan,
                uids=quest.known.uids,
                start=start,
                statements=plan.statements,
                complete=plan.complete,
            )
    found: Found | None = None
    while found is None:
        try:
            found = yield from _find(session, quest, plan)
        except PlanChangedError:
            plan = make_plan(quest.query, quirks=session.quirks, can=session.can)
    candidates = Candidates(
        plan=plan,
        uids=found.uids
        if found.is_sorted and quest.order.ascending
        else from_rising(found.uids, quest.order),
        start=0,
        statements=plan.statements + found.statements,
        complete=plan.complete and found.complete,
        sorted_there=found.is_sorted,
    )
    if not quest.order.by_uid and not found.is_sorted:
        candidates = yield from _rank(session, candidates, quest)
    start = find_start(candidates.uids, quest.after, quest.order)
    if start is None:
        start = yield from _find_place(session, candidates, quest)
    return replace(candidates, start=start)


def _find(session: Session, quest: CandidateQuery, plan: Plan) -> Steps[Found]:
    low, high = rest_of_uids(quest.after, quest.order)
    can_sort = session.can("SORT") and session.quirks.trusts(Feature.SORT)
    sort = quest.order.sort_key if can_sort else b""
    found = yield from search_steps(session, quest.mailbox, plan, low=low, high=high, sort=sort)
    return _held_against(session, found, quest.expected) if found.is_sorted and quest.expected else found


def _held_against(session: Session, found: Found, expected: Sequence[int]) -> Found:
    """Make sure that SORT found what SEARCH did, but for a few that went meanwhile; else it is not used."""
    lost = set(expected).difference(found.uids)
    if len(lost) <= limits.VIEW_SLACK_MESSAGES and len(lost) < len(expected) / 2:
        return found
    session.quirks.distrust(Feature.SORT)
    return replace(found, uids=array("I", sorted({*expected, *found.uids})), is_sorted=False)


def _rank(session: Session, candidates: Candidates, quest: CandidateQuery) -> Steps[Candidates]:
    """Put candidates in order by asking for what it goes by, of the newest ones if there are many."""
    ascending, order = sorted(candidates.uids), quest.order
    if quest.whole and len(ascending) > limits.SORT_CANDIDATES_MAX:
        raise UnarrangedError
    ranked = ascending[-limits.SORT_CANDIDATES_MAX :]
    [fetched] = yield from fetch_steps((ranked, ["UID", *order.items]), message_limit=message_limit(session))
    ranks = _all_ranks(ranked, fetched, order)
    statements, complete = candidates.statements, candidates.complete
    if len(ranked) < len(ascending):
        statements += (
            f"The server cannot sort: only the newest {len(ranked)} of {len(ascending)} messages "
            "were put in order; older ones were left out.",
        )
        complete = False
    return replace(
        candidates,
        uids=arrange(list(ranks), ranks, order),
        ranks=ranks,
        statements=statements,
        complete=complete,
    )


def _all_ranks(uids: Sequence[int], fetched: Fetched, order: Order) -> dict[int, int]:
    """Rank messages, given by ascending UID; those that are gone are left out.

    One that cannot be ranked has the rank of the one before it.
    """
    ranks: dict[int, int] = {}
    rank = 0
    for uid in uids:
        row = fetched.messages.get(uid)
        if row is None and fetched.failures[uid].code is Code.NOT_FOUND:
            continue
        known = rank_of(row, order) if row else None
        rank = ranks[uid] = rank if known is None else known
    return ranks


def _find_place(session: Session, candidates: Candidates, quest: CandidateQuery) -> Steps[int]:
    """Find where a message that is gone would stand, by the ranks of some of the candidates."""
    assert quest.after is not None  # noqa: S101 - else the first candidate is the place
    low, high = 0, len(candidates.uids)  # the first one after the position is in [low, high]
    while low < high:
        before = low, high
        step = max(1, (high - low) // _PIVOTS)
        pivots = range(low, high, step)
        ranks = candidates.ranks
        if not ranks:
            asked = [candidates.uids[index] for index in pivots]
            [fetched] = yield from fetch_steps(
                (asked, ["UID", *quest.order.items]), message_limit=message_limit(session)
            )
            rows = fetched.messages.items()
            ranks = {uid: rank for uid, row in rows if (rank := rank_of(row, quest.order)) is not None}
        for index in pivots:
            uid = candidates.uids[index]
            if uid not in ranks:
                continue  # it says nothing of those before it
            if is_after(uid, ranks[uid], quest.after, quest.order):
                high = index
                break
            low = index + 1
        if step == 1 or (low, high) == before:
            break
    return low


def message_limit(session: Session) -> int:
    """Tell how many messages the server looks at in one command (RFC 9738); 0 for any number."""
    return session.connection.capability_value("MESSAGELIMIT")

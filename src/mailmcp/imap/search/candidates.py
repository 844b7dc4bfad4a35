"""The candidates of a search: the messages that may match, in order, and where a page begins among them."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mailmcp import limits
from mailmcp.imap.fetch import Fetched, fetch_steps
from mailmcp.imap.pipeline import PipelineInterruptedError, Steps
from mailmcp.imap.search.order import (
    Order,
    Position,
    find_start,
    is_after,
    rank_of,
    sort_by_rank,
    uids_after,
)
from mailmcp.imap.search.page import Candidates, PageRequest
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import EVERY_UID, Found, UidRange
from mailmcp.imap.search.verify import TIMES, Check, make_check
from mailmcp.imap.search.windows import Windows, is_large
from mailmcp.imap.session import Session
from mcp_envelope import Code, code

_PIVOTS = 64
"""Candidates whose ranks are fetched at once to find a place among them: two rounds for 4,000."""


def find_candidates(server: SearchServer, wanted: PageRequest) -> Steps[Candidates | None]:
    """Find the candidates of a search: enough for a page, unless it ends or its time is up before.

    No round trip if an earlier page left enough, otherwise one; more in a mailbox that is searched in
    windows. One more to learn the size of a mailbox before it is sorted, once, and one if the server
    can't sort.

    Returns:
        None if there are too many to be put in order, and some would be of no use.

    Raises:
        ToolError: As `SearchServer.plan` and `SearchServer.search`.
    """
    known, plan = wanted.known, server.plan(wanted.query, wanted.doubted)
    start = find_start(known.uids, wanted.after, wanted.order) if known else None
    if known is not None and start is not None:
        candidates = Candidates(
            plan=plan,
            uids=known.uids,
            start=start,
            rest=known.rest,
            more=_count_at_most(known.rest, known.exists),
            known=known,
            statements=plan.statements,
            complete=plan.complete,
        )
    elif wanted.order.is_by_uid:
        low, high = uids_after(wanted.after, wanted.order)
        rest = None if high is not None and high < low else (low, high)
        candidates = Candidates(plan=plan, uids=array("I"), start=0, rest=rest)
    else:
        return (yield from _search_sorted(server, wanted))
    if candidates.rest is None or _has_enough(wanted, candidates):
        return candidates
    return (yield from _search_windows(server, wanted, candidates))


def _count_enough(wanted: PageRequest, plan: Plan) -> int:
    """Return how many candidates fill a page: more if some will fail the verification."""
    return max(wanted.size, limits.VERIFY_EXPENSIVE_CANDIDATES_MAX if plan.local.criteria else 0)


def _has_enough(wanted: PageRequest, candidates: Candidates) -> bool:
    return len(candidates.uids) - candidates.start >= _count_enough(wanted, candidates.plan)


def _search_windows(server: SearchServer, wanted: PageRequest, candidates: Candidates) -> Steps[Candidates]:
    """Add the matches of one window after another to `candidates`, until they are enough."""
    quirks, ascending = server.session.quirks, wanted.order.ascending
    windows = Windows(quirks, wanted.mailbox, wanted.query, candidates.rest, ascending=ascending)
    is_first_page = wanted.after is None
    uids = candidates.uids[:]
    more: int | None = None  # matches after the windows, where the server counts them
    while True:
        if more is not None and more <= limits.SEARCH_LISTED_MATCHES_MAX:
            windows.take_all()
        window, begins = windows.take(), windows.taken == 1 and is_first_page
        counts = begins and bool(wanted.query.criteria) and windows.counts_fast
        count = windows.rest if counts else None
        began = quirks.clock()
        try:
            plan, found = yield from _search(server, wanted, window, count=count)
        except PipelineInterruptedError:
            windows.learn(quirks.clock() - began, alone=wanted.share == 1)  # probably it took too long
            raise
        windows.learn(quirks.clock() - began, alone=wanted.share == 1)
        uids.extend(found.uids if ascending else found.uids[::-1])
        more = found.counted if more is None or more < len(found.uids) else more - len(found.uids)
        candidates = replace(
            candidates,
            plan=plan,
            uids=uids,
            rest=windows.rest,
            statements=tuple(dict.fromkeys(candidates.statements + plan.statements + found.statements)),
            complete=candidates.complete and plan.complete and found.complete,
        )
        if windows.rest is None:
            return replace(candidates, more=0)
        wanted.report(found.exists - windows.left, found.exists)
        is_late = quirks.clock() >= wanted.search_until
        if is_late or more == 0 or _has_enough(wanted, candidates):
            break
    if more is None and is_first_page and not wanted.query.criteria:
        more = found.exists - len(uids)
    elif more is None and is_first_page and windows.counts_fast:
        more = yield from server.count(plan, windows.rest)
    if more is not None:
        return replace(candidates, more=more, more_exact=not (more and plan.local.criteria))
    which, searched = "oldest" if ascending else "newest", found.exists - windows.left
    where = f"{found.exists} messages in {code(wanted.mailbox)}"
    return replace(
        candidates,
        more=_count_at_most(windows.rest, found.exists - len(uids)),
        more_exact=False,
        reach=f"Searched the {which} {searched} or so of {where}; the rest has not been searched yet.",
    )


def _count_at_most(rest: UidRange | None, exists: int) -> int:
    """Return the highest number of messages that a range of UIDs can have."""
    if rest is None:
        return 0
    low, high = rest
    return exists if high is None else min(high - low + 1, exists)


def _search(
    server: SearchServer,
    wanted: PageRequest,
    uids: UidRange = EVERY_UID,
    *,
    sort: bytes = b"",
    count: UidRange | None = None,
) -> Steps[tuple[Plan, Found]]:
    """Search, again as often as the server turns out not to support the plan."""
    while True:
        plan = server.plan(wanted.query, wanted.doubted)
        found = yield from server.search(
            wanted.mailbox, plan, uids, sort=sort, count=count, doubted=wanted.doubted
        )
        if found is not None:
            return plan, found


def _search_sorted(server: SearchServer, wanted: PageRequest) -> Steps[Candidates | None]:
    """Find all candidates and put them in an order by rank: on the server if it can, otherwise here."""
    session, order, after = server.session, wanted.order, wanted.after
    sort = order.sort_key if session.can("SORT") else b""
    if sort:
        exists = session.quirks.sizes.get(wanted.mailbox)
        if exists is None:
            exists = (yield []).mailbox.exists
        if is_large(exists):
            sort = b""
    plan, found = yield from _search(server, wanted, sort=sort)
    statements, complete = plan.statements + found.statements, plan.complete and found.complete
    ranks: dict[int, int] = {}
    sorts_here = order.is_by_written and len(found.uids) <= limits.TIMED_CANDIDATES_MAX
    local = plan.local
    if sorts_here:
        # The dates that sort the candidates verify them, too.
        plan = replace(plan, local=local.only(row for row in local.criteria if row.proof not in TIMES))
        local = local.only(row for row in local.criteria if row.proof in TIMES)
    if found.is_sorted and not sorts_here:
        uids = found.uids if order.ascending else found.uids[::-1]
    else:
        newest = array("I", sorted(found.uids))[-limits.SORT_CANDIDATES_MAX :]
        if len(newest) < len(found.uids):
            if wanted.may_reorder:
                return None
            statements += (
                f"The server can't sort: only the newest {len(newest)} of {len(found.uids)} messages "
                "were sorted, and older ones left out.",
            )
            complete = False
        check = make_check(local) if sorts_here else None
        ranks = yield from _fetch_ranks(session, newest, wanted, check)
        uids = sort_by_rank(ranks, order)
    start = find_start(uids, after, order)
    if start is None and after is not None:
        start = yield from _find_place(session, uids, ranks, after, wanted)
    return Candidates(
        plan=plan,
        uids=uids,
        start=start or 0,
        is_verified=sorts_here and not plan.local.criteria,
        is_sorted=found.is_sorted and not sorts_here,
        statements=statements,
        complete=complete,
    )


def _fetch_ranks(
    session: Session, uids: Sequence[int], wanted: PageRequest, check: Check | None
) -> Steps[dict[int, int]]:
    """Fetch the ranks of messages, given by ascending UID. Leaves out those that are gone, or fail `check`.

    A message that can't be ranked gets the rank of the one before it.
    """
    fetched = yield from _fetch_order_items(session, uids, wanted.order)
    ranks: dict[int, int] = {}
    rank = 0
    for uid in uids:
        row = fetched.messages.get(uid)
        if row is None and fetched.failures[uid].code is Code.NOT_FOUND:
            continue
        if row and check and not check.holds(row):
            continue
        known = rank_of(row, wanted.order) if row else None
        rank = ranks[uid] = rank if known is None else known
    return ranks


def _find_place(
    session: Session, uids: Sequence[int], ranks: Mapping[int, int], after: Position, wanted: PageRequest
) -> Steps[int]:
    """Find where a message that is gone would be, by the ranks of some of the candidates.

    Returns:
        The index of the first candidate after it.
    """
    low, high = 0, len(uids)  # the index is between them
    while low < high:
        before = low, high
        step = max(1, (high - low) // _PIVOTS)
        pivots = range(low, high, step)
        known = ranks
        if not known:
            fetched = yield from _fetch_order_items(session, [uids[index] for index in pivots], wanted.order)
            rows = fetched.messages.items()
            ranked = ((uid, rank_of(row, wanted.order)) for uid, row in rows)
            known = {uid: rank for uid, rank in ranked if rank is not None}
        for index in pivots:
            uid = uids[index]
            if uid not in known:
                continue  # it may be on either side
            if is_after(uid, known[uid], after, wanted.order):
                high = index
                break
            low = index + 1
        if step == 1 or (low, high) == before:
            break
    return low


def _fetch_order_items(session: Session, uids: Sequence[int], order: Order) -> Steps[Fetched]:
    items = ["UID", *order.items]
    [fetched] = yield from fetch_steps(session, (uids, items))
    return fetched

"""The candidates of a search: the messages that may match, in order, and where a page begins among them."""

from array import array
from collections.abc import Mapping, Sequence

from mailmcp import limits
from mailmcp.imap.fetch import Fetched, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.order import (
    Order,
    Position,
    find_start,
    is_after,
    rank_of,
    sort_by_rank,
    uids_after,
)
from mailmcp.imap.search.page import CandidateQuery, Candidates
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session
from mcp_envelope import Code

_PIVOTS = 64
"""Candidates whose ranks are fetched at once to find a place among them: two rounds for 4,000."""


def find_candidates(server: SearchServer, wanted: CandidateQuery) -> Steps[Candidates | None]:
    """Find the candidates of a search.

    No round trip if an earlier page left them, otherwise one. One more to learn the size of a
    mailbox before it is sorted, once, and one if the server can't sort.

    Returns:
        None if there are too many to be put in order, and some would be of no use.

    Raises:
        ToolError: As `SearchServer.plan` and `SearchServer.search`.
    """
    order, after, plan = wanted.order, wanted.after, server.plan(wanted.query)
    if wanted.known is not None:
        start = find_start(wanted.known.uids, after, order)
        if start is not None:
            return Candidates(
                plan=plan,
                uids=wanted.known.uids,
                start=start,
                is_known=True,
                statements=plan.statements,
                complete=plan.complete,
            )
    found = yield from _search(server, wanted, plan)
    while found is None:
        plan = server.plan(wanted.query)
        found = yield from _search(server, wanted, plan)
    statements, complete = plan.statements + found.statements, plan.complete and found.complete
    ranks: dict[int, int] = {}
    sorts_here = order.is_by_written and len(found.uids) <= limits.TIMED_CANDIDATES_MAX
    if order.is_by_uid or (found.is_sorted and not sorts_here):
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
        ranks = yield from _fetch_ranks(server.session, newest, wanted)
        uids = sort_by_rank(ranks, order)
    start = find_start(uids, after, order)
    if start is None and after is not None:
        start = yield from _find_place(server.session, uids, ranks, after, wanted)
    return Candidates(
        plan=plan,
        uids=uids,
        start=start or 0,
        is_sorted=found.is_sorted and not sorts_here,
        statements=statements,
        complete=complete,
    )


def _search(server: SearchServer, wanted: CandidateQuery, plan: Plan) -> Steps[Found | None]:
    low, high = uids_after(wanted.after, wanted.order)
    if high is not None and high < low:
        return Found(uids=array("I"), exists=0)
    sort = wanted.order.sort_key if server.session.can("SORT") else b""
    if sort:
        exists = server.session.quirks.sizes.get(wanted.mailbox)
        if exists is None:
            exists = (yield []).mailbox.exists
        sort = sort if exists <= limits.SERVER_SORT_MESSAGES_MAX else b""
    return (yield from server.search(wanted.mailbox, plan, (low, high), sort=sort, expected=wanted.expected))


def _fetch_ranks(session: Session, uids: Sequence[int], wanted: CandidateQuery) -> Steps[dict[int, int]]:
    """Fetch the ranks of messages, given by ascending UID. Leaves out those that are gone.

    A message that can't be ranked gets the rank of the one before it.
    """
    fetched = yield from _fetch_order_items(session, uids, wanted.order)
    ranks: dict[int, int] = {}
    rank = 0
    for uid in uids:
        row = fetched.messages.get(uid)
        if row is None and fetched.failures[uid].code is Code.NOT_FOUND:
            continue
        known = rank_of(row, wanted.order, wanted.proofs) if row else None
        rank = ranks[uid] = rank if known is None else known
    return ranks


def _find_place(
    session: Session, uids: Sequence[int], ranks: Mapping[int, int], after: Position, wanted: CandidateQuery
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
            ranked = ((uid, rank_of(row, wanted.order, wanted.proofs)) for uid, row in rows)
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
    [fetched] = yield from fetch_steps((uids, items), message_limit=message_limit(session))
    return fetched


def message_limit(session: Session) -> int:
    """Return how many messages the server handles in one command (RFC 9738); 0 for any number."""
    return session.connection.capability_value("MESSAGELIMIT")

"""Find the candidates of a search: messages that may match, in order, from where a page begins.

Three ways lead to the order that was asked for, and the first page chooses one (`Way`). In most mailboxes
UIDs follow arrival, so matches are taken by UID, in windows if the mailbox is very large. Where they don't,
the server sorts; where it can't, matches are sorted here in blocks of UIDs, one block after another.
"""

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.cache import Kept
from mailmcp.imap.search.order import RankBy, is_after, rank_of, sort_by_rank
from mailmcp.imap.search.plan import Plan, may_change
from mailmcp.imap.search.server import EVERY_UID, Found, SearchServer, UidRange, part_of
from mailmcp.imap.search.values import Candidates, PageRequest
from mailmcp.imap.search.windows import Windows
from mailmcp.model.cursor import Position, Way
from mcp_envelope import Code, code

TIMED_CANDIDATES_MAX: Final = 300
"""Messages whose times are fetched with the first page of a search by time: 18 KB for an exact total."""

BLOCK_MESSAGES: Final = 2_000
"""Messages that are sorted here at once: about 60 octets each, 120 KB."""

_ALL: Final = 2**32
"""More candidates than there can be."""


def find_candidates(
    server: SearchServer, request: PageRequest, position: Position, *, enough: int
) -> Steps[Candidates]:
    """Find the next candidates.

    No round trip if an earlier page left enough; otherwise one, one more for each further window, and one
    more where messages are sorted here.

    Args:
        server: The server, on a session.
        request: The request.
        position: Where to begin: as in the request, or the `rest` of earlier candidates.
        enough: How many fill a page. There are fewer if there are no more, or if the time is up.

    Raises:
        ToolError: As `SearchServer.plan` and `SearchServer.search`.
    """
    match position.way:
        case Way.SORT:
            return (yield from _find_sorted(server, request, position))
        case Way.BLOCK:
            return (yield from _find_block(server, request, position))
        case Way.UID:
            low, high = position.low or 1, position.high or None
            if request.order.ascending:
                low = max(low, position.uid + 1)
            elif position.uid:
                high = position.uid - 1
            return (yield from _find_by_uid(server, request, position, (low, high), enough=enough))


def _find_by_uid(
    server: SearchServer, request: PageRequest, position: Position, uids: UidRange, *, enough: int
) -> Steps[Candidates]:
    """Take what is kept, and search one window after another until there are enough candidates."""
    session, ascending = server.session, request.order.ascending
    clock, is_first_page = session.quirks.clock, not position.is_begun
    plan = server.plan(request.query, request.doubted)
    kept = _kept(request, _key(request, Way.UID)) if position.is_begun else None
    if kept is not None and not _begins_in(kept.within, uids, ascending=ascending):
        kept = None
    found = part_of(kept.uids, uids) if kept else array("I")
    windows = Windows(session.quirks, request, _outside(kept.within, uids, ascending) if kept else uids)
    more: int | None = None  # matches after the windows, where the server counts them
    statements, complete, exists = plan.statements, plan.complete, kept.mailbox.exists if kept else 0
    mailbox = kept.mailbox if kept else None
    while windows.rest is not None and len(found) < enough and more != 0:
        begins = not exists and is_first_page
        window = windows.begin()
        counts = begins and bool(request.query.criteria) and windows.in_index
        try:
            plan, result = yield from _search(server, request, window, count=windows.rest if counts else None)
        finally:
            windows.end()  # a search that was interrupted probably took too long
        if mailbox is None and session.mailbox is not None:
            mailbox = replace(session.mailbox)
        found = found + result.uids if ascending else result.uids + found
        more = result.counted if more is None else max(more - len(result.uids), 0)
        if more is not None and more <= limits.SEARCH_LISTED_MATCHES_MAX:
            windows.take_all()
        statements = tuple(dict.fromkeys((*statements, *plan.statements, *result.statements)))
        complete = complete and plan.complete and result.complete
        exists = result.exists
        if windows.rest is not None:
            request.report(exists - windows.left, exists)
            if clock() >= request.search_until:
                break
    rest = None if more == 0 else windows.rest
    within = _before(rest, uids, ascending=ascending)
    if windows.taken and mailbox is not None and not may_change(request.query):
        request.cache.put(_key(request, Way.UID), Kept(uids=found, within=within, mailbox=mailbox))
    candidates = Candidates(
        plan=plan,
        position=position,
        uids=found if ascending else found[::-1],
        kept=kept,
        statements=statements,
        complete=complete,
    )
    if rest is None:
        return candidates
    edge = rest[0] - 1 if ascending else (rest[1] or 0) + 1
    candidates = replace(candidates, rest=replace(position, uid=edge))
    if is_first_page and not request.query.criteria:
        return replace(candidates, more=max(exists - len(found), 0))
    if more is not None:
        return replace(candidates, more=more, more_exact=not (more and plan.local.criteria))
    which, searched = "oldest" if ascending else "newest", exists - windows.left
    where = f"{exists} messages in {code(position.mailbox)}"
    return replace(
        candidates,
        more=max(exists - len(found), 1),
        more_exact=False,
        reach=f"Searched the {which} {searched} or so of {where}; the rest has not been searched yet.",
    )


def _begins_in(within: UidRange, uids: UidRange, *, ascending: bool) -> bool:
    """Return whether what is kept covers the beginning of a range, in the direction of the order."""
    (low, high), (wanted_low, wanted_high) = within, uids
    if ascending:
        return low <= wanted_low and (high is None or wanted_low <= high + 1)
    return high is None or (wanted_high is not None and low - 1 <= wanted_high <= high)


def _outside(within: UidRange, uids: UidRange, ascending: bool) -> UidRange | None:  # noqa: FBT001
    """Return the end of a range that isn't kept; None if all of it is."""
    low, high = within
    if ascending:
        return None if high is None else (max(high + 1, uids[0]), uids[1])
    return None if low <= uids[0] else (uids[0], low - 1)


def _before(rest: UidRange | None, uids: UidRange, *, ascending: bool) -> UidRange:
    """Return what was searched of a range, apart from the rest."""
    if rest is None:
        return uids
    return (uids[0], rest[0] - 1) if ascending else ((rest[1] or 0) + 1, uids[1])


def _find_sorted(server: SearchServer, request: PageRequest, position: Position) -> Steps[Candidates]:
    """Let the server sort all candidates; they are sorted here if it turns out that it can't."""
    session, order = server.session, request.order
    key = _key(request, Way.SORT)
    kept = _kept(request, key) if position.is_begun else None
    plan, found = server.plan(request.query, request.doubted), None
    uids = kept.uids if kept else array("I")
    if kept is None:
        plan, found = yield from _search(server, request, sort=order.by.sort_key)
        mailbox = session.mailbox and replace(session.mailbox)
        # A server may read odd Date headers in its own way, so a few are sorted here.
        reads_dates = order.by is RankBy.WRITTEN and len(found.uids) <= TIMED_CANDIDATES_MAX
        if found.is_sorted and not reads_dates:
            uids = found.uids if order.ascending else found.uids[::-1]
        else:
            uids = sort_by_rank((yield from _fetch_ranks(server, sorted(found.uids), request)), order)
        if mailbox is not None and not may_change(request.query):
            request.cache.put(key, Kept(uids=uids, within=EVERY_UID, mailbox=mailbox))
    if position.uid:
        uids = uids[(yield from _find_place(server, uids, request, position)) :]
    return Candidates(
        plan=plan,
        position=position,
        uids=uids,
        kept=kept,
        statements=(*plan.statements, *(found.statements if found else ())),
        complete=plan.complete and (found is None or found.complete),
    )


def _find_block(server: SearchServer, request: PageRequest, position: Position) -> Steps[Candidates]:
    """Sort the candidates of one block here; the first page of a block decides where it ends."""
    order, begins = request.order, not position.uid
    kept = None if begins else _kept(request, _key(request, Way.BLOCK, position))
    if kept is not None:
        plan = server.plan(request.query, request.doubted)
        found = Candidates(
            plan=plan, position=position, uids=kept.uids, kept=kept, statements=plan.statements
        )
    else:
        within = position.low or 1, position.high or None
        enough = BLOCK_MESSAGES if begins else _ALL
        found = yield from _find_by_uid(server, request, position, within, enough=enough)
        if begins:
            found = _cut_block(found, ascending=order.ascending)
        now = server.session.mailbox and replace(server.session.mailbox)
        mailbox = found.kept.mailbox if found.kept else now
        ranks = yield from _fetch_ranks(server, sorted(found.uids), request)
        found = replace(found, uids=sort_by_rank(ranks, order))
        if mailbox is not None and not may_change(request.query):
            key = _key(request, Way.BLOCK, found.position)
            request.cache.put(key, Kept(uids=found.uids, within=EVERY_UID, mailbox=mailbox))
    rest = _next_block(found.position, ascending=order.ascending)
    start = 0 if begins else (yield from _find_place(server, found.uids, request, position))
    return replace(found, uids=found.uids[start:], rest=rest, more=max(found.more, 1) if rest else 0)


def _cut_block(found: Candidates, *, ascending: bool) -> Candidates:
    """Leave what exceeds a block to the next one."""
    block = found.uids[:BLOCK_MESSAGES]
    left = len(found.uids) - len(block)
    position = found.position
    if left or found.rest:
        position = replace(position, high=block[-1]) if ascending else replace(position, low=block[-1])
    return replace(found, position=position, uids=block, more=found.more + left)


def _next_block(position: Position, *, ascending: bool) -> Position | None:
    """Return where the next block begins; None after the last one."""
    if ascending:
        return replace(position, uid=0, rank=0, low=position.high + 1, high=0) if position.high else None
    return replace(position, uid=0, rank=0, low=0, high=position.low - 1) if position.low > 1 else None


def _fetch_ranks(server: SearchServer, uids: Sequence[int], request: PageRequest) -> Steps[dict[int, int]]:
    """Fetch the ranks of messages, given by ascending UID; leaves out those that are gone.

    A message that can't be ranked gets the rank of the one before it.
    """
    items = ["UID", *request.order.by.items]
    [fetched] = yield from fetch_steps(server.session, (uids, items))
    if fetched.interrupted:
        yield []  # raises: without ranks there is no order
    ranks: dict[int, int] = {}
    rank = 0
    for uid in uids:
        row = fetched.messages.get(uid)
        if row is None and fetched.failures[uid].code is Code.NOT_FOUND:
            continue
        known = rank_of(row, request.order) if row else None
        rank = ranks[uid] = rank if known is None else known
    return ranks


def _find_place(
    server: SearchServer, uids: "array[int]", request: PageRequest, position: Position
) -> Steps[int]:
    """Return the index of the first of sorted candidates after a position.

    No round trip while its message is there; otherwise some, to look the ranks up.
    """
    if position.uid in uids:
        return uids.index(position.uid) + 1
    low, high = 0, len(uids)
    while low < high:
        middle = (low + high) // 2
        ranks = yield from _fetch_ranks(server, uids[middle : middle + 1], request)
        rank = ranks.get(uids[middle])
        if rank is not None and is_after(uids[middle], rank, position, request.order):
            high = middle
        else:
            low = middle + 1
    return low


def _search(
    server: SearchServer,
    request: PageRequest,
    uids: UidRange = EVERY_UID,
    *,
    sort: bytes = b"",
    count: UidRange | None = None,
) -> Steps[tuple[Plan, Found]]:
    """Search, again as often as the server turns out not to support the plan."""
    while True:
        plan = server.plan(request.query, request.doubted)
        found = yield from server.search(
            request.position.mailbox, plan, uids, sort=sort, count=count, doubted=request.doubted
        )
        if found is not None:
            return plan, found


def _key(request: PageRequest, way: Way, position: Position | None = None) -> Hashable:
    place = request.position.account_id, request.position.mailbox
    bounds = (position.low, position.high) if position else ()
    return (*place, request.query, request.order, request.doubted, way, *bounds)


def _kept(request: PageRequest, key: Hashable) -> Kept | None:
    """Return what an earlier search found; flags may have changed since."""
    return None if may_change(request.query) else request.cache.get(key)

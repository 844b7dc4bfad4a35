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
from mailmcp.imap.search.cache import Candidates
from mailmcp.imap.search.order import RANK_ITEMS, SORT_KEYS, RankBy, is_after, rank_of, sort_by_rank
from mailmcp.imap.search.plan import Plan, may_change
from mailmcp.imap.search.server import search
from mailmcp.imap.search.values import PageRequest
from mailmcp.imap.search.windows import Windows
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.model.cursor import Position, Way
from mailmcp.model.query import Proof
from mcp_envelope import Code, code

TIMED_CANDIDATES_MAX: Final = 300
"""Messages whose times are fetched with the first page of a search by time: 18 KB for an exact total."""

BLOCK_MESSAGES: Final = 2_000
"""Messages that are sorted here at once: about 60 octets each, 120 KB."""

_UNLIMITED: Final = 2**32
"""More candidates than there can be, and above every UID."""


def find_candidates(
    session: Session, request: PageRequest, plan: Plan, position: Position, *, enough: int
) -> Steps[Candidates | None]:
    """Find the candidates after a position.

    No round trip if an earlier page left enough; otherwise one, one more for each further window, and one
    more where messages are sorted here.

    Args:
        session: The session.
        request: The request.
        plan: Of its query.
        position: Where to begin: as in the request, or the `rest` of earlier candidates.
        enough: How many fill a page. There are fewer if there are no more, or if the time is up.

    Returns:
        None if the search must be planned again, as `search`.

    Raises:
        ToolError: As `search`.
    """
    keeps = not may_change(request.query)
    # Only where a page begins: the caller compares only its first candidates with the mailbox.
    resumes = keeps and position.is_begun and position is request.position
    kept = request.cache.get(cache_key(request, position)) if resumes else None
    if kept and (position.uid == kept.position.uid or position.uid in kept.uids):
        start = kept.uids.index(position.uid) + 1 if position.uid != kept.position.uid else 0
        if not kept.rest or len(kept.uids) - start >= enough:
            return replace(kept, position=position, uids=kept.uids[start:], from_cache=True)
    if position.way is Way.SORT:
        found = yield from _find_sorted(session, request, plan, position)
    elif position.way is Way.BLOCK:
        found = yield from _find_block(session, request, plan, position)
    else:
        found = yield from _find_in_windows(session, request, plan, position, enough=enough)
    if found and keeps:
        request.cache.put(cache_key(request, found.position), found)
    return found


def cache_key(request: PageRequest, position: Position) -> Hashable:
    """Return the key under which candidates are kept: those of a block apart from those of others."""
    place = position.account_id, position.mailbox, position.way, position.low, position.high
    return (*place, request.query, request.order, request.doubted)


def _find_in_windows(
    session: Session, request: PageRequest, plan: Plan, position: Position, *, enough: int
) -> Steps[Candidates | None]:
    """Search one window after another until there are enough: by UID after a position, or in its block."""
    quirks, query, ascending = session.quirks, request.query, request.order.ascending
    low, high = position.low or 1, position.high or None
    if position.way is Way.UID and ascending:
        low = position.uid + 1
    elif position.way is Way.UID and position.uid:
        high = position.uid - 1
    windows = Windows(quirks, query, position.mailbox, (low, high), ascending)
    # Servers count flags fast in any range.
    counts_rest = bool(query.criteria) and all(row.proof is Proof.FLAGS for row in query.criteria)
    found, exists = array("I"), 0
    rest_count: int | None = None  # matches in what follows the window, where the server counted them
    unsearched: tuple[str, ...] = ()
    mailbox: SelectedMailbox | None = None
    while windows.rest is not None and len(found) < enough and rest_count != 0:
        window, began = windows.take(), quirks.clock()
        try:
            result = yield from search(session, plan, window, count=windows.rest if counts_rest else None)
        finally:  # a search that was interrupted probably took too long
            windows.learn(window, quirks.clock() - began)
        if result is None:
            return None
        mailbox, counts_rest = mailbox or _opened(session), False
        exists = _opened(session).exists
        found = found + result.uids if ascending else result.uids + found
        rest_count = result.counted if rest_count is None else max(rest_count - len(result.uids), 0)
        if not ascending and result.searched_from and result.searched_from <= (window[1] or _UNLIMITED):
            windows.rest, rest_count = (low, result.searched_from - 1), None
        else:
            unsearched = unsearched or result.statements
        if rest_count is not None and rest_count <= limits.SEARCH_LISTED_MATCHES_MAX:
            windows.next_messages = None  # the next window is all that is left
        if windows.rest is not None:
            request.report(exists - windows.rest_messages, exists)
            if quirks.clock() >= request.search_until and enough < _UNLIMITED:
                break  # never within a block that an earlier page began: the rest of it would be lost
    assert mailbox is not None  # noqa: S101 - there is a window
    uids = found if ascending else found[::-1]
    candidates = Candidates(position=position, uids=uids, mailbox=mailbox, unsearched=unsearched)
    rest = None if rest_count == 0 else windows.rest
    if rest is None:
        return candidates
    edge = rest[0] - 1 if ascending else (rest[1] or 0) + 1
    candidates = replace(candidates, rest=replace(position, uid=edge))
    if not query.criteria:
        matches = max(windows.rest_messages, 1) if position.is_begun else max(exists - len(found), 0)
        return replace(candidates, rest_matches=matches)
    if rest_count is not None:
        return replace(
            candidates, rest_matches=rest_count, rest_exact=not (rest_count and plan.local.criteria)
        )
    which, searched = "oldest" if ascending else "newest", exists - windows.rest_messages
    where = f"{exists} messages in {code(position.mailbox)}"
    return replace(
        candidates,
        rest_matches=max(exists - len(found), 1),
        rest_exact=False,
        reach=f"Searched the {which} {searched} or so of {where}; the rest has not been searched yet.",
    )


def _find_sorted(
    session: Session, request: PageRequest, plan: Plan, position: Position
) -> Steps[Candidates | None]:
    """Let the server sort all candidates; they are sorted here if it turns out that it can't.

    All in one search: if the server stops on the way (MESSAGELIMIT), the page says that the rest wasn't
    searched.
    """
    order = request.order
    found = yield from search(session, plan, sort=SORT_KEYS[order.by])
    if found is None:
        return None
    mailbox = _opened(session)
    # A server may read odd Date headers in its own way, so a few are sorted here.
    reads_dates = order.by is RankBy.WRITTEN and len(found.uids) <= TIMED_CANDIDATES_MAX
    if found.is_sorted and not reads_dates:
        uids = found.uids if order.ascending else found.uids[::-1]
    else:
        uids = sort_by_rank((yield from _fetch_ranks(session, sorted(found.uids), request)), order)
    if position.uid:
        uids = uids[(yield from _find_place(session, uids, request, position)) :]
    return Candidates(position=position, uids=uids, mailbox=mailbox, unsearched=found.statements)


def _find_block(
    session: Session, request: PageRequest, plan: Plan, position: Position
) -> Steps[Candidates | None]:
    """Sort the candidates of one block here.

    The first page of a block decides where it ends; later pages search the same block again.
    """
    order, begins_block = request.order, not position.uid
    enough = BLOCK_MESSAGES if begins_block else _UNLIMITED
    found = yield from _find_in_windows(session, request, plan, position, enough=enough)
    if found is None:
        return None
    if begins_block:
        found = _cut_block(found, ascending=order.ascending)
    ranks = yield from _fetch_ranks(session, sorted(found.uids), request)
    if not begins_block:
        ranks = {uid: rank for uid, rank in ranks.items() if is_after(uid, rank, position, order)}
    rest = _next_block(found.position, ascending=order.ascending)
    return replace(
        found,
        uids=sort_by_rank(ranks, order),
        rest=rest,
        rest_matches=max(found.rest_matches, 1) if rest else 0,
    )


def _cut_block(found: Candidates, *, ascending: bool) -> Candidates:
    """Leave what exceeds a block to the next one; it ends where the search did if the time was up."""
    block = found.uids[:BLOCK_MESSAGES]
    left = len(found.uids) - len(block)
    position = found.position
    end = block[-1] if left else found.rest.uid if found.rest else 0
    if end:
        position = replace(position, high=end) if ascending else replace(position, low=end)
    return replace(found, position=position, uids=block, rest_matches=found.rest_matches + left)


def _next_block(position: Position, *, ascending: bool) -> Position | None:
    """Return where the next block begins; None after the last one."""
    if ascending:
        return replace(position, uid=0, rank=0, low=position.high + 1, high=0) if position.high else None
    return replace(position, uid=0, rank=0, low=0, high=position.low - 1) if position.low > 1 else None


def _fetch_ranks(session: Session, uids: Sequence[int], request: PageRequest) -> Steps[dict[int, int]]:
    """Fetch the ranks of messages, given by ascending UID; leaves out those that are gone.

    A message that can't be ranked gets the rank of the one before it.
    """
    items = ["UID", *RANK_ITEMS[request.order.by]]
    [fetched] = yield from fetch_steps(session, (uids, items))
    if fetched.interrupted:
        yield []  # raises again that the connection failed: without ranks there is no order
    ranks: dict[int, int] = {}
    rank = 0
    for uid in uids:
        row = fetched.messages.get(uid)
        if row is None and fetched.failures[uid].code is Code.NOT_FOUND:
            continue
        known = rank_of(row, request.order) if row else None
        rank = ranks[uid] = rank if known is None else known
    return ranks


def _find_place(session: Session, uids: "array[int]", request: PageRequest, position: Position) -> Steps[int]:
    """Return the index of the first of sorted candidates after a position.

    No round trip while its message is there; otherwise some, to look the ranks up. Candidates that turn out
    to be gone are taken out.
    """
    if position.uid in uids:
        return uids.index(position.uid) + 1
    low, high = 0, len(uids)
    while low < high:
        middle = (low + high) // 2
        ranks = yield from _fetch_ranks(session, uids[middle : middle + 1], request)
        rank = ranks.get(uids[middle])
        if rank is None:  # it is gone, and says nothing about the others
            uids.pop(middle)
            high -= 1
        elif is_after(uids[middle], rank, position, request.order):
            high = middle
        else:
            low = middle + 1
    return low


def _opened(session: Session) -> SelectedMailbox:
    """Return the mailbox that was searched, as it is now."""
    assert session.mailbox is not None  # noqa: S101 - it was searched
    return replace(session.mailbox)

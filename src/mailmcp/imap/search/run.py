"""Search mailboxes and fetch a page of matches from each.

Blocking; runs on a session in a pool's thread. A caller that merges mailboxes asks for one page of
each in an order by arrival, takes the best, and continues in each mailbox after what it took.

A page is made in this order: find the candidates (`candidates`), fetch the rows of the first of
them, verify criteria that SEARCH has no key for or answers by the day (`verify`), in chunks until
the page is full or the budget is spent, and fetch the rows that are still missing. What the rows
show may change the search: the page is then made again.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from mailmcp import limits
from mailmcp.imap.command import Command, canonical_name
from mailmcp.imap.fetch import Fetched, FetchedMessage, FetchFailure, FetchJob, fetch_steps
from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, Steps, riding, run_pipelined
from mailmcp.imap.search.candidates import find_candidates, message_limit
from mailmcp.imap.search.listing import can_list, list_page
from mailmcp.imap.search.order import (
    UID_RANK,
    Order,
    Position,
    are_in_order,
    can_sort_by_arrival,
    rank_of,
    sample_evenly,
    uids_follow_arrival,
)
from mailmcp.imap.search.page import CandidateList, CandidateQuery, Candidates, MailboxPage, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import parse_esearches
from mailmcp.imap.search.verify import Check, make_check, merge_items
from mailmcp.imap.search.visible import NO_VISIBLE_SEARCH, VisibleSearch
from mailmcp.imap.search.windows import is_large, learn_size
from mailmcp.imap.session import Session
from mcp_envelope import Code, ToolError

_TIMES = ("UID", "INTERNALDATE")


def search_mailboxes(
    server: SearchServer,
    requests: Sequence[PageRequest],
    *,
    keep: Callable[[list[MailboxPage | ToolError]], None] = lambda _found: None,
) -> list[MailboxPage | ToolError]:
    """Search mailboxes and fetch a page of each.

    Two round trips on a warm session for up to `limits.BURST_MAILBOXES` mailboxes, one where the
    candidates are known. More where criteria must be verified on many messages, where a server
    supports neither ESEARCH nor LITERAL+, and where `server` has something to find out.

    Args:
        server: The server, on a session.
        requests: What to search for, and where.
        keep: Called if the connection fails, with the pages that arrived in part: messages that
            didn't arrive are failures. Pages of which nothing arrived get its error.

    Returns:
        For each request its page, or its error: NotFoundError (`mailbox_missing`), ConflictError
        (the UIDVALIDITY isn't that of the request), InvalidInputError (`charset_refused`, or a
        criterion that this server doesn't support), InternalError (the server refused, or its
        response makes no sense).

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    server.prepare(requests)
    tasks = []
    for request in requests:
        current = CurrentMailbox()
        tasks.append(
            MailboxTask(
                mailbox=request.mailbox,
                uidvalidity=request.uidvalidity,
                steps=_find_page(server, request, current, share=len(requests)),
                current=current,
            )
        )
    try:
        return run_pipelined(server.session, tasks)
    except ToolError as error:
        keep([_arrived(task.outcome, error) for task in tasks])
        raise


def _arrived(outcome: MailboxPage | ToolError, error: ToolError) -> MailboxPage | ToolError:
    is_lost = isinstance(outcome, MailboxPage) and outcome.uids and not outcome.fetched.messages
    return error if is_lost else outcome


def _find_page(
    server: SearchServer, request: PageRequest, current: CurrentMailbox, *, share: int
) -> Steps[MailboxPage]:
    """Make a page; again as often as its rows show that the search must be another one."""
    name = canonical_name(request.mailbox)
    yield from learn_size(server.session.quirks, name)
    if can_list(server, name, request):
        listed = yield from list_page(server, name, request, current)
        if listed is not None:
            return listed
        request = replace(request, known=None)
    order = yield from _choose_order(server.session, name, request)
    wanted = CandidateQuery(
        mailbox=name,
        query=request.query,
        order=order,
        proofs=request.proofs,
        size=request.size,
        after=request.after,
        known=request.known if order is request.order else None,
        may_reorder=request.may_reorder,
        search_until=request.search_until,
        report=request.report,
        alone=share == 1,
    )
    while True:
        page = yield from _try_page(server, request, wanted, current, share)
        if isinstance(page, MailboxPage):
            return page
        wanted = page


def _choose_order(session: Session, name: str, request: PageRequest) -> Steps[Order]:
    """Choose between an order by UID and the order by arrival that it approximates.

    One round trip to learn the size of a mailbox before it is sorted, once.
    """
    order, quirks = request.order, session.quirks
    exists = quirks.sizes.get(name)
    if request.may_reorder and name in quirks.uids_out_of_order:
        size = exists or 0
        return order.by_arrival if can_sort_by_arrival(session, size, exists=size) else order
    if order is order.by_uid or request.after is not None:
        return order
    if exists is None and session.can("SORT"):
        exists = (yield []).mailbox.exists
    return order.by_uid if is_large(exists) else order


def _try_page(
    server: SearchServer, request: PageRequest, wanted: CandidateQuery, current: CurrentMailbox, share: int
) -> Steps[MailboxPage | CandidateQuery]:
    """Make a page, or return the candidates to look for instead.

    Args:
        server: The server.
        request: The caller's request.
        wanted: What to look for now.
        current: The mailbox.
        share: How many pages share the budget of the call.
    """
    session, order = server.session, wanted.order
    candidates = yield from find_candidates(server, wanted)
    if candidates is None:
        return replace(wanted, order=request.order, may_reorder=False, expected=())
    known = wanted.known if candidates.is_known else None
    # Keep the counts of now: later responses show a later state of the mailbox.
    searched = known or current.mailbox
    exists, uidnext = (searched.exists, searched.uidnext) if searched else (0, None)

    # Fetch the first rows. Only then is the state of the mailbox known.
    attempt = _plan_attempt(server, request, wanted, candidates, share)
    rows, seen, times, beside = yield from attempt.fetch_first()
    if current.mailbox is None:
        yield []  # nothing is left to fetch, but the mailbox must be the one that was searched
    mailbox = current.mailbox
    assert mailbox is not None  # noqa: S101 - it was asked for
    if known and not known.is_current(mailbox, order):
        return replace(wanted, known=None)

    # An order by UID approximates arrival. If the times show that it fails, sort by arrival if possible.
    out_of_order = session.quirks.uids_out_of_order
    in_order = not order.is_by_uid or attempt.tests_order or wanted.mailbox not in out_of_order
    if attempt.tests_order and not rows.interrupted and not uids_follow_arrival(times.messages):
        out_of_order.add(wanted.mailbox)
        can_sort = can_sort_by_arrival(session, len(candidates.uids), exists=mailbox.exists)
        if wanted.may_reorder and can_sort and candidates.rest is None:
            return replace(wanted, order=order.by_arrival, expected=candidates.uids)
        in_order = False

    # Select the page's matches, and check that they agree with the search.
    attempt, rows, seen = yield from attempt.look_for(beside, rows, seen)
    rest, technical = attempt.filter_all(seen)
    selection, rows = yield from attempt.select(rest, rows, seen, share)
    if not (known or rows.interrupted):
        with_flags = rows.messages if "FLAGS" in attempt.row_items else {}
        ranks = tuple(selection.ranks.values())
        accepted = yield from server.accepts(
            wanted, candidates, with_flags, ranks=ranks, exists=mailbox.exists
        )
        if not accepted:
            return replace(wanted, known=None, expected=())

    # What the next page needs.
    uids, unchecked = selection.uids, len(rest) - selection.checked
    left = unchecked + candidates.more
    is_whole = request.after is None and not left
    if not known or attempt.verifies_all or candidates.rest != known.rest:
        known = CandidateList(
            uids=array("I", uids) if is_whole else rest if attempt.verifies_all else candidates.uids,
            exists=exists,
            uidnext=None if candidates.is_part else uidnext,
            verified=(attempt.verifies_all or is_whole or candidates.is_verified) and not rows.interrupted,
            rest=candidates.rest if candidates.more else None,
        )
    last = selection.last
    if not unchecked and candidates.more and candidates.rest:
        low, high = candidates.rest
        last = (low - 1 if order.ascending or high is None else high + 1), 0
    statements = candidates.statements
    if unchecked and len(uids) < request.size:
        checked = f"Checked {selection.checked} of {len(rest)} possible matches"
        statements += (f"{checked}; the next page continues from there.",)
    all_verified = (is_whole or attempt.verifies_all) and not rows.interrupted
    is_exact = attempt.check.is_empty and len(attempt.visible.uids) in {0, len(rest) + candidates.more}
    return MailboxPage(
        mailbox=mailbox.name,
        uidvalidity=mailbox.uidvalidity,
        exists=mailbox.exists,
        uids=uids,
        order=order,
        # The server may read some Date headers in another way, or not at all.
        in_order=in_order and (not order.is_by_written or are_in_order(selection.ranks.values(), order)),
        ranks={uid: selection.ranks[uid] for uid in uids if uid in selection.ranks},
        frontier=selection.last[1] if left and selection.last else None,
        fetched=Fetched(
            messages={uid: rows.messages[uid] for uid in uids if uid in rows.messages},
            failures={uid: rows.failures[uid] for uid in uids if uid not in rows.messages},
            interrupted=rows.interrupted,
        ),
        candidates=known,
        last=attempt.position(mailbox.uidvalidity, last) if last else None,
        left=left,
        total=len(known.uids) + candidates.more,
        total_exact=(all_verified or is_exact) and candidates.more_exact,
        technical=technical or selection.technical,
        opaque=tuple(sorted({*(beside[-1] or ())}.difference(candidates.uids), reverse=True))
        if attempt.opaque and beside
        else (),
        candidates_checked=selection.checked,
        statements=statements,
        reach=candidates.reach,
        unverified=server.unverified(request.query, found=len(candidates.uids), exists=mailbox.exists),
        known_gaps=candidates.plan.known_gaps if mailbox.exists else "",
        complete=candidates.complete,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """What to fetch and to check for one page."""

    wanted: CandidateQuery
    merge_order: Order
    """The order of the ranks: `wanted.order`, unless that is one by UID in place of one by arrival."""

    size: int
    rest: "array[int]"
    """The candidates after the position."""

    check: Check
    visible: VisibleSearch
    opaque: tuple[Command, ...]
    """The search for mail that no search for words sees into; empty if there is nothing to ask."""

    row_items: Sequence[str]
    proof_items: Sequence[str]
    message_limit: int
    tests_order: bool
    """Whether to see if UIDs follow arrival."""

    verifies_all: bool
    """Whether to verify all candidates with the first rows, for an exact total.

    Only if they are few, and only times are to be verified, or where words are.
    """

    def fetch_first(self) -> Steps[tuple[Fetched, Fetched, Fetched, list[Sequence[int] | None]]]:
        """Fetch the rows of the first candidates, usually the page, and with them the times of others.

        Returns:
            The rows, messages to verify candidates with, messages with their times, and what the searches
            beside them found: those of `visible`, then `opaque`.
        """
        first, rest = self.rest[: self.size], self.rest[self.size :]
        searches = [*self.visible.commands, *self.opaque]
        if self.verifies_all:
            fetching = self._fetch((first, self.row_items), (rest, self.proof_items))
            (rows, others), replies = yield from riding(searches, fetching)
            seen = _merge(rows, others)
            times = [seen]
        else:
            sample = sample_evenly(rest) if self.tests_order else ()
            fetching = self._fetch((first, self.row_items), optional=(sample, _TIMES))
            (rows, *times), replies = yield from riding(searches, fetching)
            seen, times = rows, [rows, *times]
        return rows, seen, _merge(*times), parse_esearches(replies, len(searches))

    def look_for(
        self, beside: Sequence[Sequence[int] | None], rows: Fetched, seen: Fetched
    ) -> Steps[tuple["_Attempt", Fetched, Fetched]]:
        """Look for words that the server finds in no visible text; no round trip if the rows show them.

        Args:
            beside: What the searches beside the rows found.
            rows: Of the first candidates.
            seen: Messages to verify candidates with.

        Returns:
            The attempt that verifies these words, its rows, and all messages that were fetched.
        """
        unseen = self.visible.unseen(beside[: len(self.visible.commands)])
        if unseen is None or rows.interrupted:
            return self, rows, seen
        messages, may_show = rows.messages, self.check.proofs.words
        check = self.check.with_unseen(
            {
                uid: words
                for uid, words in unseen.items()
                if uid not in messages or not may_show(messages[uid], words)
            }
        )
        items = merge_items(self.proof_items, check.items)
        verifies_all = len(self.visible.uids) == len(self.rest) and (
            self.verifies_all or not check.query.criteria
        )
        if verifies_all and check.unseen:
            # With them the rows of those that may take their places.
            clear = [uid for uid in self.rest if uid not in check.unseen][: self.size]
            missing = [uid for uid in clear if uid not in messages and uid not in rows.failures]
            more, looked = yield from self._fetch((missing, self.row_items), (list(check.unseen), items))
            rows, seen = _merge(rows, more), _merge(seen, looked, more)
        attempt = replace(self, check=check, proof_items=items, verifies_all=verifies_all)
        return attempt, rows, seen

    def filter_all(self, seen: Fetched) -> tuple["array[int]", int]:
        """Return the candidates that match, if all are verified, and how many were technical matches."""
        if not self.verifies_all:
            return self.rest, 0
        matches = array("I", (uid for uid in self.rest if _may_match(uid, seen, self.check)))
        return matches, _count_technical(self.rest, seen, self.check)

    def select(
        self, candidates: "array[int]", rows: Fetched, seen: Fetched, share: int
    ) -> Steps[tuple["_Selection", Fetched]]:
        """Verify candidates in growing chunks until the page is full or the budget is spent.

        Returns:
            The matches, and their rows.
        """
        budget = limits.VERIFY_CANDIDATES_MAX
        if self.check.is_expensive:
            budget = limits.VERIFY_EXPENSIVE_CANDIDATES_MAX
        budget = min(max(budget // share, self.size), len(candidates))
        chunks = chain(limits.VERIFY_CHUNKS, repeat(limits.VERIFY_CHUNKS[-1]))
        end = min(self.size, len(candidates))
        selection = self._select(candidates[:end], seen)
        while not seen.interrupted and len(selection.uids) < self.size and end < budget:
            start, end = end, min(end + next(chunks), budget)
            seen = _merge(seen, *(yield from self._fetch((candidates[start:end], self.proof_items))))
            if not seen.interrupted:  # otherwise the next page begins with them
                selection = self._select(candidates[:end], seen)
        rows = replace(rows, failures=seen.failures | rows.failures, interrupted=seen.interrupted)
        missing = [uid for uid in selection.uids if uid not in rows.messages and uid not in rows.failures]
        if missing:
            rows = _merge(rows, *(yield from self._fetch((missing, self.row_items))))
        return selection, rows

    def _select(self, uids: Sequence[int], seen: Fetched) -> "_Selection":
        """Select the first matches among candidates that were fetched."""
        order, merge_order, after = self.wanted.order, self.merge_order, self.wanted.after
        rank = after.rank if after and merge_order is order else merge_order.first_rank
        matches: list[int] = []
        ranks: dict[int, int] = {}
        checked = 0
        last: tuple[int, int] | None = None
        for uid in uids:
            if len(matches) == self.size:
                break
            checked += 1
            row = seen.messages.get(uid)
            if row is None and not order.is_by_uid and _is_gone(uid, seen):
                continue  # its place in the order is lost
            # A message that can't be ranked stays next to the one before it.
            known_rank = rank_of(row, merge_order, self.wanted.proofs) if row else None
            rank = rank if known_rank is None else known_rank
            if not merge_order.is_by_uid:
                ranks[uid] = rank
            last = uid, rank
            if _may_match(uid, seen, self.check):
                matches.append(uid)
        return _Selection(
            uids=tuple(matches),
            checked=checked,
            ranks=ranks,
            last=last,
            technical=_count_technical(uids[:checked], seen, self.check),
        )

    def position(self, uidvalidity: int, last: tuple[int, int]) -> Position:
        """Return the position of a UID and a rank, to continue after them."""
        uid, rank = last
        if self.wanted.order.is_by_uid:
            rank = 0 if self.merge_order is self.wanted.order else UID_RANK
        return Position(uidvalidity=uidvalidity, uid=uid, rank=rank)

    def _fetch(self, *jobs: FetchJob, optional: FetchJob = ((), ())) -> Steps[list[Fetched]]:
        return (yield from fetch_steps(*jobs, message_limit=self.message_limit, optional=optional))


def _plan_attempt(
    server: SearchServer, request: PageRequest, wanted: CandidateQuery, candidates: Candidates, share: int
) -> _Attempt:
    session = server.session
    check = make_check(candidates.plan.local, request.proofs)
    rest = candidates.uids[candidates.start :]
    order = wanted.order
    merge_order = (request.merge_order or request.order) if order.is_by_uid else order
    tests_order = order.is_by_uid and (wanted.may_reorder or merge_order is not order)
    is_verified = candidates.is_known and wanted.known is not None and wanted.known.verified
    verifies_all = (
        check.only_times and not is_verified and request.size < len(rest) <= limits.TIMED_CANDIDATES_MAX
    )
    proof_items = merge_items(["UID", *check.items], merge_order.items)
    return _Attempt(
        wanted=wanted,
        merge_order=merge_order,
        size=request.size,
        rest=rest,
        check=check,
        visible=NO_VISIBLE_SEARCH if is_verified else server.search_visible(request.query, rest, share=share),
        opaque=() if request.after else server.search_opaque(wanted.mailbox, request.query),
        row_items=merge_items(
            ["UID", *request.items(session)], [*proof_items, *(_TIMES if tests_order else ())]
        ),
        proof_items=proof_items,
        message_limit=message_limit(session),
        tests_order=tests_order,
        verifies_all=verifies_all,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """The matches among some candidates, up to a full page."""

    uids: tuple[int, ...]
    checked: int
    """Candidates up to the last one checked."""

    ranks: dict[int, int]
    """Of all that were checked, in order. Empty in orders by UID."""

    last: tuple[int, int] | None
    """UID and rank of the last candidate checked whose place is known."""

    technical: int
    """Those left out because words are in technical header fields only."""


def _count_technical(uids: Sequence[int], seen: Fetched, check: Check) -> int:
    messages = (seen.messages[uid] for uid in check.unseen.keys() & set(uids) if uid in seen.messages)
    return sum(map(check.is_technical, messages))


def _may_match(uid: int, seen: Fetched, check: Check) -> bool:
    """Return whether a message matches, or couldn't be fetched."""
    if check.is_empty:
        return True
    if uid in seen.messages:
        return check.holds(seen.messages[uid])
    return not _is_gone(uid, seen)


def _is_gone(uid: int, seen: Fetched) -> bool:
    return uid in seen.failures and seen.failures[uid].code is Code.NOT_FOUND


def _merge(*parts: Fetched) -> Fetched:
    """Merge what was fetched at several times; later parts win."""
    messages: dict[int, FetchedMessage] = {}
    failures: dict[int, FetchFailure] = {}
    for part in parts:
        messages |= part.messages
        failures |= part.failures
    return Fetched(messages=messages, failures=failures, interrupted=any(part.interrupted for part in parts))

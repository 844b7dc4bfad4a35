"""One attempt at a page: what to fetch and to check, and which candidates match.

A page fetches the rows of its first candidates, looks for words in visible text, and verifies candidates in
chunks until it is full or the budget is spent.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from mailmcp import limits
from mailmcp.imap.command import Command
from mailmcp.imap.fetch import Fetched, FetchFailure, FetchJob, fetch_steps
from mailmcp.imap.fetch_response import FetchedMessage
from mailmcp.imap.pipeline import Steps, riding
from mailmcp.imap.search.candidates import message_limit
from mailmcp.imap.search.order import UID_RANK, Order, Position, rank_of, sample_evenly
from mailmcp.imap.search.page import CandidateQuery, Candidates, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import parse_esearches
from mailmcp.imap.search.verify import Check, make_check, merge_items
from mailmcp.imap.search.visible import NO_VISIBLE_SEARCH, VisibleSearch
from mcp_envelope import Code

_TIMES = ("UID", "INTERNALDATE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
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
            The rows, messages to verify candidates with, messages with their times, and the UIDs that each
            search found: those of `visible`, then `opaque`.
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
        self, search_results: Sequence[Sequence[int] | None], rows: Fetched, seen: Fetched
    ) -> Steps[tuple["Attempt", Fetched, Fetched]]:
        """Look for words that the server finds in no visible text; no round trip if the rows show them.

        Args:
            search_results: The UIDs that each search found.
            rows: Of the first candidates.
            seen: Messages to verify candidates with.

        Returns:
            The attempt that verifies these words, its rows, and all messages that were fetched.
        """
        unseen = self.visible.unseen(search_results[: len(self.visible.commands)])
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
            # Fetch with them the rows of the candidates that may take their places.
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
    ) -> Steps[tuple[Selection, Fetched]]:
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

    def _select(self, uids: Sequence[int], seen: Fetched) -> Selection:
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
        return Selection(
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


def plan_attempt(
    server: SearchServer, request: PageRequest, wanted: CandidateQuery, candidates: Candidates, share: int
) -> Attempt:
    """Plan what to fetch and to check; `share` is how many pages share the budget of the call."""
    session = server.session
    check = make_check(candidates.plan.local, request.proofs)
    rest = candidates.uids[candidates.start :]
    order = wanted.order
    merge_order = (request.merge_order or request.order) if order.is_by_uid else order
    approximates_arrival = order.is_by_uid and not merge_order.is_by_written
    tests_order = approximates_arrival and (wanted.may_reorder or merge_order is not order)
    is_verified = candidates.is_known and wanted.known is not None and wanted.known.verified
    verifies_all = (
        check.only_times and not is_verified and request.size < len(rest) <= limits.TIMED_CANDIDATES_MAX
    )
    proof_items = merge_items(["UID", *check.items], merge_order.items)
    return Attempt(
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

"""One attempt at a page: what to fetch and to check, and which candidates match.

A page fetches the rows of its first candidates, and verifies candidates in chunks until it is full or the
budget is spent.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import Fetched, FetchFailure, FetchJob, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.inside import look_inside
from mailmcp.imap.search.order import UID_RANK, Order, Position, rank_of, sample_evenly
from mailmcp.imap.search.page import Candidates, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.verify import Check, header_items, make_check, merge_items
from mailmcp.imap.session import Session
from mcp_envelope import Code

VERIFY_CANDIDATES_MAX: Final = 5_000
"""Messages that one call verifies by flags, size or time: about 60 octets each, 300 KB."""

VERIFY_CHUNKS: Final = (100, 400, 1_000)
"""Messages in the first, the second and each further FETCH of a verification: matches are often near."""

_TIMES = ("UID", "INTERNALDATE")
_TEXT = "BODY.PEEK[TEXT]"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRows:
    """What the first burst of an attempt brought."""

    rows: Fetched
    """Of the first candidates, usually the page."""

    seen: Fetched
    """All messages that candidates can be verified with; the rows are among them."""

    times: Fetched
    """All messages with their times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The matches among some candidates, up to a full page."""

    uids: tuple[int, ...]
    rows: Fetched
    """Of these and of other candidates."""

    candidates: "array[int]"
    """Those after the position, without any that were found not to match."""

    checked: int
    """Candidates up to the last one checked."""

    ranks: dict[int, int]
    """Of all that were checked, in order. Empty in orders by UID."""

    last: tuple[int, int] | None
    """UID and rank of the last candidate checked whose place is known."""

    left: int
    """Messages that may match after the last one checked, at most."""

    is_whole: bool
    """Whether these are all matches of the search."""

    all_verified: bool
    """Whether all candidates were verified, though not all are on the page."""

    none_to_verify: bool
    """Whether each candidate matches for certain."""

    @property
    def fetched(self) -> Fetched:
        """A row or a failure for each match."""
        rows = self.rows
        return Fetched(
            messages={uid: rows.messages[uid] for uid in self.uids if uid in rows.messages},
            failures={uid: rows.failures[uid] for uid in self.uids if uid not in rows.messages},
            interrupted=rows.interrupted,
        )

    @property
    def unchecked(self) -> int:
        """How many candidates are left for the next page."""
        return len(self.candidates) - self.checked

    @property
    def are_proven(self) -> bool:
        """Whether it was verified which candidates match, all of them."""
        return (self.all_verified or self.is_whole) and not self.rows.interrupted


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What to fetch and to check for one page."""

    wanted: PageRequest
    candidates: Candidates
    merge_order: Order
    """The order of the ranks: `wanted.order`, unless that is one by UID in place of one by arrival."""

    rest: "array[int]"
    """The candidates after the position."""

    check: Check
    row_items: Sequence[str]
    proof_items: Sequence[str]
    session: Session
    tests_order: bool
    """Whether to see if UIDs follow arrival."""

    verifies_all: bool
    """Whether to verify all candidates with the first rows, for an exact total.

    Only if they are few, and only times are to be verified.
    """

    def fetch_first(self) -> Steps[FirstRows]:
        """Fetch the rows of the first candidates, usually the page, and with them the times of others."""
        first, rest = self.rest[: self.wanted.size], self.rest[self.wanted.size :]
        if self.verifies_all:
            rows, rest_seen = yield from self._fetch((first, self.row_items), (rest, self.proof_items))
            seen = times = _merge(rows, rest_seen)
        else:
            sample = sample_evenly(rest) if self.tests_order else ()
            rows, *samples = yield from self._fetch((first, self.row_items), optional=(sample, _TIMES))
            seen, times = rows, _merge(rows, *samples)
        return FirstRows(rows=rows, seen=seen, times=times)

    def find_matches(self, first: FirstRows) -> Steps[Matches]:
        """Verify all candidates at once, or chunks of them until the page is full or the budget is spent."""
        candidates, rows, seen = self.rest, first.rows, first.seen
        if self.verifies_all:
            candidates = array("I", (uid for uid in self.rest if _may_match(uid, seen, self.check)))
        size, budget = self.wanted.size, VERIFY_CANDIDATES_MAX
        if self.check.is_expensive:
            budget = limits.VERIFY_EXPENSIVE_CANDIDATES_MAX
        budget = min(max(budget // self.wanted.share, size), len(candidates))
        chunks = chain(VERIFY_CHUNKS, repeat(VERIFY_CHUNKS[-1]))
        end = min(size, len(candidates))
        matches = self._select_first(candidates, end, seen)
        while not seen.interrupted and len(matches.uids) < size and end < budget:
            start, end = end, min(end + next(chunks), budget)
            seen = _merge(seen, *(yield from self._fetch((candidates[start:end], self.proof_items))))
            if not seen.interrupted:  # otherwise the next page begins with them
                matches = self._select_first(candidates, end, seen)
        rows = replace(rows, failures=seen.failures | rows.failures, interrupted=seen.interrupted)
        missing = [uid for uid in matches.uids if uid not in rows.messages and uid not in rows.failures]
        if missing:
            rows = _merge(rows, *(yield from self._fetch((missing, self.row_items))))
        # Without its structure and text, the row of a message may be readable.
        unreadable = [uid for uid in matches.uids if _is_unreadable(uid, rows)]
        if unreadable and not rows.interrupted:
            plain = [item for item in self.row_items if not item.startswith(("BODYSTRUCTURE", _TEXT))]
            rows = _merge(rows, *(yield from self._fetch((unreadable, plain))))
        return replace(matches, rows=rows)

    def _select_first(self, candidates: "array[int]", end: int, seen: Fetched) -> Matches:
        """Select the first matches among the candidates up to `end`, which were fetched."""
        order, merge_order, after = self.wanted.order, self.merge_order, self.wanted.after
        rank = after.rank if after and merge_order is order else merge_order.first_rank
        matches: list[int] = []
        ranks: dict[int, int] = {}
        checked = 0
        last: tuple[int, int] | None = None
        for uid in candidates[:end]:
            if len(matches) == self.wanted.size:
                break
            checked += 1
            row = seen.messages.get(uid)
            if row is None and not order.is_by_uid and _is_gone(uid, seen):
                continue  # its place in the order is lost
            # A message that can't be ranked stays next to the one before it.
            known_rank = rank_of(row, merge_order) if row else None
            rank = rank if known_rank is None else known_rank
            if not merge_order.is_by_uid:
                ranks[uid] = rank
            last = uid, rank
            if _may_match(uid, seen, self.check):
                matches.append(uid)
        left = len(candidates) - checked + self.candidates.more
        return Matches(
            uids=tuple(matches),
            rows=seen,
            candidates=candidates,
            checked=checked,
            ranks=ranks,
            last=last,
            left=left,
            is_whole=after is None and not left,
            all_verified=self.verifies_all,
            none_to_verify=self.check.is_empty,
        )

    def find_end(self, matches: Matches, uidvalidity: int) -> Position | None:
        """Return where the next page begins: after the last candidate checked, or after those of a window."""
        last, order = matches.last, self.wanted.order
        if not matches.unchecked and self.candidates.more and self.candidates.rest:
            low, high = self.candidates.rest
            last = (low - 1 if order.ascending or high is None else high + 1), 0
        if last is None:
            return None
        uid, rank = last
        if order.is_by_uid:
            rank = 0 if self.merge_order is order else UID_RANK
        return Position(uidvalidity=uidvalidity, uid=uid, rank=rank)

    def _fetch(self, *jobs: FetchJob, optional: FetchJob = ((), ())) -> Steps[list[Fetched]]:
        fetched = yield from fetch_steps(self.session, *jobs, optional=optional)
        return (yield from look_inside(self.session, fetched, self.check))


def plan_attempt(server: SearchServer, wanted: PageRequest, candidates: Candidates) -> Attempt:
    """Plan what to fetch and to check."""
    session, order = server.session, wanted.order
    check = make_check(candidates.plan.local)
    rest = candidates.uids[candidates.start :]
    merge_order = (wanted.merge_order or order) if order.is_by_uid else order
    tests_order = order.is_by_uid and (wanted.may_reorder or merge_order is not order)
    is_verified = candidates.known is not None and candidates.known.verified
    verifies_all = (
        check.only_times and not is_verified and wanted.size < len(rest) <= limits.TIMED_CANDIDATES_MAX
    )
    proof_items = merge_items(["UID", *check.items], merge_order.items)
    return Attempt(
        wanted=wanted,
        candidates=candidates,
        merge_order=merge_order,
        rest=rest,
        check=check,
        row_items=merge_items(
            ["UID", *wanted.items(session)],
            [*proof_items, *(_TIMES if tests_order else ()), *header_items(wanted.query.criteria)],
        ),
        proof_items=proof_items,
        session=session,
        tests_order=tests_order,
        verifies_all=verifies_all,
    )


def _may_match(uid: int, seen: Fetched, check: Check) -> bool:
    """Return whether a message matches, or couldn't be fetched."""
    if check.is_empty:
        return True
    if uid in seen.messages:
        return check.holds(seen.messages[uid])
    return not _is_gone(uid, seen)


def _is_gone(uid: int, seen: Fetched) -> bool:
    return uid in seen.failures and seen.failures[uid].code is Code.NOT_FOUND


def _is_unreadable(uid: int, rows: Fetched) -> bool:
    return uid in rows.failures and rows.failures[uid].code is Code.INTERNAL and uid not in rows.messages


def _merge(*parts: Fetched) -> Fetched:
    """Merge what was fetched at several times; later parts win."""
    messages: dict[int, FetchedMessage] = {}
    failures: dict[int, FetchFailure] = {}
    for part in parts:
        messages |= part.messages
        failures |= part.failures
    return Fetched(messages=messages, failures=failures, interrupted=any(part.interrupted for part in parts))

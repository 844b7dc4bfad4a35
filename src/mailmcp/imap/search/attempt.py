"""One attempt at a page of a mailbox: candidates, rows, verification, until the page is full."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Final

from mailmcp.imap.fetch import Fetched, FetchFailure, FetchJob, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.candidates import TIMED_CANDIDATES_MAX, find_candidates
from mailmcp.imap.search.doubt import doubt_noise
from mailmcp.imap.search.order import (
    ORDER_SLACK_S,
    RankBy,
    are_in_order,
    may_be_sorted,
    rank_of,
    sample_evenly,
    uids_follow_arrival,
)
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.values import Candidates, MailboxPage, PageRequest
from mailmcp.imap.search.verify import (
    Check,
    find_contradicted,
    find_unseen,
    header_items,
    look_inside,
    make_check,
    merge_items,
)
from mailmcp.imap.search.windows import is_large
from mailmcp.imap.session import SelectedMailbox
from mailmcp.model.cursor import Position, Way
from mcp_envelope import Code

VERIFY_CHUNKS: Final = (100, 400, 1_000)
"""Messages in the first, the second and each further FETCH of a verification: matches are often near."""

_CANDIDATES_TO_VERIFY: Final = 1_000
"""Candidates to look for where some will fail the verification."""

_MANY_MESSAGES: Final = 10
"""A mailbox of so many messages that all have a word is rare, and not to be believed at once."""

_TIMES: Final = ("UID", "INTERNALDATE")


@dataclass(slots=True)
class Attempt:
    """A page in the making."""

    server: SearchServer
    request: PageRequest
    position: Position
    """Where the page begins, by the way of the search."""

    check: Check = field(init=False)
    row_items: Sequence[str] = field(init=False)
    proof_items: Sequence[str] = field(init=False)
    matches: list[Position] = field(default_factory=list)
    matched: int = 0
    rows: dict[int, FetchedMessage] = field(default_factory=dict)
    """Messages with all that a row shows."""

    seen: dict[int, FetchedMessage] = field(default_factory=dict)
    """Messages with what they can be verified by; the rows are among them."""

    failures: dict[int, FetchFailure] = field(default_factory=dict)
    interrupted: bool = False
    after: Position | None = None
    """The place of the last candidate that was checked."""

    checked: int = 0

    def make(self) -> Steps[MailboxPage | Way | PageRequest]:
        """Make the page, or return the way or the request to make it by instead."""
        server, request, session = self.server, self.request, self.server.session
        candidates = yield from find_candidates(
            server, request, self.position, enough=self._enough(server.plan(request.query, request.doubted))
        )
        self._choose_items(candidates.plan)
        verifies_all = self._verifies_all(candidates)
        tests_order = self.position.way is Way.UID and not (self.position.is_begun or request.tally)
        mailbox = None if candidates.kept else session.mailbox
        first, others = candidates.uids[: request.size], candidates.uids[request.size :]
        times: list[FetchedMessage] = []
        if first and not request.tally:
            sample = sample_evenly(others) if tests_order and not verifies_all else ()
            times = yield from self._fetch_first(first, others if verifies_all else (), sample)
            mailbox = session.mailbox
        if mailbox is None:
            mailbox = (yield []).mailbox
        kept, order = candidates.kept, request.order
        if kept and not kept.is_current(mailbox, arrivals_matter=self._arrivals_matter):
            request.cache.drop(kept)
            return self.position.way
        if tests_order and not self.interrupted and not uids_follow_arrival(times):
            session.quirks.uids_out_of_order.add(mailbox.name)
            is_sortable = session.can("SORT") and not is_large(mailbox.exists)
            return Way.SORT if is_sortable else Way.BLOCK
        found = candidates
        if verifies_all:
            holding = array("I", (uid for uid in found.uids if self._may_match(uid)))
            found = replace(found, uids=holding)
        left = yield from self._fill(found)
        while not (left or self.interrupted or self._is_full or self._is_late) and found.rest is not None:
            found = yield from find_candidates(server, request, found.rest, enough=self._enough(found.plan))
            left = yield from self._fill(found)
        yield from self._complete_rows()
        ranks = [each.rank for each in self.matches]
        if self.position.way is Way.SORT and not may_be_sorted(ranks, order):
            session.quirks.refuse("SORT")
            return Way.BLOCK
        if not kept and (doubted := (yield from self._doubt(candidates, mailbox.exists))):
            return replace(request, doubted=request.doubted | doubted)
        return self._page(candidates, found, mailbox, left, verifies_all=verifies_all)

    def _enough(self, plan: Plan) -> int:
        """Return how many candidates fill a page: more if some will fail the verification."""
        room = self.request.size - len(self.matches)
        return max(room, _CANDIDATES_TO_VERIFY if plan.local.criteria else 0)

    def _choose_items(self, plan: Plan) -> None:
        request = self.request
        self.check = make_check(plan.local)
        self.proof_items = merge_items(["UID", *self.check.items], request.order.by.items)
        asked = header_items(request.query.criteria)
        row_items = ["UID", *request.items(self.server.session)]
        self.row_items = merge_items(row_items, [*self.proof_items, *asked])
        if request.tally:
            self.row_items = self.proof_items = merge_items(row_items, self.check.items)

    def _verifies_all(self, candidates: Candidates) -> bool:
        """Return whether to verify all candidates with the first rows, for an exact total.

        Only if they are few, and only times are to be verified.
        """
        begins = not (self.position.is_begun or self.request.tally or candidates.rest)
        few = self.request.size < len(candidates.uids) <= TIMED_CANDIDATES_MAX
        return begins and few and self.check.only_times

    @property
    def _arrivals_matter(self) -> bool:
        """Whether a message that arrived since an earlier page may be among the candidates of this one."""
        return self.request.order.ascending or self.position.way is not Way.UID or not self.position.uid

    @property
    def _is_full(self) -> bool:
        return len(self.matches) == self.request.size

    @property
    def _is_late(self) -> bool:
        return self.server.session.quirks.clock() >= self.request.search_until

    def _fetch_first(
        self, first: Sequence[int], others: Sequence[int], sample: Sequence[int]
    ) -> Steps[list[FetchedMessage]]:
        """Fetch the rows of the first candidates, usually the page, and what shows more of others.

        Returns:
            All messages whose times came.
        """
        jobs: list[FetchJob] = [(first, self.row_items)]
        jobs += [(others, self.proof_items)] if others else []
        jobs += [(sample, _TIMES)] if sample else []
        results = yield from fetch_steps(self.server.session, *jobs)
        sampled = results.pop().messages.values() if sample else ()
        results = yield from look_inside(self.server.session, results, self.check)
        self.rows.update(results[0].messages)
        for each in results:
            self._note(each)
        return [*self.seen.values(), *sampled]

    def _note(self, fetched: Fetched) -> None:
        self.seen.update(fetched.messages)
        self.failures.update(fetched.failures)
        self.interrupted = self.interrupted or fetched.interrupted

    def _fill(self, candidates: Candidates) -> Steps[int]:
        """Check candidates until the page is full; fetch what that needs. Returns how many are left."""
        uids, sizes = candidates.uids, chain(VERIFY_CHUNKS, repeat(VERIFY_CHUNKS[-1]))
        for number, uid in enumerate(uids):
            if self._is_full:
                return len(uids) - number
            if uid not in self.seen and uid not in self.failures:
                size = self._next_size(len(uids) - number, sizes)
                if self.interrupted or not size:
                    return len(uids) - number
                chunk = uids[number : number + size]
                lost = yield from self._look_at(chunk)
                if lost:
                    return len(uids) - number
            self._check(uid, candidates.position)
        return 0

    def _next_size(self, most: int, sizes: Iterator[int]) -> int:
        """Return how many candidates to fetch next; 0 if the time or the budget is spent."""
        if self.request.tally:
            return self.request.tally.grant(most)
        if self._is_late and self.checked:
            return 0
        return self.request.size - len(self.matches) if self.check.is_empty else next(sizes)

    def _look_at(self, chunk: Sequence[int]) -> Steps[bool]:
        """Fetch what decides whether candidates match; returns whether the connection was lost meanwhile."""
        items = self.row_items if self.check.is_empty else self.proof_items
        results = yield from fetch_steps(self.server.session, (chunk, items))
        [fetched] = yield from look_inside(self.server.session, results, self.check)
        if fetched.interrupted:  # the next page begins with them
            self.interrupted = True
            if self.request.tally:
                self.failures |= fetched.failures
            return True
        self._note(fetched)
        if self.check.is_empty:
            self.rows.update(fetched.messages)
        return False

    def _may_match(self, uid: int) -> bool:
        """Return whether a message matches, or couldn't be fetched."""
        return self.check.is_empty or uid not in self.seen or self.check.holds(self.seen[uid])

    def _check(self, uid: int, position: Position) -> None:
        """Take a candidate that was looked at, if it matches."""
        row, tally = self.seen.get(uid), self.request.tally
        self.checked += 1
        is_gone = row is None and self.failures[uid].code is Code.NOT_FOUND
        if is_gone and (tally or self.position.way is not Way.UID or not self.check.is_empty):
            return  # its place in the order is lost
        # A message that can't be ranked stays next to the one before it.
        known_rank = rank_of(row, self.request.order) if row else None
        before = self.after or self.position
        if known_rank is not None and self._has_arrived_since(known_rank):
            return
        self.after = replace(position, uid=uid, rank=before.rank if known_rank is None else known_rank)
        if tally is not None:
            if row is not None and self._may_match(uid):
                tally.add(row)
                self.matched += 1
            self.seen.pop(uid, None)
        elif self._may_match(uid):
            self.matches.append(self.after)
            self.matched += 1

    def _has_arrived_since(self, rank: int) -> bool:
        """Return whether a message arrived after the first page of a search that has taken nothing here yet.

        A high UID alone doesn't prove it: a message that was moved here has one, too, but a lower rank.
        """
        position = self.position
        slack = ORDER_SLACK_S if position.way is Way.UID else 0
        return position.is_begun and not position.uid and 0 < position.rank < rank - slack

    def _complete_rows(self) -> Steps[None]:
        """Fetch the rows of matches that were only verified so far."""
        if self.request.tally:
            return
        uids = [each.uid for each in self.matches]
        missing = [uid for uid in uids if uid not in self.rows and uid not in self.failures]
        if missing:
            results = yield from fetch_steps(self.server.session, (missing, self.row_items))
            [fetched] = yield from look_inside(self.server.session, results, self.check)
            self.rows.update(fetched.messages)
            self._note(fetched)

    def _doubt(self, candidates: Candidates, exists: int) -> Steps[frozenset[str]]:
        """Return the criteria that the rows of a page contradict; one round trip if they do, once."""
        session, request, rows = self.server.session, self.request, [*self.rows.values()]
        if self.interrupted or session.can("X-GM-EXT-1"):  # Gmail finds other forms of a word
            return frozenset()
        asked = request.query.only(row for row in request.query.criteria if row.name not in request.doubted)
        wrong = find_contradicted(asked, rows)
        if len(candidates.uids) == exists >= _MANY_MESSAGES:
            wrong = asked.only([*wrong.criteria, *find_unseen(asked, rows)])
        negated = frozenset(row.name for row in wrong.criteria if row.negated)
        looked_for = wrong.only(row for row in wrong.criteria if not row.negated)
        noisy = yield from doubt_noise(session, looked_for, [each.uid for each in rows])
        return negated | noisy

    def _page(
        self, first: Candidates, found: Candidates, mailbox: SelectedMailbox, left: int, *, verifies_all: bool
    ) -> MailboxPage:
        """Build the page.

        Args:
            first: The candidates with which it began.
            found: The last ones.
            mailbox: As it is now.
            left: Of the last ones, how many weren't checked.
            verifies_all: Whether all of them match.
        """
        request, check = self.request, self.check
        position = replace(
            first.position, uidvalidity=mailbox.uidvalidity, uid=self.position.uid, rank=self.position.rank
        )
        after = replace(self.after or position, uidvalidity=mailbox.uidvalidity)
        if not left and found.rest is not None:
            rest = found.rest
            rank = after.rank if rest.uid else 0
            after = replace(rest, uidvalidity=mailbox.uidvalidity, rank=rank)
        rest_count = left + (found.more if found.rest else 0)
        hidden = self.server.describe_hidden(request.position.mailbox, mailbox.exists)
        uids = [each.uid for each in self.matches]
        proven = (check.is_empty or verifies_all or not rest_count) and not self.interrupted
        failures = {uid: self.failures[uid] for uid in uids if uid not in self.rows}
        if request.tally:
            failures = {uid: each for uid, each in self.failures.items() if each.code is not Code.NOT_FOUND}
            proven = check.is_empty or not (rest_count or failures)
        return MailboxPage(
            position=position,
            order=request.order,
            exists=mailbox.exists,
            matches=tuple(replace(each, uidvalidity=mailbox.uidvalidity) for each in self.matches),
            fetched=Fetched(
                messages={uid: self.rows[uid] for uid in uids if uid in self.rows},
                failures=failures,
                interrupted=self.interrupted,
            ),
            after=after,
            left=rest_count,
            total=self.matched + rest_count,
            total_exact=proven and (found.rest is None or found.more_exact),
            checked=self.checked,
            unchecked=left if not self._is_full else 0,
            in_order=self._is_in_order(found),
            from_cache=first.kept is not None,
            tally=request.tally,
            statements=(*first.statements, *filter(None, [hidden])),
            reach=found.reach,
            known_gaps=first.plan.known_gaps if mailbox.exists else "",
            complete=first.complete and found.complete and not hidden and not (request.tally and rest_count),
        )

    def _is_in_order(self, found: Candidates) -> bool:
        """Return whether the matches go by the order that was asked for, as far as their rows show."""
        order, way, ranks = self.request.order, self.position.way, [each.rank for each in self.matches]
        match way:
            case Way.BLOCK:
                return not found.position.is_bounded
            case Way.SORT if order.by is RankBy.WRITTEN:
                return are_in_order(ranks, order)
            case Way.UID:
                return are_in_order(ranks, order, slack=ORDER_SLACK_S)
            case _:
                return True

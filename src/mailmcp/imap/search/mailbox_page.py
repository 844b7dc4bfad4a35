"""Make a page of one mailbox: candidates, rows, verification, until the page is full."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Final

from mailmcp.imap.fetch import Fetched, FetchFailure, FetchJob, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.cache import Candidates
from mailmcp.imap.search.candidates import TIMED_CANDIDATES_MAX, cache_key, find_candidates
from mailmcp.imap.search.doubt import doubt_noise
from mailmcp.imap.search.order import (
    ORDER_SLACK_S,
    RANK_ITEMS,
    are_in_order,
    rank_of,
    sample_evenly,
    uids_follow_arrival,
)
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.server import describe_hidden, plan_search
from mailmcp.imap.search.values import MailboxPage, PageRequest
from mailmcp.imap.search.verify import (
    find_contradicted,
    header_items,
    is_match,
    look_inside,
    merge_items,
    only_times,
    proof_items,
)
from mailmcp.imap.search.windows import sorted_way
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.model.cursor import Position, Way
from mcp_envelope import Code

VERIFY_CHUNKS: Final = (100, 400, 1_000)
"""Messages in the first, the second and each further FETCH of a verification: matches are often near."""

_CANDIDATES_TO_VERIFY: Final = 1_000
"""Candidates to look for where some will fail the verification."""

_MANY_MESSAGES: Final = 10
"""A mailbox of so many messages that all have a word is rare, and not to be believed at once."""

_DOUBTED_MESSAGES: Final = 100
"""Among so many messages, a server that is doubted is asked for a word that none has: 1 KB of UIDs."""

_TIMES: Final = ("UID", "INTERNALDATE")


@dataclass(slots=True)
class Attempt:
    """A page in the making."""

    session: Session
    request: PageRequest
    plan: Plan = field(init=False)
    row_items: Sequence[str] = field(init=False)
    verify_items: Sequence[str] = field(init=False)
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
    doubted: frozenset[str] = frozenset()
    """Criteria that the first messages of a tally contradict; nothing was added up then."""

    def __post_init__(self) -> None:
        request = self.request
        self.plan = plan_search(self.session, request.query, request.doubted)
        proof, ranks = ["UID", *proof_items(self.plan.local)], RANK_ITEMS[request.order.by]
        self.verify_items = merge_items(proof, () if request.tally else ranks)
        row = merge_items(["UID", *request.items(self.session)], header_items(request.query))
        self.row_items = merge_items(row, self.verify_items)
        if request.tally:
            self.verify_items = self.row_items

    def make(self) -> Steps[MailboxPage | PageRequest]:
        """Make the page, or return what to request instead."""
        request, session = self.request, self.session
        first = yield from self._find(request.position)
        if first is None:
            return request
        is_first_page = not (request.position.is_begun or request.tally)
        tests_order = is_first_page and request.position.way is Way.UID
        verifies_all = is_first_page and self._is_cheap_to_verify(first)
        times = yield from self._fetch_first(first.uids, everything=verifies_all, samples=tests_order)
        mailbox = session.mailbox
        if mailbox is None or (first.from_cache and not first.uids):
            mailbox = (yield []).mailbox
        if first.from_cache and not first.is_current(mailbox, arrivals_matter=self._arrivals_matter):
            request.cache.drop(cache_key(request, first.position))
            return request
        if tests_order and not self.interrupted and not uids_follow_arrival(times):
            session.quirks.uids_out_of_order.add(mailbox.name)
            return replace(
                request, position=replace(request.position, way=sorted_way(session, mailbox.exists))
            )
        last = first
        if verifies_all:
            last = replace(first, uids=array("I", filter(self._may_match, first.uids)))
        left = yield from self._fill(last)
        while last.rest and not (left or self.interrupted or self._is_full or self._is_late):
            found = yield from self._find(last.rest)
            if found is None:
                return request
            last = found
            left = yield from self._fill(last)
        if not request.tally:
            yield from self._complete_rows()
            self.doubted = yield from self._doubt(first, [*self.rows.values()])
        if self.doubted:
            return replace(request, doubted=request.doubted | self.doubted)
        return self._page(first, last, mailbox, left, verified_all=verifies_all)

    def _find(self, position: Position) -> Steps[Candidates | None]:
        """Find enough candidates to fill the page: more if some will fail the verification."""
        room = self.request.size - len(self.matches)
        enough = max(room, _CANDIDATES_TO_VERIFY if self.plan.local.criteria else 0)
        return (yield from find_candidates(self.session, self.request, self.plan, position, enough=enough))

    def _is_cheap_to_verify(self, found: Candidates) -> bool:
        """Return whether to verify all candidates with the first rows, for an exact total.

        Only if they are few, and only times are to be verified.
        """
        few = self.request.size < len(found.uids) <= TIMED_CANDIDATES_MAX
        return few and not found.rest and only_times(self.plan.local)

    @property
    def _arrivals_matter(self) -> bool:
        """Whether a message that arrived since an earlier page may be among the candidates of this one."""
        position = self.request.position
        return self.request.order.ascending or position.way is not Way.UID or not position.uid

    @property
    def _is_full(self) -> bool:
        return len(self.matches) == self.request.size

    @property
    def _is_late(self) -> bool:
        return self.session.quirks.clock() >= self.request.search_until

    def _fetch_first(
        self, uids: Sequence[int], *, everything: bool, samples: bool
    ) -> Steps[list[FetchedMessage]]:
        """Fetch the rows of the first candidates, usually the page, and what shows more of the others.

        Args:
            uids: The candidates.
            everything: Whether to fetch what verifies all others.
            samples: Whether to fetch the times of some others.

        If the connection fails, rows that didn't come are failures, and stay on this page.

        Returns:
            All messages whose times came.
        """
        first, others = uids[: self.request.size], uids[self.request.size :]
        if not first or self.request.tally:
            return []
        sample = sample_evenly(others) if samples and not everything else ()
        jobs: list[FetchJob] = [(first, self.row_items)]
        jobs += [(others, self.verify_items)] if everything else []
        jobs += [(sample, _TIMES)] if sample else []
        results = yield from fetch_steps(self.session, *jobs)
        sampled = results.pop().messages.values() if sample else ()
        results = yield from look_inside(self.session, self.plan.local, results)
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
                if not (yield from self._look_at(uids[number : number + size])):
                    return len(uids) - number
                if self.request.tally and not self.checked:
                    self.doubted = yield from self._doubt(candidates, [*self.seen.values()])
                    if self.doubted:
                        return len(uids) - number
            self._check(uid, candidates.position)
        return 0

    def _next_size(self, most: int, sizes: Iterator[int]) -> int:
        """Return how many candidates to fetch next; 0 if the time or the budget is spent."""
        if self._is_late and self.checked:
            return 0
        if self.request.tally:
            return self.request.tally.grant(most)
        return next(sizes) if self.plan.local.criteria else self.request.size - len(self.matches)

    def _look_at(self, chunk: Sequence[int]) -> Steps[bool]:
        """Fetch what decides whether candidates match; returns whether all came, or their failures."""
        verifies = bool(self.plan.local.criteria)
        items = self.verify_items if verifies else self.row_items
        results = yield from fetch_steps(self.session, (chunk, items))
        [fetched] = yield from look_inside(self.session, self.plan.local, results)
        if fetched.interrupted:  # the next page begins with this chunk
            self.interrupted = True
            if self.request.tally:
                self.failures |= fetched.failures
            return False
        self._note(fetched)
        if not (verifies or self.request.tally):
            self.rows.update(fetched.messages)
        return True

    def _may_match(self, uid: int) -> bool:
        """Return whether a message matches, or couldn't be fetched."""
        local = self.plan.local
        return not local.criteria or uid not in self.seen or is_match(local, self.seen[uid])

    def _check(self, uid: int, place: Position) -> None:
        """Count a candidate that was looked at as checked; take it if it matches or couldn't be fetched."""
        request, row = self.request, self.seen.get(uid)
        self.checked += 1
        is_gone = row is None and self.failures[uid].code is Code.NOT_FOUND
        if is_gone and (request.tally or place.way is not Way.UID or self.plan.local.criteria):
            return  # its place in the order is lost
        rank = rank_of(row, request.order) if row else None
        if rank is None:
            rank = self.after.rank if self.after else self._first_rank()
        elif self._has_arrived_since(rank):
            return
        self.after = replace(place, uid=uid, rank=rank)
        if request.tally is None:
            if self._may_match(uid):
                self.matches.append(self.after)
                self.matched += 1
        elif row is not None:
            if self._may_match(uid):
                request.tally.add(row)
                self.matched += 1
            del self.seen[uid]

    def _first_rank(self) -> int:
        """Return the rank for a first candidate that can't be ranked: that of the first one that can."""
        ranks = [each for row in self.seen.values() if (each := rank_of(row, self.request.order)) is not None]
        first = min if self.request.order.ascending else max
        return first(ranks, default=self.request.position.rank)

    def _has_arrived_since(self, rank: int) -> bool:
        """Return whether a message arrived after the first page, in a mailbox of which nothing was shown yet.

        The position has no UID then, only the rank of the last message shown of other mailboxes. A high UID
        doesn't prove it: a message that was moved here has one, too, but a lower rank.
        """
        position = self.request.position
        slack = ORDER_SLACK_S if position.way is Way.UID else 0
        return position.is_begun and not position.uid and 0 < position.rank < rank - slack

    def _complete_rows(self) -> Steps[None]:
        """Fetch the rows of matches that were only verified so far."""
        uids = [each.uid for each in self.matches]
        missing = [uid for uid in uids if uid not in self.rows and uid not in self.failures]
        if missing:
            results = yield from fetch_steps(self.session, (missing, self.row_items))
            [fetched] = yield from look_inside(self.session, self.plan.local, results)
            self.rows.update(fetched.messages)
            self._note(fetched)

    def _doubt(self, candidates: Candidates, rows: Sequence[FetchedMessage]) -> Steps[frozenset[str]]:
        """Return the criteria that rows of these candidates contradict; one round trip if they do, once."""
        session, request = self.session, self.request
        finds_forms = session.can("X-GM-EXT-1")  # Gmail finds other forms of a word
        if self.interrupted or finds_forms or candidates.from_cache or session.mailbox is None:
            return frozenset()
        asked = request.query.only(row for row in request.query.criteria if row.name not in request.doubted)
        found_all = len(candidates.uids) == session.mailbox.exists >= _MANY_MESSAGES
        contradicted = find_contradicted(asked, rows, words=found_all)
        negated = frozenset(row.name for row in contradicted.criteria if row.negated)
        looked_for = contradicted.only(row for row in contradicted.criteria if not row.negated)
        uids = [each.uid for each in rows[:_DOUBTED_MESSAGES]]
        return negated | (yield from doubt_noise(session, looked_for, uids))

    def _page(
        self, first: Candidates, last: Candidates, mailbox: SelectedMailbox, left: int, *, verified_all: bool
    ) -> MailboxPage:
        """Build the page.

        Args:
            first: The candidates with which it began.
            last: Those with which it ended.
            mailbox: As it is now.
            left: Of the last ones, how many weren't checked.
            verified_all: Whether those were verified, too.
        """
        request, plan, uidvalidity = self.request, self.plan, mailbox.uidvalidity
        position = replace(first.position, uidvalidity=uidvalidity)
        after = replace(self.after or position, uidvalidity=uidvalidity)
        if not left and last.rest is not None:
            after = replace(last.rest, uidvalidity=uidvalidity, rank=after.rank if last.rest.uid else 0)
        rest_count = left + (last.rest_matches if last.rest else 0)
        uids = [each.uid for each in self.matches]
        failures = {uid: self.failures[uid] for uid in uids if uid not in self.rows}
        is_proven = not self.interrupted and (verified_all or not (plan.local.criteria and rest_count))
        if request.tally:
            failures = {uid: each for uid, each in self.failures.items() if each.code is not Code.NOT_FOUND}
            is_proven = not (plan.local.criteria and (rest_count or failures))
        hidden = describe_hidden(self.session, request.position.mailbox, mailbox.exists)
        unsearched = tuple(dict.fromkeys([*first.unsearched, *last.unsearched, *filter(None, [hidden])]))
        return MailboxPage(
            position=position,
            order=request.order,
            exists=mailbox.exists,
            matches=tuple(replace(each, uidvalidity=uidvalidity) for each in self.matches),
            fetched=Fetched(
                messages={uid: self.rows[uid] for uid in uids if uid in self.rows},
                failures=failures,
                interrupted=self.interrupted,
            ),
            after=after,
            left=rest_count,
            total=self.matched + rest_count,
            total_exact=is_proven and (last.rest is None or last.rest_exact),
            checked=self.checked,
            unchecked=0 if self._is_full else left,
            in_order=self._is_in_order(last),
            from_cache=first.from_cache,
            tally=request.tally,
            statements=(*plan.statements, *unsearched),
            reach=last.reach,
            known_gaps=plan.known_gaps if mailbox.exists else "",
            complete=plan.complete and not (unsearched or (request.tally and rest_count)),
        )

    def _is_in_order(self, found: Candidates) -> bool:
        """Return whether the matches go by the order that was asked for, as far as their rows show.

        One block of several is in order in itself, but not with the next.
        """
        if found.position.way is Way.BLOCK:
            return not found.position.is_bounded
        slack = ORDER_SLACK_S if found.position.way is Way.UID else 0
        return are_in_order([each.rank for each in self.matches], self.request.order, slack=slack)

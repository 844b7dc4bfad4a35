"""One page of the matches in one mailbox: found, verified where needed, fetched, in the order wanted."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat

from mailmcp import limits
from mailmcp.imap.command import canonical_name
from mailmcp.imap.fetch import Fetched, FetchJob, fetch_steps
from mailmcp.imap.pipeline import CurrentMailbox, Steps
from mailmcp.imap.search.candidates import CandidateQuery, Candidates, find_candidates, message_limit
from mailmcp.imap.search.features import blind_spots, unproven
from mailmcp.imap.search.order import Order, Position, rank_of
from mailmcp.imap.search.result import CandidateList, MailboxPage, PageRequest
from mailmcp.imap.search.uid_search import PlanChangedError
from mailmcp.imap.search.verify import Check, merge_items
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.contradictions import check_false_negatives, check_false_positives
from mailmcp.imap.workarounds.uid_order import (
    UnarrangedError,
    UnorderedError,
    can_arrange,
    compare,
    goes_by,
    sample_of,
)
from mailmcp.model.feature import Feature
from mailmcp.model.query import NO_CRITERIA
from mcp_envelope import Code

_TIMES = ("UID", "INTERNALDATE")


def find_matches(
    session: Session, request: PageRequest, place: CurrentMailbox, share: int
) -> Steps[MailboxPage]:
    """Make a page; again if its rows show that the server finds what does not match, or that UIDs mislead."""
    quirks, name = session.quirks, canonical_name(request.mailbox)
    size = quirks.sizes.get(name, 0)
    found: Sequence[int] = ()
    attempt = request
    if request.may_reorder and name in quirks.uids_out_of_order and can_arrange(session, size, exists=size):
        attempt = replace(request, order=request.order.by_arrival)
    while True:
        try:
            return (yield from _Matches(session, attempt, place, share=share, found=found).make())
        except PlanChangedError:
            attempt, found = replace(attempt, known=None), ()
        except UnorderedError as unordered:
            attempt, found = replace(attempt, order=attempt.order.by_arrival), unordered.uids
        except UnarrangedError:
            attempt, found = replace(request, may_reorder=False), ()


class _Matches:
    """A page in the making."""

    def __init__(
        self,
        session: Session,
        request: PageRequest,
        place: CurrentMailbox,
        *,
        share: int,
        found: Sequence[int],
    ) -> None:
        """Begin with nothing.

        Args:
            session: Its mailbox may be another one meanwhile.
            request: What is wanted.
            place: The mailbox.
            share: How many pages share the budget of their call.
            found: What the server has found just now, if it is to be put in another order.
        """
        self._session, self._request, self._place, self._share = session, request, place, share
        self._found = found
        self._check = Check(query=NO_CRITERIA, proofs=request.proofs)
        self._matches: list[int] = []
        self._rows = Fetched()
        self._ranks: dict[int, int] = {}
        self._last: tuple[int, int] | None = None
        self._rank = request.after.rank if request.after else request.order.first_rank
        self._looked_at = 0
        self._interrupted = False
        self._exists = 0
        self._uidnext: int | None = None
        self._times = Fetched()
        self._compares = request.may_reorder and request.order.by_uid
        name = canonical_name(request.mailbox)
        begun = request.after is not None or not request.may_reorder
        self._in_order = not (begun and name in session.quirks.uids_out_of_order)

    def make(self) -> Steps[MailboxPage]:
        """Find candidates, look at them until the page is full or the budget is spent, and fetch its rows."""
        request, session, name = self._request, self._session, canonical_name(self._request.mailbox)
        found = yield from find_candidates(
            session,
            CandidateQuery(
                mailbox=name,
                query=request.query,
                order=request.order,
                after=request.after,
                known=request.known,
                expected=self._found,
                whole=request.may_reorder,
            ),
        )
        self._check = Check(query=found.plan.local, proofs=request.proofs)
        fresh = request.known is None or found.uids is not request.known.uids
        self._note_counts(None if fresh else request.known)
        if fresh and not found.uids and self._place.mailbox is not None:
            exists = self._place.mailbox.exists
            yield from check_false_negatives(session, name, request.query, found.plan.local, exists)
        row_items = merge_items(
            ["UID", *request.items(session)],
            [*self._check.items, *request.order.items, *(_TIMES if self._compares else ())],
        )
        rest = found.uids[found.start :]
        sifted = yield from self._look_first(rest, row_items)
        if self._place.mailbox is None:
            yield []  # all was known and nothing is left: still the mailbox is looked at
        assert self._place.mailbox is not None  # noqa: S101 - it was asked for
        if not fresh and not (request.known and request.known.holds(self._place.mailbox, request.order)):
            raise PlanChangedError
        if self._compares and not self._interrupted:
            rows, exists = self._rows.messages | self._times.messages, self._place.mailbox.exists
            self._in_order = compare(session, name, rows.values(), uids=found.uids, exists=exists)
        if fresh and "FLAGS" in row_items and not self._interrupted:
            yield from check_false_positives(
                session, name, request.query, found.plan.local, self._rows.messages
            )
        if sifted is not None:
            rest = sifted
        yield from self._look_further(rest)
        lacking = [
            uid for uid in self._matches if uid not in self._rows.messages and uid not in self._rows.failures
        ]
        if lacking:
            yield from self._fetch_rows(lacking, row_items)
        self._check_order(found)
        return self._scanned(found, rest, sifted=sifted is not None)

    def _note_counts(self, known: CandidateList | None) -> None:
        """Keep what the mailbox said of itself when it was searched: later answers tell of a later state."""
        searched = known or self._place.mailbox
        if searched is not None:
            self._exists, self._uidnext = searched.exists, searched.uidnext

    def _check_order(self, found: Candidates) -> None:
        """Make sure that the server sorts by arrival if it says so, as far as this page tells."""
        order, ranks = self._request.order, list(self._ranks.values())
        by_arrival = order in {Order.NEWEST_ARRIVAL, Order.OLDEST_ARRIVAL}
        if found.sorted_there and by_arrival and not goes_by(ranks, ascending=order.ascending):
            self._session.quirks.distrust(Feature.SORT)
            raise PlanChangedError

    def _look_first(self, rest: "array[int]", row_items: Sequence[str]) -> Steps["array[int] | None"]:
        """Look at the first candidates with all that rows need: most often that is the page.

        Where times are all that is to be verified, those of all candidates come along if they are
        few: the candidates that match are then known, and returned.
        """
        request, first = self._request, rest[: self._request.size]
        sift = (
            self._check.only_times
            and not (request.known is not None and request.known.sifted)
            and len(first) < len(rest) <= limits.SIFT_CANDIDATES_MAX
        )
        if not sift:
            sample = sample_of(rest[len(first) :]) if self._compares else ()
            fetched = yield from self._fetching((first, row_items), beside=(sample, _TIMES))
            self._rows, self._times = fetched[0], fetched[-1]
            self._look(first, self._rows)
            return None
        times_items = list(dict.fromkeys([*_TIMES, *request.order.items]))
        rows, self._times = yield from self._fetching((first, row_items), (rest, times_items))
        self._rows = rows
        kept = array("I", (uid for uid in rest if self._may_match(uid, self._times)))
        self._check = replace(self._check, query=NO_CRITERIA)
        self._look(kept[: request.size], self._times)
        wanted = set(self._matches)
        self._rows = Fetched(
            messages={uid: row for uid, row in rows.messages.items() if uid in wanted},
            failures={uid: failure for uid, failure in rows.failures.items() if uid in wanted},
        )
        return kept

    def _look_further(self, rest: "array[int]") -> Steps[None]:
        """Verify candidates in growing chunks until the page is full, or the budget spent."""
        request, check = self._request, self._check
        most = limits.VERIFY_EXPENSIVE_CANDIDATES_MAX if check.is_expensive else limits.VERIFY_CANDIDATES_MAX
        budget = max(most // self._share, request.size)
        sizes = chain(limits.VERIFY_CHUNKS, repeat(limits.VERIFY_CHUNKS[-1]))
        items = ["UID", *check.items, *request.order.items]
        while (
            not self._interrupted
            and len(self._matches) < request.size
            and self._looked_at < min(budget, len(rest))
        ):
            end = min(self._looked_at + next(sizes), budget)
            chunk = rest[self._looked_at : end]
            [proof] = yield from self._fetching((chunk, list(dict.fromkeys(items))))
            if proof.interrupted:
                return  # the next page begins with them
            self._look(chunk, proof)

    def _look(self, chunk: "array[int]", seen: Fetched) -> None:
        """Take the messages of a chunk that match, until the page is full."""
        for uid in chunk:
            if len(self._matches) == self._request.size:
                return
            self._looked_at += 1
            row = seen.messages.get(uid)
            if row is None and not self._request.order.by_uid and self._is_gone(uid, seen):
                continue  # nobody knows its place any more
            rank = rank_of(row, self._request.order) if row else None
            # One that cannot be ranked stands beside its neighbour.
            self._rank = self._rank if rank is None else rank
            if not self._request.order.by_uid:
                self._ranks[uid] = self._rank
            self._last = (uid, self._rank)
            if self._may_match(uid, seen):
                self._matches.append(uid)
                if uid in seen.failures and uid not in self._rows.messages:
                    self._rows.failures[uid] = seen.failures[uid]

    def _may_match(self, uid: int, seen: Fetched) -> bool:
        """Whether a message matches, or cannot be had; one that is gone does not match what is verified."""
        if uid in seen.messages:
            return self._check.holds(seen.messages[uid])
        return not self._check.query.criteria or not self._is_gone(uid, seen)

    @staticmethod
    def _is_gone(uid: int, seen: Fetched) -> bool:
        return uid in seen.failures and seen.failures[uid].code is Code.NOT_FOUND

    def _fetch_rows(self, uids: Sequence[int], items: Sequence[str]) -> Steps[None]:
        [fetched] = yield from self._fetching((uids, items))
        self._rows.messages.update(fetched.messages)
        self._rows.failures.update(fetched.failures)

    def _fetching(self, *jobs: FetchJob, beside: FetchJob = ((), ())) -> Steps[list[Fetched]]:
        limit = message_limit(self._session)
        fetched = yield from fetch_steps(*jobs, message_limit=limit, beside=beside)
        self._interrupted = self._interrupted or any(each.interrupted for each in fetched)
        return fetched

    def _scanned(self, found: Candidates, rest: "array[int]", *, sifted: bool) -> MailboxPage:
        request, mailbox, quirks = self._request, self._place.mailbox, self._session.quirks
        assert mailbox is not None  # noqa: S101 - it was asked for
        left = len(rest) - self._looked_at
        spent = left > 0 and len(self._matches) < request.size
        whole = request.after is None and not left
        if request.known is not None and found.uids is request.known.uids and not sifted:
            candidates = request.known
        else:
            candidates = CandidateList(
                uids=array("I", self._matches) if whole else rest if sifted else found.uids,
                exists=self._exists,
                uidnext=self._uidnext,
                sifted=(sifted or whole) and not self._interrupted,
            )
        page = set(self._matches)
        statements = found.statements
        if spent:
            statements += (
                f"{self._looked_at} of {len(rest)} messages that may match were looked at; "
                "the next page goes on from there.",
            )
        return MailboxPage(
            mailbox=mailbox.name,
            uidvalidity=mailbox.uidvalidity,
            exists=mailbox.exists,
            uids=tuple(self._matches),
            order=request.order,
            in_order=self._in_order or not request.order.by_uid,
            ranks={uid: rank for uid, rank in self._ranks.items() if uid in page},
            fetched=Fetched(
                messages={uid: row for uid, row in self._rows.messages.items() if uid in page},
                failures={uid: failure for uid, failure in self._rows.failures.items() if uid in page},
                interrupted=self._interrupted,
            ),
            candidates=candidates,
            last=self._position(mailbox.uidvalidity),
            left=left,
            total_exact=((whole or sifted) and not self._interrupted) or not found.plan.local.criteria,
            candidates_checked=self._looked_at,
            statements=statements,
            unverified=unproven(request.query, quirks, found=len(found.uids), exists=mailbox.exists),
            known_gaps=blind_spots(request.query, quirks) if mailbox.exists else "",
            complete=found.complete,
        )

    def _position(self, uidvalidity: int) -> Position | None:
        last = self._last
        return Position(uidvalidity=uidvalidity, uid=last[0], rank=last[1]) if last else None

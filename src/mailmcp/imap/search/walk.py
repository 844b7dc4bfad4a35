"""Go through all matches of some mailboxes, the latest first, and add them up.

A page stops when it is full; a walk goes on until it has seen every candidate, or until the messages or
the time of its budget are spent. Rows aren't kept: a tally takes what it needs of each.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Protocol

from mailmcp import limits
from mailmcp.imap.command import canonical_name
from mailmcp.imap.errors import uidvalidity_conflict
from mailmcp.imap.fetch import Fetched, FetchFailure, fetch_steps
from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, Steps, riding, run_pipelined
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.candidates import find_candidates
from mailmcp.imap.search.inside import look_inside
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import CandidateList, Candidates, MailboxPage, PageRequest
from mailmcp.imap.search.search_response import parse_esearches
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.verify import Check, make_check, merge_items
from mailmcp.imap.search.windows import learn_size
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError

_LOST = FetchFailure(
    code=Code.INTERNAL,
    reason=Reason.CONNECTION_LOST,
    stage="fetch",
    message="The connection was lost.",
    retryable=True,
)


class Tally(Protocol):
    """Adds up messages."""

    def add(self, row: FetchedMessage) -> None:
        """Add a message that matches. Its row isn't kept."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """The messages that the walks of one call may look at, and the time they may take. Thread-safe."""

    messages: int
    is_over: Callable[[], bool]
    """Whether the time is up."""

    _lock: Lock = field(default_factory=Lock)

    def take(self, wanted: int) -> int:
        """Return how many of `wanted` messages may be looked at, and count them as taken."""
        if self.is_over():
            return 0
        with self._lock:
            granted = min(wanted, self.messages)
            self.messages -= granted
            return granted

    def give_back(self, count: int) -> None:
        """Take back messages: an attempt failed, and the next one looks at them again."""
        with self._lock:
            self.messages += count


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedMailbox(MailboxPage):
    """One mailbox as far as it was walked.

    `uids` are the matches that were added, `left` the candidates that weren't looked at. No rows are
    in `fetched`, but a failure for each candidate that could not be fetched.
    """

    tally: Tally
    lost: FetchFailure | None = None
    """Why the walk ended early, if the connection failed."""


def walk_mailboxes(
    server: SearchServer,
    requests: Sequence[PageRequest],
    *,
    new_tally: Callable[[], Tally],
    budget: Budget,
    chunk: int = limits.WALK_CHUNK_MESSAGES,
    report: Callable[[], None] = lambda: None,
    keep: Callable[[list[MailboxPage | ToolError]], None] = lambda _found: None,
) -> list[MailboxPage | ToolError]:
    """Walk mailboxes, all at once.

    One round trip for the search, and one for each chunk of messages.

    Args:
        server: The server, on a session.
        requests: What to search for. `items` are those that the tally needs; sizes and positions of pages
            mean nothing here.
        new_tally: Makes the tally of a mailbox.
        budget: Shared by all walks of a call.
        chunk: Messages to fetch at once, of all mailboxes together.
        report: Called after each chunk.
        keep: As for `search_mailboxes`: what was added up before the connection failed.

    Returns:
        For each request its walk, or its error: as for `search_mailboxes`.

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    server.prepare(requests)
    walks: list[_Walk] = []
    walks += (_Walk(server, request, new_tally, budget, report, chunk, walks) for request in requests)
    tasks = [
        MailboxTask(mailbox=walk.request.mailbox, uidvalidity=None, steps=walk.steps(), current=walk.current)
        for walk in walks
    ]
    try:
        return run_pipelined(server.session, tasks)
    except ToolError:
        keep([task.outcome for task in tasks])
        budget.give_back(sum(walk.taken for walk in walks))
        raise


@dataclass(slots=True)
class _Walk:
    """The walk through one mailbox."""

    server: SearchServer
    request: PageRequest
    new_tally: Callable[[], Tally]
    budget: Budget
    report: Callable[[], None]
    chunk: int
    walks: Sequence["_Walk"]
    """All walks on this session, this one included."""

    is_walking: bool = True
    current: CurrentMailbox = field(default_factory=CurrentMailbox)
    taken: int = 0

    def steps(self) -> Steps[MailboxPage]:
        """Walk; again if the rows show that the search must be another one."""
        name = canonical_name(self.request.mailbox)
        wanted = replace(
            self.request,
            mailbox=name,
            order=Order.NEWEST,
            size=max(self.budget.messages, 1),
            may_reorder=False,
            report=lambda _searched, _exists: None,
            share=len(self.walks),
        )
        walked = None
        try:
            yield from learn_size(self.server.session.quirks, name)
            while walked is None:
                candidates = yield from find_candidates(self.server, wanted)
                assert candidates is not None  # noqa: S101 - they are in order as they are found
                walked = yield from self._add_up(wanted, candidates)
        finally:
            self.is_walking = False
        return walked

    @property
    def _share(self) -> int:
        """How many walks share a burst, and a chunk: those of small mailboxes end early."""
        return max(sum(each.is_walking for each in self.walks), 1)

    def _add_up(self, wanted: PageRequest, candidates: Candidates) -> Steps[WalkedMailbox | None]:
        """Add up the candidates, chunk by chunk; None if the search must be made again."""
        server, budget, query = self.server, self.budget, self.request.query
        mailbox = self.current.mailbox
        assert mailbox is not None  # noqa: S101 - it was searched
        exists, uidvalidity = mailbox.exists, mailbox.uidvalidity
        check = make_check(candidates.plan.local, self.request.proofs)
        items = merge_items(["UID", *self.request.items(server.session)], check.items)
        uids, tally = candidates.uids, self.new_tally()
        matches = array("I")
        failures: dict[int, FetchFailure] = {}
        lost: FetchFailure | None = None
        looked_at, technical, is_checked = 0, 0, False
        while lost is None:
            share = self._share
            size = max(self.chunk // share, 100)
            if query.query:
                size = max(min(size, limits.VISIBLE_CANDIDATES_MAX // share), 1)
            granted = budget.take(min(size, len(uids) - looked_at))
            self.taken += granted
            chunk = uids[looked_at : looked_at + granted]
            rows, verified = yield from self._fetch(chunk, items, check, share)
            if (found := self._uidvalidity()) != uidvalidity:
                raise uidvalidity_conflict(mailbox.name, expected=uidvalidity, found=found)
            if not (is_checked or rows.interrupted):
                flagged = rows.messages if "FLAGS" in items else {}
                if not (yield from server.accepts(wanted, candidates, flagged, ranks=(), exists=exists)):
                    budget.give_back(granted)
                    return None
                is_checked = True
            if not chunk:
                break
            for uid, row in rows.messages.items():
                if verified.is_empty or verified.holds(row):
                    matches.append(uid)
                    tally.add(row)
                technical += verified.is_technical(row)
            failed = {uid: each for uid, each in rows.failures.items() if each.code is not Code.NOT_FOUND}
            looked_at += len(chunk)
            if rows.interrupted:
                looked_at -= len(failed)
                lost = next(iter(failed.values()))
            else:
                failures |= failed
                self.report()
        left = len(uids) - looked_at + candidates.more
        return WalkedMailbox(
            mailbox=mailbox.name,
            uidvalidity=uidvalidity,
            exists=exists,
            uids=tuple(matches),
            fetched=Fetched(failures=failures, interrupted=lost is not None),
            candidates=CandidateList(uids=array("I"), exists=exists, uidnext=None, verified=False),
            last=None,
            left=left,
            total=len(matches) + left,
            total_exact=(not (left or failures) or not (candidates.plan.local.criteria or query.query))
            and candidates.more_exact,
            technical=technical,
            candidates_checked=looked_at,
            statements=candidates.statements,
            reach=candidates.reach,
            unverified=server.unverified(query, found=len(uids), exists=exists),
            known_gaps=candidates.plan.known_gaps if exists else "",
            complete=candidates.complete and not (left or failures),
            tally=tally,
            lost=lost,
        )

    def _fetch(
        self, chunk: Sequence[int], items: Sequence[str], check: Check, share: int
    ) -> Steps[tuple[Fetched, Check]]:
        """Fetch candidates, and look which words of the search are in their visible text; see `visible`.

        Returns:
            The rows, and what verifies them. If the connection failed, only rows that can be verified.
        """
        server = self.server
        visible = server.search_visible(self.request.query, chunk, share=share)
        fetching = fetch_steps(server.session, (chunk, items))
        [rows], replies = yield from riding(visible.commands, fetching)
        [rows] = yield from look_inside(server.session, [rows], check)
        unseen = None if rows.interrupted else visible.unseen(parse_esearches(replies, len(visible.commands)))
        if unseen:
            check = check.with_unseen(unseen)
            job = list(unseen), merge_items(items, check.items)
            [looked] = yield from fetch_steps(server.session, job)
            rows = replace(rows, messages=rows.messages | looked.messages, interrupted=looked.interrupted)
        if rows.interrupted and (visible.commands or not rows.failures):
            rows = Fetched(failures=dict.fromkeys(chunk, _LOST), interrupted=True)
        return rows, check

    def _uidvalidity(self) -> int:
        assert self.current.mailbox is not None  # noqa: S101 - it was searched
        return self.current.mailbox.uidvalidity

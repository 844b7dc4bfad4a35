"""Go through all matches of some mailboxes, the latest first, and add them up.

A page stops when it is full; a walk goes on until it has seen every candidate, or until the messages or
the time of its budget are spent. Rows aren't kept: a tally takes what it needs of each.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Protocol

from mailmcp.imap.command import canonical_name
from mailmcp.imap.errors import uidvalidity_conflict
from mailmcp.imap.fetch import Fetched, FetchFailure, fetch_steps
from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.candidates import find_candidates
from mailmcp.imap.search.doubt import believe_or_repeat
from mailmcp.imap.search.inside import look_inside
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import CandidateList, Candidates, MailboxPage, PageRequest
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
    chunk: int,
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

    def walk(requests: Sequence[PageRequest]) -> list[MailboxPage | ToolError]:
        walks: list[_Walk] = []
        walks += (_Walk(server, each, new_tally, budget, report, chunk, walks) for each in requests)
        tasks = [
            MailboxTask(
                mailbox=each.request.mailbox, uidvalidity=None, steps=each.steps(), current=each.current
            )
            for each in walks
        ]
        try:
            return run_pipelined(server.session, tasks)
        except ToolError:
            keep([task.outcome for task in tasks])
            budget.give_back(sum(each.taken for each in walks))
            raise

    return believe_or_repeat(server.session, requests, walk)


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
        """Walk to the end, or until the budget is spent."""
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
        try:
            yield from learn_size(self.server.session.quirks, name)
            candidates = yield from find_candidates(self.server, wanted)
            assert candidates is not None  # noqa: S101 - they are in order as they are found
            return (yield from self._add_up(candidates))
        finally:
            self.is_walking = False

    @property
    def _share(self) -> int:
        """How many walks share a burst, and a chunk: those of small mailboxes end early."""
        return max(sum(each.is_walking for each in self.walks), 1)

    def _add_up(self, candidates: Candidates) -> Steps[WalkedMailbox]:
        """Add up the candidates, chunk by chunk."""
        server, budget = self.server, self.budget
        mailbox = self.current.mailbox
        assert mailbox is not None  # noqa: S101 - it was searched
        exists, uidvalidity = mailbox.exists, mailbox.uidvalidity
        check = make_check(candidates.plan.local)
        items = merge_items(["UID", *self.request.items(server.session)], check.items)
        uids, tally = candidates.uids, self.new_tally()
        matches = array("I")
        failures: dict[int, FetchFailure] = {}
        lost: FetchFailure | None = None
        looked_at = 0
        while lost is None:
            share = self._share
            size = max(self.chunk // share, 100)
            granted = budget.take(min(size, len(uids) - looked_at))
            self.taken += granted
            chunk = uids[looked_at : looked_at + granted]
            rows = yield from self._fetch(chunk, items, check)
            if (found := self._uidvalidity()) != uidvalidity:
                raise uidvalidity_conflict(mailbox.name, expected=uidvalidity, found=found)
            if not chunk:
                break
            for uid, row in rows.messages.items():
                if check.is_empty or check.holds(row):
                    matches.append(uid)
                    tally.add(row)
            failed = {uid: each for uid, each in rows.failures.items() if each.code is not Code.NOT_FOUND}
            looked_at += len(chunk)
            if rows.interrupted:
                looked_at -= len(failed)
                lost = next(iter(failed.values()))
            else:
                failures |= failed
                self.report()
        left = len(uids) - looked_at + candidates.more
        hidden = server.describe_hidden(mailbox.name, exists)
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
            total_exact=(not (left or failures) or check.is_empty) and candidates.more_exact,
            candidates_checked=looked_at,
            statements=(*candidates.statements, *filter(None, [hidden])),
            reach=candidates.reach,
            known_gaps=candidates.plan.known_gaps if exists else "",
            complete=candidates.complete and not (left or failures or hidden),
            tally=tally,
            lost=lost,
        )

    def _fetch(self, chunk: Sequence[int], items: Sequence[str], check: Check) -> Steps[Fetched]:
        """Fetch candidates; if the connection failed, what didn't come is a failure."""
        fetched = yield from fetch_steps(self.server.session, (chunk, items))
        [rows] = yield from look_inside(self.server.session, fetched, check)
        if rows.interrupted and not rows.failures:
            rows = Fetched(failures=dict.fromkeys(chunk, _LOST), interrupted=True)
        return rows

    def _uidvalidity(self) -> int:
        assert self.current.mailbox is not None  # noqa: S101 - it was searched
        return self.current.mailbox.uidvalidity

"""Messages of a conversation: found in many mailboxes at once, and fetched if they are new.

By the server's own thread ids if it has any (RFC 8474, and Gmail's X-GM-THRID), else by Message-ID,
References and In-Reply-To. THREAD (RFC 5256) is not used: it works in one mailbox, returns all of it, and
joins messages with the same subject.
"""

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from mailmcp import limits
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.fetch import Fetched, FetchFailure, fetch_steps
from mailmcp.imap.object_ids import IDS, id_items
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.search.plan import Plan, format_search_date
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session
from mailmcp.model.search_keys import any_of_each
from mcp_envelope import ToolError

ResultT = TypeVar("ResultT")

_HEADERS = (b"MESSAGE-ID", b"REFERENCES", b"IN-REPLY-TO")
_TOO_MANY = "A mailbox has very many messages of the conversation; some may be missing."
_TOO_MANY_ALIKE = "Very many messages have its subject; replies without references may be missing."


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What was found in one mailbox."""

    uidvalidity: int
    fetched: Fetched
    """Rows or failures of the messages that were not known before."""

    statements: tuple[str, ...] = ()
    """What may be missing, in English sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadQuery:
    """Keys of one SEARCH that finds messages of the conversation."""

    keys: tuple[bytes, ...]
    needed: bool = True
    """Whether a mailbox has failed if it refuses the search; else it just finds less."""

    by_thread_id: bool = False
    """Whether it uses the server's own ids, which are not essential."""


def thread_items(session: Session) -> tuple[str, ...]:
    """Return the data items of the server's own thread and message ids; none if it has none."""
    return tuple(id_items(session, threads=True))


def thread_id_query(session: Session, thread_id: str) -> ThreadQuery:
    """Return the query for one of the server's threads."""
    name = b"X-GM-THRID" if session.can("X-GM-EXT-1") else b"THREADID"
    return ThreadQuery(keys=(name, thread_id.encode()), by_thread_id=True)


def id_queries(ids: Sequence[str], *, known: Collection[str] = ()) -> Iterator[ThreadQuery]:
    """Return queries for the messages that have one of `ids` or refer to it.

    Args:
        ids: Without angle brackets. Those that are not ASCII are ignored.
        known: Ids of messages that were found already, so that only references to them are searched for.
    """
    keys = (
        (b"HEADER", header, quoted(each))
        for each in ids
        if each.isascii()
        for header in _HEADERS[1 if each in known else 0 :]
    )
    for joined in any_of_each(keys, octets_max=limits.THREAD_KEYS_OCTETS):
        yield ThreadQuery(keys=joined)


def subject_query(subject: str, around: datetime) -> ThreadQuery:
    """Return the query for messages with `subject`, within the days in which a stray reply is joined."""
    span = timedelta(days=limits.STRAY_REPLY_DAYS + 2)
    since, before = (around - span).date(), (around + span).date()
    dates = (b"SENTSINCE", format_search_date(since), b"SENTBEFORE", format_search_date(before))
    return ThreadQuery(keys=(*dates, b"SUBJECT", quoted(subject)), needed=False)


def fetch_row(session: Session, name: str, *, uidvalidity: int, uid: int, items: Sequence[str]) -> Fetched:
    """Fetch the row of one message; one round trip.

    Raises:
        NotFoundError, ConflictError: The mailbox is gone, or has another UIDVALIDITY.
        DeadlineError, InternalError: The connection failed.
    """
    task = MailboxTask(mailbox=name, uidvalidity=uidvalidity, steps=row_steps(session, [uid], items))
    [result] = run_pipelined(session, [task])
    if isinstance(result, ToolError):
        raise result
    return result


def find_related(
    session: Session,
    mailboxes: Mapping[str, int | None],
    queries: Sequence[ThreadQuery],
    *,
    items: Sequence[str],
    known: Mapping[str, Collection[int]],
    keep: Callable[[dict[str, Related | ToolError]], None] = lambda _found: None,
) -> dict[str, Related | ToolError]:
    """Search many mailboxes and fetch what is new; two round trips for twenty, one if nothing is new.

    Args:
        session: Any mailbox may be open.
        mailboxes: Names, each with the UIDVALIDITY it must have; None for any.
        queries: Each finds messages.
        items: What to fetch of new messages.
        known: UIDs by mailbox that need not be fetched.
        keep: Receives what came if the connection fails. Messages whose rows did not come are failures.

    Returns:
        By mailbox what was found, or why the mailbox could not be searched.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    searched = _search(session, mailboxes, queries)
    lost = searched.lost
    rows: dict[str, Fetched | ToolError]
    new = {name: each.select_new(known.get(name, ())) for name, each in searched.mailboxes.items()}
    if lost is None:
        rows, lost = _fetch_new(session, searched, new, items)
    else:
        failure = FetchFailure.of(lost)
        rows = {
            name: Fetched(failures=dict.fromkeys(uids, failure), interrupted=True)
            for name, uids in new.items()
        }
    found: dict[str, Related | ToolError] = {
        **searched.missed,
        **{name: each.related(rows.get(name, Fetched())) for name, each in searched.mailboxes.items()},
        **searched.failed,
    }
    if lost is not None:
        keep(found)
        raise lost
    return found


@dataclass(slots=True, kw_only=True)
class _Searched:
    """What all searches found."""

    mailboxes: dict[str, "_MailboxSearch"] = field(default_factory=dict)
    failed: dict[str, ToolError] = field(default_factory=dict)
    """Mailboxes where a search failed that was needed."""

    missed: dict[str, ToolError] = field(default_factory=dict)
    """Mailboxes where another one failed."""

    lost: ToolError | None = None
    """Why the connection failed; None if it didn't."""


def _search(
    session: Session, mailboxes: Mapping[str, int | None], queries: Sequence[ThreadQuery]
) -> _Searched:
    asked = [(name, query) for name in mailboxes for query in queries]
    tasks = [
        MailboxTask(mailbox=name, uidvalidity=mailboxes[name], steps=_search_steps(session, name, query))
        for name, query in asked
    ]
    searched = _Searched(lost=_run(session, tasks))
    for (name, query), task in zip(asked, tasks, strict=True):
        if isinstance(task.outcome, ToolError):
            (searched.failed if query.needed else searched.missed).setdefault(name, task.outcome)
        else:
            assert task.current.mailbox is not None  # noqa: S101 - it was searched
            uidvalidity = task.current.mailbox.uidvalidity
            search = searched.mailboxes.setdefault(name, _MailboxSearch(uidvalidity))
            search.add(task.outcome, needed=query.needed)
    return searched


def _fetch_new(
    session: Session, searched: _Searched, new: Mapping[str, Sequence[int]], items: Sequence[str]
) -> tuple[dict[str, Fetched | ToolError], ToolError | None]:
    """Fetch rows by mailbox; the second value is the error if the connection failed."""
    tasks = {
        name: MailboxTask(
            mailbox=name,
            uidvalidity=searched.mailboxes[name].uidvalidity,
            steps=row_steps(session, uids, items),
        )
        for name, uids in new.items()
        if uids
    }
    lost = _run(session, list(tasks.values()))
    return {name: task.outcome for name, task in tasks.items()}, lost


def _run(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> ToolError | None:
    """Run all tasks to their end; return the error if the connection failed."""
    try:
        run_pipelined(session, tasks)
    except ToolError as error:
        return error
    return None


@dataclass(slots=True)
class _MailboxSearch:
    """What the queries found in one mailbox."""

    uidvalidity: int
    uids: set[int] = field(default_factory=set)
    guesses: set[int] = field(default_factory=set)
    """Found by queries that are not needed; most are probably not part of the conversation."""

    statements: dict[str, None] = field(default_factory=dict)

    def add(self, found: Found, *, needed: bool) -> None:
        (self.uids if needed else self.guesses).update(found.uids)
        self.statements |= dict.fromkeys(found.statements)

    def select_new(self, known: Collection[int]) -> list[int]:
        """Return the latest new messages, as many as are fetched in one round; guesses have less priority."""
        limit = limits.THREAD_MESSAGES_MAX
        new = sorted(self.uids.difference(known))
        if len(new) > limit:
            self.statements[_TOO_MANY] = None
            new = new[-limit:]
        guesses = sorted(self.guesses.difference(self.uids, known))
        room = limit - len(new)
        if len(guesses) > room:
            self.statements[_TOO_MANY_ALIKE] = None
        return sorted(new + guesses[max(len(guesses) - room, 0) :])

    def related(self, fetched: Fetched | ToolError) -> Related | ToolError:
        if isinstance(fetched, ToolError):
            return fetched
        return Related(uidvalidity=self.uidvalidity, fetched=fetched, statements=tuple(self.statements))


def _search_steps(session: Session, name: str, query: ThreadQuery) -> Steps[Found]:
    nothing = Found(uids=array("I"), exists=0)
    try:
        found = yield from SearchServer(session).search(name, Plan(keys=query.keys))
    except ToolError as error:
        refusal = error.__cause__
        if not (query.by_thread_id and isinstance(refusal, RefusedError) and is_unsupported(refusal)):
            raise
        session.quirks.refuse(IDS)
        return nothing
    # None: this server can't search for a subject that isn't ASCII. Ids will do.
    return nothing if found is None else found


def row_steps(session: Session, uids: Sequence[int], items: Sequence[str]) -> Steps[Fetched]:
    """Fetch rows; without their structures where the server sends one that can't be parsed."""
    [fetched] = yield from fetch_steps(session, (uids, items))
    unreadable = [uid for uid, failure in fetched.failures.items() if failure.is_of_items]
    if not unreadable or fetched.interrupted:
        return fetched
    plain = [item for item in items if item != "BODYSTRUCTURE"]
    [again] = yield from fetch_steps(session, (unreadable, plain))
    kept = {uid: failure for uid, failure in fetched.failures.items() if uid not in unreadable}
    return Fetched(messages=fetched.messages | again.messages, failures=kept | again.failures)

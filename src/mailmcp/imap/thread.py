"""Messages of a conversation, wherever they are: found in many mailboxes at once, fetched where they are new.

By the server's own thread ids where it has any (RFC 8474, and Gmail's X-GM-THRID), else by
Message-ID, References and In-Reply-To. THREAD (RFC 5256) is not used: it knows one mailbox at a
time, answers with all of it, and joins whatever has the same subject.
"""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mailmcp import limits
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.fetch import Fetched, FetchJob, fetch_steps, id_items
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.search.plan import Plan, format_search_date
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.server import CheckedServer
from mailmcp.model.feature import Feature
from mcp_envelope import Code, ToolError

_HEADERS = (b"MESSAGE-ID", b"REFERENCES", b"IN-REPLY-TO")
_MANY = "Very many messages of a mailbox belong to it: some may be missing."
_MANY_ALIKE = "Very many messages have its subject: replies that do not say what they answer may be missing."


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What was found in one mailbox."""

    uidvalidity: int
    fetched: Fetched
    """Rows or failures of the messages that were not known before."""

    statements: tuple[str, ...] = ()
    """What could not be seen, in English sentences."""

    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadQuery:
    """Keys of one SEARCH that finds messages of the conversation."""

    keys: tuple[bytes, ...]
    needed: bool = True
    """Whether a mailbox that refuses the search has failed; else it only finds less."""

    by_thread_id: bool = False
    """Whether it rests on the server's own ids, without which one can do."""


def thread_items(session: Session) -> tuple[str, ...]:
    """Name the data items of the server's own thread and message ids; none where it has none."""
    return tuple(id_items(session, threads=True))


def thread_id_query(session: Session, thread_id: str) -> ThreadQuery:
    """Ask for the messages of a thread of the server's."""
    name = b"X-GM-THRID" if session.can("X-GM-EXT-1") else b"THREADID"
    return ThreadQuery(keys=(name, thread_id.encode()), by_thread_id=True)


def id_queries(ids: Sequence[str], *, known: Collection[str] = ()) -> Iterator[ThreadQuery]:
    """Ask for the messages that have one of `ids` or refer to it.

    Args:
        ids: Without angle brackets; those that are not ASCII are left out.
        known: Ids of messages that are there already: nobody needs to look for themselves.
    """
    held: list[tuple[bytes, ...]] = []
    octets = 0
    for each in ids:
        if not each.isascii():
            continue
        for header in _HEADERS[1 if each in known else 0 :]:
            key = (b"HEADER", header, quoted(each))
            size = sum(map(len, key)) + 6
            if held and octets + size > limits.THREAD_KEYS_OCTETS:
                yield ThreadQuery(keys=_any_of(held))
                held, octets = [], 0
            held.append(key)
            octets += size
    if held:
        yield ThreadQuery(keys=_any_of(held))


def subject_query(subject: str, around: datetime) -> ThreadQuery:
    """Ask for messages with `subject` in their subject, within the days in which a stray reply is joined."""
    span = timedelta(days=limits.STRAY_REPLY_DAYS + 2)
    since, before = (around - span).date(), (around + span).date()
    dates = (b"SENTSINCE", format_search_date(since), b"SENTBEFORE", format_search_date(before))
    return ThreadQuery(keys=(*dates, b"SUBJECT", quoted(subject)), needed=False)


def _any_of(keys: Sequence[tuple[bytes, ...]]) -> tuple[bytes, ...]:
    """Join keys by OR; as a balanced tree, since servers bound how deep one may nest."""
    if len(keys) == 1:
        return keys[0]
    middle = len(keys) // 2
    return (b"OR", *_any_of(keys[:middle]), *_any_of(keys[middle:]))


def fetch_row(session: Session, name: str, *, uidvalidity: int, uid: int, items: Sequence[str]) -> Fetched:
    """Fetch the row of one message; one round trip.

    Raises:
        NotFoundError, ConflictError: The mailbox is gone, or another one by now.
        DeadlineError, InternalError: The connection failed.
    """
    task = MailboxTask(mailbox=name, uidvalidity=uidvalidity, steps=_fetching_rows([uid], items))
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
) -> dict[str, Related | ToolError]:
    """Look for messages in many mailboxes; two round trips for twenty of them, one if nothing is new.

    Args:
        session: Any mailbox may be open.
        mailboxes: Names, each with the UIDVALIDITY it must have; None for any.
        queries: Each finds messages.
        items: What to fetch of those that are new.
        known: UIDs by mailbox that are not to be fetched again.

    Returns:
        By mailbox what was found, or why it could not be looked at.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    asked = [(name, query) for name in mailboxes for query in queries]
    tasks = [
        MailboxTask(mailbox=name, uidvalidity=mailboxes[name], steps=_placed(_looking(session, name, query)))
        for name, query in asked
    ]
    looked: dict[str, _Looked] = {}
    failed: dict[str, ToolError] = {}
    missed: dict[str, ToolError] = {}
    answers = run_pipelined(session, tasks)
    for (name, query), result in zip(asked, answers, strict=True):
        if not isinstance(result, ToolError):
            looked.setdefault(name, _Looked()).take(*result, needed=query.needed)
        else:
            (failed if query.needed else missed).setdefault(name, result)
    fetched = _fetch_rows(session, looked, items, known)
    return {name: failed.get(name) or fetched.get(name) or missed[name] for name in mailboxes}


@dataclass(slots=True)
class _Looked:
    """What the searches in one mailbox found."""

    uidvalidity: int = 0
    uids: set[int] = field(default_factory=set)
    guesses: set[int] = field(default_factory=set)
    """What queries found that are not needed: most of it may have nothing to do with the conversation."""

    statements: dict[str, None] = field(default_factory=dict)
    complete: bool = True

    def take(self, uidvalidity: int, found: Found, *, needed: bool) -> None:
        self.uidvalidity = uidvalidity
        (self.uids if needed else self.guesses).update(found.uids)
        self.statements |= dict.fromkeys(found.statements)
        self.complete = self.complete and found.complete

    def choose(self, known: Collection[int]) -> list[int]:
        """Choose the latest of what is new, as many as are looked at in one round; guesses come last."""
        most = limits.THREAD_MESSAGES_MAX
        new = sorted(self.uids.difference(known))
        if len(new) > most:
            self.statements[_MANY] = None
            new = new[-most:]
        guesses = sorted(self.guesses.difference(self.uids, known))
        room = most - len(new)
        if len(guesses) > room:
            self.statements[_MANY_ALIKE] = None
        return sorted(new + guesses[len(guesses) - min(room, len(guesses)) :])


def _looking(session: Session, name: str, query: ThreadQuery) -> Steps[Found]:
    nothing = Found(uids=array("I"), exists=0)
    try:
        found = yield from CheckedServer(session).search(name, Plan(keys=query.keys))
    except ToolError as error:
        refusal = error.__cause__
        if not (query.by_thread_id and isinstance(refusal, RefusedError) and is_unsupported(refusal)):
            raise
        session.quirks.distrust(Feature.IDS)
        return nothing
    # None: this server can't search for a subject that isn't ASCII. Ids will do.
    return nothing if found is None else found


def _placed(steps: Steps[Found]) -> Steps[tuple[int, Found]]:
    """Go through a steps, and say which mailbox it was about."""
    asked = next(steps)
    while True:
        responses = yield asked
        try:
            asked = steps.send(responses)
        except StopIteration as end:
            found: Found = end.value
            return responses.mailbox.uidvalidity, found


def _fetch_rows(
    session: Session,
    looked: Mapping[str, _Looked],
    items: Sequence[str],
    known: Mapping[str, Collection[int]],
) -> dict[str, Related | ToolError]:
    """Fetch what is new in each mailbox; no round trip if nothing is."""
    new = {name: each.choose(known.get(name, ())) for name, each in looked.items()}
    names = [name for name, uids in new.items() if uids]
    tasks = [
        MailboxTask(
            mailbox=name, uidvalidity=looked[name].uidvalidity, steps=_fetching_rows(new[name], items)
        )
        for name in names
    ]
    results: dict[str, Fetched | ToolError] = dict.fromkeys(looked, Fetched())
    answers = run_pipelined(session, tasks)
    results |= zip(names, answers, strict=True)
    return {name: _related(session, looked[name], result) for name, result in results.items()}


def _related(session: Session, looked: _Looked, fetched: Fetched | ToolError) -> Related | ToolError:
    if isinstance(fetched, ToolError):
        return fetched
    statements, complete = tuple(looked.statements), looked.complete
    if not session.quirks.trusts(Feature.HEADER):
        statements += ("The server's search by header fields does not work: messages may be missing.",)
        complete = False
    return Related(uidvalidity=looked.uidvalidity, fetched=fetched, statements=statements, complete=complete)


def _fetching_rows(uids: Sequence[int], items: Sequence[str]) -> Steps[Fetched]:
    """Fetch rows; without their structures where servers fail to make one that can be read."""
    [fetched] = yield from fetch_steps((uids, items))
    unreadable = [uid for uid, failure in fetched.failures.items() if failure.code is Code.INTERNAL]
    if not unreadable:
        return fetched
    plain = [item for item in items if item != "BODYSTRUCTURE"]
    [again] = yield from fetch_steps((unreadable, plain))
    kept = {uid: failure for uid, failure in fetched.failures.items() if uid not in unreadable}
    return Fetched(messages=fetched.messages | again.messages, failures=kept | again.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRequest:
    """What to fetch of messages of one mailbox."""

    uidvalidity: int
    jobs: tuple[FetchJob, ...]


def fetch_texts(session: Session, wanted: Mapping[str, TextRequest]) -> dict[str, list[Fetched] | ToolError]:
    """Fetch parts of messages in many mailboxes; one round trip for twenty of them if all goes well.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    tasks = [
        MailboxTask(mailbox=name, uidvalidity=each.uidvalidity, steps=fetch_steps(*each.jobs))
        for name, each in wanted.items()
    ]
    results = run_pipelined(session, tasks)
    return dict(zip(wanted, results, strict=True))

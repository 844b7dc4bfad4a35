"""Search many mailboxes at once for replies to some messages; blocking.

A mailbox has few replies since the day of a recent message. One small search finds them all, whatever they
answer. If there are more than REPLIES_MAX, only those that name one of the messages are searched for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Final

from mailmcp import limits
from mailmcp.imap.command import Command, Response
from mailmcp.imap.fetch import Fetched
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.plan import Plan, format_search_date
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session
from mailmcp.imap.thread import id_queries, row_steps
from mailmcp.model.search_keys import any_of_each
from mcp_envelope import ToolError, code

REPLIES_MAX: Final = 400
"""Replies fetched from one mailbox at once, about 500 octets each."""

REPLIES_SEARCHED_MAX: Final = 50_000
"""Newest messages of a mailbox that are searched for replies: servers may open each of them."""

Keys = tuple[bytes, ...]

_ANY_REPLY: Keys = (b"OR", b"HEADER", b"IN-REPLY-TO", b'""', b"HEADER", b"REFERENCES", b'""')
"""Finds messages that have one of the fields (RFC 9051 section 6.4.4)."""

_FIELDS = "HEADER without a text"
"""Of `Quirks.allows`: the search for messages that have a field."""

_EDGE_MESSAGES = 10
"""Messages below the newest ones whose times show whether older ones matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyQuery:
    """What may answer some messages."""

    since: date
    """The day of the oldest of them, or earlier."""

    ids: tuple[str, ...]
    """Ids that place them in threads, without angle brackets."""

    strays: tuple[Keys, ...] = ()
    """Search keys for answers that refer to nothing; each finds some."""

    whole: Collection[str] = ()
    """Mailboxes in which every message since then may be an answer."""


@dataclass(slots=True, kw_only=True)
class FoundReplies:
    """What was found in one mailbox."""

    uidvalidity: int
    fetched: Fetched = field(default_factory=Fetched)
    statements: tuple[str, ...] = ()
    """Sentences: what was not looked at."""


def find_replies(
    session: Session, mailboxes: Sequence[str], query: ReplyQuery, *, items: Sequence[str]
) -> dict[str, FoundReplies | ToolError]:
    """Find messages that may answer others; two round trips for twenty mailboxes.

    One more for mailboxes of unknown size, one where a mailbox has very many replies, and one where none
    was found.

    Args:
        session: Any mailbox may be open.
        mailboxes: Where to look; at least one.
        query: What to look for.
        items: What to fetch of each message.

    Returns:
        By mailbox what was found, or why it couldn't be searched.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    found: dict[str, _Found] = {name: _Found() for name in mailboxes}
    few: Sequence[Keys] = [()]
    if session.quirks.allows(_FIELDS):
        few = [*any_of_each([_ANY_REPLY, *query.strays], octets_max=limits.THREAD_KEYS_OCTETS)]
    _search(session, found, {name: [()] if name in query.whole else few for name in found}, query)
    if few != [()] and not any(each.uids for name, each in found.items() if name not in query.whole):
        # Some servers find nothing by these keys, and nearly all mailboxes have replies.
        session.quirks.refuse(_FIELDS)
        _search(session, found, {name: [()] for name in found if name not in query.whole}, query)
    many = [name for name, each in found.items() if len(each.uids) > REPLIES_MAX]
    if many:
        by_ids = [each.keys for each in id_queries(query.ids, known=query.ids)]
        keys = [*by_ids, *any_of_each(query.strays, octets_max=limits.THREAD_KEYS_OCTETS)]
        for name in many:
            found[name].uids.clear()
        _search(session, found, dict.fromkeys(many, keys), query)
    return _fetch(session, found, items)


@dataclass(slots=True)
class _Found:
    """What the searches found in one mailbox."""

    uidvalidity: int = 0
    uids: set[int] = field(default_factory=set)
    statements: dict[str, None] = field(default_factory=dict)
    error: ToolError | None = None


def _search(
    session: Session, found: Mapping[str, _Found], wanted: Mapping[str, Sequence[Keys]], query: ReplyQuery
) -> None:
    asked = [(name, keys) for name, searches in wanted.items() for keys in searches]
    tasks = [
        MailboxTask(mailbox=name, uidvalidity=None, steps=_search_steps(session, name, keys, query.since))
        for name, keys in asked
    ]
    run_pipelined(session, tasks)
    for (name, _), task in zip(asked, tasks, strict=True):
        if isinstance(task.outcome, ToolError):
            found[name].error = task.outcome
            continue
        assert task.current.mailbox is not None  # noqa: S101 - it was searched
        found[name].uidvalidity = task.current.mailbox.uidvalidity
        found[name].uids.update(task.outcome.uids)
        found[name].statements |= dict.fromkeys(task.outcome.statements)


def _search_steps(session: Session, name: str, keys: Keys, since: date) -> Steps[Found]:
    """Search the newest messages of a mailbox, as many as REPLIES_SEARCHED_MAX."""
    exists = session.quirks.sizes.get(name)
    if exists is None:
        exists = (yield []).mailbox.exists
    first = exists - REPLIES_SEARCHED_MAX + 1
    statements: tuple[str, ...] = ()
    if first > 1:
        statements = yield from _check_edge(name, first, since)
        keys = (b"%d:*" % first, *keys)
    keys = (b"SINCE", format_search_date(since), *keys)
    found = yield from SearchServer(session).search(name, Plan(keys=keys))
    assert found is not None  # noqa: S101 - the keys are ASCII
    return Found(uids=found.uids, exists=found.exists, statements=(*found.statements, *statements))


def _check_edge(name: str, first: int, since: date) -> Steps[tuple[str, ...]]:
    """Return a sentence about older messages, unless those next to the searched ones are too old."""
    edge = b"%d:%d" % (max(1, first - _EDGE_MESSAGES), first - 1)
    [reply] = (yield [Command(name="FETCH", arguments=[edge, b"(UID INTERNALDATE)"])]).replies
    rows, _ = parse_rows(reply) if isinstance(reply, Response) else ({}, 0)
    begins = datetime.combine(since, time(), UTC).timestamp()
    times = [each.internaldate_epoch for each in rows.values()]
    if times and all(each is not None and each < begins for each in times):
        return ()
    return (f"In {code(name)}, only the newest {REPLIES_SEARCHED_MAX} messages were searched for replies.",)


def _fetch(
    session: Session, found: Mapping[str, _Found], items: Sequence[str]
) -> dict[str, FoundReplies | ToolError]:
    tasks: dict[str, MailboxTask[Fetched]] = {}
    for name, each in found.items():
        uids = sorted(each.uids)
        if len(uids) > REPLIES_MAX:
            each.statements[f"In {code(name)}, only the newest {REPLIES_MAX} replies were checked."] = None
            uids = uids[-REPLIES_MAX:]
        if uids:
            steps = row_steps(session, uids, items)
            tasks[name] = MailboxTask(mailbox=name, uidvalidity=each.uidvalidity, steps=steps)
    run_pipelined(session, list(tasks.values()))
    answers: dict[str, FoundReplies | ToolError] = {}
    for name, each in found.items():
        fetched = each.error or (tasks[name].outcome if name in tasks else Fetched())
        if isinstance(fetched, Fetched):
            answers[name] = FoundReplies(
                uidvalidity=each.uidvalidity, fetched=fetched, statements=tuple(each.statements)
            )
        else:
            answers[name] = fetched
    return answers

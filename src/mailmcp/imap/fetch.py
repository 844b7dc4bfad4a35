"""UID FETCH: rows of messages, and a failure for each message that could not be fetched.

See RFC 9051 section 6.4.5. One bad message never spoils the others: when a FETCH fails, its messages are
fetched again in halves until the bad ones are alone. A server that asks to come back later is left alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Self

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import format_refusal
from mailmcp.imap.pipeline import PipelineInterruptedError, Replies, Steps, run_steps
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError

IDS: Final = "ids"
"""Of `Quirks.allows`: OBJECTID and Gmail's extension together."""

ID_ITEMS: Final = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})
SEQUENCE_SET_OCTETS: Final = 6_000
"""UIDs in one command: Dovecot and others refuse lines over 8 KB."""

ROW_HEADER_OCTETS: Final = 32_768
"""Fetched of a header when the server finds no header fields in it."""

FetchJob = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each, such as `BODY.PEEK[]<0.131072>`."""

_FIELDS: Final = "HEADER.FIELDS"
_ASKS_FOR_FROM: Final = re.compile(r"HEADER\.FIELDS \([^)]*\bFROM\b", re.IGNORECASE)
_FROM: Final = re.compile(rb"^From[ \t]*:", re.IGNORECASE | re.MULTILINE)
_WHOLE_HEADER: Final = ("UID", f"BODY.PEEK[HEADER]<0.{ROW_HEADER_OCTETS}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFailure:
    """Why a message could not be fetched."""

    code: Code
    reason: StrEnum
    stage: str
    message: str
    retryable: bool = False
    asks_to_wait: bool = False
    """Whether the server wants no more commands for now."""

    @property
    def is_of_items(self) -> bool:
        """Whether other data items of the message may come: some servers fail to build a structure."""
        return self.code is Code.INTERNAL and not self.asks_to_wait

    @classmethod
    def of(cls, error: ToolError) -> Self:
        """Build the failure of a message that had not come when the connection failed."""
        return cls(
            code=error.code,
            reason=error.reason,
            stage="fetch",
            message=error.message,
            retryable=error.retryable,
        )


GONE: Final = FetchFailure(
    code=Code.NOT_FOUND,
    reason=Reason.MESSAGE_GONE,
    stage="fetch",
    message="The message is no longer in the mailbox.",
)
"""The server sends nothing about the message."""

_UNREADABLE: Final = FetchFailure(
    code=Code.INTERNAL,
    reason=Reason.PROTOCOL_VIOLATION,
    stage="parse",
    message="The server's response could not be parsed.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Every requested UID is in `messages` or `failures`."""

    messages: dict[int, FetchedMessage] = field(default_factory=dict)
    failures: dict[int, FetchFailure] = field(default_factory=dict)
    interrupted: bool = False
    """Whether the connection failed before everything came."""


def fetch_messages(session: Session, uids: Sequence[int], items: Sequence[str]) -> Fetched:
    """Fetch data items of messages in the chosen mailbox; blocks. See `fetch_steps`.

    Raises:
        NotFoundError, ConflictError: The mailbox is gone, or has another UIDVALIDITY.
        DeadlineError, InternalError: The connection failed. Refusals of FETCH become failures.
    """
    if not uids:
        return Fetched()
    [fetched] = run_steps(session, fetch_steps(session, (uids, items)))
    return fetched


def fetch_steps(session: Session, *jobs: FetchJob, optional: FetchJob = ((), ())) -> Steps[list[Fetched]]:
    """Do several jobs at once; one round trip if all goes well and the commands fit a burst.

    One more if messages lack a From field: their `HEADER.FIELDS` is then replaced by the whole header.

    Args:
        session: Used for what is known of the server.
        jobs: Each has its result, in order. A message in several jobs has the items of all.
        optional: Fetched along with the jobs, but not again if it fails. Its result is the last one and has
            no failures; without UIDs there is none.
    """
    planned = [list(_commands(session, job)) for job in jobs]
    commands = [each for some in planned for each in some]
    replies, lost = yield from _send([*commands, *_commands(session, optional)])
    rows, unreadable = _parse_replies(replies)
    results: list[Fetched] = []
    start = 0
    for job, some in zip(jobs, planned, strict=True):
        own = replies[start : start + len(some)]
        start += len(some)
        uids = job[0]
        refusal = next((each for each in own if isinstance(each, RefusedError)), None)
        messages = {uid: rows[uid] for uid in uids if uid in rows}
        missing = [uid for uid in uids if uid not in rows]
        # With several jobs, a row may come from another job than the one that failed.
        again = list(uids) if len(jobs) > 1 else missing
        if (
            lost is None
            and refusal is None
            and unreadable
            and again == missing
            and len(missing) <= unreadable
        ):
            # Each has a row that can't be read: asking again would bring the same.
            fetched = Fetched(messages=messages, failures=dict.fromkeys(missing, _UNREADABLE))
        elif again and lost is None and (refusal or unreadable):
            fetched = yield from _fetch_again(session, job, again, refusal)
            fetched = replace(fetched, messages=messages | fetched.messages)
        else:
            failures = dict.fromkeys(missing, FetchFailure.of(lost) if lost else GONE)
            fetched = Fetched(messages=messages, failures=failures, interrupted=lost is not None)
        results.append(fetched)
    if lost is None:
        results = yield from _replace_headers_without_from(session, jobs, results)
    if optional[0]:
        results.append(Fetched(messages={uid: rows[uid] for uid in optional[0] if uid in rows}))
    return results


def _fetch_again(
    session: Session, job: FetchJob, uids: list[int], refusal: RefusedError | None
) -> Steps[Fetched]:
    """Fetch some messages of a job again, in halves, until the bad ones are alone.

    One round trip for all halves of a size.

    Args:
        session: As for `fetch_steps`.
        job: What failed.
        uids: Those of its messages that are missing.
        refusal: Why; None if a row was malformed.
    """
    plain = [item for item in job[1] if item not in ID_ITEMS]
    if refusal and refusal.is_unsupported and len(plain) < len(job[1]):
        # Some servers advertise ids and refuse them.
        [fetched] = yield from fetch_steps(session, (uids, plain))
        if all(each is GONE for each in fetched.failures.values()):
            session.quirks.refuse(IDS)
        return fetched
    found = Fetched()
    if len(job[0]) == 1:
        found.failures[uids[0]] = _failure(refusal, unreadable=refusal is None)
        return found
    parts = [uids]
    while parts and not (refusal and refusal.asks_to_wait):
        halves = [half for part in parts for half in _halves(session, part)]
        commands = [each for half in halves for each in _commands(session, (half, job[1]))]
        replies, lost = yield from _send(commands)
        rows, _ = _parse_replies(replies)
        found.messages.update((uid, rows[uid]) for uid in uids if uid in rows)
        if lost is not None:
            missing = [uid for part in parts for uid in part if uid not in rows]
            found.failures.update(dict.fromkeys(missing, FetchFailure.of(lost)))
            return replace(found, interrupted=True)
        parts = []
        for half, reply in zip(halves, replies, strict=True):
            refused = reply if isinstance(reply, RefusedError) else None
            _, unreadable = _parse_replies([reply])
            missing = [uid for uid in half if uid not in rows]
            if len(half) > 1 and missing and (refused or unreadable):
                parts.append(missing)
            else:
                failure = _failure(refused, unreadable=unreadable > 0)
                found.failures.update(dict.fromkeys(missing, failure))
        waiting = (each for each in replies if isinstance(each, RefusedError) and each.asks_to_wait)
        refusal = next(waiting, None)
    rest = [uid for part in parts for uid in part]
    found.failures.update(dict.fromkeys(rest, _failure(refusal, unreadable=False)))
    return found


def _halves(session: Session, uids: list[int]) -> Iterator[list[int]]:
    """Divide messages in two, or into as many FETCHes as they need: those of a page fit a line."""
    limit = session.connection.message_limit or limits.PAGE_SIZE_MAX
    size = min((len(uids) + 1) // 2, limits.PAGE_SIZE_MAX, limit)
    return (uids[start : start + size] for start in range(0, len(uids), size))


def _failure(refusal: RefusedError | None, *, unreadable: bool) -> FetchFailure:
    if unreadable:
        return _UNREADABLE
    if refusal is None or refusal.code == "EXPUNGEISSUED":
        return GONE
    # In an open mailbox no code can mean that the mailbox is missing.
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return FetchFailure(
        code=Code.INTERNAL,
        reason=Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED,
        stage="fetch",
        message=f"The server refused to send the message: {format_refusal(refusal)}.",
        retryable=refusal.retryable,
        asks_to_wait=refusal.asks_to_wait,
    )


def _replace_headers_without_from(
    session: Session, jobs: Sequence[FetchJob], results: list[Fetched]
) -> Steps[list[Fetched]]:
    """Fetch the whole header of messages without a From field: servers find no field if lines end with CR."""
    lacking = dict.fromkeys(
        uid
        for (_, items), fetched in zip(jobs, results, strict=True)
        if any(map(_ASKS_FOR_FROM.search, items))
        for uid, row in fetched.messages.items()
        if not _FROM.search(row.sections.get(_FIELDS, b""))
    )
    if not lacking:
        return results
    replies, lost = yield from _send(list(_commands(session, (list(lacking), _WHOLE_HEADER))))
    if lost is not None:
        return [replace(each, interrupted=True) for each in results]
    headers, _ = _parse_replies(replies)
    for fetched in results:
        for uid in headers.keys() & fetched.messages.keys() & lacking.keys():
            row = fetched.messages[uid]
            sections = row.sections | {_FIELDS: headers[uid].sections.get("HEADER", b"")}
            fetched.messages[uid] = replace(row, sections=sections)
    return results


def _send(commands: Sequence[Command]) -> Steps[tuple[Replies, ToolError | None]]:
    """Send commands in as few bursts as they fit; return the replies, and the error if the connection failed.

    After a failure the replies are fewer, and the last one may be incomplete.
    """
    replies: Replies = []
    try:
        for burst in _bursts(commands):
            replies += (yield burst).replies
    except PipelineInterruptedError as interruption:
        return [*replies, *interruption.replies], interruption.error
    return replies, None


def _parse_replies(replies: Replies) -> tuple[dict[int, FetchedMessage], int]:
    """Parse the rows of all replies together: a server may run FETCHes in parallel and mix their rows."""
    responses = [reply.response if isinstance(reply, RefusedError) else reply for reply in replies]
    pieces = [piece for response in responses for piece in response.untagged.get("FETCH", ())]
    return parse_rows(Response(untagged={"FETCH": pieces}))


def _commands(session: Session, job: FetchJob) -> Iterator[Command]:
    uids, items = job
    for sequence_set in sequence_sets(uids, uid_limit=session.connection.message_limit):
        yield Command(name="FETCH", arguments=[sequence_set, f"({' '.join(items)})".encode()], uid=True)


def _bursts(commands: Sequence[Command]) -> Iterator[list[Command]]:
    burst: list[Command] = []
    octets = 0
    for command in commands:
        size = sum(len(word) + 1 for word in command.words)
        if burst and octets + size > limits.BURST_OCTETS:
            yield burst
            burst, octets = [], 0
        burst.append(command)
        octets += size
    if burst:
        yield burst


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Return the data items of the server's own message ids (RFC 8474, Gmail's extension).

    With `threads` those of conversations too.
    """
    items: list[str] = []
    if session.quirks.allows(IDS):
        gmail = session.can("X-GM-EXT-1")
        items += ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])] if gmail else []
        if session.can("OBJECTID") and not (threads and gmail):
            items += ["EMAILID", *(["THREADID"] if threads else [])]
    return items


def sequence_sets(uids: Sequence[int], *, uid_limit: int = 0) -> Iterator[bytes]:
    """Format UIDs as sequence sets with ranges, none longer than a command line may be.

    Args:
        uids: In any order.
        uid_limit: How many UIDs one set may have; 0 for no limit.
    """
    ordered = sorted(set(uids))
    step = uid_limit or len(ordered) or 1
    for start in range(0, len(ordered), step):
        chunk = ordered[start : start + step]
        firsts = [uid for uid, before in zip(chunk, [None, *chunk], strict=False) if uid - 1 != before]
        lasts = [uid for uid, after in zip(chunk, [*chunk[1:], None], strict=True) if uid + 1 != after]
        sequence_set = b""
        for first, last in zip(firsts, lasts, strict=True):
            numbers = b"%d" % first if first == last else b"%d:%d" % (first, last)
            if sequence_set and len(sequence_set) + len(numbers) >= SEQUENCE_SET_OCTETS:
                yield sequence_set
                sequence_set = b""
            sequence_set += b"," * bool(sequence_set) + numbers
        yield sequence_set

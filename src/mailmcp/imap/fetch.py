"""UID FETCH: rows of messages, and a failure for each message that could not be fetched.

See RFC 9051 section 6.4.5. One bad message never spoils the others: when a FETCH fails, its messages are
fetched again in halves until the bad ones are alone, and these without what is often broken. A server that
asks to come back later is left alone.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Final, Self

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import format_refusal
from mailmcp.imap.pipeline import PipelineInterruptedError, Replies, Steps, in_bursts, run_steps
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError

FETCH_UIDS_MAX: Final = 500
"""UIDs in one command: Dovecot and others refuse lines over 8 KB."""

NUMBER_DIGITS: Final = 19
"""Digits to read of a number: enough to see that it isn't a UID, and no more than an array holds."""

_OFTEN_BROKEN: Final = ("BODYSTRUCTURE", "BODY.PEEK[TEXT]")
"""Data items that a server may fail to send while it sends the others."""

FetchJob = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each, such as `BODY.PEEK[]<0.131072>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFailure:
    """Why a message could not be fetched."""

    code: Code
    reason: StrEnum
    stage: str
    message: str
    retryable: bool = False

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


@dataclass(slots=True, kw_only=True)
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
    [fetched] = run_steps(session, fetch_steps(session, (uids, items)))
    return fetched


def fetch_steps(session: Session, *jobs: FetchJob) -> Steps[list[Fetched]]:
    """Do several jobs at once; one round trip if all goes well and the commands fit a burst.

    What fails is fetched again in halves, those of all jobs in one round trip; a message that fails alone,
    without its structure and text.

    Args:
        session: Used for what is known of the server.
        jobs: Each has its result, in order. No message is in two of them.
    """
    results = [Fetched() for _ in jobs]
    size = min(session.connection.message_limit or FETCH_UIDS_MAX, FETCH_UIDS_MAX)
    work = [
        (number, uids[start : start + size], items)
        for number, (uids, items) in enumerate(jobs)
        for start in range(0, len(uids), size)
    ]
    while work:
        commands = [
            Command(
                name="FETCH",
                arguments=[format_sequence_set(uids), b"(%b)" % " ".join(items).encode()],
                uid=True,
            )
            for _, uids, items in work
        ]
        replies, lost = yield from _send(commands)
        # Of all replies together: a server may run FETCHes in parallel and mix their rows.
        rows, unreadable = parse_rows(*replies)
        refusals = (each for each in replies if isinstance(each, RefusedError))
        waiting = next((each for each in refusals if each.asks_to_wait), None)
        again: list[tuple[int, Sequence[int], Sequence[str]]] = []
        for (number, uids, items), reply, garbage in zip_longest(work, replies, unreadable):
            found, refusal = results[number], reply if isinstance(reply, RefusedError) else None
            found.messages |= {uid: rows[uid] for uid in uids if uid in rows}
            missing = [uid for uid in uids if uid not in rows]
            plain = [item for item in items if not item.startswith(_OFTEN_BROKEN)]
            if lost is not None:
                failure = FetchFailure.of(lost)
                found.interrupted = True
            elif not (refusal or garbage):
                failure = GONE
            elif waiting:
                failure = _refused(waiting)
            elif len(uids) > 1 if refusal else len(missing) > garbage:
                middle = (len(missing) + 1) // 2
                halves = (missing[:middle], missing[middle:])
                again += [(number, half, items) for half in halves if half]
                continue
            elif missing and len(plain) < len(items):
                again.append((number, missing, plain))
                continue
            else:
                failure = _refused(refusal) if refusal else _UNREADABLE
            found.failures |= dict.fromkeys(missing, failure)
        work = again
    return results


def _refused(refusal: RefusedError) -> FetchFailure:
    if refusal.code == "EXPUNGEISSUED":
        return GONE
    # In an open mailbox no code can mean that the mailbox is missing.
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return FetchFailure(
        code=Code.INTERNAL,
        reason=Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED,
        stage="fetch",
        message=f"The server refused to send the message: {format_refusal(refusal)}.",
        retryable=refusal.retryable,
    )


def _send(commands: Sequence[Command]) -> Steps[tuple[Replies, ToolError | None]]:
    """Send commands in as few bursts as they fit; return the replies, and the error if the connection failed.

    After a failure the replies are fewer, and the last one may be incomplete.
    """
    replies: Replies = []
    try:
        for burst in in_bursts(commands, lambda each: each.octets):
            replies += (yield burst).replies
    except PipelineInterruptedError as interruption:
        return [*replies, *interruption.replies], interruption.error
    return replies, None


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Return the data items of the server's own message ids (RFC 8474, Gmail's extension).

    With `threads` those of conversations too.
    """
    if session.can("X-GM-EXT-1"):
        return ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])]
    return ["EMAILID", *(["THREADID"] if threads else [])] if session.can("OBJECTID") else []


def format_sequence_set(uids: Sequence[int]) -> bytes:
    """Format UIDs, in any order, as a sequence set with ranges (RFC 9051 section 9)."""
    ranges = join_ascending(sorted(set(uids)))
    return b",".join(b"%d" % low if low == high else b"%d:%d" % (low, high) for low, high in ranges)


def expand_sequence_set(octets: bytes, *, limit: int) -> "array[int]":
    """List the numbers of a sequence set. Stops past `limit`, so that a false range takes no memory."""
    numbers = array("Q")
    for each in octets.split(b","):
        low, _, high = each.partition(b":")
        first = int(low[:NUMBER_DIGITS])
        last = int(high[:NUMBER_DIGITS]) if high else first
        first, last = min(first, last), max(first, last)
        numbers.extend(range(first, min(last, first + limit) + 1))
        if len(numbers) > limit:
            break
    return numbers


def join_ascending(uids: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join UIDs, which ascend and are each there once, to ranges: the lowest and the highest of each."""
    low = high = 0
    for uid in uids:
        if low and uid != high + 1:
            yield low, high
            low = 0
        low, high = low or uid, uid
    if low:
        yield low, high

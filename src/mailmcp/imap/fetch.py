"""UID FETCH: typed rows of messages, and a failure for each message that could not be fetched.

See RFC 9051 section 6.4.5. One bad message never spoils the others: when a FETCH fails, its messages
are fetched again in halves until the bad ones are alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Self

from mailmcp import limits
from mailmcp.imap.command import Command, Piece, RefusedError, Response
from mailmcp.imap.errors import format_refusal
from mailmcp.imap.fetch_response import FetchedMessage, parse_rows
from mailmcp.imap.pipeline import PipelineInterruptedError, Replies, Steps, exclusively
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.session import Session
from mailmcp.model.feature import Feature
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError

FetchJob = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each."""

_ID_ITEMS = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})

_FIELDS = "HEADER.FIELDS"
_ASKS_FOR_FROM = re.compile(r"HEADER\.FIELDS \([^)]*\bFROM\b", re.IGNORECASE)
_FROM = re.compile(rb"^From[ \t]*:", re.IGNORECASE | re.MULTILINE)
_WHOLE_HEADER = ("UID", f"BODY.PEEK[HEADER]<0.{limits.ROW_HEADER_OCTETS}>")


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


_GONE: Final = FetchFailure(
    code=Code.NOT_FOUND,
    reason=Reason.MESSAGE_GONE,
    stage="fetch",
    message="The message is no longer in the mailbox.",
)
"""The server sends nothing about the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Every requested UID is in `messages` or `failures`."""

    messages: dict[int, FetchedMessage] = field(default_factory=dict)
    failures: dict[int, FetchFailure] = field(default_factory=dict)
    interrupted: bool = False
    """Whether the connection failed before everything came."""

    others: tuple[FetchedMessage, ...] = ()
    """Every message that the server sent anything about; empty unless commands were sent along."""


def fetch_messages(
    session: Session, uids: Sequence[int], items: Sequence[str], *, also: Sequence[Command] = ()
) -> Fetched:
    """Fetch `items` of messages in the open mailbox; one round trip if all goes well.

    Args:
        session: With its mailbox open.
        uids: Few enough for one command line, such as a page.
        items: Data items (RFC 9051 section 6.4.5), such as `BODY.PEEK[]<0.131072>`.
        also: FETCHes of other messages, sent in the same round trip; nothing is done if they fail.

    Raises:
        DeadlineError, InternalError: The connection failed. Refusals become failures.
    """
    if not uids:
        return Fetched()
    sequence_set = ",".join(map(str, uids)).encode()
    refusal: RefusedError | None = None
    try:
        response = session.run("FETCH", sequence_set, f"({' '.join(items)})".encode(), uid=True, also=also)
    except RefusedError as error:
        refusal, response = error, error.response  # which may have rows of the messages that are there
    rows, unreadable = parse_rows(response)
    fetched = Fetched(
        messages={uid: rows[uid] for uid in uids if uid in rows},
        others=tuple(rows.values()) if also else (),
    )
    missing = [uid for uid in uids if uid not in rows]
    if len(uids) == 1 or not (refusal or unreadable):
        fetched.failures.update(dict.fromkeys(missing, _failure(refusal, unreadable=unreadable > 0)))
        return fetched
    middle = len(missing) // 2
    for half in (missing[:middle], missing[middle:]):
        part = fetch_messages(session, half, items)
        fetched.messages.update(part.messages)
        fetched.failures.update(part.failures)
    return fetched


def _failure(refusal: RefusedError | None, *, unreadable: bool) -> FetchFailure:
    if unreadable:
        return FetchFailure(
            code=Code.INTERNAL,
            reason=Reason.PROTOCOL_VIOLATION,
            stage="parse",
            message="The server's response could not be parsed.",
        )
    if refusal is None or refusal.code == "EXPUNGEISSUED":
        return _GONE
    # In an open mailbox no code can mean that the mailbox is missing.
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return FetchFailure(
        code=Code.INTERNAL,
        reason=Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED,
        stage="fetch",
        message=f"The server refused to send the message: {format_refusal(refusal)}",
        retryable=refusal.retryable,
    )


def fetch_steps(
    *jobs: FetchJob, message_limit: int = 0, optional: FetchJob = ((), ())
) -> Steps[list[Fetched]]:
    """Do several jobs at once; one round trip if all goes well and the commands fit a burst.

    One more if messages lack a From field: their `HEADER.FIELDS` is then replaced by the whole header.

    Args:
        jobs: Each has its result, in order. A message in several jobs has the items of all.
        message_limit: How many messages the server looks at in one command (RFC 9738); 0 for no limit.
        optional: Fetched along with the jobs, but not again if it fails. Its result is the last one and has
            no failures; without UIDs there is none.
    """
    commands = [each for job in jobs for each in _commands(job, message_limit)]
    replies: Replies = []
    lost: ToolError | None = None
    try:
        for burst in _bursts([*commands, *_commands(optional, message_limit)]):
            replies += (yield burst).replies
    except PipelineInterruptedError as interruption:
        replies += interruption.replies
        lost = interruption.error
    rows, unreadable = _parse_replies(replies)
    doubtful = unreadable > 0 or any(isinstance(reply, RefusedError) for reply in replies[: len(commands)])
    results: list[Fetched] = []
    for uids, items in jobs:
        messages = {uid: rows[uid] for uid in uids if uid in rows}
        missing = [uid for uid in uids if uid not in rows]
        # With several jobs, a row may come from another job than the one that failed.
        again = uids if len(jobs) > 1 else missing
        if lost is not None:
            failures = dict.fromkeys(missing, FetchFailure.of(lost))
            fetched = Fetched(messages=messages, failures=failures, interrupted=True)
        elif doubtful and again:
            fetched = yield from _fetch_again(messages, again, items)
        else:
            fetched = Fetched(messages=messages, failures=dict.fromkeys(missing, _GONE))
        results.append(fetched)
    if lost is None:
        results = yield from _replace_headers_without_from(jobs, results)
    if optional[0]:
        results.append(Fetched(messages={uid: rows[uid] for uid in optional[0] if uid in rows}))
    return results


def fetch_by_number(job: FetchJob, sample: FetchJob) -> Steps[dict[int, FetchedMessage] | None]:
    """Fetch messages of the open mailbox by their sequence numbers; one round trip.

    Args:
        job: Numbers, and the data items of each, with UID.
        sample: The same for other messages.

    Returns:
        The rows by UID; None unless there is exactly one for each message.
    """
    commands = [replace(each, uid=False) for part in (job, sample) for each in _commands(part, 0)]
    replies = (yield commands).replies
    rows, unreadable = _parse_replies(replies)
    refused = any(isinstance(reply, RefusedError) for reply in replies)
    if refused or unreadable or len(rows) != len(job[0]) + len(sample[0]):
        return None
    full = [uid for uid, row in rows.items() if row.sections]
    [fetched] = yield from _replace_headers_without_from(
        [(full, job[1])], [Fetched(messages={uid: rows[uid] for uid in full})]
    )
    return rows | fetched.messages


def uids_with_word(
    uids: Sequence[int], items: Sequence[str], word: bytes, *, message_limit: int = 0
) -> Steps[set[int]]:
    """Return the messages whose response has a word; one round trip if the commands fit a burst.

    Only responses that have it are parsed: that takes a hundred times as long as looking for it.

    Args:
        uids: The messages.
        items: Data items, with UID.
        word: In lower case; matches in any case.
        message_limit: As for `fetch_steps`.

    Returns:
        All of `uids` if the server refused a command, or a response that has the word is malformed.
    """
    replies: Replies = []
    for burst in _bursts(list(_commands((uids, items), message_limit))):
        replies += (yield burst).replies
    lines = []
    for reply in replies:
        if isinstance(reply, RefusedError):
            return set(uids)
        lines += reply.lines("FETCH")
    pieces = [piece for line in lines if word in _octets_of(line).lower() for piece in line]
    rows, unreadable = parse_rows(Response(untagged={"FETCH": pieces}))
    return set(uids) if unreadable else rows.keys() & set(uids)


def _octets_of(line: Sequence[Piece]) -> bytes:
    return b"".join(piece if isinstance(piece, bytes) else b"".join(piece) for piece in line)


def _parse_replies(replies: Replies) -> tuple[dict[int, FetchedMessage], int]:
    """Parse the rows of all replies together: a server may run FETCHes in parallel and mix their rows."""
    responses = [reply.response if isinstance(reply, RefusedError) else reply for reply in replies]
    pieces = [piece for response in responses for piece in response.untagged.get("FETCH", ())]
    return parse_rows(Response(untagged={"FETCH": pieces}))


def _replace_headers_without_from(jobs: Sequence[FetchJob], results: list[Fetched]) -> Steps[list[Fetched]]:
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
    replies: Replies = []
    try:
        for burst in _bursts(list(_commands((list(lacking), _WHOLE_HEADER), 0))):
            replies += (yield burst).replies
    except PipelineInterruptedError:
        return [replace(each, interrupted=True) for each in results]
    headers, _ = _parse_replies(replies)
    for fetched in results:
        for uid in headers.keys() & fetched.messages.keys() & lacking.keys():
            row = fetched.messages[uid]
            sections = row.sections | {_FIELDS: headers[uid].sections.get("HEADER", b"")}
            fetched.messages[uid] = replace(row, sections=sections)
    return results


def _commands(job: FetchJob, message_limit: int) -> Iterator[Command]:
    uids, items = job
    for sequence_set in sequence_sets(uids, uid_limit=message_limit):
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


def _fetch_again(
    messages: dict[int, FetchedMessage], uids: Sequence[int], items: Sequence[str]
) -> Steps[Fetched]:
    """Fetch some messages again, in halves, until the bad ones are alone; `messages` are the rows so far."""

    def fetch(session: Session) -> list[Fetched]:
        wanted = _without_refused_ids(session, uids[0], items)
        return [
            fetch_messages(session, uids[start : start + limits.PAGE_SIZE_MAX], wanted)
            for start in range(0, len(uids), limits.PAGE_SIZE_MAX)
        ]

    try:
        parts = yield from exclusively(fetch)
    except PipelineInterruptedError as interruption:
        missing = [uid for uid in uids if uid not in messages]
        failures = dict.fromkeys(missing, FetchFailure.of(interruption.error))
        return Fetched(messages=messages, failures=failures, interrupted=True)
    again = set(uids)
    fetched = Fetched(messages={uid: row for uid, row in messages.items() if uid not in again})
    for part in parts:
        fetched.messages.update(part.messages)
        fetched.failures.update(part.failures)
    return fetched


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Return the data items of the server's own message ids; with `threads` those of conversations too."""
    items: list[str] = []
    if session.quirks.trusts(Feature.IDS):
        gmail = session.can("X-GM-EXT-1")
        items += ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])] if gmail else []
        if session.can("OBJECTID") and not (threads and gmail):
            items += ["EMAILID", *(["THREADID"] if threads else [])]
    return items


def _without_refused_ids(session: Session, uid: int, items: Sequence[str]) -> Sequence[str]:
    """Drop the server's ids from `items` if it refuses to send them, even for one message."""
    ids = [item for item in items if item in _ID_ITEMS]
    if ids and _is_refused(session, uid, ["UID", *ids]) and not _is_refused(session, uid, ["UID"]):
        session.quirks.distrust(Feature.IDS)
        return [item for item in items if item not in ids]
    return items


def _is_refused(session: Session, uid: int, items: Sequence[str]) -> bool:
    try:
        session.run("FETCH", b"%d" % uid, f"({' '.join(items)})".encode(), uid=True)
    except RefusedError as error:
        return is_unsupported(error)
    return False


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
            if sequence_set and len(sequence_set) + len(numbers) >= limits.SEQUENCE_SET_OCTETS:
                yield sequence_set
                sequence_set = b""
            sequence_set += b"," * bool(sequence_set) + numbers
        yield sequence_set

"""UID FETCH as steps of a pipeline: several jobs in many mailboxes, in few round trips."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.fetch import GONE, Fetched, FetchFailure, fetch_messages
from mailmcp.imap.fetch_response import FetchedMessage, parse_rows
from mailmcp.imap.object_ids import without_refused_ids
from mailmcp.imap.pipeline import PipelineInterruptedError, Replies, Steps, exclusively
from mailmcp.imap.sequence_set import sequence_sets
from mailmcp.imap.session import Session
from mcp_envelope import ToolError

FetchJob = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each."""

_FIELDS = "HEADER.FIELDS"
_ASKS_FOR_FROM = re.compile(r"HEADER\.FIELDS \([^)]*\bFROM\b", re.IGNORECASE)
_FROM = re.compile(rb"^From[ \t]*:", re.IGNORECASE | re.MULTILINE)

_WHOLE_HEADER = ("UID", f"BODY.PEEK[HEADER]<0.{limits.ROW_HEADER_OCTETS}>")


def fetch_steps(*jobs: FetchJob, message_limit: int, optional: FetchJob = ((), ())) -> Steps[list[Fetched]]:
    """Do several jobs at once; one round trip if all goes well and the commands fit a burst.

    One more if messages lack a From field: their `HEADER.FIELDS` is then replaced by the whole header.

    Args:
        jobs: Each has its result, in order. A message in several jobs has the items of all.
        message_limit: As `Session.message_limit`.
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
            fetched = Fetched(messages=messages, failures=dict.fromkeys(missing, GONE))
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
        wanted = without_refused_ids(session, uids[0], items)
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

"""UID FETCH within a dialogue: many messages in few commands, and a failure for each that cannot be had."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mailmcp import limits
from mailmcp.imap.command import Command
from mailmcp.imap.fetch import Fetched, FetchedMessage, FetchFailure, fetch_messages, gone, parse_rows
from mailmcp.imap.pipeline import Dialogue, InterruptedDialogueError, Replies, alone
from mailmcp.imap.quirks import Feature, is_unsupported
from mailmcp.imap.response import Answer, RefusedError
from mailmcp.imap.session import Session
from mcp_envelope import ToolError

_ID_ITEMS = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})

Job = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each."""

_FIELDS = "HEADER.FIELDS"
_ASKS_FOR_FROM = re.compile(r"HEADER\.FIELDS \([^)]*\bFROM\b", re.IGNORECASE)
_FROM = re.compile(rb"^From[ \t]*:", re.IGNORECASE | re.MULTILINE)
_WHOLE_HEADER = ("UID", f"BODY.PEEK[HEADER]<0.{limits.ROW_HEADER_OCTETS}>")


def fetching(*jobs: Job, most_messages: int = 0, beside: Job = ((), ())) -> Dialogue[list[Fetched]]:
    """Fetch what the jobs ask, at once; one round trip if all goes well and the commands fit a burst.

    One more where messages have no From field: then their `HEADER.FIELDS` become the whole header.

    Args:
        jobs: Each has its result, in order; rows of messages in several of them hold the items of all.
        most_messages: How many messages the server looks at in one command (RFC 9738); 0 for any number.
        beside: What comes along if it can be had, and is not asked for again. Its result is the last, and
            has no failures; there is none if it names no UIDs.
    """
    wanted = [each for job in jobs for each in _commands(job, most_messages)]
    replies: Replies = []
    lost: ToolError | None = None
    try:
        for burst in _bursts([*wanted, *_commands(beside, most_messages)]):
            replies += (yield burst).replies
    except InterruptedDialogueError as interruption:
        replies += interruption.replies
        lost = interruption.error
    rows, doubtful = _read(replies, of=len(wanted))
    results: list[Fetched] = []
    for job in jobs:
        # A row of one job says nothing of another's refusal.
        missing = [uid for uid in job[0] if uid not in rows or (doubtful and len(jobs) > 1)]
        messages = {uid: rows[uid] for uid in job[0] if uid in rows}
        fetched = Fetched(messages=messages, interrupted=lost is not None)
        if lost is not None:
            fetched.failures.update((uid, _lost(uid, lost)) for uid in missing if uid not in rows)
        elif doubtful and missing:
            fetched = yield from _fetch_again(fetched, missing, job[1])
        else:
            fetched.failures.update((uid, gone(uid)) for uid in missing)
        results.append(fetched)
    if lost is None:
        results = yield from _with_whole_headers(jobs, results)
    if beside[0]:
        results.append(Fetched(messages={uid: rows[uid] for uid in beside[0] if uid in rows}))
    return results


def _lost(uid: int, error: ToolError) -> FetchFailure:
    """Build the failure for a message that had not come when the connection failed."""
    return FetchFailure(
        uid=uid,
        code=error.code,
        reason=error.reason,
        stage="fetch",
        message=error.message,
        retryable=error.retryable,
    )


def _read(replies: Replies, *, of: int) -> tuple[dict[int, FetchedMessage], bool]:
    """Read all rows, and whether some were unreadable, or refused in the first `of` replies.

    Of all replies together: a server may do several FETCHes at a time and mix their rows.
    """
    answers = [reply.answer if isinstance(reply, RefusedError) else reply for reply in replies]
    pieces = [piece for answer in answers for piece in answer.untagged.get("FETCH", ())]
    rows, unreadable = parse_rows(Answer(untagged={"FETCH": pieces}))
    return rows, unreadable > 0 or any(isinstance(reply, RefusedError) for reply in replies[:of])


def _with_whole_headers(jobs: Sequence[Job], results: list[Fetched]) -> Dialogue[list[Fetched]]:
    """Look for a From field in the whole header: where lines end with CR alone servers find no field.

    What the server does not give stays as it is.
    """
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
        for burst in _bursts(list(_commands((list(lacking)[: limits.PAGE_SIZE_MAX], _WHOLE_HEADER), 0))):
            replies += (yield burst).replies
    except InterruptedDialogueError:
        return [replace(each, interrupted=True) for each in results]
    headers, _ = _read(replies, of=0)
    for fetched in results:
        for uid in headers.keys() & fetched.messages.keys() & lacking.keys():
            row = fetched.messages[uid]
            sections = row.sections | {_FIELDS: headers[uid].sections.get("HEADER", b"")}
            fetched.messages[uid] = replace(row, sections=sections)
    return results


def _commands(job: Job, most_messages: int) -> Iterator[Command]:
    uids, items = job
    for sequence_set in sequence_sets(uids, most_uids=most_messages):
        yield Command(
            name="FETCH", arguments=[sequence_set, b"(" + " ".join(items).encode() + b")"], uid=True
        )


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


def _fetch_again(fetched: Fetched, uids: Sequence[int], items: Sequence[str]) -> Dialogue[Fetched]:
    """Ask again for some messages, in halves, until the bad ones stand alone."""

    def fetch(session: Session) -> list[Fetched]:
        wanted = _without_refused_ids(session, uids[0], items)
        return [
            fetch_messages(session, uids[start : start + limits.PAGE_SIZE_MAX], wanted)
            for start in range(0, len(uids), limits.PAGE_SIZE_MAX)
        ]

    try:
        parts = yield from alone(fetch)
    except InterruptedDialogueError as interruption:
        failures = {uid: _lost(uid, interruption.error) for uid in uids if uid not in fetched.messages}
        return Fetched(messages=fetched.messages, failures=failures, interrupted=True)
    again = set(uids)
    messages = {uid: row for uid, row in fetched.messages.items() if uid not in again}
    failures = {}
    for part in parts:
        messages |= part.messages
        failures |= part.failures
    return Fetched(messages=messages, failures=failures)


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Name the data items of the server's own ids of messages, with `threads` of conversations too."""
    items: list[str] = []
    if session.quirks.trusts(Feature.IDS):
        gmail = session.can("X-GM-EXT-1")
        items += ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])] if gmail else []
        if session.can("OBJECTID") and not (threads and gmail):
            items += ["EMAILID", *(["THREADID"] if threads else [])]
    return items


def _without_refused_ids(session: Session, uid: int, items: Sequence[str]) -> Sequence[str]:
    """Leave out the server's ids if it refuses them; asks for those of one message, and for its UID alone."""
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


def sequence_sets(uids: Sequence[int], *, most_uids: int = 0) -> Iterator[bytes]:
    """Write UIDs as sequence sets, runs as ranges, none longer than a command line takes.

    Args:
        uids: In any order.
        most_uids: How many UIDs one set may name; 0 for any number.
    """
    ordered = sorted(set(uids))
    step = most_uids or len(ordered) or 1
    for start in range(0, len(ordered), step):
        yield from _short_sets(_ranges(ordered[start : start + step]))


def _short_sets(ranges: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    octets = 0
    for each in ranges:
        if held and octets + len(each) > limits.SEQUENCE_SET_OCTETS:
            yield b",".join(held)
            held, octets = [], 0
        held.append(each)
        octets += len(each) + 1
    yield b",".join(held)


def _ranges(ordered: Sequence[int]) -> Iterator[bytes]:
    first = last = ordered[0]
    for uid in ordered[1:]:
        if uid != last + 1:
            yield _range(first, last)
            first = uid
        last = uid
    yield _range(first, last)


def _range(first: int, last: int) -> bytes:
    return b"%d" % first if first == last else b"%d:%d" % (first, last)

"""UID FETCH: typed rows of messages, and a failure for each message that could not be fetched.

RFC 9051 sections 6.4.5 and 7.5.2. One bad message never spoils the others: when a FETCH fails, its
messages are fetched again in halves until the bad ones are alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from imapclient.datetime_util import parse_to_datetime

from mailmcp import limits
from mailmcp.imap.command import Command, Piece, RefusedError, Response, parse_line
from mailmcp.imap.errors import format_refusal
from mailmcp.imap.pipeline import PipelineInterruptedError, Replies, Steps, exclusively
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.session import Session
from mailmcp.model.feature import Feature
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError

_SECTION = re.compile(rb"(?:BODY|BINARY(?:\.PEEK)?)\[([^\s\]]*)[^\]]*\](?:<(\d{1,10})>)?", re.IGNORECASE)
"""pymap writes PEEK in its answer."""

_LITERAL8 = re.compile(rb"~(?=\{\d{1,20}\}\Z)")
"""Says that NUL may be in the literal that follows (RFC 3516 section 4.1); the parser does not know it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedMessage:
    """What the server told of one message; fields that were not asked for keep their defaults."""

    uid: int
    flags: tuple[str, ...] = ()
    """As the server spells them: `\\\\Seen`, `$Forwarded`."""

    internal_date: datetime | None = None
    """In the zone of the server; within YEAR_FIRST and YEAR_LAST, so that any other can be applied."""

    size_octets: int | None = None
    body_structure: object = None
    """Nested tuples of octets, numbers and None; None if it was not asked for or is NIL."""

    email_id: str = ""
    """EMAILID (RFC 8474 section 5.1): the same for all copies of a message in one account."""

    gmail_id: int = 0
    """X-GM-MSGID, Gmail's likewise; 0 where there is none."""

    thread_id: str = ""
    """THREADID (RFC 8474 section 5.2), or Gmail's X-GM-THRID: the same for a conversation in one account."""

    sections: dict[str, bytes] = field(default_factory=dict)
    """Octets by section: `` (whole), `TEXT`, `HEADER.FIELDS`, `1.2`; NIL is empty."""

    origins: dict[str, int] = field(default_factory=dict)
    """First octet, from 0, of the sections that the server says it gave in part (RFC 9051 section 7.5.2)."""

    @property
    def internaldate_epoch(self) -> int | None:
        """INTERNALDATE in seconds since 1970, as UTC if the server doesn't say; None if it is unknown."""
        moment = self.internal_date
        if moment is None:
            return None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFailure:
    """A message that was asked for and cannot be had."""

    uid: int
    code: Code
    reason: StrEnum
    stage: str
    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Every UID that was asked for is in exactly one of the two."""

    messages: dict[int, FetchedMessage] = field(default_factory=dict)
    failures: dict[int, FetchFailure] = field(default_factory=dict)
    interrupted: bool = False
    """Whether the connection failed before all had come."""


def fetch_messages(session: Session, uids: Sequence[int], items: Sequence[str]) -> Fetched:
    """Fetch `items` of the messages `uids` of the open mailbox; one round trip if all goes well.

    Args:
        session: With its mailbox open.
        uids: Few enough for one command line: a page.
        items: Message data items (RFC 9051 section 6.4.5), as `BODY.PEEK[]<0.131072>`.

    Raises:
        DeadlineError, InternalError: The connection failed; refusals become failures.
    """
    if not uids:
        return Fetched()
    answer, refusal = _ask(session, uids, items)
    rows, unreadable = parse_rows(answer)
    wanted = set(uids)
    fetched = Fetched(messages={uid: row for uid, row in rows.items() if uid in wanted})
    missing = [uid for uid in uids if uid not in fetched.messages]
    if len(uids) == 1 or not (refusal or unreadable):
        fetched.failures.update((uid, _failure(uid, refusal, unreadable=unreadable > 0)) for uid in missing)
        return fetched
    for half in _halves(missing):
        part = fetch_messages(session, half, items)
        fetched.messages.update(part.messages)
        fetched.failures.update(part.failures)
    return fetched


def _ask(session: Session, uids: Sequence[int], items: Sequence[str]) -> tuple[Response, RefusedError | None]:
    """Send one FETCH; a refusal may come after rows of the messages that are there."""
    sequence_set = ",".join(map(str, uids)).encode()
    try:
        return session.run("FETCH", sequence_set, f"({' '.join(items)})".encode(), uid=True), None
    except RefusedError as error:
        return error.answer, error


def _halves(uids: Sequence[int]) -> Iterator[Sequence[int]]:
    middle = len(uids) // 2
    yield from (half for half in (uids[:middle], uids[middle:]) if half)


def _failure(uid: int, refusal: RefusedError | None, *, unreadable: bool) -> FetchFailure:
    if unreadable:
        return FetchFailure(
            uid=uid,
            code=Code.INTERNAL,
            reason=Reason.PROTOCOL_VIOLATION,
            stage="parse",
            message="The server's answer could not be read.",
        )
    if refusal is None or refusal.code == "EXPUNGEISSUED":
        return message_gone(uid)
    return FetchFailure(
        uid=uid,
        code=Code.INTERNAL,
        reason=_reason(refusal),
        stage="fetch",
        message=f"The server refused to give the message: {format_refusal(refusal)}",
        retryable=refusal.retryable,
    )


def _reason(refusal: RefusedError) -> Reason:
    """Return why a message is refused in an open mailbox: no code says that the mailbox is missing."""
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED


def message_gone(uid: int) -> FetchFailure:
    """Build the failure for a message that the server says nothing of any more."""
    return FetchFailure(
        uid=uid,
        code=Code.NOT_FOUND,
        reason=Reason.MESSAGE_GONE,
        stage="fetch",
        message="The message is no longer in the mailbox.",
    )


def parse_rows(answer: Response) -> tuple[dict[int, FetchedMessage], int]:
    """Read the FETCH responses that name a UID, and count those that cannot be read.

    Responses without a UID are news of flags that nobody asked for.
    """
    merged: dict[int, dict[bytes, object]] = {}
    unreadable = 0
    for line in answer.lines("FETCH"):
        row = _parse_row(line)
        if row is None:
            unreadable += 1
            continue
        uid = row.get(b"UID")
        if isinstance(uid, int):
            merged.setdefault(uid, {}).update(row)
    return {uid: _typed(uid, row) for uid, row in merged.items()}, unreadable


def _parse_row(line: list[Piece]) -> dict[bytes, object] | None:
    """Read one response as item names and values; None if it is not well-formed."""
    try:
        _, values = parse_line([_without_literal8(piece) for piece in line])
        pairs = zip(values[::2], values[1::2], strict=True)
        return {name.upper(): value for name, value in pairs}
    except (ValueError, TypeError, AttributeError):
        return None


def _without_literal8(piece: Piece) -> Piece:
    return (_LITERAL8.sub(b"", piece[0]), piece[1]) if isinstance(piece, tuple) else piece


def _typed(uid: int, row: dict[bytes, object]) -> FetchedMessage:
    flags, size = row.get(b"FLAGS"), row.get(b"RFC822.SIZE")
    gmail_id = row.get(b"X-GM-MSGID")
    return FetchedMessage(
        uid=uid,
        flags=tuple(map(_flag, flags)) if isinstance(flags, tuple) else (),
        internal_date=_date(row.get(b"INTERNALDATE")),
        size_octets=size if isinstance(size, int) else None,
        body_structure=row.get(b"BODYSTRUCTURE"),
        email_id=_object_id(row.get(b"EMAILID")),
        thread_id=_object_id(row.get(b"THREADID")) or _object_id((row.get(b"X-GM-THRID"),)),
        gmail_id=gmail_id if isinstance(gmail_id, int) else 0,
        sections={name: octets for name, _, octets in _sections(row)},
        origins={name: origin for name, origin, _ in _sections(row) if origin is not None},
    )


def _sections(row: dict[bytes, object]) -> Iterator[tuple[str, int | None, bytes]]:
    """Give name, origin octet (None if it is not said) and octets of each section in a row."""
    for name, value in row.items():
        match = _SECTION.fullmatch(name)
        if match:
            # Short quoted strings of digits come out of the parser as numbers.
            octets = value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
            origin = int(match[2]) if match[2] else None
            yield match[1].decode("ascii", "replace").upper(), origin, octets


def _object_id(value: object) -> str:
    """Read an id in its parentheses; the parser makes numbers of digits."""
    match value:
        case (bytes() as octets,):
            return octets.decode("ascii", "replace")
        case (int() as number,):
            return str(number)
        case _:
            return ""


def _flag(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _date(value: object) -> datetime | None:
    """Read an INTERNALDATE; None unless it is a time that any zone can be applied to."""
    if not isinstance(value, bytes):
        return None
    try:
        parsed = parse_to_datetime(value, normalise=False)
        in_utc = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # an offset of a day or more, the end of the year 9999
        return None
    return parsed if limits.YEAR_FIRST <= in_utc.year <= limits.YEAR_LAST else None


_ID_ITEMS = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})

FetchJob = tuple[Sequence[int], Sequence[str]]
"""UIDs, and the data items of each."""

_FIELDS = "HEADER.FIELDS"
_ASKS_FOR_FROM = re.compile(r"HEADER\.FIELDS \([^)]*\bFROM\b", re.IGNORECASE)
_FROM = re.compile(rb"^From[ \t]*:", re.IGNORECASE | re.MULTILINE)
_WHOLE_HEADER = ("UID", f"BODY.PEEK[HEADER]<0.{limits.ROW_HEADER_OCTETS}>")


def fetch_steps(*jobs: FetchJob, message_limit: int = 0, beside: FetchJob = ((), ())) -> Steps[list[Fetched]]:
    """Fetch what the jobs ask, at once; one round trip if all goes well and the commands fit a burst.

    One more where messages have no From field: then their `HEADER.FIELDS` become the whole header.

    Args:
        jobs: Each has its result, in order; rows of messages in several of them hold the items of all.
        message_limit: How many messages the server looks at in one command (RFC 9738); 0 for any number.
        beside: What comes along if it can be had, and is not asked for again. Its result is the last, and
            has no failures; there is none if it names no UIDs.
    """
    wanted = [each for job in jobs for each in _commands(job, message_limit)]
    replies: Replies = []
    lost: ToolError | None = None
    try:
        for burst in _bursts([*wanted, *_commands(beside, message_limit)]):
            replies += (yield burst).replies
    except PipelineInterruptedError as interruption:
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
            fetched.failures.update((uid, message_gone(uid)) for uid in missing)
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
    rows, unreadable = parse_rows(Response(untagged={"FETCH": pieces}))
    return rows, unreadable > 0 or any(isinstance(reply, RefusedError) for reply in replies[:of])


def _with_whole_headers(jobs: Sequence[FetchJob], results: list[Fetched]) -> Steps[list[Fetched]]:
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
    except PipelineInterruptedError:
        return [replace(each, interrupted=True) for each in results]
    headers, _ = _read(replies, of=0)
    for fetched in results:
        for uid in headers.keys() & fetched.messages.keys() & lacking.keys():
            row = fetched.messages[uid]
            sections = row.sections | {_FIELDS: headers[uid].sections.get("HEADER", b"")}
            fetched.messages[uid] = replace(row, sections=sections)
    return results


def _commands(job: FetchJob, message_limit: int) -> Iterator[Command]:
    uids, items = job
    for sequence_set in sequence_sets(uids, uid_limit=message_limit):
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


def _fetch_again(fetched: Fetched, uids: Sequence[int], items: Sequence[str]) -> Steps[Fetched]:
    """Ask again for some messages, in halves, until the bad ones stand alone."""

    def fetch(session: Session) -> list[Fetched]:
        wanted = _without_refused_ids(session, uids[0], items)
        return [
            fetch_messages(session, uids[start : start + limits.PAGE_SIZE_MAX], wanted)
            for start in range(0, len(uids), limits.PAGE_SIZE_MAX)
        ]

    try:
        parts = yield from exclusively(fetch)
    except PipelineInterruptedError as interruption:
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


def sequence_sets(uids: Sequence[int], *, uid_limit: int = 0) -> Iterator[bytes]:
    """Write UIDs as sequence sets, runs as ranges, none longer than a command line takes.

    Args:
        uids: In any order.
        uid_limit: How many UIDs one set may name; 0 for any number.
    """
    ordered = sorted(set(uids))
    step = uid_limit or len(ordered) or 1
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

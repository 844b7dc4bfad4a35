"""UID FETCH: typed rows of the messages asked for, and a failure for each that cannot be had.

RFC 9051 sections 6.4.5 and 7.5.2. One bad message never spoils the others: when a FETCH
fails, its messages are asked for in halves until the bad ones stand alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from imapclient.datetime_util import parse_to_datetime

from mailmcp import limits
from mailmcp.imap.errors import refusal_of
from mailmcp.imap.response import Answer, Piece, RefusedError, parse_line
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import Code

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


def _ask(session: Session, uids: Sequence[int], items: Sequence[str]) -> tuple[Answer, RefusedError | None]:
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
        return gone(uid)
    return FetchFailure(
        uid=uid,
        code=Code.INTERNAL,
        reason=_reason(refusal),
        stage="fetch",
        message=f"The server refused to give the message: {refusal_of(refusal)}",
        retryable=refusal.retryable,
    )


def _reason(refusal: RefusedError) -> Reason:
    """Return why a message is refused in an open mailbox: no code says that the mailbox is missing."""
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED


def gone(uid: int) -> FetchFailure:
    """Build the failure for a message that the server says nothing of any more."""
    return FetchFailure(
        uid=uid,
        code=Code.NOT_FOUND,
        reason=Reason.MESSAGE_GONE,
        stage="fetch",
        message="The message is no longer in the mailbox.",
    )


def parse_rows(answer: Answer) -> tuple[dict[int, FetchedMessage], int]:
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

"""FETCH responses: what a server sent about each message (RFC 9051 section 7.5.2)."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from imapclient.datetime_util import parse_to_datetime

from mailmcp import limits
from mailmcp.imap.command import RefusedError, Response, parse_line

_SECTION = re.compile(rb"BODY(?:\.PEEK)?\[([^\s\]]*)[^\]]*\](?:<(\d{1,10})>)?", re.IGNORECASE)
"""pymap writes PEEK in its response."""

_OBJECT_ID = re.compile(rb"[!-~]{1,255}")
"""RFC 8474 section 7 allows less, but never white space, controls or other characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedMessage:
    """What the server sent about one message; fields that were not requested keep their defaults."""

    uid: int
    flags: tuple[str, ...] = ()
    """As the server spells them: `\\\\Seen`, `$Forwarded`."""

    internal_date: datetime | None = None
    """In the server's time zone; between YEAR_FIRST and YEAR_LAST, so that it converts to any other."""

    size_octets: int | None = None
    modseq: int = 0
    """When it last changed (RFC 7162 section 3.1); 0 if the server doesn't say."""

    body_structure: object = None
    """Nested tuples of octets, numbers and None; None if not requested, or NIL."""

    email_id: str = ""
    """EMAILID (RFC 8474 section 5.1): the same for all copies of a message in one account."""

    gmail_id: int = 0
    """X-GM-MSGID, the same on Gmail; 0 elsewhere."""

    thread_id: str = ""
    """THREADID (RFC 8474 section 5.2), or Gmail's X-GM-THRID: the same for a conversation in one account."""

    labels: tuple[bytes, ...] = ()
    """X-GM-LABELS, encoded as names of mailboxes are; without that of the open mailbox."""

    sections: dict[str, bytes] = field(default_factory=dict)
    """Octets by section: `` (the whole message), `TEXT`, `HEADER.FIELDS`, `1.2`. NIL is empty."""

    origins: dict[str, int] = field(default_factory=dict)
    """Offset of the first octet, for sections that the server says are partial (RFC 9051 section 7.5.2)."""

    @property
    def internaldate_epoch(self) -> int | None:
        """INTERNALDATE in seconds since 1970, as UTC if the server doesn't say; None if it is unknown."""
        moment = self.internal_date
        if moment is None:
            return None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())

    def has_flag(self, flag: str) -> bool:
        """Return whether it has a flag, in any case."""
        return flag.lower() in map(str.lower, self.flags)


def parse_rows(*replies: Response | RefusedError) -> tuple[dict[int, FetchedMessage], list[int]]:
    """Parse the FETCH responses that have a UID, and count those of each reply that are malformed.

    Responses without a UID are updates of flags that nobody requested.
    """
    merged: dict[int, dict[bytes, object]] = {}
    unreadable = [0] * len(replies)
    for number, reply in enumerate(replies):
        for line in (reply.response if isinstance(reply, RefusedError) else reply).lines("FETCH"):
            try:
                _, values = parse_line(line)
                row = {name.upper(): value for name, value in zip(values[::2], values[1::2], strict=True)}
            except (ValueError, TypeError, AttributeError):
                unreadable[number] += 1
                continue
            uid = row.get(b"UID")
            if isinstance(uid, int):
                merged.setdefault(uid, {}).update(row)
    return {uid: _typed(uid, row) for uid, row in merged.items()}, unreadable


def _typed(uid: int, row: dict[bytes, object]) -> FetchedMessage:
    sections: dict[str, bytes] = {}
    origins: dict[str, int] = {}
    for name, value in row.items():
        match = _SECTION.fullmatch(name)
        if match:
            section = match[1].decode("ascii", "replace").upper()
            # The general parser turns digits without quotes into numbers.
            sections[section] = (
                value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
            )
            if match[2]:
                origins[section] = int(match[2])
    flags, size, gmail_id = row.get(b"FLAGS"), row.get(b"RFC822.SIZE"), row.get(b"X-GM-MSGID")
    modseq, labels = row.get(b"MODSEQ"), row.get(b"X-GM-LABELS")
    return FetchedMessage(
        uid=uid,
        flags=tuple(
            flag.decode("utf-8", "replace") if isinstance(flag, bytes) else str(flag)
            for flag in (flags if isinstance(flags, tuple) else ())
            # \Recent is about this session, not about the message (RFC 3501 section 2.3.2).
            if isinstance(flag, bytes | int) and flag != b"\\Recent"
        ),
        internal_date=_date(row.get(b"INTERNALDATE")),
        size_octets=size if isinstance(size, int) else None,
        modseq=modseq[0] if isinstance(modseq, tuple) and modseq and isinstance(modseq[0], int) else 0,
        body_structure=row.get(b"BODYSTRUCTURE"),
        email_id=_object_id(row.get(b"EMAILID")),
        thread_id=_object_id(row.get(b"THREADID")) or _object_id((row.get(b"X-GM-THRID"),)),
        gmail_id=gmail_id if isinstance(gmail_id, int) else 0,
        labels=tuple(
            label if isinstance(label, bytes) else str(label).encode()
            for label in (labels if isinstance(labels, tuple) else ())
        ),
        sections=sections,
        origins=origins,
    )


def _object_id(value: object) -> str:
    """Return an id from its parentheses, "" if it isn't one; the general parser turns digits into numbers."""
    match value:
        case (bytes() as octets,) if _OBJECT_ID.fullmatch(octets):
            return octets.decode()
        case (int() as number,):
            return str(number)
        case _:
            return ""


def _date(value: object) -> datetime | None:
    """Parse an INTERNALDATE; None unless it is a time that converts to any time zone."""
    if not isinstance(value, bytes):
        return None
    try:
        parsed = parse_to_datetime(value, normalise=False)
        in_utc = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # an offset of a day or more, or the end of the year 9999
        return None
    return parsed if limits.YEAR_FIRST <= in_utc.year <= limits.YEAR_LAST else None

"""UID SEARCH: criteria in, UIDs out, whatever the server can do.

RFC 9051 section 6.4.4; extended results by RFC 4731 where they are advertised and behave.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from mailmcp.envelope import limits
from mailmcp.envelope.errors import InvalidInputError, Reason
from mailmcp.imap.connection import Answer, RefusedError, quoted
from mailmcp.imap.faults import refused, violation
from mailmcp.imap.session import Session

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NUMBERS = re.compile(rb"\d+")
_ESEARCH_ALL = re.compile(rb"\bALL (\d+(?::\d+)?(?:,\d+(?::\d+)?)*)(?= |$)", re.IGNORECASE)
_ESEARCH_COUNT = re.compile(rb"\bCOUNT (\d{1,10})(?= |$)", re.IGNORECASE)
_ESEARCH_COUNT_MAX = 2 * limits.SEARCH_WINDOW
"""Larger counts are not believed: no mailbox that is searched at once holds so many."""

_UID_MAX = 2**32 - 1
_UID_DIGITS = 20
"""As many are read: enough to see that a number is no UID."""
_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What to search for; all that is set must hold. Empty strings, False and None ask nothing."""

    query: str = ""
    """Words, each somewhere in headers or body; a "quoted phrase" counts as one."""

    from_: str = ""
    to: str = ""
    subject: str = ""
    unread_only: bool = False
    since: date | None = None
    """First day, by the server's internal date and clock."""

    before: date | None = None
    """First day after the range."""

    @property
    def is_all(self) -> bool:
        """Whether every message matches."""
        return not list(_keys(self))


def search_uids(session: Session, criteria: Criteria, *, below: int | None = None) -> "array[int]":
    """Find the messages of the open mailbox that match; one round trip, more only for huge mailboxes.

    Args:
        session: With its mailbox open.
        criteria: What to search for.
        below: Look only at UIDs under this one; None for all.

    Returns:
        UIDs, ascending, each once.

    Raises:
        InvalidInputError: With reason `charset_refused`: the server cannot search for non-ASCII text.
        InternalError: The server refuses the search, or its answer is not to be believed.
    """
    keys = list(_keys(criteria))
    if below is not None and below <= 1:
        return array("I")
    found = _search_windows(session, keys, below)
    if not found and criteria.is_all and below is None:
        _disbelieve_nothing(session)
    return found


def _disbelieve_nothing(session: Session) -> None:
    """Refuse an empty answer to ALL from a mailbox that is not empty: Strato gives such ones."""
    if session.mailbox is not None and session.mailbox.exists:
        raise violation(session.account.account_id, "finds no message in a mailbox that it says is not empty")


def _search_windows(session: Session, keys: list[bytes], below: int | None) -> "array[int]":
    mailbox = session.mailbox
    windows: Iterable[bytes | None] = [None if below is None else b"1:%d" % (below - 1)]
    if mailbox is not None and mailbox.uidnext is not None and mailbox.exists > limits.SEARCH_WINDOW:
        windows = uid_windows(below or mailbox.uidnext, size=limits.SEARCH_WINDOW, open_end=below is None)
    uids: set[int] = set()
    for window in windows:
        uids.update(_search_once(session, keys if window is None else [b"UID", window, *keys]))
    if uids and max(uids) > _UID_MAX:
        raise violation(session.account.account_id, "finds a message with an impossible UID")
    return array("I", sorted(uid for uid in uids if below is None or uid < below))


def uid_windows(uidnext: int, *, size: int, open_end: bool) -> Iterator[bytes]:
    """Divide the UIDs below `uidnext` into ranges of `size`; `open_end` lets the last one run to `*`.

    An answer line of imaplib holds at most 1,000,000 octets, which a window cannot exceed.
    """
    for low in range(1, uidnext, size):
        last = low + size >= uidnext
        yield b"%d:*" % low if last and open_end else b"%d:%d" % (low, min(low + size, uidnext) - 1)


def _search_once(session: Session, keys: list[bytes]) -> Sequence[int]:
    charset = [b"CHARSET", b"UTF-8"] if any(not key.isascii() for key in keys) else []
    arguments = charset + (keys or [b"ALL"])
    if session.can("ESEARCH") and not session.quirks.esearch_distrusted:
        answer = _ask(session, [b"RETURN", b"(COUNT ALL)", *arguments])
        uids = parse_esearch(answer.untagged.get("ESEARCH", ()), tag=answer.tag)
        if uids is not None:
            return uids
        session.quirks.esearch_distrusted = True
        if "SEARCH" in answer.untagged:
            return parse_search(answer.untagged["SEARCH"])
    return parse_search(_ask(session, arguments).untagged.get("SEARCH", ()))


def _ask(session: Session, arguments: list[bytes]) -> Answer:
    try:
        return session.run("SEARCH", *arguments, uid=True)
    except RefusedError as error:
        # Exchange says BAD without a word of the charset; other codes tell of other troubles.
        if error.code == "BADCHARSET" or (b"CHARSET" in arguments and error.code in {"", "CANNOT"}):
            raise InvalidInputError.of(
                "query",
                Reason.CHARSET_REFUSED,
                "the server cannot search for text that is not ASCII. Search for ASCII words, "
                "or for other criteria such as dates.",
            ) from error
        raise refused(session.account.account_id, error) from error


def parse_search(lines: Sequence[object]) -> list[int]:
    """Read untagged SEARCH responses: none, one, several, with empty lines or a MODSEQ at the end.

    iCloud sends odd ones; RFC 7162 section 3.1.5 adds `(MODSEQ n)`.
    """
    uids: list[int] = []
    for line in lines:
        if isinstance(line, bytes):
            numbers = _NUMBERS.findall(line.partition(b"(")[0])
            uids += (int(number[:_UID_DIGITS]) for number in numbers)
    return uids


def parse_esearch(lines: Sequence[object], *, tag: bytes) -> list[int] | None:
    """Read an ESEARCH response (RFC 4731 section 3.1).

    None if it is not one, or not for our `tag` and for UIDs, or contradicts itself.
    """
    if len(lines) != 1 or not isinstance(lines[0], bytes):
        return None
    head, _, rest = lines[0].rpartition(b")")
    if not head.endswith(b'"' + tag + b'"') or b"UID" not in rest.upper().split():
        return None
    count = _ESEARCH_COUNT.search(rest)
    if count is None or int(count[1]) > _ESEARCH_COUNT_MAX:
        return None
    ranges = _ESEARCH_ALL.search(rest)
    uids = list(_expand(ranges[1], most=int(count[1]))) if ranges else []
    return uids if len(uids) == int(count[1]) else None


def _expand(sequence_set: bytes, *, most: int) -> Iterator[int]:
    """Name each number of a sequence-set; stops one past `most`, so that a lie costs no memory."""
    given = 0
    for each in sequence_set.split(b","):
        low, high = sorted(int(end[:_UID_DIGITS]) for end in (each.split(b":") * 2)[:2])
        for number in range(low, high + 1):
            yield number
            given += 1
            if given > most:
                return


def _keys(criteria: Criteria) -> Iterator[bytes]:
    words = (word[1] or word[2] for word in _WORD.finditer(criteria.query))
    for word in filter(None, words):  # an empty phrase asks nothing, and servers find it everywhere
        yield from (b"TEXT", quoted(word))
    for key, text in ((b"FROM", criteria.from_), (b"TO", criteria.to), (b"SUBJECT", criteria.subject)):
        if text:
            yield from (key, quoted(text))
    if criteria.unread_only:
        yield b"UNSEEN"
    if criteria.since is not None:
        yield from (b"SINCE", format_search_date(criteria.since))
    if criteria.before is not None:
        yield from (b"BEFORE", format_search_date(criteria.before))


def format_search_date(day: date) -> bytes:
    """Write a date as SEARCH takes it, `5-Nov-2026`: English months, whatever the process locale."""
    return b"%d-%s-%04d" % (day.day, _MONTHS[day.month - 1].encode(), day.year)

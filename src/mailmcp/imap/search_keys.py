"""How a search is asked of a server: its keys (RFC 9051 section 6.4.4), and what is left to be verified here.

A key that the server is known to get wrong is left out, and its criterion verified on the
messages; what nothing can verify is asked in another way, and said.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mailmcp.envelope.errors import InvalidInputError, Reason
from mailmcp.imap.connection import quoted
from mailmcp.imap.criteria import Criteria, split_words
from mailmcp.imap.quirks import Feature, Quirks, Verdict

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ATOM = re.compile(r"[!#$&'+,\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,255}")
_DAY = timedelta(days=1)

_ADDRESS_FIELDS = frozenset({"from_", "to", "cc", "any_address"})
_ESCAPED = re.compile(r"""['"\\]""")
"""In From, To and Cc Dovecot finds only `O\\'Neil`: it searches names as it would write them itself."""

_HEADER_FEATURES = {
    "from_": (Feature.FROM,),
    "to": (Feature.TO,),
    "cc": (Feature.CC,),
    "subject": (Feature.SUBJECT,),
    "any_address": (Feature.FROM, Feature.TO, Feature.CC),
    "header_message_id": (Feature.HEADER,),
}
_MEASURE_FEATURES = {
    "larger_than": Feature.LARGER,
    "smaller_than": Feature.SMALLER,
    "since": Feature.SINCE,
    "before": Feature.BEFORE,
}
_FLAG_KEYS = {"unread_only": b"UNSEEN", "flagged": b"FLAGGED", "answered": b"ANSWERED"}
_FLAG_FIELDS = frozenset({*_FLAG_KEYS, "keyword"})
_WORDS_FIELDS = ("query", "exclude", "body")
_UNPROBED = _FLAG_FIELDS | {"has_attachment"}
_EXACT_HERE = frozenset({"has_attachment", "since", "before"})
"""Verified on the messages whatever the server says: it has no key, or one that knows days only."""

_NAMES = {
    "from_": "sender",
    "to": "To",
    "cc": "Cc",
    "subject": "subject",
    "any_address": "address",
    "header_message_id": "Message-ID",
    "larger_than": "size",
    "smaller_than": "size",
    "since": "date",
    "before": "date",
    "has_attachment": "attachments",
    "query": "words",
    "exclude": "words",
    "body": "words",
} | dict.fromkeys(_FLAG_FIELDS, "flags")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A search divided between the server and us."""

    keys: tuple[bytes, ...]
    """For SEARCH; none for all messages."""

    local: frozenset[str]
    """Fields of the criteria that hold only for messages that were looked at."""

    statements: tuple[str, ...] = ()
    complete: bool = True
    """False if something is asked in a way that misses matches."""

    @property
    def beyond_ascii(self) -> bool:
        """Whether the keys need CHARSET UTF-8. Never sent without need: Exchange refuses it."""
        return any(not key.isascii() for key in self.keys)


def needs_probes(criteria: Criteria) -> bool:
    """Whether criteria depend on what servers get wrong; those of flags do not."""
    return bool(criteria.asked - _UNPROBED)


def make_plan(criteria: Criteria, *, quirks: Quirks, can: Callable[[str], bool]) -> Plan:
    """Divide a search by what is known of the server.

    Raises:
        InvalidInputError: The server cannot search for text beyond ASCII (`charset_refused`), it
            is not Gmail, or the keyword is none.
    """
    _check(criteria, quirks=quirks, can=can)
    distrusted = frozenset(name for name in criteria.asked if _is_distrusted(name, criteria, quirks))
    words_by_header = not quirks.trusts(Feature.TEXT) and bool(criteria.asked & set(_WORDS_FIELDS))
    words_here = words_by_header and not (quirks.trusts(Feature.SUBJECT) and quirks.trusts(Feature.FROM))
    if words_here:
        distrusted |= criteria.asked & set(_WORDS_FIELDS)
    escaped = {name for name in criteria.asked & _ADDRESS_FIELDS if _ESCAPED.search(getattr(criteria, name))}
    local = distrusted | (criteria.asked & _EXACT_HERE) | escaped
    keys = tuple(_keys(criteria, without=distrusted, by_header=words_by_header))
    return Plan(
        keys=keys,
        local=local,
        statements=tuple(
            _statements(local, distrusted, _foreign(distrusted, quirks), words_by_header=words_by_header)
        ),
        complete=not words_by_header,
    )


def unproven(criteria: Criteria, quirks: Quirks) -> str:
    """Say which of the criteria rest on the server alone and could not be probed; "" for none."""
    features = {name: set(_features(name)) for name in criteria.asked}
    for name in criteria.asked:
        if not str(getattr(criteria, name)).isascii():
            features[name].add(Feature.CHARSET)
    names = {
        name
        for name, needed in features.items()
        if any(quirks.verdict(feature) is Verdict.UNKNOWN for feature in needed)
    }
    if not names:
        return ""
    return f"Whether the server's search by {_list_names(frozenset(names))} works could not be checked."


def _features(name: str) -> tuple[Feature, ...]:
    if name in _WORDS_FIELDS:
        return (Feature.TEXT,)
    if name in _MEASURE_FEATURES:
        return (_MEASURE_FEATURES[name],)
    return _HEADER_FEATURES.get(name, ())


def _check(criteria: Criteria, *, quirks: Quirks, can: Callable[[str], bool]) -> None:
    if criteria.keyword and not _ATOM.fullmatch(criteria.keyword):
        raise InvalidInputError.of(
            "keyword",
            Reason.INVALID_VALUE,
            "is not a keyword. Send one such as $Forwarded; for the flags of the system use "
            "unread_only, flagged or answered.",
        )
    if criteria.gmail_query and not can("X-GM-EXT-1"):
        raise InvalidInputError.of(
            "gmail_query",
            Reason.INVALID_VALUE,
            "works with Gmail only, which this account's server is not. "
            "Send query, from, subject, dates and the like instead.",
        )
    if not quirks.trusts(Feature.CHARSET):
        for name in (*_WORDS_FIELDS, "gmail_query"):
            if not str(getattr(criteria, name)).isascii():
                raise charset_refused(name)


def charset_refused(field: str) -> InvalidInputError:
    """Build the error for text beyond ASCII that the server cannot search for."""
    return InvalidInputError.of(
        field,
        Reason.CHARSET_REFUSED,
        "the server cannot search for text that is not ASCII. Search for ASCII words, "
        "or for other criteria such as dates, senders or subjects.",
    )


def _is_distrusted(name: str, criteria: Criteria, quirks: Quirks) -> bool:
    """Whether a criterion is better left out of what the server is asked, and verified here."""
    beyond_ascii = name in _HEADER_FEATURES and not str(getattr(criteria, name)).isascii()
    if beyond_ascii and not quirks.trusts(Feature.CHARSET):
        return True
    if name in _WORDS_FIELDS:
        return False
    if name in _FLAG_FIELDS:
        return not quirks.trusts(Feature.ALL)
    return not all(map(quirks.trusts, _features(name)))


def _keys(criteria: Criteria, *, without: frozenset[str], by_header: bool) -> Iterator[bytes]:
    for name in sorted(criteria.asked - without, key=_KEY_ORDER.index):
        match name:
            case "query" | "exclude" | "body":
                yield from _word_keys(name, getattr(criteria, name), by_header=by_header)
            case "subject":
                yield from (b"SUBJECT", quoted(criteria.subject))
            case "from_" | "to" | "cc" | "any_address":
                yield from _address_keys(name, getattr(criteria, name))
            case "header_message_id":
                yield from (b"HEADER", b"MESSAGE-ID", quoted(f"<{bare_message_id(criteria)}>"))
            case "gmail_query":
                yield from (b"X-GM-RAW", quoted(criteria.gmail_query))
            case "keyword":
                yield from (b"KEYWORD", criteria.keyword.encode())
            case _:
                yield from _measure_keys(name, criteria)


def _address_keys(name: str, text: str) -> Iterator[bytes]:
    for piece in map(quoted, filter(None, map(str.strip, _ESCAPED.split(text)))):
        if name == "any_address":
            yield from (b"OR", b"FROM", piece, b"OR", b"TO", piece, b"CC", piece)
        else:
            yield from (name.rstrip("_").upper().encode(), piece)


_KEY_ORDER = (
    *_FLAG_KEYS,
    *("keyword", "since", "before", "larger_than", "smaller_than", "from_", "to", "cc", "subject"),
    *("any_address", "header_message_id", "gmail_query", "query", "exclude", "body", "has_attachment"),
)
"""Cheap ones first: some servers evaluate keys in the order they come."""


def _measure_keys(name: str, criteria: Criteria) -> Iterator[bytes]:
    if name in _FLAG_KEYS:
        yield _FLAG_KEYS[name]
    elif name == "larger_than":
        yield from (b"LARGER", b"%d" % criteria.larger_than)
    elif name == "smaller_than":
        yield from (b"SMALLER", b"%d" % criteria.smaller_than)
    # Days of SEARCH have no zone, and the server's is not known: a day more on either side.
    elif name == "since" and criteria.since is not None:
        yield from (b"SINCE", format_search_date(_day(criteria.since, -_DAY)))
    elif name == "before" and criteria.before is not None:
        yield from (b"BEFORE", format_search_date(_day(criteria.before, 2 * _DAY)))


def _day(moment: datetime, shift: timedelta) -> date:
    try:
        return (moment.astimezone(UTC) + shift).date()
    except OverflowError:
        return moment.date()  # at the ends of the calendar a day more does not exist


def _word_keys(name: str, text: str, *, by_header: bool) -> Iterator[bytes]:
    for word in split_words(name, text):
        if name == "exclude":
            yield b"NOT"
        if by_header:
            yield from (b"OR", b"SUBJECT", quoted(word), b"FROM", quoted(word))
        else:
            yield from (b"BODY" if name == "body" else b"TEXT", quoted(word))


def bare_message_id(criteria: Criteria) -> str:
    """Give the Message-ID that is asked for without its angle brackets."""
    return criteria.header_message_id.strip().removeprefix("<").removesuffix(">")


def format_search_date(day: date) -> bytes:
    """Write a date as SEARCH takes it, `5-Nov-2026`: English months, whatever the process locale."""
    return b"%d-%s-%04d" % (day.day, _MONTHS[day.month - 1].encode(), day.year)


def _foreign(distrusted: frozenset[str], quirks: Quirks) -> frozenset[str]:
    """Tell which criteria are distrusted for their letters alone."""
    return frozenset(
        name for name in distrusted & set(_HEADER_FEATURES) if all(map(quirks.trusts, _HEADER_FEATURES[name]))
    )


def _statements(
    local: frozenset[str], distrusted: frozenset[str], foreign: frozenset[str], *, words_by_header: bool
) -> Iterator[str]:
    if words_by_header:
        yield (
            "The server's search in whole messages does not work: "
            "words were looked for in subjects and senders only."
        )
    if foreign:
        yield (
            "The server cannot search for text that is not ASCII: "
            f"{_list_names(foreign)} was verified here, message by message."
        )
    if wrong := _list_names(distrusted - foreign - set(_WORDS_FIELDS)):
        yield f"The server's search by {wrong} does not work: it was verified here, message by message."
    if (local - distrusted) & {"has_attachment"}:
        yield "Attachments were looked for here, message by message."


def _list_names(fields: frozenset[str]) -> str:
    return ", ".join(sorted({_NAMES[name] for name in fields}))

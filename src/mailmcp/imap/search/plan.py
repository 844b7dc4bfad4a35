"""How a search is asked of a server: its keys (RFC 9051 section 6.4.4), and what is left to be verified here.

A key that the server is known to get wrong is left out, and its criterion verified on the
messages; what nothing can verify is asked in another way, and said.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mailmcp.imap.command import quoted
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.features import ADDRESS_FIELDS, HEADER_FIELDS, features_of, list_names
from mailmcp.imap.search.words import WORDS_FIELDS, WordsAsked, ask_words, word_keys
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, InvalidInputError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ATOM = re.compile(r"[!#$&'+,\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,255}")
_DAY = timedelta(days=1)

_BETWEEN = re.compile(r"""['"\\<>(),]""")
"""What parts the pieces of a name and an address that are asked for: servers differ in where they find them.

Dovecot finds no `Ann Lee <ann@…>`, as rows show senders, and only `O\\'Neil`, as it would write that.
"""

_FLAG_KEYS = {
    "unread_only": b"UNSEEN",
    "flagged": b"FLAGGED",
    "answered": b"ANSWERED",
    "unanswered_only": b"UNANSWERED",
}
_EXACT_HERE = frozenset({"has_attachment", "since", "before"})
"""Verified on the messages whatever the server says: it has no key, or one that knows days only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A search divided between the server and us."""

    keys: tuple[bytes, ...]
    """For SEARCH; none for all messages."""

    local: frozenset[str]
    """Fields of the criteria that hold only for messages that were looked at."""

    statements: tuple[str, ...] = ()
    complete: bool = True
    """False if something is asked in a way that misses matches, or cannot tell all that do not match."""

    @property
    def beyond_ascii(self) -> bool:
        """Whether the keys need CHARSET UTF-8. Never sent without need: Exchange refuses it."""
        return any(not key.isascii() for key in self.keys)


def make_plan(criteria: SearchQuery, *, quirks: Quirks, can: Callable[[str], bool]) -> Plan:
    """Divide a search by what is known of the server.

    Raises:
        InvalidInputError: The server cannot search for text beyond ASCII (`charset_refused`), it
            is not Gmail, or the keyword is none.
    """
    _check(criteria, quirks=quirks, can=can)
    asked = criteria.asked
    words = {name: ask_words(name, quirks) for name in WORDS_FIELDS if name in asked}
    words_here = {name for name, how in words.items() if how is WordsAsked.HERE}
    distrusted = {name for name in asked - set(words) if _is_distrusted(name, criteria, quirks)} | words_here
    pieced = {name for name in asked & ADDRESS_FIELDS if _BETWEEN.search(getattr(criteria, name))}
    foreign = {name for name in distrusted & HEADER_FIELDS if all(map(quirks.trusts, features_of(name)))}
    keys = _keys(criteria, asked - distrusted, words)
    statements = [*_word_statements(words, quirks), *_statements(asked, distrusted - words_here, foreign)]
    return Plan(
        keys=tuple(keys),
        local=(asked & _EXACT_HERE) | distrusted | pieced,
        statements=tuple(statements),
        complete=not any(how.headers_only for how in words.values()),
    )


def keys_for(criteria: SearchQuery, names: Collection[str]) -> tuple[bytes, ...]:
    """Write the keys for some of the criteria, none of them words."""
    return tuple(_keys(criteria, names, {}))


def _check(criteria: SearchQuery, *, quirks: Quirks, can: Callable[[str], bool]) -> None:
    if criteria.keyword and not _ATOM.fullmatch(criteria.keyword):
        raise InvalidInputError.of(
            "keyword",
            BaseReason.INVALID_VALUE,
            "is not a keyword. Send one such as $Forwarded; for the flags of the system use "
            "unread_only, flagged, answered or unanswered_only.",
        )
    if criteria.gmail_query and not can("X-GM-EXT-1"):
        raise InvalidInputError.of(
            "gmail_query",
            BaseReason.INVALID_VALUE,
            "works with Gmail only, which this account's server is not. "
            "Send query, from, subject, dates and the like instead.",
        )
    if not quirks.trusts(Feature.CHARSET):
        for name in (*WORDS_FIELDS, "gmail_query"):
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


def _is_distrusted(name: str, criteria: SearchQuery, quirks: Quirks) -> bool:
    """Whether a criterion is better left out of what the server is asked, and verified here."""
    beyond_ascii = name in HEADER_FIELDS and not str(getattr(criteria, name)).isascii()
    if beyond_ascii and not quirks.trusts(Feature.CHARSET):
        return True
    return not all(map(quirks.trusts, features_of(name)))


def _keys(criteria: SearchQuery, names: Collection[str], words: Mapping[str, WordsAsked]) -> Iterator[bytes]:
    for name in sorted(names, key=_KEY_ORDER.index):
        match name:
            case "query" | "exclude" | "body":
                yield from word_keys(name, getattr(criteria, name), words[name])
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
    for piece in map(quoted, filter(None, map(str.strip, _BETWEEN.split(text)))):
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


def _measure_keys(name: str, criteria: SearchQuery) -> Iterator[bytes]:
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


def bare_message_id(criteria: SearchQuery) -> str:
    """Give the Message-ID that is asked for without its angle brackets."""
    return criteria.header_message_id.strip().removeprefix("<").removesuffix(">")


def format_search_date(day: date) -> bytes:
    """Write a date as SEARCH takes it, `5-Nov-2026`: English months, whatever the process locale."""
    return b"%d-%s-%04d" % (day.day, _MONTHS[day.month - 1].encode(), day.year)


def _word_statements(words: Mapping[str, WordsAsked], quirks: Quirks) -> Iterator[str]:
    limited = {name for name, how in words.items() if how.headers_only}
    if limited and not quirks.trusts(Feature.TEXT):
        yield (
            "The server's search in whole messages does not work: "
            "words were looked for in subjects and senders only."
        )
    elif limited:
        yield (
            "The server's search for messages without a word does not work: "
            "words to exclude were looked for in subjects and senders only."
        )
    if WordsAsked.AS_TEXT in words.values():
        yield "The server's search in bodies does not work: headers were searched, too."


def _statements(
    asked: Collection[str], distrusted: Collection[str], foreign: Collection[str]
) -> Iterator[str]:
    if foreign:
        yield (
            "The server cannot search for text that is not ASCII: "
            f"{list_names(foreign)} was verified here, message by message."
        )
    if wrong := set(distrusted) - set(foreign):
        yield (
            f"The server's search by {list_names(wrong)} does not work: "
            "it was verified here, message by message."
        )
    if "has_attachment" in asked:
        yield "Attachments were looked for here, message by message."

"""The plan of a search: keys of SEARCH (RFC 9051 section 6.4.4), and what to verify on the messages.

Even a good server leaves some things to verify: times to the second, since SEARCH knows days, in a zone that
nobody knows; attachments, which have no key; kinds of mail and awaited replies, whose keys find too much; and
names with their address, which are searched in pieces.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from mailmcp.imap.command import Command, quoted
from mailmcp.model.query import CRITERIA, NO_CRITERIA, Criterion, Keys, Kind, Proof, SearchQuery
from mcp_envelope import BaseReason, InvalidInputError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ALL_MESSAGES: Final = "ALL"
"""Among doubted criteria: the server finds no message at all."""

_BY_COST = sorted(CRITERIA, key=lambda row: list(Proof).index(row.proof))

# Dovecot and pymap read neither mislabelled text nor the file names of RFC 2231.
_GAPS_IN_TEXT = (
    "Servers may miss words in documents, in encrypted, signed or mislabelled text, "
    "and in encoded file names."
)
_GAPS_IN_HEADERS = "Servers may miss words in header fields whose charset is missing or unknown."


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A search divided between the server and us."""

    keys: tuple[bytes, ...]
    """For SEARCH; empty for all messages."""

    lists_all: bool = False
    """Whether messages are listed by FETCH, since the server's SEARCH finds none."""

    local: SearchQuery = NO_CRITERIA
    """What must be verified on each message that the server finds."""

    statements: tuple[str, ...] = ()
    complete: bool = True
    """False if the keys miss matches that a right search finds, or can't exclude all they should."""

    known_gaps: str = ""
    """Sentence: where even a server that searches correctly may miss words; "" if nowhere."""

    @property
    def needs_utf8(self) -> bool:
        """Whether the keys need CHARSET UTF-8. It is never sent without need: Exchange refuses it."""
        return any(not key.isascii() for key in self.keys)


def make_plan(
    query: SearchQuery, *, can: Callable[[str], bool], doubted: Collection[str] = (), ascii_only: bool = False
) -> Plan:
    """Plan a search.

    Args:
        query: What to search for.
        can: Returns whether the server has a capability.
        doubted: Names of criteria that the server must not be asked for; see `doubt`.
        ascii_only: Whether the server can't search for text that isn't ASCII.

    Raises:
        InvalidInputError: The server lacks the capability that a criterion needs.
    """
    rows = [row for row in _BY_COST if query[row]]
    for row in rows:
        if row.capability and not can(row.capability):
            raise InvalidInputError.of(
                row.argument,
                BaseReason.INVALID_VALUE,
                f"works only with {row.provider}, which this account doesn't use. Send other criteria.",
            )
    lists_all = ALL_MESSAGES in doubted
    foreign = [row for row in rows if ascii_only and not query.is_ascii(row)]
    wrong = [row for row in rows if row.keys and (row.name in doubted or lists_all) and row not in foreign]
    asked = [row for row in rows if row not in (*foreign, *wrong)]
    words = any(row.proof is Proof.WORDS for row in (*foreign, *wrong))
    statements = [
        why.format(", ".join(sorted({row.noun for row in some})))
        for some, why in ((foreign, _NO_CHARSET), (wrong, _NO_ANSWER))
        if some
    ]
    statements += [_WORDS_HERE] if words else []
    statements += [
        f"{row.noun.capitalize()} were checked here, message by message." for row in rows if not row.keys
    ]
    return Plan(
        keys=tuple(key for row in asked for key in write_keys(row, query)),
        lists_all=lists_all,
        local=query.only(row for row in rows if row not in asked or not row.is_exact(query[row])),
        statements=tuple(statements),
        complete=not words,
        known_gaps=_find_known_gaps(asked),
    )


_NO_CHARSET = "The server can't search for non-ASCII text: {} was checked here, message by message."
_NO_ANSWER = "The server's search by {} can't be relied on: it was checked here, message by message."
_WORDS_HERE = "Words were looked for in subjects and senders only."


def _find_known_gaps(rows: Iterable[Criterion]) -> str:
    """Describe where a server that searches for these criteria may miss words; "" if nowhere."""
    gaps = ""
    for row in rows:
        if row.proof in {Proof.WORDS, Proof.SERVER} and not row.negated:
            return _GAPS_IN_TEXT
        if row.proof is Proof.HEADER and row.kind is Kind.PHRASE:
            gaps = _GAPS_IN_HEADERS
    return gaps


def write_keys(row: Criterion, query: SearchQuery) -> Iterator[bytes]:
    """Write the keys of one criterion."""
    for term in row.terms(query[row]) if row.keys else ():
        if row.negated:
            yield b"NOT"
        parts: Keys = row.keys(term) if row.keys else ()
        for part in parts:
            match part:
                case bytes():
                    yield part
                case str():
                    yield quoted(part)
                case int():
                    yield b"%d" % part
                case date():
                    yield format_search_date(part)


def search_command(
    keys: Sequence[bytes], *, within: Sequence[bytes] = (), returning: bytes = b"(COUNT ALL)"
) -> Command:
    """Write a search by UID. It has a CHARSET only if it needs one: Exchange refuses it.

    Args:
        keys: What to search for; empty for all messages.
        within: Keys of the messages to search; empty for all.
        returning: What an ESEARCH response is to have; empty for a plain response.
    """
    options = (b"RETURN", returning) if returning else ()
    charset = () if all(map(bytes.isascii, keys)) else (b"CHARSET", b"UTF-8")
    return Command(name="SEARCH", arguments=[*options, *charset, *within, *(keys or (b"ALL",))], uid=True)


def format_search_date(day: date) -> bytes:
    """Format a date for SEARCH, `5-Nov-2026`: English months, whatever the process locale."""
    return b"%d-%s-%04d" % (day.day, _MONTHS[day.month - 1].encode(), day.year)


def may_change(query: SearchQuery) -> bool:
    """Return whether a message may match at one time and not at another, by its flags or Gmail's labels."""
    return any(row.proof in {Proof.FLAGS, Proof.SERVER} for row in query.criteria)

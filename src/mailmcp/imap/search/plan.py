"""A search divided: keys of SEARCH (RFC 9051 section 6.4.4) for the server, the rest to be verified.

A key that the server is known to get wrong is left out, and its criterion is verified. What nothing can
verify is searched for in another way, and a statement says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from mailmcp.imap.command import quoted
from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.features import list_names
from mailmcp.model.feature import Feature
from mailmcp.model.query import NO_CRITERIA, Criterion, Keys, Proof, SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, InvalidInputError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BY_COST = {proof: cost for cost, proof in enumerate(Proof)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A search divided between the server and us."""

    keys: tuple[bytes, ...]
    """For SEARCH; none for all messages."""

    local: SearchQuery = NO_CRITERIA
    """What has to be verified on each message."""

    statements: tuple[str, ...] = ()
    complete: bool = True
    """False if something is searched for in a way that misses matches, or can't exclude all it should."""

    @property
    def beyond_ascii(self) -> bool:
        """Whether the keys need CHARSET UTF-8. Never sent without need: Exchange refuses it."""
        return any(not key.isascii() for key in self.keys)


class _Words(Enum):
    """How words are searched for."""

    AS_ASKED = auto()
    AS_TEXT = auto()
    """TEXT for BODY: it finds all that BODY would, and what has the words in its headers."""

    IN_HEADERS = auto()
    """SUBJECT or FROM."""

    LOCALLY = auto()
    """Not by the server: subjects and senders are verified message by message."""


def make_plan(query: SearchQuery, *, quirks: Quirks, can: Callable[[str], bool]) -> Plan:
    """Divide a search by what is known of the server.

    Raises:
        InvalidInputError: The server can't search for text beyond ASCII (`charset_refused`), or lacks the
            capability that a criterion needs.
    """
    keys: list[bytes] = []
    local: list[Criterion] = []
    wrong: list[Criterion] = []
    foreign: list[Criterion] = []
    methods: set[_Words] = set()
    for row in sorted(query.criteria, key=lambda row: _BY_COST[row.proof]):
        _check(row, query, quirks=quirks, can=can)
        in_charset = quirks.trusts(Feature.CHARSET) or query.is_ascii(row)
        method = _Words.AS_ASKED
        if row.proof is Proof.WORDS:
            method = _choose_method(row, quirks)
            methods.add(method)
        elif not all(map(quirks.trusts, row.features)):
            wrong.append(row)
        elif not in_charset:
            foreign.append(row)
        if row in wrong or row in foreign or method is _Words.LOCALLY:
            local.append(row)
            continue
        keys += _row_keys(row, query, method)
        if not row.is_exact(query[row]):
            local.append(row)
    return Plan(
        keys=tuple(keys),
        local=query.only(local),
        statements=(*_word_statements(methods, quirks), *_statements(query, wrong, foreign)),
        complete=methods <= {_Words.AS_ASKED, _Words.AS_TEXT},
    )


def keys_for(query: SearchQuery) -> tuple[bytes, ...]:
    """Write the keys of a query as if the server got all of them right."""
    return tuple(key for row in query.criteria for key in _row_keys(row, query, _Words.AS_ASKED))


def _check(row: Criterion, query: SearchQuery, *, quirks: Quirks, can: Callable[[str], bool]) -> None:
    if row.capability and not can(row.capability):
        raise InvalidInputError.of(
            row.argument,
            BaseReason.INVALID_VALUE,
            f"works with {row.provider} only, and this account's server is another. Send other criteria.",
        )
    # Nothing can verify these on a message.
    by_server = row.proof in {Proof.WORDS, Proof.SERVER}
    if by_server and not query.is_ascii(row) and not quirks.trusts(Feature.CHARSET):
        raise InvalidInputError.of(
            row.argument,
            Reason.CHARSET_REFUSED,
            "the server can't search for text that is not ASCII. Search for ASCII words, "
            "or for other criteria such as dates, senders or subjects.",
        )


def _choose_method(row: Criterion, quirks: Quirks) -> _Words:
    """Search whole messages for words where the server can, else subjects and senders."""
    if row.negated and not quirks.trusts(Feature.NOT):
        return _Words.LOCALLY
    in_body = Feature.BODY in row.features
    if in_body and quirks.verdict(Feature.BODY) is Verdict.OK:
        return _Words.AS_ASKED
    if quirks.trusts(Feature.TEXT):
        return _Words.AS_TEXT if in_body and not quirks.trusts(Feature.BODY) else _Words.AS_ASKED
    by_header = quirks.trusts(Feature.SUBJECT) and quirks.trusts(Feature.FROM)
    return _Words.IN_HEADERS if by_header else _Words.LOCALLY


def _row_keys(row: Criterion, query: SearchQuery, method: _Words) -> Iterator[bytes]:
    assert row.keys is not None or row.proof is Proof.STRUCTURE  # noqa: S101 - by the row's own check
    for term in row.terms(query[row]) if row.keys else ():
        if row.negated:
            yield b"NOT"
        match method:
            case _Words.IN_HEADERS:
                yield from _written((b"OR", b"SUBJECT", str(term), b"FROM", str(term)))
            case _Words.AS_TEXT:
                yield from _written((b"TEXT", str(term)))
            case _:
                yield from _written(row.keys(term) if row.keys else ())


def _written(keys: Keys) -> Iterator[bytes]:
    for key in keys:
        match key:
            case bytes():
                yield key
            case str():
                yield quoted(key)
            case int():
                yield b"%d" % key
            case date():
                yield format_search_date(key)


def format_search_date(day: date) -> bytes:
    """Write a date as SEARCH takes it, `5-Nov-2026`: English months, whatever the process locale."""
    return b"%d-%s-%04d" % (day.day, _MONTHS[day.month - 1].encode(), day.year)


def _word_statements(methods: set[_Words], quirks: Quirks) -> Iterator[str]:
    limited = methods & {_Words.IN_HEADERS, _Words.LOCALLY}
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
    if _Words.AS_TEXT in methods:
        yield "The server's search in bodies does not work: headers were searched, too."


def _statements(
    query: SearchQuery, wrong: Sequence[Criterion], foreign: Sequence[Criterion]
) -> Iterator[str]:
    if foreign:
        yield (
            "The server cannot search for text that is not ASCII: "
            f"{list_names(foreign)} was verified here, message by message."
        )
    if wrong:
        yield (
            f"The server's search by {list_names(wrong)} does not work: "
            "it was verified here, message by message."
        )
    if any(row.keys is None for row in query.criteria):
        yield "Attachments were looked for here, message by message."

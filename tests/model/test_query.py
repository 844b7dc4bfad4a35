"""The table of criteria: complete rows, values that ask something, and keys for each."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.mail_kind import MailKind, WantedKind
from mailmcp.model.query import CRITERIA, Criterion, Keys, Kind, Proof, SearchQuery

NOON = datetime(2024, 2, 5, 12, tzinfo=UTC)

UNDATED = (b"NOT", b"SENTSINCE", date(1970, 1, 2))


def _seen(word: str) -> Keys:
    return (
        b"OR",
        b"FROM",
        word,
        b"OR",
        b"TO",
        word,
        b"OR",
        b"CC",
        word,
        b"OR",
        b"SUBJECT",
        word,
        b"BODY",
        word,
    )


ROWS: dict[str, tuple[str, Any, list[Keys]]] = {
    "query": ("q", ("tax", "annual report"), [_seen("tax"), _seen("annual report")]),
    "anywhere": ("qa", ("tax", "annual report"), [(b"TEXT", "tax"), (b"TEXT", "annual report")]),
    "exclude": ("x", ("draft",), [_seen("draft")]),
    "from_": ("f", "Ann Lee <ann@a.example>", [(b"FROM", "Ann Lee"), (b"FROM", "ann@a.example")]),
    "to": ("t", "Bob", [(b"TO", "Bob")]),
    "cc": ("c", "Eve", [(b"CC", "Eve")]),
    "any_address": ("y", "ann", [(b"OR", b"FROM", "ann", b"OR", b"TO", "ann", b"CC", "ann")]),
    "subject": ("s", "it's (urgent)", [(b"SUBJECT", "it's (urgent)")]),
    "body": ("o", "two words", [(b"BODY", "two words")]),
    "keyword": ("k", "$Forwarded", [(b"KEYWORD", b"$Forwarded")]),
    "header_message_id": ("i", " <a@b> ", [(b"HEADER", b"MESSAGE-ID", "<a@b>")]),
    "list_id": ("li", "news.a.example", [(b"HEADER", b"LIST-ID", "news.a.example")]),
    "gmail_query": ("g", "is:starred", [(b"X-GM-RAW", "is:starred")]),
    "unread_only": ("u", True, [(b"UNSEEN",)]),
    "flagged": ("l", True, [(b"FLAGGED",)]),
    "answered": ("r", True, [(b"ANSWERED",)]),
    "unanswered_only": ("ua", True, [(b"UNANSWERED",)]),
    "awaiting_reply": (
        "aw",
        AwaitedReply(side="from_others", own=("a@b", "c@d")),
        [(b"OR", b"FROM", "a@b", b"FROM", "c@d")],
    ),
    "has_attachment": ("h", True, []),
    "kind": (
        "mk",
        WantedKind(kind=MailKind.INVITATION),
        [()],
    ),
    "larger_than": ("m", 5, [(b"LARGER", 5)]),
    "smaller_than": ("e", 9, [(b"SMALLER", 9)]),
    "since": ("v", NOON, [(b"SINCE", date(2024, 2, 4))]),
    "before": ("w", NOON, [(b"BEFORE", date(2024, 2, 7))]),
    "written_since": ("vw", NOON, [(b"OR", b"SENTSINCE", date(2024, 2, 4), *UNDATED)]),
    "written_before": (
        "ww",
        NOON,
        [(b"OR", b"SENTBEFORE", date(2024, 2, 7), b"OR", *UNDATED, b"SENTSINCE", date(2038, 1, 1))],
    ),
}
"""For each criterion its code in cursors, which never changes, a value, and the search keys of that."""


def test_every_criterion_is_tested_here() -> None:
    assert [row.name for row in CRITERIA] == list(ROWS)


@pytest.mark.parametrize("row", CRITERIA, ids=lambda row: row.name)
def test_a_criterion_asks_something_and_has_its_keys(row: Criterion) -> None:
    code, value, keys = ROWS[row.name]
    query = SearchQuery(**{row.name: value})
    assert row.code == code
    assert query.criteria == (row,)
    assert query.only([row]) == query
    assert query.only([]) == SearchQuery()
    assert [row.keys(term) for term in row.terms(value) if row.keys] == keys


def test_a_query_without_criteria_matches_all() -> None:
    assert SearchQuery().criteria == ()
    assert SearchQuery(query=(), larger_than=0, unread_only=False, since=None).criteria == ()


def test_a_criterion_knows_whether_its_terms_are_ascii() -> None:
    [words, sender] = SearchQuery(query=("a", "ü"), from_="ann").criteria
    query = SearchQuery(query=("a", "ü"), from_="ann")
    assert (query.is_ascii(words), query.is_ascii(sender)) == (False, True)


ROW = SearchQuery(subject="x").criteria[0]


@pytest.mark.parametrize(
    "missing",
    [
        {"keys": None},
        {"header_fields": ()},
        {"proof": Proof.SIZE},
        {"proof": Proof.STRUCTURE},
        {"proof": Proof.SERVER},
        {"capability": "X-GM-EXT-1"},
        {"holds": lambda _value, _fact: True},
    ],
)
def test_an_incomplete_row_fails_when_it_is_defined(missing: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="the criterion with code s lacks"):
        replace(ROW, **missing)


def test_every_kind_and_every_proof_has_a_criterion() -> None:
    assert {row.kind for row in CRITERIA} == set(Kind)
    assert {row.proof for row in CRITERIA} == set(Proof)

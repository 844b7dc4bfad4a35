"""What header fields prove: decoded names and words, in any case, as people would say it."""

import pytest

from mailmcp.imap.search.proof import has_attachments, headers_match
from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.query import CRITERIA, Criterion, SearchQuery

HEADERS = (
    b"From: =?utf-8?q?J=C3=BCrgen?= =?utf-8?q?_M=C3=BCller?= <jm@example.org>\r\n"
    b'To: "Doe, Bob" <bob@example.org>, carol@example.org\r\n'
    b"Cc: dan@example.org\r\n"
    b"Subject: =?utf-8?b?QW5nZWJvdCBmw7xy?= =?utf-8?q?_Z=C3=BCrich?=\r\n"
    b"Message-ID: <Abc.1@example.org>\r\n"
    b"List-Id: =?utf-8?q?K=C3=A4se?= <cheese.example.org>\r\n\r\n"
)


CASES = (
    (SearchQuery(), True),
    (SearchQuery(from_="jürgen müller"), True),
    (SearchQuery(from_="Ju\u0308rgen"), True),
    (SearchQuery(from_="JM@EXAMPLE"), True),
    (SearchQuery(from_="Jürgen Müller <jm@example.org>"), True),
    (SearchQuery(from_="Jürgen Müller (jm@example.org)"), True),
    (SearchQuery(from_="<jm@example.org>"), True),
    (SearchQuery(from_="Jürgen <jm@example.org>"), False),
    (SearchQuery(from_="<"), True),
    (SearchQuery(from_="\\"), False),
    (SearchQuery(to="Doe, Bob <bob@example.org>"), True),
    (SearchQuery(subject='"Angebot"'), False),
    (SearchQuery(from_="bob"), False),
    (SearchQuery(to="doe, bob"), True),
    (SearchQuery(to="carol"), True),
    (SearchQuery(to="dan"), False),
    (SearchQuery(cc="dan"), True),
    (SearchQuery(cc="bob"), False),
    (SearchQuery(any_address="dan"), True),
    (SearchQuery(any_address="müller"), True),
    (SearchQuery(any_address="zürich"), False),
    (SearchQuery(subject="angebot für zürich"), True),
    (SearchQuery(subject="für  zürich"), True),
    (SearchQuery(subject="=?utf-8?b?QW5nZWJvdCBmw7xy?="), True),
    (SearchQuery(subject="basel"), False),
    (SearchQuery(header_message_id="abc.1@example.org"), True),
    (SearchQuery(header_message_id="<abc.1@example.org>"), True),
    (SearchQuery(header_message_id="abc.2@example.org"), False),
    (SearchQuery(header_message_id="1@example.org"), False),
    (SearchQuery(list_id="CHEESE.example"), True),
    (SearchQuery(list_id="käse"), True),
    (SearchQuery(list_id="wine.example"), False),
    (SearchQuery(awaiting_reply=AwaitedReply(side="from_me", own=("dan@example.org",))), False),
    (SearchQuery(awaiting_reply=AwaitedReply(side="from_others", own=("jm@example.org",))), True),
    (SearchQuery(from_="jürgen", subject="zürich", to="bob"), True),
    (SearchQuery(from_="jürgen", subject="zürich", to="eve"), False),
)


@pytest.mark.parametrize("row", [row for row in CRITERIA if row.header_fields], ids=lambda row: row.name)
def test_every_header_criterion_has_cases_that_hold_and_that_do_not(row: Criterion) -> None:
    assert {held for criteria, held in CASES if criteria.criteria == (row,)} == {True, False}


@pytest.mark.parametrize(("criteria", "held"), CASES)
def test_headers_match_a_query(criteria: SearchQuery, *, held: bool) -> None:
    assert headers_match(HEADERS, criteria) is held
    assert headers_match(HEADERS, criteria) is held


def test_empty_headers_match_nothing() -> None:
    assert not headers_match(b"", SearchQuery(subject="x"))
    assert headers_match(b"", SearchQuery())


PLAIN = (b"text", b"plain", None, None, None, b"7bit", 5, 1)
PDF = (b"application", b"pdf", (b"name", b"a.pdf"), None, None, b"base64", 500)


@pytest.mark.parametrize(
    ("structure", "found"),
    [
        (PLAIN, False),
        (PDF, True),
        ((PLAIN, PDF, b"mixed"), True),
        ((PLAIN, PLAIN, b"mixed"), False),
        (None, True),  # it may have one
        (b"nonsense", True),
        ((PLAIN, (b"", b""), b"mixed"), True),
    ],
)
def test_attachments_are_seen_in_the_structure(structure: object, *, found: bool) -> None:
    assert has_attachments(structure) is found
    assert has_attachments(structure) is found

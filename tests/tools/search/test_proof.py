"""What header fields prove: decoded names and words, in any case, as people would say it."""

import pytest

from mailmcp.model.query import Criteria
from mailmcp.tools.search.proof import PROOFS, has_attachments, prove_headers

HEADERS = (
    b"From: =?utf-8?q?J=C3=BCrgen?= =?utf-8?q?_M=C3=BCller?= <jm@example.org>\r\n"
    b'To: "Doe, Bob" <bob@example.org>, carol@example.org\r\n'
    b"Cc: dan@example.org\r\n"
    b"Subject: =?utf-8?b?QW5nZWJvdCBmw7xy?= =?utf-8?q?_Z=C3=BCrich?=\r\n"
    b"Message-ID: <Abc.1@example.org>\r\n\r\n"
)


@pytest.mark.parametrize(
    ("criteria", "held"),
    [
        (Criteria(), True),
        (Criteria(from_="jürgen müller"), True),
        (Criteria(from_="Ju\u0308rgen"), True),
        (Criteria(from_="JM@EXAMPLE"), True),
        (Criteria(from_="Jürgen Müller <jm@example.org>"), True),
        (Criteria(from_="Jürgen Müller (jm@example.org)"), True),
        (Criteria(from_="<jm@example.org>"), True),
        (Criteria(from_="Jürgen <jm@example.org>"), False),
        (Criteria(from_="<"), True),
        (Criteria(from_="\\"), False),
        (Criteria(to="Doe, Bob <bob@example.org>"), True),
        (Criteria(subject='"Angebot"'), False),
        (Criteria(from_="bob"), False),
        (Criteria(to="doe, bob"), True),
        (Criteria(to="carol"), True),
        (Criteria(to="dan"), False),
        (Criteria(cc="dan"), True),
        (Criteria(any_address="dan"), True),
        (Criteria(any_address="müller"), True),
        (Criteria(any_address="zürich"), False),
        (Criteria(subject="angebot für zürich"), True),
        (Criteria(subject="für  zürich"), True),
        (Criteria(subject="=?utf-8?b?QW5nZWJvdCBmw7xy?="), True),
        (Criteria(subject="basel"), False),
        (Criteria(header_message_id="abc.1@example.org"), True),
        (Criteria(header_message_id="<abc.1@example.org>"), True),
        (Criteria(header_message_id="abc.2@example.org"), False),
        (Criteria(header_message_id="1@example.org"), False),
        (Criteria(from_="jürgen", subject="zürich", to="bob"), True),
        (Criteria(from_="jürgen", subject="zürich", to="eve"), False),
    ],
)
def test_headers_hold_what_is_asked_of_them(criteria: Criteria, *, held: bool) -> None:
    assert prove_headers(HEADERS, criteria) is held
    assert PROOFS.headers(HEADERS, criteria) is held


def test_no_headers_hold_nothing() -> None:
    assert not prove_headers(b"", Criteria(subject="x"))
    assert prove_headers(b"", Criteria())


PLAIN = (b"text", b"plain", None, None, None, b"7bit", 5, 1)
PDF = (b"application", b"pdf", (b"name", b"a.pdf"), None, None, b"base64", 500)


@pytest.mark.parametrize(
    ("structure", "found"),
    [
        (PLAIN, False),
        (PDF, True),
        ((PLAIN, PDF, b"mixed"), True),
        ((PLAIN, PLAIN, b"mixed"), False),
        (None, False),
        (b"nonsense", False),
    ],
)
def test_attachments_are_seen_in_the_structure(structure: object, *, found: bool) -> None:
    assert has_attachments(structure) is found
    assert PROOFS.attachment(structure) is found

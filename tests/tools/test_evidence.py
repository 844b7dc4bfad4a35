"""Where the words of a search are looked for, and where they are found."""

import pytest

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.model.query import Criteria
from mailmcp.tools.evidence import (
    Seen,
    Sought,
    find_evidence,
    snippet_of,
    text_octets,
    text_of,
    words_sought,
)


@pytest.mark.parametrize(
    ("criteria", "sought"),
    [
        (Criteria(), Sought()),
        (Criteria(query='a "b c" a ""'), Sought(anywhere=("a", "b c"))),
        (Criteria(query='open "quote'), Sought(anywhere=("open", "quote"))),
        (Criteria(query="cafe\u0301* AND te,"), Sought(anywhere=("caf\u00e9", "te"))),
        (Criteria(from_="ann", to="b", cc="c"), Sought(from_=("ann",), to=("b",), cc=("c",))),
        (Criteria(any_address="x", to="b"), Sought(from_=("x",), to=("b", "x"), cc=("x",))),
        (Criteria(subject="two words", body="more"), Sought(subject=("two words",), body=("more",))),
        (Criteria(exclude="no", unread_only=True), Sought()),
        (Criteria(body=" "), Sought()),
    ],
)
def test_the_words_of_a_search(criteria: Criteria, sought: Sought) -> None:
    assert words_sought(criteria) == sought
    assert sought.anything is (sought != Sought())


def test_only_so_many_words_are_looked_for() -> None:
    words = words_sought(Criteria(query=" ".join(map(str, range(500))))).anywhere
    assert len(words) == limits.EVIDENCE_WORDS_MAX


SEEN = Seen(
    from_="Ann <ann@example.org>",
    to="Bob <bob@example.org>",
    cc="Carol <carol@example.org>",
    subject="Report for Zu\u0308rich",
    body="Dear Bob, the invoice 4711 is attached.",
    files=("invoice.pdf", "photo.jpg"),
)


@pytest.mark.parametrize(
    ("criteria", "places"),
    [
        (Criteria(query="example.org"), ["from", "to", "cc"]),
        (Criteria(query="BOB"), ["to", "body"]),
        (Criteria(query="invoice"), ["body", "attachment_name"]),
        (Criteria(query="zürich 4711"), ["subject", "body"]),
        (Criteria(query='"the invoice"'), ["body"]),
        (Criteria(subject="report"), ["subject"]),
        (Criteria(subject="invoice"), []),
        (Criteria(any_address="carol"), ["cc"]),
        (Criteria(body="attached"), ["body"]),
        (Criteria(query="pdf photo"), ["attachment_name"]),
        (Criteria(query="pdf\nphoto"), ["attachment_name"]),
        (Criteria(query="a.p"), []),
        (Criteria(), []),
    ],
)
def test_places_are_named_where_a_word_was_seen(criteria: Criteria, places: list[str]) -> None:
    assert find_evidence(words_sought(criteria), SEEN) == places


def test_nothing_seen_is_nothing_found() -> None:
    assert find_evidence(words_sought(Criteria(query="x")), Seen()) == []


def test_more_is_looked_at_where_words_are_sought_in_the_text() -> None:
    assert text_octets(Sought()) == text_octets(Sought(subject=("x",))) == limits.SNIPPET_OCTETS
    assert text_octets(Sought(anywhere=("x",))) == text_octets(Sought(body=("x",))) == limits.EVIDENCE_OCTETS


def test_html_is_read_as_a_person_sees_it() -> None:
    fetched = FetchedMessage(
        uid=1,
        sections={
            "HEADER.FIELDS": b"Content-Type: text/html; charset=utf-8\r\n\r\n",
            "TEXT": b"<style>.needle{}</style><p>a <b>nee</b>dle</p><p style='display:none'>hidden</p>",
        },
    )
    sought = Sought(anywhere=("needle",))
    assert text_of(fetched, sought) == "a needle"
    assert snippet_of("a needle", sought, 50) == "a needle"

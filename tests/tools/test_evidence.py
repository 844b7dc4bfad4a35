"""Where the words of a search are looked for, and where they are found."""

from base64 import encodebytes
from quopri import encodestring

import pytest

from mailmcp.imap.rows import FetchedMessage
from mailmcp.model.query import SearchQuery
from mailmcp.tools.evidence import EVIDENCE_OCTETS, SearchTerms, find_evidence, search_terms, text_of


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        (SearchQuery(), SearchTerms()),
        (SearchQuery(query=("a", "b c", "a")), SearchTerms(anywhere=("a", "b c"))),
        (SearchQuery(query=("cafe\u0301", "te")), SearchTerms(anywhere=("caf\u00e9", "te"))),
        (
            SearchQuery(any_address="x", to="b"),
            SearchTerms(by_place={"from": ("x",), "to": ("b", "x"), "cc": ("x",)}),
        ),
        (
            SearchQuery(subject="two words", body="more"),
            SearchTerms(by_place={"subject": ("two words",), "body": ("more",)}),
        ),
        (SearchQuery(exclude=("no",), unread_only=True), SearchTerms()),
        (SearchQuery(body=" "), SearchTerms()),
    ],
)
def test_the_words_of_a_search(query: SearchQuery, terms: SearchTerms) -> None:
    assert search_terms(query) == terms
    assert bool(terms) is (terms != SearchTerms())


TEXTS = {
    "subject": "Report for Zu\u0308rich",
    "from": "Ann <ann@example.org>",
    "to": "Bob <bob@example.org>",
    "cc": "Carol <carol@example.org>",
    "body": "Dear Bob, the invoice 4711 is attached.",
    "attachment_name": "invoice.pdf\nphoto.jpg",
}


@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
def test_no_character_is_halved_where_the_text_is_cut(encoding: str) -> None:
    text = b"xy" + "日本語é".encode() * EVIDENCE_OCTETS
    encode = {"base64": encodebytes, "quoted-printable": encodestring}.get(encoding, bytes)
    octets = encode(text)[:EVIDENCE_OCTETS]
    header = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: %b\r\n\r\n"
    sections = {"HEADER.FIELDS": header % encoding.encode(), "TEXT": octets}
    shown = text_of(FetchedMessage(uid=1, sections=sections), SearchTerms(anywhere=("x",)))
    assert len(shown) > 1_000
    assert set(shown) == set("xy日本語é")


@pytest.mark.parametrize(("word", "places"), [("hidden", []), ("tea", ["body"])])
def test_marks_contain_no_words(word: str, places: list[str]) -> None:
    terms = search_terms(SearchQuery(query=(word,)))
    assert find_evidence(terms, {"body": "[may be hidden: Tea at four?]"}) == places

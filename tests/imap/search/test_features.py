"""What is probed, and what is said where nothing could be."""

import pytest

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.features import blind_spots, needs_probes, unproven
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery


def test_probes_are_for_what_servers_get_wrong() -> None:
    assert not needs_probes(SearchQuery(unread_only=True, keyword="x", has_attachment=True))
    assert needs_probes(SearchQuery(unread_only=True, subject="x"))
    assert not needs_probes(SearchQuery())


def test_what_could_not_be_probed_is_named() -> None:
    quirks = Quirks(verdicts={Feature.SUBJECT: Verdict.OK, Feature.FROM: Verdict.OK})
    assert unproven(SearchQuery(subject="x", from_="y", unread_only=True, gmail_query="z"), quirks) == ""
    said = unproven(SearchQuery(subject="x", to="y", larger_than=1, query=("z",)), quirks)
    assert said == "Whether the server's search by To, size, words works could not be checked."


def test_text_beyond_ascii_needs_a_charset() -> None:
    quirks = Quirks(verdicts={Feature.SUBJECT: Verdict.OK})
    said = "Whether the server's search by subject works beyond ASCII could not be checked."
    assert unproven(SearchQuery(subject="Größe"), quirks) == said
    assert unproven(SearchQuery(subject="Größe"), quirks, found=1) == "", "it was looked for"
    assert unproven(SearchQuery(subject="Größe"), quirks, exists=0) == "", "nothing can be missed"
    quirks.verdicts[Feature.CHARSET] = Verdict.OK
    assert unproven(SearchQuery(subject="Größe"), quirks) == ""


def test_a_body_needs_what_is_asked_for_it() -> None:
    said = "Whether the server's search by body works could not be checked."
    quirks = Quirks(verdicts={Feature.TEXT: Verdict.OK})
    assert unproven(SearchQuery(body="x"), quirks) == said
    quirks.distrust(Feature.BODY)
    assert unproven(SearchQuery(body="x"), quirks) == "", "TEXT is asked instead"
    del quirks.verdicts[Feature.TEXT]
    assert unproven(SearchQuery(body="x"), quirks) == said


def test_words_to_exclude_need_two_keys() -> None:
    quirks = Quirks(verdicts={Feature.TEXT: Verdict.OK})
    assert "by words" in unproven(SearchQuery(exclude=("x",)), quirks)
    quirks.verdicts[Feature.NOT] = Verdict.OK
    assert unproven(SearchQuery(exclude=("x",)), quirks) == ""
    assert "beyond ASCII" in unproven(SearchQuery(exclude=("ü",)), quirks, found=1), (
        "what it leaves says nothing"
    )


@pytest.mark.parametrize(
    ("criteria", "wrong", "where"),
    [
        (SearchQuery(query=("x",)), None, "documents"),
        (SearchQuery(body="x", subject="y"), None, "documents"),
        (SearchQuery(body="x"), Feature.BODY, "documents"),
        (SearchQuery(gmail_query="x"), None, "documents"),
        (SearchQuery(subject="x"), None, "header fields"),
        (SearchQuery(any_address="x"), None, "header fields"),
        (SearchQuery(subject="x"), Feature.SUBJECT, ""),
        (SearchQuery(subject="x", from_="y"), Feature.SUBJECT, "header fields"),
        (SearchQuery(subject="ü"), Feature.CHARSET, ""),
        (SearchQuery(exclude=("x",), header_message_id="y", unread_only=True, larger_than=1), None, ""),
        (SearchQuery(), None, ""),
    ],
)
def test_words_can_be_overlooked_unless_they_are_verified_here(
    criteria: SearchQuery, wrong: Feature | None, where: str
) -> None:
    quirks = Quirks(verdicts={} if wrong is None else {wrong: Verdict.WRONG})
    said = blind_spots(criteria, quirks)
    assert where in said
    assert bool(where) is bool(said)

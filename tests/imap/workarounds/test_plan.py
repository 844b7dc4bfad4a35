"""The plan of a search on a server that gets keys wrong: what is searched for instead, and what is said."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.workarounds.plan import describe_unverified, find_probed, plan_around
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

NOON = datetime(2024, 2, 5, 12, tzinfo=UTC)


def plan(*wrong: Feature, can: tuple[str, ...] = (), **criteria: Any) -> Plan:
    quirks = Quirks()
    for feature in wrong:
        quirks.distrust(feature)
    return plan_around(SearchQuery(**criteria), quirks=quirks, can=lambda name: name in can)


@pytest.mark.parametrize(
    ("feature", "criteria"),
    [
        (Feature.FROM, {"from_": "ann"}),
        (Feature.TO, {"to": "ann"}),
        (Feature.CC, {"cc": "ann"}),
        (Feature.CC, {"any_address": "ann"}),
        (Feature.SUBJECT, {"subject": "x"}),
        (Feature.HEADER, {"header_message_id": "a@b"}),
        (Feature.LARGER, {"larger_than": 5}),
        (Feature.SMALLER, {"smaller_than": 5}),
        (Feature.SINCE, {"since": NOON}),
        (Feature.BEFORE, {"before": NOON}),
        (Feature.ALL, {"unread_only": True}),
        (Feature.ALL, {"keyword": "$Junk"}),
        (Feature.FLAGS, {"unread_only": True}),
        (Feature.FLAGS, {"keyword": "$Junk", "flagged": True}),
    ],
)
def test_wrong_keys_are_verified_here_and_reported(feature: Feature, criteria: dict[str, Any]) -> None:
    flags = feature in {Feature.ALL, Feature.FLAGS}
    made = plan(feature, **criteria, answered=not flags)
    assert made.keys == (() if flags else (b"ANSWERED",))
    assert made.local == SearchQuery(**criteria)
    assert made.complete
    [statement] = made.statements
    assert statement.startswith("The server's search by ")
    assert "doesn't work" in statement


def test_words_are_searched_in_headers_where_text_search_fails() -> None:
    made = plan(Feature.TEXT, query=("tax",), exclude=("old",), body="sum")
    assert b" ".join(made.keys).decode() == (
        'OR SUBJECT "tax" FROM "tax" NOT OR SUBJECT "old" FROM "old" OR SUBJECT "sum" FROM "sum"'
    )
    assert not made.complete
    assert "subjects and senders only" in made.statements[0]
    here = plan(Feature.TEXT, Feature.SUBJECT, query=("tax",), unread_only=True)
    assert here.keys == (b"UNSEEN",)
    assert here.local == SearchQuery(query=("tax",))
    assert not here.complete
    assert len(here.statements) == 1
    assert plan(Feature.TEXT, subject="tax").complete


def test_excluded_words_are_verified_where_not_fails() -> None:
    made = plan(Feature.NOT, query=("tax",), exclude=("old",))
    assert made.keys == (b"TEXT", b'"tax"')
    assert made.local == SearchQuery(exclude=("old",))
    assert not made.complete
    assert made.statements == (
        "The server can't exclude words: those were looked for in subjects and senders only.",
    )
    assert plan(Feature.NOT, query=("tax",)).complete


def test_bodies_that_cannot_be_searched_are_searched_with_their_headers() -> None:
    """That finds every match and more, and the plan says so."""
    made = plan(Feature.BODY, body="sum", query=("tax",))
    assert b" ".join(made.keys).decode() == 'TEXT "tax" TEXT "sum"'
    assert made.complete
    assert made.statements == ("The server's body search doesn't work: headers were searched, too.",)


@pytest.mark.parametrize("field", ["query", "exclude", "body", "gmail_query"])
def test_non_ascii_text_is_refused_without_a_charset(field: str) -> None:
    can = ("X-GM-EXT-1",)

    def asked(text: str) -> dict[str, Any]:
        return {field: (text,) if field in {"query", "exclude"} else text}

    assert plan(can=can, **asked("Größe")).needs_utf8
    with pytest.raises(InvalidInputError) as caught:
        plan(Feature.CHARSET, can=can, **asked("Größe"))
    assert caught.value.reason is Reason.CHARSET_REFUSED
    assert caught.value.problems[0].field == field
    assert not plan(Feature.CHARSET, can=can, **asked("size")).needs_utf8


def test_non_ascii_headers_are_verified_where_the_charset_is_refused() -> None:
    made = plan(Feature.CHARSET, subject="Größe", from_="ann")
    assert made.keys == (b"FROM", b'"ann"')
    assert made.local == SearchQuery(subject="Größe")


@pytest.mark.parametrize(
    ("criteria", "wrong", "keys"),
    [
        ({"query": ("a",)}, (Feature.BODY, Feature.NOT), 'TEXT "a"'),
        ({"query": ("a",)}, (Feature.TEXT, Feature.FROM), ""),
        ({"exclude": ("a",)}, (Feature.TEXT,), 'NOT OR SUBJECT "a" FROM "a"'),
        ({"body": 'a "b c"'}, (), r'BODY "a \"b c\""'),
        ({"body": 'a "b c"'}, (Feature.BODY,), r'TEXT "a \"b c\""'),
        ({"body": "a"}, (Feature.TEXT,), 'OR SUBJECT "a" FROM "a"'),
        ({"body": "a"}, (Feature.BODY, Feature.TEXT, Feature.SUBJECT), ""),
    ],
)
def test_words_are_searched_for_as_well_as_the_server_can(
    criteria: dict[str, Any], wrong: tuple[Feature, ...], keys: str
) -> None:
    made = plan(*wrong, **criteria)
    assert b" ".join(made.keys).decode() == keys
    assert made.local == (SearchQuery() if keys else SearchQuery(**criteria))


def test_a_body_key_that_works_needs_no_text() -> None:
    quirks = Quirks(verdicts={Feature.BODY: Verdict.OK, Feature.TEXT: Verdict.WRONG})
    made = plan_around(SearchQuery(body="a"), quirks=quirks, can=lambda _name: False)
    assert made.keys == (b"BODY", b'"a"')


def test_probes_are_for_what_servers_get_wrong() -> None:
    assert not find_probed(SearchQuery(unread_only=True, keyword="x", has_attachment=True))
    assert find_probed(SearchQuery(unread_only=True, subject="x"))
    assert not find_probed(SearchQuery())


def test_unprobed_criteria_are_named() -> None:
    quirks = Quirks(verdicts={Feature.SUBJECT: Verdict.OK, Feature.FROM: Verdict.OK})
    assert (
        describe_unverified(SearchQuery(subject="x", from_="y", unread_only=True, gmail_query="z"), quirks)
        == ""
    )
    said = describe_unverified(SearchQuery(subject="x", to="y", larger_than=1, query=("z",)), quirks)
    sure = "to be sure, search without larger_than, query, to."
    assert said == f"The server's search by To, size, words couldn't be tested: {sure}"


def test_non_ascii_text_is_unverified_without_a_charset() -> None:
    quirks = Quirks(verdicts={Feature.SUBJECT: Verdict.OK})
    sure = "to be sure, search for ASCII words."
    said = f"The server's search by subject for non-ASCII text couldn't be tested: {sure}"
    assert describe_unverified(SearchQuery(subject="Größe"), quirks) == said
    assert describe_unverified(SearchQuery(subject="Größe"), quirks, found=1) == "", "it was looked for"
    assert describe_unverified(SearchQuery(subject="Größe"), quirks, exists=0) == "", "nothing can be missed"
    quirks.verdicts[Feature.CHARSET] = Verdict.OK
    assert describe_unverified(SearchQuery(subject="Größe"), quirks) == ""


def test_a_body_is_unverified_until_the_key_sent_for_it_is() -> None:
    said = "The server's search by body couldn't be tested: to be sure, search without body."
    quirks = Quirks(verdicts={Feature.TEXT: Verdict.OK})
    assert describe_unverified(SearchQuery(body="x"), quirks) == said
    quirks.distrust(Feature.BODY)
    assert describe_unverified(SearchQuery(body="x"), quirks) == "", "TEXT is asked instead"
    del quirks.verdicts[Feature.TEXT]
    assert describe_unverified(SearchQuery(body="x"), quirks) == said


def test_words_to_exclude_need_two_keys() -> None:
    quirks = Quirks(verdicts={Feature.TEXT: Verdict.OK})
    assert "by words" in describe_unverified(SearchQuery(exclude=("x",)), quirks)
    quirks.verdicts[Feature.NOT] = Verdict.OK
    assert describe_unverified(SearchQuery(exclude=("x",)), quirks) == ""
    assert "non-ASCII" in describe_unverified(SearchQuery(exclude=("ü",)), quirks, found=1), (
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
def test_plans_name_the_known_gaps_of_servers(
    criteria: SearchQuery, wrong: Feature | None, where: str
) -> None:
    quirks = Quirks(verdicts={} if wrong is None else {wrong: Verdict.WRONG})
    said = plan_around(criteria, quirks=quirks, can=lambda _name: True).known_gaps
    assert where in said
    assert bool(where) is bool(said)

"""A search divided: keys for what the server is trusted with, the rest for ourselves, and a word on it."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.plan import Plan, format_search_date, keys_for, make_plan
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

NOON = datetime(2024, 2, 5, 12, tzinfo=UTC)


def plan(*wrong: Feature, can: tuple[str, ...] = (), **criteria: Any) -> Plan:
    quirks = Quirks()
    for feature in wrong:
        quirks.distrust(feature)
    return make_plan(SearchQuery(**criteria), quirks=quirks, can=lambda name: name in can)


@pytest.mark.parametrize(
    ("sender", "keys"),
    [
        ("Ann Lee <ann@a.example>", 'FROM "Ann Lee" FROM "ann@a.example"'),
        ("Ann Lee (ann@a.example)", 'FROM "Ann Lee" FROM "ann@a.example"'),
        ('"Lee, Ann" <ann@', 'FROM "Lee" FROM "Ann" FROM "ann@"'),
        ("O'Neil", 'FROM "O" FROM "Neil"'),
        ("<>", ""),
    ],
)
def test_names_and_addresses_are_asked_for_in_pieces_and_verified(sender: str, keys: str) -> None:
    made = plan(from_=sender)
    assert b" ".join(made.keys).decode() == keys
    assert made.local == SearchQuery(from_=sender)
    assert not made.statements


@pytest.mark.parametrize(
    ("criteria", "keys"),
    [
        ({}, ""),
        ({"query": ("tax", "annual report")}, 'TEXT "tax" TEXT "annual report"'),
        ({"exclude": ("draft", "old")}, 'NOT TEXT "draft" NOT TEXT "old"'),
        ({"body": "two words"}, 'BODY "two words"'),
        ({"from_": "Ann", "to": "Bob", "cc": "Eve"}, 'FROM "Ann" TO "Bob" CC "Eve"'),
        ({"subject": 'a"b\\c'}, r'SUBJECT "a\"b\\c"'),
        ({"any_address": "ann"}, 'OR FROM "ann" OR TO "ann" CC "ann"'),
        ({"header_message_id": "a@b"}, 'HEADER MESSAGE-ID "<a@b>"'),
        ({"header_message_id": " <a@b> "}, 'HEADER MESSAGE-ID "<a@b>"'),
        ({"keyword": "$Forwarded"}, "KEYWORD $Forwarded"),
        ({"unread_only": True, "flagged": True, "answered": True}, "UNSEEN FLAGGED ANSWERED"),
        ({"unanswered_only": True, "unread_only": True}, "UNSEEN UNANSWERED"),
        ({"larger_than": 5, "smaller_than": 9}, "LARGER 5 SMALLER 9"),
        ({"subject": "x", "query": ("y",), "unread_only": True}, 'UNSEEN SUBJECT "x" TEXT "y"'),
        ({"has_attachment": True}, ""),
    ],
)
def test_criteria_are_written_as_keys(criteria: dict[str, Any], keys: str) -> None:
    made = plan(**criteria)
    assert b" ".join(made.keys).decode() == keys
    assert made.complete
    assert made.local == SearchQuery(has_attachment="has_attachment" in criteria)


def test_days_are_asked_wider_and_times_verified() -> None:
    made = plan(since=NOON, before=NOON + timedelta(days=1))
    assert made.keys == (b"SINCE", b"4-Feb-2024", b"BEFORE", b"8-Feb-2024")
    assert made.local == SearchQuery(since=NOON, before=NOON + timedelta(days=1))
    far = NOON.replace(hour=1).astimezone(timezone(timedelta(hours=14)))
    assert plan(since=far).keys == (b"SINCE", b"4-Feb-2024")


def test_the_calendar_ends_without_a_crash() -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert plan(since=first, before=last).keys == (b"SINCE", b"1-Jan-0001", b"BEFORE", b"31-Dec-9999")


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
def test_what_is_wrong_is_verified_here_and_said(feature: Feature, criteria: dict[str, Any]) -> None:
    flags = feature in {Feature.ALL, Feature.FLAGS}
    made = plan(feature, **criteria, answered=not flags)
    assert made.keys == (() if flags else (b"ANSWERED",))
    assert made.local == SearchQuery(**criteria)
    assert made.complete
    [statement] = made.statements
    assert statement.startswith("The server's search by ")
    assert "does not work" in statement


def test_words_are_looked_for_in_headers_where_the_server_cannot_find_them() -> None:
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


def test_words_to_exclude_are_looked_for_here_where_the_server_cannot_negate() -> None:
    made = plan(Feature.NOT, query=("tax",), exclude=("old",))
    assert made.keys == (b"TEXT", b'"tax"')
    assert made.local == SearchQuery(exclude=("old",))
    assert not made.complete
    assert made.statements == (
        "The server's search for messages without a word does not work: "
        "words to exclude were looked for in subjects and senders only.",
    )
    assert plan(Feature.NOT, query=("tax",)).complete


def test_bodies_that_cannot_be_searched_are_searched_with_their_headers() -> None:
    """That finds all there is to be found, and more: which is said."""
    made = plan(Feature.BODY, body="sum", query=("tax",))
    assert b" ".join(made.keys).decode() == 'TEXT "tax" TEXT "sum"'
    assert made.complete
    assert made.statements == ("The server's search in bodies does not work: headers were searched, too.",)


@pytest.mark.parametrize("field", ["query", "exclude", "body", "gmail_query"])
def test_text_beyond_ascii_that_cannot_be_searched_for_is_refused(field: str) -> None:
    can = ("X-GM-EXT-1",)

    def asked(text: str) -> dict[str, Any]:
        return {field: (text,) if field in {"query", "exclude"} else text}

    assert plan(can=can, **asked("Größe")).beyond_ascii
    with pytest.raises(InvalidInputError) as caught:
        plan(Feature.CHARSET, can=can, **asked("Größe"))
    assert caught.value.reason is Reason.CHARSET_REFUSED
    assert caught.value.problems[0].field == field
    assert not plan(Feature.CHARSET, can=can, **asked("size")).beyond_ascii


def test_headers_beyond_ascii_are_verified_here_where_the_charset_is_refused() -> None:
    made = plan(Feature.CHARSET, subject="Größe", from_="ann")
    assert made.keys == (b"FROM", b'"ann"')
    assert made.local == SearchQuery(subject="Größe")


@pytest.mark.parametrize("text", ["a\r\nb", "a\nb", "a\0b", "ä\r\nb"])
def test_line_ends_never_reach_the_wire(text: str) -> None:
    with pytest.raises(ValueError, match="CR, LF or NUL"):
        plan(subject=text)


def test_keys_for_a_query_whatever_is_known_of_the_server() -> None:
    assert keys_for(SearchQuery(unread_only=True, larger_than=5)) == (b"UNSEEN", b"LARGER", b"5")


def test_search_dates_are_english_whatever_the_locale() -> None:
    assert format_search_date(date(2026, 11, 5)) == b"5-Nov-2026"
    assert format_search_date(date(987, 3, 25)) == b"25-Mar-0987"


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
    made = make_plan(SearchQuery(body="a"), quirks=quirks, can=lambda _name: False)
    assert made.keys == (b"BODY", b'"a"')

"""The plan of a search on a good server: its keys, and what is left to verify."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from mailmcp.imap.search.plan import Plan, format_search_date, make_plan
from mailmcp.model.query import SearchQuery
from mcp_envelope import InvalidInputError

NOON = datetime(2024, 2, 5, 12, tzinfo=UTC)


def plan(*can: str, **criteria: Any) -> Plan:
    return make_plan(SearchQuery(**criteria), can=lambda name: name in can)


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
def test_names_with_addresses_are_searched_in_pieces_and_verified(sender: str, keys: str) -> None:
    made = plan(from_=sender)
    assert b" ".join(made.keys).decode() == keys
    assert made.local == SearchQuery(from_=sender)
    assert not made.statements


@pytest.mark.parametrize(
    ("criteria", "keys"),
    [
        ({}, ""),
        ({"anywhere": ("tax", "annual report")}, 'TEXT "tax" TEXT "annual report"'),
        ({"query": ("a b",)}, 'OR FROM "a b" OR TO "a b" OR CC "a b" OR SUBJECT "a b" BODY "a b"'),
        ({"exclude": ("x",)}, 'NOT OR FROM "x" OR TO "x" OR CC "x" OR SUBJECT "x" BODY "x"'),
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
        ({"subject": "x", "body": "y", "unread_only": True}, 'UNSEEN SUBJECT "x" BODY "y"'),
        ({"has_attachment": True}, ""),
    ],
)
def test_criteria_become_keys(criteria: dict[str, Any], keys: str) -> None:
    made = plan(**criteria)
    assert b" ".join(made.keys).decode() == keys
    assert made.complete
    assert made.local == SearchQuery(has_attachment="has_attachment" in criteria)


def test_what_the_server_must_not_be_asked_for_is_verified() -> None:
    asked = SearchQuery(subject="ä", from_="ann", query=("x",), unread_only=True)
    made = make_plan(asked, can=lambda _name: False, doubted={"from_"}, ascii_only=True)
    assert made.keys[0] == b"UNSEEN"
    assert b"SUBJECT" in made.keys, "that of the words"
    assert made.local == SearchQuery(subject="ä", from_="ann")
    assert made.complete
    assert len(made.statements) == 2
    words = make_plan(asked, can=lambda _name: False, doubted={"query"})
    assert (words.local, words.complete) == (SearchQuery(query=("x",)), False)
    assert words.statements[-1] == "Words were looked for in subjects and senders only."


def test_days_have_a_margin_and_times_are_verified() -> None:
    made = plan(since=NOON, before=NOON + timedelta(days=1))
    assert made.keys == (b"SINCE", b"4-Feb-2024", b"BEFORE", b"8-Feb-2024")
    assert made.local == SearchQuery(since=NOON, before=NOON + timedelta(days=1))
    far = NOON.replace(hour=1).astimezone(timezone(timedelta(hours=14)))
    assert plan(since=far).keys == (b"SINCE", b"4-Feb-2024")


def test_the_calendar_ends_without_a_crash() -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert plan(since=first, before=last).keys == (b"SINCE", b"1-Jan-0001", b"BEFORE", b"31-Dec-9999")


@pytest.mark.parametrize("text", ["a\r\nb", "a\nb", "a\0b", "ä\r\nb"])
def test_line_ends_never_reach_the_wire(text: str) -> None:
    with pytest.raises(ValueError, match="CR, LF or NUL"):
        plan(subject=text)


def test_search_dates_are_english_whatever_the_locale() -> None:
    assert format_search_date(date(2026, 11, 5)) == b"5-Nov-2026"
    assert format_search_date(date(987, 3, 25)) == b"25-Mar-0987"


def test_a_criterion_of_another_provider_is_refused() -> None:
    assert plan("X-GM-EXT-1", gmail_query="is:starred").keys == (b"X-GM-RAW", b'"is:starred"')
    with pytest.raises(InvalidInputError, match="only with Gmail"):
        plan(gmail_query="is:starred")

"""A search in its three forms says the same in each."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mailmcp import limits
from mailmcp.imap.search.order import Order
from mailmcp.model.cursor import Position, SearchCursor, format_search_cursor
from mailmcp.model.query import CRITERIA, Criterion, Kind, SearchQuery
from mailmcp.tools.search.state import (
    Search,
    check_against_cursor,
    format_cursor,
    repeat_search,
    resume_search,
)
from mcp_envelope import InvalidInputError
from tools.search.starting import read, start

NEWEST, OLDEST = Order(), Order(ascending=True)
BERLIN = ZoneInfo("Europe/Berlin")


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type] # year, month, day, hour


SEARCHES: list[tuple[dict[str, Any], SearchQuery]] = [
    ({}, SearchQuery()),
    ({"query": "***", "subject": "  "}, SearchQuery()),  # asterisks and spaces ask for nothing
    (
        {"exclude": "x", "any_address": "y", "body": "o", "keyword": "$Junk", "flagged": True},
        SearchQuery(exclude=("x",), any_address="y", body="o", keyword="$Junk", flagged=True),
    ),
    (
        {"subject": "“Sensor drift”", "from": '"Lee, Ann"', "to": "ann*", "query": '"two words" a* b'},
        SearchQuery(subject="Sensor drift", from_="Lee, Ann", to="ann", query=("two words", "a", "b")),
    ),
    (
        {"account_id": "*", "mailbox": "*", "exclude_mailboxes": ["INBOX", "a.b:c", 'Grün, "x"']},
        SearchQuery(),
    ),
    ({"last_days": 365}, SearchQuery(since=at(2023, 3, 2))),
    (
        {"since": "2024-02-28", "before": "2024-02-29"},
        SearchQuery(since=at(2024, 2, 28), before=at(2024, 2, 29)),
    ),
    ({"since": "2024-02-28T10:00:00+02:00"}, SearchQuery(since=at(2024, 2, 28, 8))),
    ({"since": "0001-01-01T00:00:00+14:00", "before": "9999-12-31"}, SearchQuery()),
    ({"sort": "largest", "snippet_max_chars": 50}, SearchQuery()),
    *(({"body": text}, SearchQuery(body=text)) for text in ("語" * 400, "a\tb", "a.b=c&d%e+f g~-_'()")),
]


def arguments_of(search: Search) -> dict[str, Any]:
    return dict(repeat_search(search, "Again.").arguments)


def resume(search: Search) -> Search:
    """Read a search again from its cursor."""
    resumed = resume_search(format_cursor(search), UTC)
    assert (search.is_first_page, resumed.is_first_page) == (True, False)
    return replace(resumed, is_first_page=True)


@pytest.mark.parametrize(("raw", "criteria"), SEARCHES)
def test_arguments_become_a_query_and_arguments_again(raw: dict[str, Any], criteria: SearchQuery) -> None:
    search = start(**raw)
    assert search.query == criteria
    if "last_days" not in raw:  # they become the day on which they start
        assert arguments_of(search) == {"account_id": "home", "mailbox": "INBOX", **raw}
    assert resume(search) == search
    check_against_cursor(read(**raw), search)
    assert start(**arguments_of(search)).query == search.query


SENT: dict[Kind, Any] = {
    Kind.WORDS: "one",
    Kind.PHRASE: "a phrase",
    Kind.KEYWORD: "$Forwarded",
    Kind.MESSAGE_ID: "1@x",
    Kind.FOREIGN: "is:starred",
    Kind.FLAG: True,
    Kind.OCTETS: 1000,
    Kind.MOMENT: "2024-02-28",
    Kind.MAIL_KIND: "newsletter",
    Kind.AWAITED_REPLY: "from_me",
}


@pytest.mark.parametrize("row", [row for row in CRITERIA if row.name != "anywhere"], ids=lambda row: row.name)
def test_every_criterion_goes_from_its_argument_to_the_query_and_through_a_cursor(row: Criterion) -> None:
    sent = SENT[row.kind]
    search = start(**{row.argument: sent}, **({"dates": "written"} if row.asked_by else {}))
    assert search.query.criteria == (row,)
    assert resume(search).query == search.query
    assert arguments_of(search)[row.argument] == sent
    with pytest.raises(InvalidInputError, match=f"{row.argument}: contradicts the cursor"):
        check_against_cursor(read(**{row.argument: sent}), start())


TOO_MANY = [str(number) for number in range(limits.SEARCH_SOURCES_MAX // 2 + 1)]


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ({"start_date": "2024-02-02", "end_date": "2024-02-01"}, [("before", "out_of_range")]),
        ({"since": "2024-02-02", "before": "2024-02-02"}, [("before", "out_of_range")]),
        (
            {"since": "2024-02-02T10:00:00Z", "before": "2024-02-02T11:00:00+01:00"},
            [("before", "out_of_range")],
        ),
        # Without criteria a search lists everything.
        ({"query": '"', "exclude": "*,"}, [("query", "invalid_value"), ("exclude", "invalid_value")]),
        ({"from": "« »", "body": '\\"\\"'}, [("from", "invalid_value"), ("body", "invalid_value")]),
        ({"query": "from:ann"}, [("query", "invalid_value")]),
        ({"mailboxes": TOO_MANY, "account_id": "*"}, [("mailboxes", "out_of_range")]),
        ({"exclude_mailboxes": ["A"]}, [("exclude_mailboxes", "exclusive_params")]),
        ({"exclude_mailboxes": ["A"], "mailbox": "B"}, [("exclude_mailboxes", "exclusive_params")]),
    ],
)
def test_a_search_that_finds_nothing_or_everything_is_refused(
    raw: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        start("home", "club", **raw)
    assert [(each.field, each.reason.value) for each in caught.value.problems] == problems


SOURCE = Position(account_id="home", mailbox="A", uidvalidity=1, uid=2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sort": "x"},
        {"since": "2024-02-02", "before": "2024-02-01"},
        {"larger_than": "much"},
        {"query": "a" * 2000},
        {"query": '""'},
    ],
)
def test_a_cursor_of_an_impossible_search_is_malformed(arguments: dict[str, str]) -> None:
    cursor = SearchCursor(sources=(SOURCE,), total=3, arguments=arguments)
    with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
        resume_search(format_search_cursor(cursor), UTC)


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        ({"mailboxes": ["A", "B", "C"]}, []),
        ({"mailboxes": ["A", "C"]}, ["mailboxes"]),
        ({"mailboxes": ["B"]}, ["mailboxes"]),
        ({"account_id": "*"}, ["account_id"]),
        ({"sort": "oldest"}, ["sort"]),
        ({"last_days": 3}, ["last_days"]),
        ({"flagged": True, "larger_than": 5}, ["flagged", "larger_than"]),
    ],
)
def test_arguments_beside_the_cursor_of_a_list(raw: dict[str, Any], wrong: list[str]) -> None:
    """Mailboxes that have no more are not in the cursor: naming them is no contradiction."""
    cursor = SearchCursor(sources=(SOURCE, replace(SOURCE, mailbox="B")), total=3)
    search = resume_search(format_search_cursor(cursor), UTC)
    if not wrong:
        check_against_cursor(read(**raw), search)
        return
    with pytest.raises(InvalidInputError) as caught:
        check_against_cursor(read(**raw), search)
    assert [each.field for each in caught.value.problems] == wrong


def test_all_mailboxes_may_be_named_beside_a_cursor_of_some_of_them() -> None:
    cursor = SearchCursor(sources=(SOURCE,), total=3, arguments={"mailbox": "*"})
    check_against_cursor(read(mailbox="*"), resume_search(format_search_cursor(cursor), UTC))

"""A search in its three forms says the same in each."""

from datetime import date
from typing import Any

import pytest

from mailmcp.envelope.errors import InvalidInputError, Reason
from mailmcp.imap.search import Criteria
from mailmcp.tools.arguments import read_arguments
from mailmcp.tools.search_criteria import (
    SearchMessagesArguments,
    arguments_of,
    check_against_cursor,
    check_criteria,
    criteria_of,
    start_search,
)

TODAY = date(2024, 3, 1)

SEARCHES: list[tuple[dict[str, Any], Criteria]] = [
    ({}, Criteria()),
    ({"query": "a b"}, Criteria(query="a b")),
    (
        {"from": "ann", "to": "bob", "subject": "s"},
        Criteria(from_="ann", to="bob", subject="s"),
    ),
    ({"unread_only": True}, Criteria(unread_only=True)),
    ({"last_days": 1}, Criteria(since=date(2024, 2, 29))),
    ({"last_days": 365}, Criteria(since=date(2023, 3, 2))),
    ({"start_date": "2024-02-28"}, Criteria(since=date(2024, 2, 28))),
    ({"end_date": "2024-02-28"}, Criteria(before=date(2024, 2, 29))),
    ({"end_date": "9999-12-30"}, Criteria(before=date.max)),
    ({"end_date": "9999-12-31"}, Criteria()),
    ({"start_date": "0001-01-01"}, Criteria(since=date.min)),
]


def read(**raw: object) -> SearchMessagesArguments:
    return read_arguments(SearchMessagesArguments, raw)


@pytest.mark.parametrize(("raw", "criteria"), SEARCHES)
def test_arguments_become_criteria_and_arguments_again(raw: dict[str, Any], criteria: Criteria) -> None:
    search = start_search(read(**raw), "work", today=TODAY)
    assert criteria_of(search.criteria) == criteria
    assert arguments_of(search) == {"account_id": "work", "mailbox": "INBOX", "limit": 10, **raw}
    check_criteria(search)
    check_against_cursor(read(**raw), search)
    again = start_search(read(**arguments_of(search)), "work", today=TODAY)
    assert again.criteria == search.criteria


@pytest.mark.parametrize("name", ["", "inbox", "Inbox", "INBOX"])
def test_inbox_has_one_name(name: str) -> None:
    assert start_search(read(mailbox=name), "work", today=TODAY).mailbox == "INBOX"


def test_other_mailboxes_keep_theirs() -> None:
    assert start_search(read(mailbox="inbox/x"), "work", today=TODAY).mailbox == "inbox/x"


def test_a_range_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvalidInputError) as caught:
        start_search(read(start_date="2024-02-02", end_date="2024-02-01"), "work", today=TODAY)
    assert (caught.value.problems[0].field, caught.value.reason) == ("end_date", Reason.OUT_OF_RANGE)

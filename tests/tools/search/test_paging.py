"""From page to page: nothing twice, nothing skipped, whatever happens between two pages."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import NotFoundError
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_numbered
from tools.stores import Store


def pages(desk: Desk, **arguments: object) -> Iterator[Reply]:
    """Follow a search to its end, as its next actions say."""
    reply = desk.search(**arguments)
    yield reply
    while reply.data["has_more"]:
        action = reply.data["next_action"]
        reply = desk.call(action["tool"], action["arguments"])
        yield reply


def summaries(reply: Reply) -> tuple[object, ...]:
    data = reply.data
    return (data["messages"], data["total"], data.get("next_cursor"), data["has_more"], reply.outcome.summary)


@pytest.fixture
def seven(store: Store, desk: Desk) -> Desk:
    """Seven messages in INBOX."""
    store.fill("INBOX", make_numbered(*range(1, 8)))
    return desk


def test_the_next_page_costs_one_round_trip(seven: Desk) -> None:
    first = seven.search(limit=3)
    second = seven.search(cursor=first.data["next_cursor"])
    assert (second.telemetry.imap_round_trips, second.telemetry.cache_hit) == (1, True)
    again = seven.search(limit=3)
    assert (again.telemetry.imap_round_trips, again.telemetry.cache_hit) == (2, False)


def test_one_cursor_gives_one_page_any_number_of_times(seven: Desk, open_desk: DeskFactory) -> None:
    """Also without the cache, and after a restart: the cursor alone is enough."""
    cursor = seven.search(limit=3, snippet_max_chars=50, query="message").data["next_cursor"]
    expected = summaries(seven.search(cursor=cursor))
    assert summaries(seven.search(cursor=cursor)) == expected
    seven.forget()
    lost = seven.search(cursor=cursor)
    assert summaries(lost) == expected
    assert not lost.telemetry.cache_hit
    assert summaries(open_desk(*seven.accounts).search(cursor=cursor)) == expected


def test_limit_may_change_with_a_cursor(seven: Desk) -> None:
    cursor = seven.search(limit=2).data["next_cursor"]
    second = seven.search(cursor=cursor, limit=4)
    assert second.places == [5, 4, 3, 2]
    assert second.outcome.page is not None
    assert second.outcome.page.page_size == 4
    assert seven.search(cursor=second.data["next_cursor"]).places == [1]
    assert seven.search(cursor=cursor, limit=None).places == [5, 4]
    assert seven.search(cursor=cursor, limit=100).places == [5, 4, 3, 2, 1]


def test_last_days_asked_for_tomorrow_are_those_of_today(store: Store, desk: Desk) -> None:
    noon = datetime(2024, 3, 1, 12, tzinfo=UTC)
    for days_ago in (5, 4, 3, 2, 1):
        store.fill("INBOX", make_numbered(days_ago), received=noon - timedelta(days=days_ago))
    desk.today = noon.date()
    first = desk.search(limit=2, last_days=4)
    assert (first.places, first.data["total"]) == ([5, 4], 4)
    cursor = first.data["next_cursor"]
    expected = summaries(desk.search(cursor=cursor))
    desk.today += timedelta(days=2)
    desk.forget()
    tomorrow = desk.search(cursor=cursor, last_days=4)
    assert tomorrow.places == [3, 2]
    assert summaries(tomorrow) == summaries(desk.search(cursor=cursor)) == expected


def test_a_cursor_of_an_account_that_is_gone(store: Store, seven: Desk, open_desk: DeskFactory) -> None:
    cursor = seven.search(limit=2).data["next_cursor"]
    with pytest.raises(NotFoundError) as caught:
        open_desk(store.named("home")).search(cursor=cursor)
    assert caught.value.reason is Reason.ACCOUNT_UNKNOWN


def test_matches_are_counted_without_rows(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(*range(1, 13)))
    reply = desk.search(subject="Message", limit=0)
    data = reply.data
    assert (data["total"], data["returned"], data["messages"], data["has_more"]) == (12, 0, [], False)
    assert reply.outcome.summary.startswith("12 messages in `INBOX`")
    action = data["next_action"]
    assert "limit" not in action["arguments"]
    assert desk.call(action["tool"], action["arguments"]).data["returned"] == 10

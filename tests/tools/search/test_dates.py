"""Searches by Date header, mail that was imported or moved, and dates that can't be read."""

from datetime import UTC, datetime, timedelta

import pytest

from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.search.test_paging import pages
from tools.stores import Store

YESTERDAY = datetime(2026, 6, 30, 8, tzinfo=UTC)
NEWS = [f"News {number}" for number in (4, 3, 2, 1)]
ARCHIVE = [f"Archive {number}" for number in range(12, 0, -1)]


@pytest.fixture
def imported(store: Store, desk: Desk) -> Desk:
    """Four messages of June, then an archive of 2015 that arrived later, at once."""
    for number in range(1, 5):
        received = datetime(2026, 6, 10 + number, tzinfo=UTC)
        letter = make_letter(f"News {number}", date=f"{10 + number} Jun 2026 00:00:00 +0000")
        store.fill("INBOX", [letter.as_bytes()], received=received)
    for number in range(1, 13):
        letter = make_letter(f"Archive {number}", date=f"5 {month(number)} 2015 23:30:00 -0500")
        store.fill("INBOX", [letter.as_bytes()], received=YESTERDAY + timedelta(minutes=number))
    desk.today = YESTERDAY.date() + timedelta(days=1)
    return desk


def month(number: int) -> str:
    return ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][number - 1]


def subjects(reply: Reply) -> list[str]:
    return [row["subject"] for row in reply.data["messages"]]


def test_an_archive_does_not_bury_what_was_written_last(imported: Desk) -> None:
    buried = imported.search(limit=5)
    assert subjects(buried) == ARCHIVE[:5]
    assert "dates=written" in buried.text
    found = list(pages(imported, limit=5, dates="written"))
    assert [each for page in found for each in subjects(page)] == NEWS + ARCHIVE
    for page in found:
        assert "by Date header" in page.outcome.summary
        assert page.data["coverage"] == {
            "complete": True,
            "mailboxes_searched": 1,
            "mailboxes_failed": [],
            "method": "Times and order go by the Date header.",
        }
        assert "dates=written uses" not in page.text
    assert [page.telemetry.imap_round_trips for page in found[1:]] == [1] * (len(found) - 1)
    assert subjects(imported.search(sort="oldest", dates="written", limit=2)) == ["Archive 1", "Archive 2"]


def test_times_go_by_the_header_too(store: Store, imported: Desk) -> None:
    by_arrival = imported.search(last_days=7, limit=20)
    assert subjects(by_arrival) == ARCHIVE
    assert imported.search(last_days=7, dates="written").outcome.summary.startswith("No messages matched")
    days = {"start_date": "2015-03-06", "end_date": "2015-04-06"}
    assert subjects(imported.search(dates="written", **days)) == ["Archive 4", "Archive 3"]
    action = imported.search(**days).data["next_action"]
    if store.kind == "dovecot":  # pymap counts nothing
        assert subjects(imported.call(action["tool"], action["arguments"])) == ["Archive 4", "Archive 3"]


ARRIVED = datetime(2026, 11, 25, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize("date", ["jue ago 30 13:55:12 2007", ""])
def test_a_time_that_is_only_the_arrival_says_so(store: Store, open_desk: DeskFactory, date: str) -> None:
    desk = open_desk(store.account)
    store.fill("INBOX", [make_letter(date=date).as_bytes()], received=ARRIVED)
    reply = desk.search()
    [row] = reply.data["messages"]
    assert row["date"] == row["arrived"] == "2026-11-25T12:30:00Z"
    assert "- arrived 2026-11-25 12:30 | " in reply.text
    message = desk.get(row["message_id"])
    assert message.data["message"]["date"] == "2026-11-25T12:30:00Z"
    assert "no readable date: the date shown is when the server received it" in message.text
    thread = desk.call("imap_get_thread", {"message_id": row["message_id"]})
    assert "- arrived 2026-11-25 12:30 | " in thread.text

"""Dates whose programs wrote the words of another language, and dates that nobody can read."""

from datetime import UTC, datetime

import pytest

from tools.conftest import DeskFactory
from tools.stores import Store

ARRIVED = datetime(2026, 11, 25, 12, 30, tzinfo=UTC)
FOREIGN = {
    "jue ago 30 13:55:12 2007": "2007-08-30T13:55:12Z",
    "czw, 5 lis 2026 10:11:12 +0100": "2026-11-05T10:11:12+01:00",
    "Do, 05 Mär 2026 10:11:12 +0100": "2026-03-05T10:11:12+01:00",
    "чт, 05 ноя 2026 10:11:12 +0300": "2026-11-05T10:11:12+03:00",
    "2026年11月5日 10:11:12 +0900": "2026-11-05T10:11:12+09:00",
}
UNREAD = ["5 Foo 2026 10:11", "yesterday", ""]


def dated(date: str, charset: str = "utf-8") -> bytes:
    return f"From: ann@a.example\r\nSubject: {date}\r\nDate: {date}\r\n\r\nText\r\n".encode(charset)


def test_words_of_other_languages_are_read(store: Store, open_desk: DeskFactory) -> None:
    desk = open_desk(store.account)
    messages = [*map(dated, FOREIGN), dated("Do, 05 Mär 2026 10:11:12 +0100", "latin-1")]
    store.fill("INBOX", messages, received=ARRIVED)
    read = [*FOREIGN.values(), FOREIGN["Do, 05 Mär 2026 10:11:12 +0100"]]
    rows = desk.search(sort="oldest").data["messages"]
    assert [row["date"] for row in rows] == read
    assert {row["arrived"] for row in rows} == {"2026-11-25T12:30:00Z"}
    assert [desk.message(row["message_id"])["date"] for row in rows] == read
    in_2007 = desk.search(dates="written", start_date="2007-08-30", end_date="2007-08-30")
    assert [row["date"] for row in in_2007.data["messages"]] == ["2007-08-30T13:55:12Z"]


@pytest.mark.parametrize("date", UNREAD)
def test_a_time_that_is_only_the_arrival_says_so(store: Store, open_desk: DeskFactory, date: str) -> None:
    desk = open_desk(store.account)
    store.fill("INBOX", [dated(date)], received=ARRIVED)
    reply = desk.search()
    [row] = reply.data["messages"]
    assert row["date"] == row["arrived"] == "2026-11-25T12:30:00Z"
    assert "- arrived 2026-11-25 12:30 | " in reply.text
    message = desk.get(row["message_id"])
    assert message.data["message"]["date"] == "2026-11-25T12:30:00Z"
    assert "no readable date: the date shown is when the server received it" in message.text
    thread = desk.call("imap_get_thread", {"message_id": row["message_id"]})
    assert "- arrived 2026-11-25 12:30 | " in thread.text

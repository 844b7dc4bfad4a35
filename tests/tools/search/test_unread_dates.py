"""Dates that can't be read, as in the words of another language."""

from datetime import UTC, datetime

import pytest

from tools.conftest import DeskFactory
from tools.stores import Store

ARRIVED = datetime(2026, 11, 25, 12, 30, tzinfo=UTC)
UNREAD = ["jue ago 30 13:55:12 2007", "5 Foo 2026 10:11", "yesterday", ""]


def dated(date: str, charset: str = "utf-8") -> bytes:
    return f"From: ann@a.example\r\nSubject: {date}\r\nDate: {date}\r\n\r\nText\r\n".encode(charset)


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

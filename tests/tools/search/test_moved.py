"""Mailboxes into which old mail was moved: UIDs do not tell which message is the newest."""

from datetime import UTC, datetime, timedelta

import pytest

from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.search.test_paging import pages
from tools.stores import Store

DAYS = (9, 2, 5, 7, 1, 8)
"""When the messages arrived, by rising UID."""


@pytest.fixture
def moved(store: Store, desk: Desk) -> Desk:
    for day in DAYS:
        received = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
        store.fill("INBOX", make_numbered(day), received=received)
    return desk


def subjects(reply_rows: list[dict[str, object]]) -> list[int]:
    return [int(str(row["subject"]).split()[-1]) for row in reply_rows]


def test_a_search_begun_before_the_move_goes_on_as_it_began(store: Store, desk: Desk) -> None:
    now = datetime(2026, 3, 20, tzinfo=UTC)
    store.fill("INBOX", make_numbered(1, 2, 3, 4), received=now)
    first = desk.search(limit=2)
    store.fill("INBOX", make_numbered(5), received=now - timedelta(days=5))
    desk.search(limit=2)
    assert subjects(desk.search(cursor=first.data["next_cursor"]).data["messages"]) == [2, 1]


def test_what_cannot_be_sorted_is_said_on_each_page(
    pymap_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.search.candidates.BLOCK_MESSAGES", 3)
    for day in DAYS:
        received = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
        pymap_mail.fill("INBOX", make_numbered(day), received=received)
    found = list(pages(open_desk(pymap_mail.account), limit=2))
    assert [each for page in found for each in subjects(page.data["messages"])] == [8, 7, 1, 9, 5, 2]
    assert all("messages are in order, starting with those" in page.text for page in found)

"""A search of a large mailbox ends in time and goes on from there; 60 messages are large here."""

import re

import pytest

from mailmcp import limits
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.search.test_paging import pages
from tools.stores import Store


@pytest.fixture
def desk(dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk for a mailbox that is searched in windows of ten messages."""
    monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 20)
    monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_MESSAGES", 10)
    monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_S", 1e-9)
    monkeypatch.setattr(limits, "SEARCH_LISTED_MATCHES_MAX", 10)
    dovecot_mail.fill("INBOX", [make_letter(f"Message {number:02}").as_bytes() for number in range(60)])
    desk = open_desk(dovecot_mail.account)
    desk.search()  # a mailbox is large if it was when it was last opened
    return desk


@pytest.mark.parametrize("order", [{}, {"dates": "written"}], ids=["by UID", "in blocks"])
def test_a_page_of_a_search_whose_time_is_up_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, order: dict[str, str]
) -> None:
    monkeypatch.setattr("mailmcp.tools.search.sources.SEARCH_TIME_S", 0.0)
    assert desk.search(subject="Message 1", limit=7, **order).uids == []
    assert not desk.pool.sessions_of("work").quirks.believed, "nothing was found so far"
    first, *others = pages(desk, subject="Message 1", limit=7, **order)
    assert first.uids == []
    assert re.match(r"0 of at most \d+ messages in `INBOX`", first.outcome.summary)
    said = r"Searched the newest \d+ or so of 60 messages in `INBOX`; the rest has not been searched yet\."
    assert re.search(said, first.text)
    assert first.data["coverage"]["complete"], "on later pages"
    assert [uid for page in others for uid in page.uids] == list(range(20, 10, -1))
    assert "No more messages match" in others[-1].text or others[-1].uids
    assert {text for _, _, text in desk.reports} == {"messages searched"}


def test_a_block_that_is_searched_again_loses_nothing_if_that_takes_longer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = desk.search(subject="Message", dates="written", limit=25)
    monkeypatch.setattr("mailmcp.tools.search.sources.SEARCH_TIME_S", 0.0)
    desk.forget()
    second = desk.search(cursor=first.data["next_cursor"])
    assert first.uids + second.uids == list(range(60, 10, -1))

"""What a page of a large mailbox costs on Dovecot, and what it shows; 60 messages are large here."""

import re
from collections.abc import Iterator

import pytest

from mailmcp import limits
from mailmcp.imap.pool import Telemetry
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store

COUNT = 60


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 20)
    monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_MESSAGES", 10)
    monkeypatch.setattr(limits, "SEARCH_LISTED_MATCHES_MAX", 10)


@pytest.fixture
def large(dovecot_mail: Store, open_desk: DeskFactory) -> Desk:
    """A mailbox of 60 messages in five sizes, that the desk has opened before."""
    texts = ["Words. " * (number % 5) for number in range(COUNT)]
    dovecot_mail.fill(
        "INBOX", [make_letter(f"Message {number:02}", text).as_bytes() for number, text in enumerate(texts)]
    )
    desk = open_desk(dovecot_mail.account)
    desk.search()
    return desk


def walk(desk: Desk, **arguments: object) -> Iterator[Reply]:
    reply = desk.search(limit=7, **arguments)
    yield reply
    while cursor := reply.data.get("next_cursor"):
        reply = desk.search(cursor=cursor)
        yield reply


def trips(telemetry: Telemetry) -> int:
    return telemetry.imap_round_trips


@pytest.mark.parametrize("sort", ["newest", "oldest"])
@pytest.mark.parametrize("forgets", [False, True])
def test_everything_is_listed_in_two_round_trips_a_page(large: Desk, sort: str, *, forgets: bool) -> None:
    given: list[int] = []
    for page in walk(large, sort=sort):
        given += page.uids
        assert page.data["total"] == COUNT
        assert "total_at_most" not in page.data or page.data["total_at_most"] is None
        assert trips(page.telemetry) <= 2
        if forgets:
            large.forget()
    assert given == sorted(range(1, COUNT + 1), reverse=sort == "newest")


def test_a_page_of_a_search_whose_time_is_up_says_so(large: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.tools.search.sources.SEARCH_TIME_S", 0.0)
    monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_S", 1e-9)
    pages = list(walk(large, subject="Message 1"))
    first = pages[0]
    assert first.uids == []
    assert re.match(r"0 of at most \d+ messages in `INBOX`", first.outcome.summary)
    said = r"Searched the newest \d+ or so of 60 messages in `INBOX`; the rest has not been searched yet\."
    assert re.search(said, first.text)
    assert first.data["coverage"]["complete"], "on later pages"
    assert [uid for page in pages for uid in page.uids] == list(range(20, 10, -1))
    assert "No more messages match" in pages[-1].text or pages[-1].uids

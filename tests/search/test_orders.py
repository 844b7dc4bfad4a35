"""Mailboxes whose UIDs don't follow arrival: newest first is right, or the reply says by what it goes."""

from datetime import timedelta

import pytest

from imap.searches import NOON, letter
from servers.peer import Peer, PeerFactory
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.stores import peer_account

SERVERS = {"sorts": ("IMAP4rev1", "LITERAL+", "ESEARCH", "SORT"), "plain": ("IMAP4rev1", "LITERAL+")}
BY_BLOCKS = "The server can't sort"


def moved(uid: int) -> PeerMessage:
    """Of 200 messages, 40 were moved here: they arrived long before those around them."""
    early = timedelta(days=400) if 100 < uid <= 140 else timedelta()
    return letter(uid, received=NOON + timedelta(hours=uid) - early)


def imported(uid: int) -> PeerMessage:
    """500 ordinary messages, and an archive of 5,000 that was added after them."""
    hours = uid if uid <= 500 else uid - 20_000
    return letter(uid, received=NOON + timedelta(hours=hours))


MAILBOXES = {
    "moved": [moved(uid) for uid in range(1, 201)],
    "imported": [imported(uid) for uid in range(1, 5501)],
}


def newest(server: Peer) -> list[int]:
    return [each.uid for each in sorted(server.mailbox.messages, key=lambda each: (each.received, each.uid))][
        ::-1
    ]


@pytest.mark.parametrize("capabilities", SERVERS)
@pytest.mark.parametrize("mailbox", MAILBOXES)
def test_newest_first_is_right_or_says_what_it_is(
    peer: PeerFactory, open_desk: DeskFactory, mailbox: str, capabilities: str
) -> None:
    server = peer(messages=MAILBOXES[mailbox], capabilities=SERVERS[capabilities])
    first = (desk := open_desk(peer_account(server))).search(limit=100)
    second = desk.search(cursor=first.data["next_cursor"])
    assert len(set(first.uids + second.uids)) == 200
    if capabilities == "plain" and mailbox == "imported":
        assert BY_BLOCKS in first.text
        assert BY_BLOCKS in second.text
    else:
        assert first.uids + second.uids == newest(server)[:200]
        assert BY_BLOCKS not in first.text + second.text


@pytest.mark.parametrize("capabilities", SERVERS)
@pytest.mark.parametrize("arguments", [{}, {"dates": "written"}, {"sort": "oldest"}], ids=str)
def test_a_cursor_goes_on_in_a_mailbox_that_becomes_large(
    peer: PeerFactory,
    open_desk: DeskFactory,
    monkeypatch: pytest.MonkeyPatch,
    arguments: dict[str, object],
    capabilities: str,
) -> None:
    monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 200)
    server = peer(messages=[moved(uid) for uid in range(1, 201)], capabilities=SERVERS[capabilities])
    desk = open_desk(peer_account(server))
    page = desk.search(limit=30, **arguments)
    server.mailbox.messages.append(letter(201, received=NOON + timedelta(hours=201)))
    given = [*page.uids]
    while cursor := page.data.get("next_cursor"):
        desk.forget()
        page = desk.search(cursor=cursor)
        given += page.uids
    expected = [uid for uid in newest(server) if uid != 201]
    if "sort" in arguments:
        expected = [*expected[::-1], 201]
    assert given == expected

"""One of two accounts fails: the pages are as full as without it, and each says what is missing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from imap.searches import NOON, letter
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action, Close, Respond, Rule
from tools.desk import Desk, Reply
from tools.stores import peer_account

FAULTS: dict[str, tuple[str, Action, str]] = {
    "drops in FETCH": ("UID FETCH", Close("within"), "internal"),
    "drops in SEARCH": ("UID SEARCH", Close("before"), "internal"),
    "throttles": ("UID SEARCH", Respond(b"{tag} NO [THROTTLED] Slow down\r\n"), "internal"),
    "refuses the password": ("LOGIN", Respond(b"{tag} NO [AUTHENTICATIONFAILED] No\r\n"), "auth_failed"),
}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)


def mail(first: int) -> list[int]:
    return list(range(first, first + 9))


def server_with(peer: PeerFactory, first: int) -> Peer:
    """Nine messages; those of two servers take turns by arrival."""
    messages = [letter(uid, received=NOON + timedelta(hours=2 * uid)) for uid in mail(first)]
    return peer(messages=messages)


def pages(desk: Desk, **arguments: object) -> Iterator[Reply]:
    reply = desk.search(account_id="*", limit=4, **arguments)
    yield reply
    while cursor := reply.data.get("next_cursor"):
        reply = desk.search(cursor=cursor)
        yield reply


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("arguments", [{}, {"subject": "report"}, {"sort": "oldest"}], ids=str)
def test_a_failing_account_takes_no_place_on_a_page(
    peer: PeerFactory, fault: str, arguments: dict[str, object]
) -> None:
    command, action, error_code = FAULTS[fault]
    healthy, failing = server_with(peer, 1), server_with(peer, 1)
    failing.rules.append(Rule(command=command, action=action))
    accounts = [
        replace(peer_account(healthy), account_id="home"),
        replace(peer_account(failing), account_id="club"),
    ]
    with Desk(accounts) as desk:
        given: list[int] = []
        for number, page in enumerate(pages(desk, **arguments), start=1):
            data = page.data
            assert data["status"] == "partial"
            assert [(each["code"], each["account_id"]) for each in data["issues"]] == [(error_code, "club")]
            assert not data["coverage"]["complete"]
            assert "could not be searched" in page.text or "not everything could be searched" in page.text
            given += page.uids
            if len(given) == 9:
                break
            assert (number, len(page.uids)) == (number, 4), "a full page"
    assert given == (mail(1) if arguments.get("sort") == "oldest" else mail(1)[::-1])

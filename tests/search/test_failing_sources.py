"""One of three accounts fails: the pages are as full as without it, and each says what is missing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from imap.searches import NOON, letter
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action, Close, FailUid, Respond, Rule
from tools.desk import Desk, Reply
from tools.stores import peer_account

FAULTS: dict[str, tuple[str, Action, str]] = {
    "drops in FETCH": ("UID FETCH", Close("within"), "internal"),
    "drops in SEARCH": ("UID SEARCH", Close("before"), "internal"),
    "throttles": ("UID SEARCH", Respond(b"{tag} NO [THROTTLED] Slow down\r\n"), "internal"),
    "refuses the password": ("LOGIN", Respond(b"{tag} NO [AUTHENTICATIONFAILED] No\r\n"), "auth_failed"),
}


UIDS = range(1, 10)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)


def server_with(peer: PeerFactory, *, hours: int) -> Peer:
    """Nine messages, two hours apart."""
    messages = [letter(uid, received=NOON + timedelta(hours=2 * uid + hours)) for uid in UIDS]
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
    """Messages of the two others take turns by arrival."""
    command, action, error_code = FAULTS[fault]
    servers = {name: server_with(peer, hours=number) for number, name in enumerate(("home", "work", "club"))}
    servers["club"].rules.append(Rule(command=command, action=action))
    with Desk([replace(peer_account(each), account_id=name) for name, each in servers.items()]) as desk:
        given: list[tuple[int, str]] = []
        for page in pages(desk, **arguments):
            data = page.data
            assert data["status"] == "partial"
            assert [(each["code"], each["account_id"]) for each in data["issues"]] == [(error_code, "club")]
            coverage = data["coverage"]
            assert not coverage["complete"]
            assert coverage["mailboxes_failed"] == [{"account_id": "club", "mailbox": "INBOX"}]
            assert (data["total"], data["total_at_most"]) == (18, True)
            said = f"{data['returned']} of at most 18 messages in {coverage['mailboxes_searched']} mailbox"
            assert page.outcome.summary.startswith(said)
            assert page.outcome.summary.endswith("not everything could be searched")
            given += [(row["uid"], row["message_id"].split(":")[1]) for row in data["messages"]]
            if len(given) == 18:
                break
            assert data["returned"] == 4, "a full page"
    by_arrival = [(uid, name) for uid in UIDS for name in ("home", "work")]
    assert given == (by_arrival if arguments.get("sort") == "oldest" else by_arrival[::-1])


@pytest.mark.parametrize("sort", ["newest", "oldest"])
def test_a_first_message_that_can_not_be_fetched_hides_no_other(peer: PeerFactory, sort: str) -> None:
    """It has no time, and still belongs to the beginning: the others of its mailbox are in their places."""
    servers = {name: server_with(peer, hours=number) for number, name in enumerate(("home", "work"))}
    broken = UIDS[-1] if sort == "newest" else UIDS[0]
    servers["work"].rules.append(Rule(command="UID FETCH", action=FailUid(broken)))
    given: list[tuple[int, str]] = []
    with Desk([replace(peer_account(each), account_id=name) for name, each in servers.items()]) as desk:
        for page in pages(desk, sort=sort):
            given += [(row["uid"], row["message_id"].split(":")[1]) for row in page.data["messages"]]
    by_arrival = [(uid, name) for uid in UIDS for name in ("home", "work") if (uid, name) != (broken, "work")]
    assert given == (by_arrival if sort == "oldest" else by_arrival[::-1])

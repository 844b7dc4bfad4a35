"""A cut connection loses only the messages that had not arrived, and the reply names each of them."""

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from imap.searches import NOON, letter
from mailmcp.imap.pool import RETRY_ATTEMPTS
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Rule
from servers.peer_mailbox import PeerMailbox
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.stores import peer_account

CAPABILITIES = {"sorts": ("IMAP4rev1", "LITERAL+", "ESEARCH", "SORT"), "plain": ("IMAP4rev1", "LITERAL+")}
SEARCHES: tuple[Mapping[str, object], ...] = (
    {},
    {"sort": "oldest"},
    {"dates": "written"},
    {"subject": "report", "snippet_max_chars": 100},
    {"since": "2024-03-02"},
    {"has_attachment": True},
    {"mailbox": "*"},
    {"mailboxes": ["INBOX", "Lists"], "sort": "oldest"},
)
OCTETS = 12_000
"""More than any of the searches needs on one connection."""


@pytest.fixture
def server(peer: PeerFactory, capabilities: str) -> Peer:
    """Forty messages of odd sizes in two mailboxes; half of them have an attachment."""
    messages = [
        letter(uid, size=uid * 37 % 600, attached=uid % 2 == 0, received=NOON + timedelta(hours=uid * 7 % 40))
        for uid in range(1, 41)
    ]
    return peer(
        messages=messages[:25],
        mailboxes=[PeerMailbox(name="Lists", messages=messages[25:])],
        capabilities=CAPABILITIES[capabilities],
    )


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)


@pytest.mark.parametrize(
    "arguments", thin(SEARCHES, keep_every=2), ids=lambda each: "-".join(map(str, each.values())) or "all"
)
@pytest.mark.parametrize("capabilities", CAPABILITIES)
@pytest.mark.parametrize("cached", thin([True, False], keep_every=2))
@pytest.mark.parametrize("page", ["first", "next"])
def test_a_cut_keeps_what_came_and_names_the_rest(
    server: Peer,
    open_desk: DeskFactory,
    arguments: Mapping[str, Any],
    capabilities: str,
    page: str,
    *,
    cached: bool,
) -> None:
    chance = random.Random(f"{arguments}{capabilities}{page}{cached}")  # noqa: S311 - it must repeat
    desk, right = open_desk(peer_account(server)), open_desk(peer_account(server))
    for _ in range(3):
        asked = dict(arguments) | {"limit": chance.choice([5, 12, 40])}
        first = desk.search(**asked)
        if page == "next":
            if "next_cursor" not in first.data:
                continue
            asked = {"cursor": first.data["next_cursor"]}
        if not cached:
            desk.forget()
        # Each try of each session has a connection of its own.
        desk.pool.sessions_of("work").drop_idle()
        server.cuts[:] = [chance.randrange(100, OCTETS) for _ in range(12)]
        try:
            reply = desk.search(**asked)
        except InternalError as error:
            lost_or_refused = {Reason.CONNECTION_LOST, Reason.CONNECTION_REFUSED}
            assert error.reason in lost_or_refused  # noqa: PT017 - either may be
            continue
        finally:
            server.cuts.clear()
        check(reply, desk, following(right, asked))


def test_a_cut_in_every_try_loses_only_what_comes_after_it(peer: PeerFactory, open_desk: DeskFactory) -> None:
    rules = [Rule(command="UID FETCH", action=Close("within"))]
    server = peer(messages=[letter(uid) for uid in range(1, 11)], rules=rules)
    reply = open_desk(peer_account(server)).search()
    data = reply.data
    assert (data["status"], data["attempted"], len(data["issues"])) == ("partial", 10, data["failed"])
    assert 3 <= data["returned"] <= 5
    assert {issue["message_id"] for issue in data["issues"]}.isdisjoint(rows(reply))
    assert {(issue["code"], issue["stage"], issue["retryable"]) for issue in data["issues"]} == {
        ("internal", "fetch", True)
    }
    assert sum(each.name == "UID FETCH" for each in server.commands) == RETRY_ATTEMPTS


def check(reply: Reply, desk: Desk, everything: Mapping[str, object]) -> None:
    """Compare an interrupted page, and all after it, with what they would have been."""
    issues = reply.data["issues"]
    named = [issue["message_id"] for issue in issues if "message_id" in issue]
    got = rows(reply)
    assert all(issue["retryable"] for issue in issues)
    assert all(everything[message_id] == row for message_id, row in got.items())
    assert not set(named) & set(got)
    assert len(named) == reply.data["failed"]
    assert not (issues and reply.data["coverage"]["complete"])
    given = [*named, *got, *following(desk, {"cursor": reply.data.get("next_cursor", "")})]
    assert len(given) == len(set(given)), "nothing is given twice"
    assert set(everything) <= set(given), "nothing is lost without a word"


def rows(reply: Reply) -> dict[str, object]:
    """Return the row of each message on a page."""
    return {row["message_id"]: row for row in reply.data["messages"]}


def following(desk: Desk, asked: Mapping[str, object]) -> dict[str, object]:
    """Read a page and all that come after it, without faults."""
    found: dict[str, object] = {}
    while asked != {"cursor": ""}:
        reply = desk.search(**asked)
        assert reply.data["issues"] == []
        found |= rows(reply)
        asked = {"cursor": reply.data.get("next_cursor", "")}
    return found

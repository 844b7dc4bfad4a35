"""A connection cut anywhere costs the messages of a conversation that had not come, and no others."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from mailmcp.imap.pool import RETRY_ATTEMPTS
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Reply
from tools.stores import peer_account
from tools.talks import make_talk

MESSAGES = 24
OCTETS = 16_000
"""More than a conversation needs on one connection."""


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)


@pytest.fixture
def server(peer: PeerFactory) -> Peer:
    """A conversation in two mailboxes."""
    turns = make_talk(MESSAGES, text="Some words. " * 10)
    messages = [PeerMessage(uid=number, octets=octets) for number, octets in enumerate(turns, 1)]
    return peer(messages=messages[::2], mailboxes=[PeerMailbox(name="Sent", messages=messages[1::2])])


@pytest.mark.parametrize("seed", thin(range(40), keep_every=4))
def test_what_came_before_a_cut_is_shown_and_the_rest_is_named(
    server: Peer, open_desk: DeskFactory, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    asked = {"message_id": message_id, "max_chars": chance.choice([2_000, 20_000])}
    everything = follow(desk.call("imap_get_thread", asked), desk.call)
    assert len(everything) == MESSAGES
    desk.pool.sessions_of("work").drop_idle()
    server.cuts[:] = [chance.randrange(100, OCTETS) for _ in range(6)]
    try:
        reply = desk.call("imap_get_thread", asked)
    except InternalError as error:
        assert error.reason in {Reason.CONNECTION_LOST, Reason.CONNECTION_REFUSED}  # noqa: PT017 - either may be
        return
    finally:
        server.cuts.clear()
    check(reply, everything)
    if reply.data["issues"]:
        assert follow(desk.call(**next_call(reply)), desk.call).keys() <= everything.keys()


def test_a_cut_that_every_attempt_meets_costs_only_the_texts_behind_it(
    server: Peer, open_desk: DeskFactory
) -> None:
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    server.rules.append(Rule(command="UID FETCH", containing="BODY.PEEK[1]", action=Close("within")))
    reply = desk.call("imap_get_thread", {"message_id": message_id})
    data = reply.data
    assert (data["status"], data["total"]) == ("partial", MESSAGES)
    assert 1 <= len(data["messages"]) < MESSAGES
    assert len(data["issues"]) == MESSAGES - len(data["messages"])
    assert {(issue["code"], issue["stage"], issue["retryable"]) for issue in data["issues"]} == {
        ("internal", "fetch", True)
    }
    fetches = [each for each in server.commands if "BODY.PEEK[1]" in each.line]
    assert len({each.connection for each in fetches}) == RETRY_ATTEMPTS
    server.rules.clear()
    check(desk.call(**next_call(reply)), rows(desk.call("imap_get_thread", {"message_id": message_id})))


def check(reply: Reply, everything: Mapping[str, object]) -> None:
    """Check that a page has each message, or names it, and shows none otherwise than it should be."""
    shown, issues = rows(reply), reply.data["issues"]
    assert all(issue["retryable"] for issue in issues)
    assert all(shown[each].keys() == everything[each].keys() for each in shown)  # type: ignore[attr-defined]
    assert (reply.data["status"] == "partial") == bool(issues)
    assert not (issues and reply.data["coverage"]["complete"])
    named = [issue["message_id"] for issue in issues if "message_id" in issue]
    assert not set(named) & shown.keys()
    assert len(named) == len(set(named))
    if not any("message_id" not in issue for issue in issues):
        missing = everything.keys() - shown.keys() - set(named)
        assert not missing or reply.data.get("next_cursor"), "nothing is lost without a word"


def next_call(reply: Reply) -> dict[str, Any]:
    action = reply.outcome.next_action
    assert action is not None
    assert action.tool == "imap_get_thread"
    return {"tool": action.tool, "arguments": dict(action.arguments)}


def rows(reply: Reply) -> dict[str, Any]:
    return {row["message_id"]: row for row in reply.data["messages"]}


def follow(reply: Reply, call: Any) -> dict[str, Any]:
    """Read a page and all after it."""
    found = rows(reply)
    while reply.data.get("next_cursor"):
        reply = call("imap_get_thread", {"cursor": reply.data["next_cursor"]})
        found |= rows(reply)
    return found

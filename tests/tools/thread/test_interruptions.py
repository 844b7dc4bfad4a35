"""A connection cut anywhere costs no message of a conversation without a word."""

import random
from typing import Any

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.peer import PeerFactory
from servers.peer_mailbox import PeerMailbox
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.stores import peer_account
from tools.talks import make_talk, peer_messages

MESSAGES = 24
OCTETS = 16_000
"""More than a conversation needs on one connection."""


def read_pages(desk: Desk, reply: Reply) -> dict[str, Any]:
    """Return the rows of a page and of all after it, by id."""
    found = {row["message_id"]: row for row in reply.data["messages"]}
    cursor = reply.data.get("next_cursor")
    return found | read_pages(desk, desk.call("imap_get_thread", {"cursor": cursor})) if cursor else found


@pytest.mark.parametrize("seed", thin(range(24), keep_every=4))
def test_each_message_is_shown_or_named_or_still_to_come(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)
    messages = peer_messages(make_talk(MESSAGES, text="Some words. " * 10))
    server = peer(messages=messages[::2], mailboxes=[PeerMailbox(name="Sent", messages=messages[1::2])])
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    asked = {"message_id": message_id, "max_chars": chance.choice([2_000, 20_000])}
    everything = read_pages(desk, desk.call("imap_get_thread", asked))
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
    shown, issues = {row["message_id"] for row in reply.data["messages"]}, reply.data["issues"]
    assert (reply.data["status"] == "partial") == bool(issues)
    assert all(issue["retryable"] for issue in issues)
    if issues:
        assert not reply.data["coverage"]["complete"]
        action = reply.data["next_action"]
        assert read_pages(desk, desk.call(action["tool"], action["arguments"])).keys() <= everything.keys()
    else:
        assert shown == everything.keys() or reply.data.get("next_cursor")

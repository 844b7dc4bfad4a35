"""Many messages in few commands; bad ones stand alone."""

import pytest

from imap.scenes import make_account, session_on
from mailmcp import limits
from mailmcp.imap.fetch import Fetched, FetchJob, fetch_steps
from mailmcp.imap.pipeline import MailboxTask, run_pipelined
from mcp_envelope import ToolError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import make_messages

ITEMS = ("UID", "FLAGS")


def fetch(server: Peer, *jobs: FetchJob) -> list[Fetched]:
    with session_on(make_account(server)) as session:
        steps = fetch_steps(session, *jobs)
        [results] = run_pipelined(session, [MailboxTask(mailbox="INBOX", uidvalidity=None, steps=steps)])
    assert not isinstance(results, ToolError)
    return results


def fetches(server: Peer) -> list[str]:
    return [each.line.split(" ")[2] for each in server.commands if each.name == "UID FETCH"]


def test_nothing_asked_is_nothing_sent(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1))
    assert fetch(server, ([], ITEMS)) == [Fetched()]
    assert server.commands[-1].name != "UID FETCH"


def test_jobs_share_their_round_trip_and_their_rows(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = peer(messages=make_messages(1, 2, 3))
    first, second = fetch(server, ([3, 2], ITEMS), ([3, 2, 1, 9], ("UID", "RFC822.SIZE")))
    assert list(first.messages) == [3, 2]
    assert list(second.messages) == [3, 2, 1]
    assert second.messages[3].size_octets
    assert (first.failures, second.failures[9].code) == ({}, "not_found")
    monkeypatch.setattr(limits, "BURST_OCTETS", 10)
    limited = peer(messages=make_messages(1, 2, 3), capabilities=("IMAP4rev1", "MESSAGELIMIT=1"))
    assert list(fetch(limited, ([3, 1], ITEMS))[0].messages) == [3, 1]
    assert (fetches(server), fetches(limited)) == (["2:3", "1:3,9"], ["1", "3"])


@pytest.mark.parametrize("how", ["NO", "BAD", "garbage"])
def test_one_bad_message_spoils_no_other(peer: PeerFactory, how: str) -> None:
    rule = Rule(command="UID FETCH", action=FailUid(2, how))  # type: ignore[arg-type] # of three words
    server = peer(messages=make_messages(1, 2, 3, 4), rules=[rule])
    [alone] = fetch(server, ([4, 3, 2, 1, 7], ITEMS))
    assert set(alone.messages) == {1, 3, 4}
    assert {uid: each.code for uid, each in alone.failures.items()} == {2: "internal", 7: "not_found"}
    first, second = fetch(server, ([4, 2], ITEMS), ([4, 3], ITEMS))
    assert (set(first.messages), set(first.failures)) == ({4}, {2})
    assert (set(second.messages), set(second.failures)) == ({3, 4}, set())


def test_rows_of_jobs_may_be_mixed(peer: PeerFactory) -> None:
    """Dovecot does several commands at a time."""
    mixed = b"* 2 FETCH (UID 2 FLAGS (\\Seen))\r\n* 1 FETCH (UID 1 RFC822.SIZE 9)\r\n"
    rules = [
        Rule(command="UID FETCH", nth=1, action=Respond(mixed + b"{tag} OK -\r\n")),
        Rule(command="UID FETCH", nth=2, action=Respond(b"{tag} OK -\r\n")),
    ]
    first, second = fetch(peer(rules=rules), ([2], ITEMS), ([1], ("UID", "RFC822.SIZE")))
    assert first.messages[2].flags == ("\\Seen",)
    assert second.messages[1].size_octets == 9

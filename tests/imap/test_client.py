"""Commands and bursts get the responses that belong to them."""

import pytest

from imap.scenes import make_account, session_on
from mailmcp.imap.command import Command, RefusedError, Response
from servers.peer import PeerFactory
from servers.peer_actions import Bye, Respond, Rule


@pytest.mark.parametrize("status", ["NO", "BAD"])
def test_a_refusal_keeps_the_servers_text(peer: PeerFactory, status: str) -> None:
    answer = Respond(f'* 3 EXISTS\r\n{{tag}} {status} [LIMIT] It\'s "too" much\r\n'.encode())
    server = peer(rules=[Rule(command="NOOP", action=answer)])
    with session_on(make_account(server)) as session:
        with pytest.raises(RefusedError) as caught:
            session.run("NOOP")
        assert (caught.value.status, caught.value.code) == (status, "LIMIT")
        assert caught.value.text == '[LIMIT] It\'s "too" much'
        assert caught.value.response.number("EXISTS") == 3
        assert not session.in_doubt


def test_responses_to_an_earlier_command_are_dropped(peer: PeerFactory) -> None:
    unasked = Respond(b"* SEARCH 1 2\r\n* 5 EXISTS\r\n{tag} OK -\r\n")
    with session_on(make_account(peer(rules=[Rule(command="NOOP", nth=1, action=unasked)]))) as session:
        assert session.run("NOOP").number("EXISTS") == 5
        assert session.run("NOOP").untagged == {"OK": [b"NOOP done"]} or not session.run("NOOP").lines(
            "SEARCH"
        )


@pytest.mark.parametrize("lines", [b"", b"* BYE Leaving\r\n"])
def test_a_burst_has_a_result_for_each_command(peer: PeerFactory, lines: bytes) -> None:
    server = peer(rules=[Rule(command="STATUS", nth=2, action=Respond(lines + b"{tag} BAD Two\r\n"))])
    with session_on(make_account(server)) as session:
        before = session.handle.traffic.round_trips
        asked = ((b"INBOX", b"(MESSAGES)"), (b"INBOX", b"(UNSEEN)"), (b"Gone", b"(UNSEEN)"))
        burst = [Command(name="STATUS", arguments=each) for each in asked]
        if lines:
            with pytest.raises(Exception, match="lost"):
                session.run_all(burst)
            return
        first, second, third = session.run_all(burst)
        assert isinstance(first, Response)
        assert first.lines("STATUS") == [[b'"INBOX" (MESSAGES 0)']]
        assert isinstance(second, RefusedError)
        assert second.text == "Two"
        assert isinstance(third, RefusedError)
        assert third.code == "NONEXISTENT"
        assert session.handle.traffic.round_trips == before + 1


def test_bye_before_a_completion_is_a_lost_connection(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Bye())])
    with session_on(make_account(server)) as session, pytest.raises(Exception, match="lost"):
        session.run("NOOP")

"""What is learned counts for all sessions of the account."""

import pytest

from imap.scenes import Clock, make_account, newest, session_on
from mailmcp.imap.command import RefusedError
from mailmcp.imap.session import REFUSAL_AGE_S, Quirks
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages


def test_what_one_session_learned_another_knows(peer: PeerFactory) -> None:
    bad = Rule(command="UID SEARCH", containing="RETURN", action=Respond(b"{tag} OK -\r\n"))
    server = peer(messages=make_messages(1), rules=[bad])
    quirks = Quirks()
    for _ in range(2):
        with session_on(make_account(server), quirks) as session:
            assert newest(session) == [1]
    assert sum("RETURN" in command.line for command in server.commands) == 1


def test_what_was_refused_is_tried_again_after_a_while() -> None:
    clock = Clock()
    quirks = Quirks(clock=clock)
    assert quirks.allows("SORT")
    quirks.refuse("SORT")
    clock.now += REFUSAL_AGE_S - 1
    assert (quirks.allows("SORT"), quirks.allows("ESEARCH")) == (False, True)
    clock.now += 1
    assert quirks.allows("SORT")


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        ("Unknown key", True),
        ("[CANNOT] Not here", True),
        ("[BADCHARSET (US-ASCII)] No", True),
        ("[THROTTLED] Slow down", False),
        ("[UNAVAILABLE] Later", False),
        ("[NOPERM] Not yours", False),
    ],
)
def test_a_response_code_shows_whether_a_command_is_unsupported(text: str, *, unsupported: bool) -> None:
    assert RefusedError("SEARCH", "NO", text).is_unsupported is unsupported

"""Nothing is held against a server at first; what is learned counts for all sessions of the account."""

from imap.scenes import make_account, newest, session_on
from mailmcp.imap.quirks import Quirks
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages


def test_nothing_is_known_at_first() -> None:
    assert Quirks() == Quirks(esearch_distrusted=False, raw_names={})
    assert Quirks().raw_names is not Quirks().raw_names


def test_what_one_session_learned_another_knows(peer: PeerFactory) -> None:
    bad = Rule(command="UID SEARCH", containing="RETURN", action=Respond(b"{tag} OK -\r\n"))
    server = peer(messages=make_messages(1), rules=[bad])
    quirks = Quirks()
    for _ in range(2):
        with session_on(make_account(server), quirks) as session:
            assert newest(session) == [1]
    assert sum("RETURN" in command.line for command in server.commands) == 1

"""A mailbox of a million messages: the first search, of which nothing is known yet, and the second."""

import pytest

from imap.scenes import RunningPool, make_account, newest
from servers.peer import Peer, PeerFactory, Received
from servers.peer_actions import Respond, Rule

MILLION = 1_000_000
EXAMINED = Respond(
    b"* %d EXISTS\r\n* OK [UIDVALIDITY 1] -\r\n* OK [UIDNEXT %d] -\r\n{tag} OK [READ-ONLY] Done\r\n"
    % (MILLION, MILLION + 1)
)
NEWEST = range(MILLION, MILLION - 10, -1)
ROWS = Respond(
    b"".join(
        b'* %d FETCH (UID %d FLAGS () INTERNALDATE "21-Nov-2026 10:00:00 +0000" '
        b"BODY[HEADER.FIELDS (DATE FROM SUBJECT)] {23}\r\nFrom: a@example.org\r\n\r\n)\r\n" % (uid, uid)
        for uid in NEWEST
    )
    + b"{tag} OK Done\r\n"
)
RANGE = b'* ESEARCH (TAG "{tag}") UID COUNT %d ALL 1:%d\r\n{tag} OK Done\r\n' % (MILLION, MILLION)
LINE = b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, MILLION + 1)) + b"\r\n{tag} OK Done\r\n"


def searched(server: Peer) -> list[Received]:
    return [each for each in server.commands if each.name == "UID SEARCH"]


@pytest.mark.parametrize("answer", [RANGE, LINE], ids=["a range", "a line of 6.9 MB"])
def test_a_million_messages_are_searched_in_the_first_call(peer: PeerFactory, answer: bytes) -> None:
    """Servers exist that advertise ESEARCH and answer with a plain SEARCH."""
    server = peer(
        rules=[
            Rule(command="EXAMINE", action=EXAMINED),
            Rule(command="UID SEARCH", action=Respond(answer)),
            Rule(command="UID FETCH", action=ROWS),
        ]
    )
    with RunningPool(make_account(server)) as pool:
        assert pool.run(newest) == list(NEWEST)
        assert (len(searched(server)), server.connections) == (1, 1)
        assert pool.telemetry.bytes_received < len(answer) + 5_000
        assert pool.run(newest) == list(NEWEST)
        assert pool.telemetry.imap_round_trips == 2
        assert "UID 999000:* ALL" in searched(server)[-1].line, "a window"

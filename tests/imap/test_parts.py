"""Windows of a message join to the whole of it, whatever the server makes of ranges and sizes."""

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_whole, fetch_window
from mcp_envelope import Code
from servers.dovecot import Dovecot, Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage

OCTETS = bytes(range(48, 58)) * 30
"""300 octets that tell where they stand, to within ten."""


def message_of(octets: bytes) -> PeerMessage:
    return PeerMessage(uid=1, octets=octets)


def answer(item: bytes, octets: bytes, size: bytes = b" RFC822.SIZE 300") -> Rule:
    """Answer every FETCH with one and the same row."""
    row = b"* 1 FETCH (UID 1%b %b {%d}\r\n%b)\r\n{tag} OK -\r\n" % (size, item, len(octets), octets)
    return Rule(command="UID FETCH", action=Respond(row))


def window(server: Peer, offset: int, count: int) -> Window:
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        found = fetch_window(session, 1, offset=offset, count=count)
    assert isinstance(found, Window)
    return found


def whole(server: Peer, limit_octets: int = 10_000) -> bytes | Window | FetchFailure:
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        return fetch_whole(session, 1, limit_octets=limit_octets)


@pytest.mark.parametrize(("offset", "count"), [(0, 7), (5, 100), (290, 100), (0, 300), (299, 1)])
def test_a_window_is_that_part_of_the_message_and_knows_its_size(
    peer: PeerFactory, offset: int, count: int
) -> None:
    found = window(peer(messages=[message_of(OCTETS)]), offset, count)
    assert found.octets == OCTETS[offset : offset + count]
    assert found.end == offset + len(found.octets)
    assert found.size_octets == found.said_octets == 300


@pytest.mark.parametrize("offset", [300, 10_000])
def test_past_the_end_there_is_nothing(peer: PeerFactory, offset: int) -> None:
    found = window(peer(messages=[message_of(OCTETS)]), offset, 10)
    assert (found.octets, found.size_octets) == (b"", 300)


def test_dovecot_gives_the_same_windows(dovecot: Dovecot, dovecot_user: Login) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [b"Subject: x\r\n\r\n" + OCTETS + b"\r\n"])
    stored = b"Subject: x\r\n\r\n" + OCTETS + b"\r\n"
    with session_on(make_account(_At(dovecot), dovecot_user)) as session:
        open_mailbox(session, "INBOX")
        found = [fetch_window(session, 1, offset=offset, count=100) for offset in range(0, 500, 100)]
        everything = fetch_whole(session, 1, limit_octets=1_000)
    assert b"".join(each.octets for each in found if isinstance(each, Window)) == stored
    assert everything == stored


class _At:
    """Dovecot's plain port."""

    def __init__(self, server: Dovecot) -> None:
        self.host, self.port = server.host, server.plain_port


@pytest.mark.parametrize(
    ("item", "sent"),
    [
        (b"BODY[]<20>", OCTETS[20:30]),
        (b"BODY[]<0>", OCTETS),
        (b"BODY[]<15>", OCTETS[15:]),
        (b"BODY[]", OCTETS),
        (b"BODY[]", OCTETS[20:30]),
    ],
    ids=["right", "from the start", "a little earlier", "all without origin", "right without origin"],
)
def test_a_window_is_cut_out_of_whatever_came(peer: PeerFactory, item: bytes, sent: bytes) -> None:
    assert window(peer(rules=[answer(item, sent)]), 20, 10).octets == OCTETS[20:30]


def test_a_small_message_that_comes_whole_is_told_by_its_size(peer: PeerFactory) -> None:
    assert window(peer(rules=[answer(b"BODY[]", OCTETS)]), 290, 1_000).octets == OCTETS[290:]


def test_octets_from_behind_the_window_are_none_of_it(peer: PeerFactory) -> None:
    assert window(peer(rules=[answer(b"BODY[]<30>", OCTETS[30:40])]), 20, 10).octets == b""


def test_without_a_size_the_message_is_what_was_seen_of_it(peer: PeerFactory) -> None:
    assert window(peer(rules=[answer(b"BODY[]<20>", OCTETS[20:30], b"")]), 20, 10).size_octets == 30


def test_a_size_that_is_too_small_gives_way_to_what_came(peer: PeerFactory) -> None:
    server = peer(rules=[answer(b"BODY[]<20>", OCTETS[20:30], b" RFC822.SIZE 25")])
    assert window(server, 20, 10).size_octets == 30


@pytest.mark.parametrize(
    ("octets", "window_octets", "round_trips"),
    [(OCTETS, 1_000, 1), (OCTETS, 128, 3), (OCTETS, 100, 4), (b"", 100, 1)],
    ids=["one window", "three windows", "no short window", "empty"],
)
def test_all_windows_are_the_message(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, octets: bytes, window_octets: int, round_trips: int
) -> None:
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", window_octets)
    server = peer(messages=[message_of(octets)])
    assert whole(server) == octets
    assert sum(command.name == "UID FETCH" for command in server.commands) == round_trips


def test_a_server_that_gives_less_than_asked_is_asked_on(peer: PeerFactory) -> None:
    """Until it gives nothing: a size that is too large must not make an endless loop."""
    row = b"* 1 FETCH (UID 1 RFC822.SIZE 300 BODY[]<%d> {%d}\r\n%b)\r\n{tag} OK -\r\n"
    rules = [
        Rule(command="UID FETCH", containing=f"<{start}.", action=Respond(row % (start, len(sent), sent)))
        for start, sent in ((0, OCTETS[:100]), (100, OCTETS[100:250]), (250, b""))
    ]
    assert whole(peer(rules=rules)) == OCTETS[:250]


def test_a_message_that_is_too_long_is_not_fetched(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", 100)
    server = peer(messages=[message_of(OCTETS)])
    found = whole(server, limit_octets=299)
    assert isinstance(found, Window)
    assert found.size_octets == 300
    assert sum(command.name == "UID FETCH" for command in server.commands) == 1


def test_a_size_that_is_too_small_does_not_let_a_long_message_in(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", 200)
    server = peer(rules=[answer(b"BODY[]<0>", OCTETS, b" RFC822.SIZE 10")])
    assert isinstance(whole(server, limit_octets=199), Window)


@pytest.mark.parametrize("nth", [1, 2])
def test_a_message_that_cannot_be_had_is_a_failure(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", 100)
    gone = Rule(command="UID FETCH", nth=nth, action=Respond(b"{tag} OK -\r\n"))
    found = whole(peer(messages=[message_of(OCTETS)], rules=[gone]))
    assert isinstance(found, FetchFailure)
    assert found.code is Code.NOT_FOUND


def test_a_refusal_is_a_failure(peer: PeerFactory) -> None:
    found = whole(peer(messages=[message_of(OCTETS)], rules=[Rule(command="UID FETCH", action=FailUid(1))]))
    assert isinstance(found, FetchFailure)
    assert found.code is Code.INTERNAL

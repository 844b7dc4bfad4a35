"""Ranges of one part, whatever the server makes of them."""

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import PartStart, fetch_rest, fetch_start
from mcp_envelope import Code
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage

RANGE = 10
CONTENT = b"0123456789abcdefghijklmno"


@pytest.fixture(autouse=True)
def _short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", RANGE)


def message(content: bytes = CONTENT) -> PeerMessage:
    head = b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    parts = [b"Content-Type: text/plain\r\n\r\nText", b"Content-Type: application/zip\r\n\r\n" + content]
    return PeerMessage(
        uid=1, octets=head + b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b--\r\n"
    )


def answer(octets: bytes, origin: int | None = None) -> Respond:
    place = b"" if origin is None else b"<%d>" % origin
    return Respond(
        b"* 1 FETCH (UID 1 BODY[2]%b {%d}\r\n%b)\r\n{tag} OK Done\r\n" % (place, len(octets), octets)
    )


def nth(number: int, action: Respond | FailUid) -> Rule:
    return Rule(command="UID FETCH", nth=number, action=action)


def fetch(server: Peer, part_id: str = "2", *, size: int = len(CONTENT)) -> tuple[bytes, FetchFailure | None]:
    """Fetch a part; the octets, and the failure that ended it."""
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        start = fetch_start(session, 1, part_id)
        if isinstance(start, FetchFailure):
            return b"", start
        octets, failure = start.octets, None
        for each in fetch_rest(session, 1, part_id, start, size_octets=size):
            assert failure is None, "nothing follows a failure"
            if isinstance(each, FetchFailure):
                failure = each
            else:
                assert each
                octets += each
        session.run("NOOP")  # the session is in order
        return octets, failure


def asked(server: Peer) -> list[str]:
    fetches = [command for command in server.commands if command.name == "UID FETCH"]
    return [each.line.partition("BODY.PEEK")[2].rstrip(")\r\n") for each in fetches]


def test_a_part_comes_in_ranges_and_the_structure_with_the_first(peer: PeerFactory) -> None:
    server = peer(messages=[message()])
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        start = fetch_start(session, 1, "2")
        assert isinstance(start, PartStart)
        assert start.octets == CONTENT[:RANGE]
        assert start.message_octets == len(message().octets)
        assert isinstance(start.body_structure, tuple)
    assert fetch(server) == (CONTENT, None)
    assert asked(server)[1:] == ["[2]<0.10>", "[2]<10.10>", "[2]<20.10>"]


@pytest.mark.parametrize(
    ("size", "fetches"),
    [(3, 1), (10, 1), (11, 2), (20, 2)],
)
def test_no_more_ranges_are_asked_for_than_there_are(peer: PeerFactory, size: int, fetches: int) -> None:
    server = peer(messages=[message(CONTENT[:size])])
    assert fetch(server, size=size) == (CONTENT[:size], None)
    assert len(asked(server)) == fetches


def test_a_server_that_ignores_ranges_gives_all_at_once(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(1, answer(CONTENT))])
    assert fetch(server) == (CONTENT, None)
    assert len(asked(server)) == 1


def test_a_server_that_ignores_later_ranges_is_understood(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(2, answer(CONTENT))])
    assert fetch(server) == (CONTENT, None)


def test_a_server_that_forgets_the_origin_is_understood(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(2, answer(CONTENT[10:20]))])
    assert fetch(server) == (CONTENT, None)


def test_a_server_that_begins_too_early_is_understood(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(2, answer(CONTENT[5:15], 5))])
    assert fetch(server) == (CONTENT, None)


def test_a_server_that_gives_less_than_was_asked_for_is_asked_again(peer: PeerFactory) -> None:
    server = peer(
        messages=[message()], rules=[nth(1, answer(CONTENT[:4], 0)), nth(2, answer(CONTENT[4:5], 4))]
    )
    assert fetch(server) == (CONTENT, None)
    assert asked(server) == ["[2]<0.10>", "[2]<4.10>", "[2]<5.10>", "[2]<15.10>"]


def test_a_range_from_elsewhere_is_a_failure(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(2, answer(CONTENT[15:], 15))])
    octets, failure = fetch(server)
    assert octets == CONTENT[:10]
    assert failure is not None
    assert (failure.code, failure.stage) == (Code.INTERNAL, "fetch")


def test_an_answer_without_octets_ends_it(peer: PeerFactory) -> None:
    """The size was an estimate, or something is wrong; the caller sees that octets are missing."""
    server = peer(messages=[message()])
    assert fetch(server, size=1_000) == (CONTENT, None)
    assert len(asked(server)) == 4


@pytest.mark.parametrize("size", [1, 12, 22])
def test_a_size_that_is_too_small_cuts_nothing_off(peer: PeerFactory, size: int) -> None:
    assert fetch(peer(messages=[message()]), size=size) == (CONTENT, None)


def test_a_message_that_vanishes_in_between_is_a_failure(peer: PeerFactory) -> None:
    server = peer(messages=[message()], rules=[nth(2, Respond(b"{tag} OK Done\r\n"))])
    octets, failure = fetch(server)
    assert octets == CONTENT[:10]
    assert failure is not None
    assert failure.code is Code.NOT_FOUND


@pytest.mark.parametrize("how", ["NO", "garbage"])
def test_a_refused_part_is_a_failure(peer: PeerFactory, how: str) -> None:
    server = peer(messages=[message()], rules=[nth(1, FailUid(1, how))])  # type: ignore[arg-type] # as Literal
    assert fetch(server)[1] is not None


def test_a_part_that_is_not_there_is_empty(peer: PeerFactory) -> None:
    server = peer(messages=[message()])
    assert fetch(server, "9", size=0) == (b"", None)
    assert len(asked(server)) == 1

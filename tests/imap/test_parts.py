"""Ranges of a part and windows of a message join to the whole, whatever the server makes of them."""

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_rest, fetch_start, fetch_whole, fetch_window
from mcp_envelope import Code
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage

CONTENT = b"0123456789abcdefghijklmno"
OCTETS = bytes(range(48, 58)) * 30
"""300 octets that tell where they stand, to within ten."""


@pytest.fixture(autouse=True)
def _short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 10)
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", 100)


def message(content: bytes = CONTENT) -> PeerMessage:
    return PeerMessage(uid=1, octets=b"Content-Type: application/zip\r\n\r\n" + content)


def answer(item: bytes, octets: bytes, *, size: bytes = b"", nth: int | None = None, asked: str = "") -> Rule:
    """Answer FETCHes, or one of them, with such a row."""
    row = b"* 1 FETCH (UID 1%b %b {%d}\r\n%b)\r\n{tag} OK -\r\n" % (size, item, len(octets), octets)
    return Rule(command="UID FETCH", nth=nth, containing=asked, action=Respond(row))


def fetch(server: Peer, part_id: str = "1", *, size: int = len(CONTENT)) -> tuple[bytes, FetchFailure | None]:
    """Fetch a part; the octets, and the failure that ended it."""
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        start = fetch_start(session, 1, part_id)
        if isinstance(start, FetchFailure):
            return b"", start
        octets, failure = start.sections.get(part_id, b""), None
        for each in fetch_rest(session, 1, part_id, offset=len(octets), size_octets=size):
            assert failure is None, "nothing follows a failure"
            if isinstance(each, FetchFailure):
                failure = each
            else:
                assert each
                octets += each
        return octets, failure


def asked(server: Peer) -> list[str]:
    fetches = [command for command in server.commands if command.name == "UID FETCH"]
    return [each.line.partition("BODY.PEEK")[2].rstrip(")\r\n") for each in fetches]


def test_a_part_comes_in_ranges_and_the_structure_with_the_first(peer: PeerFactory) -> None:
    server = peer(messages=[message()])
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        start = fetch_start(session, 1, "1")
        assert not isinstance(start, FetchFailure)
        assert (start.sections["1"], start.size_octets) == (CONTENT[:10], len(message().octets))
        assert isinstance(start.body_structure, tuple)
    assert fetch(server) == (CONTENT, None)
    assert asked(server)[1:] == ["[1]<0.10>", "[1]<10.10>", "[1]<20.10>"]
    assert fetch(server, "9", size=0) == (b"", None), "a part that isn't there is empty"


@pytest.mark.parametrize(("size", "said", "fetches"), [(10, 10, 1), (20, 20, 2), (25, 1_000, 4), (25, 12, 3)])
def test_as_many_ranges_are_asked_for_as_it_takes(
    peer: PeerFactory, size: int, said: int, fetches: int
) -> None:
    """Sizes may be estimates. Too large: the end is where nothing comes; too small: nothing is cut."""
    server = peer(messages=[message(CONTENT[:size])])
    assert fetch(server, size=said) == (CONTENT[:size], None)
    assert len(asked(server)) == fetches


@pytest.mark.parametrize(
    ("nth", "item", "sent", "fetches"),
    [
        (1, b"BODY[1]", CONTENT, 1),
        (2, b"BODY[1]", CONTENT, 2),
        (2, b"BODY[1]", CONTENT[10:20], 3),
        (2, b"BODY[1]<5>", CONTENT[5:15], 3),
        (1, b"BODY[1]<0>", CONTENT[:4], 4),
    ],
    ids=["all at once", "all later", "without origin", "too early", "less than asked"],
)
def test_other_ranges_than_asked_for_are_understood(
    peer: PeerFactory, nth: int, item: bytes, sent: bytes, fetches: int
) -> None:
    server = peer(messages=[message()], rules=[answer(item, sent, nth=nth)])
    assert fetch(server) == (CONTENT, None)
    assert len(asked(server)) == fetches


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (answer(b"BODY[1]<15>", CONTENT[15:], nth=2), None),
        (Rule(command="UID FETCH", nth=2, action=Respond(b"{tag} OK Done\r\n")), Code.NOT_FOUND),
        (Rule(command="UID FETCH", nth=2, action=FailUid(1)), Code.INTERNAL),
    ],
    ids=["from elsewhere", "gone", "refused"],
)
def test_a_part_ends_at_a_range_that_cannot_be_had(peer: PeerFactory, rule: Rule, code: Code | None) -> None:
    octets, failure = fetch(peer(messages=[message()], rules=[rule]))
    assert (octets, failure and failure.code) == (CONTENT[:10], code)


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


SIZE = b" RFC822.SIZE 300"


@pytest.mark.parametrize(
    ("item", "sent", "size", "found", "size_octets"),
    [
        (b"BODY[]<0>", OCTETS, SIZE, OCTETS[20:30], 300),
        (b"BODY[]", OCTETS, SIZE, OCTETS[20:30], 300),
        (b"BODY[]", OCTETS[20:30], SIZE, OCTETS[20:30], 300),
        (b"BODY[]<30>", OCTETS[30:40], SIZE, b"", 20),
        (b"BODY[]<20>", OCTETS[20:30], b"", OCTETS[20:30], 30),
        (b"BODY[]<20>", OCTETS[20:30], b" RFC822.SIZE 25", OCTETS[20:30], 30),
    ],
    ids=["from the start", "all", "without origin", "from behind", "no size", "size too small"],
)
def test_a_window_is_cut_out_of_whatever_came(
    peer: PeerFactory, item: bytes, sent: bytes, size: bytes, found: bytes, size_octets: int
) -> None:
    came = window(peer(rules=[answer(item, sent, size=size)]), 20, 10)
    assert (came.octets, came.size_octets) == (found, size_octets)


@pytest.mark.parametrize(
    ("octets", "round_trips"), [(OCTETS[:50], 1), (OCTETS[:250], 3), (OCTETS, 3), (b"", 1)]
)
def test_all_windows_are_the_message(peer: PeerFactory, octets: bytes, round_trips: int) -> None:
    server = peer(messages=[PeerMessage(uid=1, octets=octets)])
    assert whole(server) == octets
    assert len(asked(server)) == round_trips


def test_a_server_that_gives_less_than_asked_is_asked_on(peer: PeerFactory) -> None:
    """Until it gives nothing: a size that is too large must not make an endless loop."""
    rules = [
        answer(b"BODY[]<%d>" % start, sent, size=SIZE, asked=f"<{start}.")
        for start, sent in ((0, OCTETS[:60]), (60, OCTETS[60:150]), (150, b""))
    ]
    assert whole(peer(rules=rules)) == OCTETS[:150]


@pytest.mark.parametrize("size", [SIZE, b" RFC822.SIZE 10"])
def test_a_message_that_is_too_long_is_not_fetched(peer: PeerFactory, size: bytes) -> None:
    server = peer(rules=[answer(b"BODY[]<0>", OCTETS, size=size)])
    assert isinstance(whole(server, limit_octets=99), Window)
    assert len(asked(server)) == 1

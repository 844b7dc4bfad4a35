"""A part is fetched alone, or its whole message; and what came is never taken for more than it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailmcp import limits
from mailmcp.reasons import Reason
from mailmcp.tools.attachment import tool
from mailmcp.tools.preferences import Preferences
from mcp_envelope import InternalError
from servers.peer import PeerFactory
from servers.peer_actions import Action, Close, FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import PEER_ID, get, peer_message, refused
from tools.stores import peer_account

BROKEN = b'* 1 FETCH (UID 1 BODYSTRUCTURE ("X" BODY[2]<0> {1}\r\nA)\r\n{tag} OK Done\r\n'
NO_STRUCTURE = b"* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE NIL BODY[2]<0> {1}\r\nA)\r\n{tag} OK Done\r\n"
NO_OCTETS = (
    b"* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE "
    b'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("APPLICATION" "X-A" NIL NIL NIL "BASE64" 30) "MIXED") '
    b"BODY[2]<0> NIL)\r\n{tag} OK Done\r\n"
)
UNSOUND = NO_OCTETS.replace(b"30)", b"4)()").replace(b"BODY[2]<0> NIL", b"BODY[2]<0> {4}\r\nabcd")
WRONG_OCTETS = NO_OCTETS.replace(b"BODY[2]<0> NIL", b"BODY[2]<0> {4}\r\nabcd")
HOLLOW = (
    b'* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0) '
    b"BODY[2]<0> NIL)\r\n{tag} OK Done\r\n"
)
NOTHING = b"* 1 FETCH (UID 1 BODY[2]<%d> {0}\r\n)\r\n{tag} OK Done\r\n"


@pytest.fixture
def desk_for(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Desk]:
    """Opens a desk for a peer with one message, whose parts come in ranges of 6 octets and may be saved."""
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)

    def open_it(message: PeerMessage, **rule: Any) -> Desk:
        rules = [Rule(command="UID FETCH", **rule)]
        desk = open_desk(peer_account(peer(messages=[message], rules=rules)))
        desk.preferences = Preferences(save_folder=tmp_path)
        return desk

    return open_it


@pytest.mark.parametrize(
    "answer",
    [
        BROKEN,
        NO_STRUCTURE,
        NO_OCTETS,
        UNSOUND,
        WRONG_OCTETS,
        HOLLOW,
        *(each.replace(b"SIZE 400", b"SIZE 4000000") for each in (NO_STRUCTURE, NO_OCTETS)),
    ],
)
def test_if_the_server_fails_to_send_a_part_the_message_is_fetched(
    peer: PeerFactory, open_desk: DeskFactory, answer: bytes
) -> None:
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=Respond(answer))])
    (embedded,) = get(open_desk(peer_account(server)), PEER_ID, mode="content").outcome.embedded
    assert embedded.octets == b"ABC" * 5
    assert sum(command.name == "UID FETCH" for command in server.commands) == 2 + (answer is BROKEN)


def test_a_large_message_is_not_fetched_for_a_part_that_came_in_another_size(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    answer = Respond(WRONG_OCTETS.replace(b"SIZE 400", b"SIZE 4000000"))
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=answer)])
    get(open_desk(peer_account(server)), PEER_ID, mode="content")
    assert not any("BODY.PEEK[]" in command.line for command in server.commands)


@pytest.mark.parametrize(
    ("action", "part_id", "reason", "said"),
    [
        (Respond(NO_STRUCTURE), "2", Reason.SERVER_REFUSED, "too large to parse"),
        (Respond(NO_STRUCTURE.replace(b"400", b"40")), "3", Reason.SERVER_REFUSED, "too large"),
        (FailUid(1, "NO"), "2", Reason.SERVER_REFUSED, ""),
        (FailUid(1, "garbage"), "2", Reason.PROTOCOL_VIOLATION, ""),
    ],
)
def test_a_message_that_the_server_never_sends_is_an_error(
    peer: PeerFactory,
    open_desk: DeskFactory,
    monkeypatch: pytest.MonkeyPatch,
    action: Action,
    part_id: str,
    reason: Reason,
    said: str,
) -> None:
    monkeypatch.setattr(limits, "RAW_RESOURCE_OCTETS_MAX", 100)
    nth = 1 if isinstance(action, Respond) else None
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=nth, action=action)])
    error = refused(open_desk(peer_account(server)), PEER_ID, part_id)
    assert isinstance(error, InternalError)
    assert error.reason is reason
    assert said in error.message
    assert (error.next_action is not None) == bool(said)


@pytest.mark.parametrize("mode", ["text", "content", "save"])
def test_less_than_announced_is_never_taken_for_complete(desk_for: Callable[..., Desk], mode: str) -> None:
    desk = desk_for(peer_message(), nth=3, action=Respond(NOTHING % 12))
    reply = get(desk, PEER_ID, mode=mode)
    assert reply.data["status"] == "partial"
    assert [(issue["stage"], issue["message_id"]) for issue in reply.data["issues"]] == [("fetch", PEER_ID)]
    assert "may be cut" in reply.text


@pytest.mark.parametrize(("mode", "large"), [("content", b"QUJD" + b"\r\n" * 2_500), ("save", b"A" * 5_000)])
def test_more_than_announced_stays_within_the_limit(
    desk_for: Callable[..., Desk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, large: bytes
) -> None:
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 100)
    monkeypatch.setattr(tool, "SAVED_OCTETS_MAX", 100)
    lie = b"* 1 FETCH (UID 1 BODY[2]<6> {%d}\r\n%b)\r\n{tag} OK Done\r\n" % (len(large), large)
    desk = desk_for(peer_message(octets=b"QUJD\r\n" * 6), nth=2, action=Respond(lie))
    assert refused(desk, PEER_ID, mode=mode).reason is Reason.TOO_LARGE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("action", "nth", "reason", "saved"),
    [
        (Close("before"), None, Reason.CONNECTION_LOST, []),
        (Close("within"), 1, None, [b"ABC" * 5]),
        (Respond(b"{tag} OK Done\r\n"), None, Reason.MESSAGE_GONE, []),
    ],
    ids=["lost for good", "lost once", "deleted"],
)
def test_what_happens_between_two_ranges_leaves_nothing_half_behind(
    desk_for: Callable[..., Desk],
    tmp_path: Path,
    action: Action,
    nth: int | None,
    reason: Reason | None,
    saved: list[bytes],
) -> None:
    desk = desk_for(peer_message(), containing="<6.6>", nth=nth, action=action)
    if reason is None:
        get(desk, PEER_ID, mode="save")
    else:
        assert refused(desk, PEER_ID, mode="save").reason is reason
    assert [path.read_bytes() for path in tmp_path.iterdir()] == saved

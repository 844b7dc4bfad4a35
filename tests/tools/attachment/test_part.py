"""A part is found and fetched alone; where the server cannot, the whole message is taken apart."""

import pytest

from mailmcp import limits
from mailmcp.mail.mime.structure import Part
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import content_parts
from mcp_envelope import InternalError, NotFoundError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import PEER_ID, get, peer_message, refused
from tools.stores import peer_account

MULTIPART = Part(
    part_id="TEXT",
    content_type="multipart/mixed",
    parts=(
        Part(part_id="1", content_type="text/plain", size_octets=9),
        Part(
            part_id="2",
            content_type="message/rfc822",
            parts=(
                Part(
                    part_id="2.TEXT",
                    content_type="multipart/mixed",
                    parts=(
                        Part(part_id="2.1", content_type="text/plain", size_octets=9),
                        Part(part_id="2.2", content_type="text/plain"),
                    ),
                ),
            ),
        ),
    ),
)


def desk_of(server: Peer, open_desk: DeskFactory) -> Desk:
    return open_desk(peer_account(server))


def fetches(server: Peer) -> int:
    return sum(command.name == "UID FETCH" for command in server.commands)


def content(desk: Desk, part_id: str = "2") -> bytes:
    (file,) = get(desk, PEER_ID, part_id, mode="content").outcome.embedded
    return file.octets


def test_the_parts_that_have_content() -> None:
    assert [part.part_id for part in content_parts(MULTIPART)] == ["1", "2", "2.1"]
    assert content_parts(None) == []


BROKEN = b'* 1 FETCH (UID 1 BODYSTRUCTURE ("X" BODY[2]<0> {1}\r\nA)\r\n{tag} OK Done\r\n'
NO_STRUCTURE = b"* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE NIL BODY[2]<0> {1}\r\nA)\r\n{tag} OK Done\r\n"
NO_OCTETS = (
    b"* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE "
    b'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("APPLICATION" "X-A" NIL NIL NIL "BASE64" 30) "MIXED") '
    b"BODY[2]<0> NIL)\r\n{tag} OK Done\r\n"
)
WRONG_OCTETS = NO_OCTETS.replace(b"BODY[2]<0> NIL", b"BODY[2]<0> {4}\r\nabcd")

HOLLOW = (
    b'* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0) '
    b"BODY[2]<0> NIL)\r\n{tag} OK Done\r\n"
)


@pytest.mark.parametrize("answer", [BROKEN, NO_STRUCTURE, NO_OCTETS, WRONG_OCTETS, HOLLOW])
def test_if_the_server_fails_to_send_a_part_the_message_is_fetched(
    peer: PeerFactory, open_desk: DeskFactory, answer: bytes
) -> None:
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=Respond(answer))])
    assert content(desk_of(server, open_desk)) == b"ABC" * 5
    assert fetches(server) == 2


def test_a_size_that_is_wrong_in_a_large_message_is_believed_no_more_than_the_octets(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    """Fetching all of it would cost more than it is worth; the reply says that octets are missing."""
    answer = WRONG_OCTETS.replace(b"SIZE 400", b"SIZE 90000000").replace(b'"BASE64" 30', b'"7BIT" 30')
    nothing = b"* 1 FETCH (UID 1 BODY[2]<4> NIL)\r\n{tag} OK Done\r\n"
    rules = [Rule(command="UID FETCH", nth=n, action=Respond(raw)) for n, raw in ((1, answer), (2, nothing))]
    desk = desk_of(peer(messages=[peer_message()], rules=rules), open_desk)
    reply = get(desk, PEER_ID, mode="content")
    assert reply.outcome.embedded[0].octets == b"abcd"
    assert reply.data["status"] == "partial"


def test_a_server_that_does_not_say_the_size_of_the_message(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    answer = WRONG_OCTETS.replace(b"RFC822.SIZE 400 ", b"").replace(b'"BASE64" 30', b'"7BIT" 3')
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=Respond(answer))])
    assert content(desk_of(server, open_desk)) == b"abcd"


def test_a_message_too_large_to_parse_is_an_error(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RAW_RESOURCE_OCTETS_MAX", 100)
    server = peer(
        messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=Respond(NO_STRUCTURE))]
    )
    error = refused(desk_of(server, open_desk), PEER_ID)
    assert isinstance(error, InternalError)
    assert error.reason is Reason.SERVER_REFUSED
    assert error.next_action is not None
    assert error.next_action.tool == "imap_get_message_raw"


def test_a_part_that_the_message_lacks_too_is_not_found(peer: PeerFactory, open_desk: DeskFactory) -> None:
    server = peer(
        messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=1, action=Respond(NO_STRUCTURE))]
    )
    error = refused(desk_of(server, open_desk), PEER_ID, "3")
    assert isinstance(error, NotFoundError)
    assert error.details["part_ids"] == ["1", "2"]


@pytest.mark.parametrize("how", ["NO", "garbage"])
def test_a_message_that_the_server_never_sends_is_an_error(
    peer: PeerFactory, open_desk: DeskFactory, how: str
) -> None:
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", action=FailUid(1, how))])  # type: ignore[arg-type] # as Literal
    assert refused(desk_of(server, open_desk), PEER_ID).reason in {
        Reason.SERVER_REFUSED,
        Reason.PROTOCOL_VIOLATION,
    }


def test_a_message_that_vanishes_between_two_ranges(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)
    gone = Rule(command="UID FETCH", containing="<6.6>", action=Respond(b"{tag} OK Done\r\n"))
    error = refused(
        desk_of(peer(messages=[peer_message()], rules=[gone]), open_desk), PEER_ID, mode="content"
    )
    assert error.reason is Reason.MESSAGE_GONE


def test_many_parts_are_named_up_to_a_point(peer: PeerFactory, open_desk: DeskFactory) -> None:
    message = peer_message()
    text = b"--b\r\nContent-Type: text/plain\r\n\r\nText\r\n"
    message.octets = message.octets.replace(text, text * 60)
    error = refused(desk_of(peer(messages=[message]), open_desk), PEER_ID, "99")
    assert "49, 50 and 11 more." in error.message

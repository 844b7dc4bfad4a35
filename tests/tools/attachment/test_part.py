"""A part is found and fetched alone; where the server cannot, the whole message is taken apart."""

from base64 import b64encode

import pytest

from mailmcp import limits
from mailmcp.mail.mime.structure import Part
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import content_parts
from mcp_envelope import InternalError, NotFoundError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.files import PEER_ID, get, peer_message, refused, store_and_find
from tools.stores import Store, peer_account

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


BINARY = b"\x80\0\x80\xff" * 3


def nul_message(octets: bytes, encoding: str, content_type: str = "application/octet-stream") -> bytes:
    head = (
        b'From: ann@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    )
    fields = f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode()
    return head + b"--b\r\n\r\nText\r\n--b\r\n" + fields + octets + b"\r\n--b--\r\n"


def file_of(reply: Reply) -> tuple[bytes, bool, int]:
    """The octets, whether they are said to be doubtful, and what it cost."""
    (file,) = reply.outcome.embedded
    doubtful = any("NUL octets may be lost" in each for each in reply.outcome.warnings)
    return file.octets, doubtful, reply.telemetry.imap_round_trips


@pytest.mark.parametrize(
    ("octets", "encoding", "round_trips"),
    [
        (BINARY, "8bit", 2),
        (BINARY, "binary", 2),
        (b"\x80\x80\xff", "binary", 2),
        (b"\0\0ab", "7bit", 2),
        (b"caf\xe9", "8bit", 1),
        ("„Grüße“ …".encode(), "8bit", 1),
        (BINARY * 9, "base64", 1),
    ],
)
def test_dovecot_gives_nul_octets(
    dovecot_mail: Store, open_desk: DeskFactory, octets: bytes, encoding: str, round_trips: int
) -> None:
    """It gives 0x80 in their place unless asked for BINARY."""
    desk = open_desk(dovecot_mail.account)
    stored = b64encode(octets) if encoding == "base64" else octets
    message_id = store_and_find(dovecot_mail, desk, nul_message(stored, encoding))
    assert file_of(get(desk, message_id, mode="content")) == (octets, False, round_trips)


def test_nul_octets_of_a_file_of_several_ranges(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 10)
    desk = open_desk(dovecot_mail.account)
    octets = b"abcdefghijkl" + BINARY
    message_id = store_and_find(dovecot_mail, desk, nul_message(octets, "binary"))
    assert file_of(get(desk, message_id, mode="content")) == (octets, False, 4)


@pytest.mark.parametrize(("encoding", "content_type"), [("7-bit", "image/x-a"), ("8bit", "message/rfc822")])
def test_lost_nul_octets_are_a_warning_on_dovecot(
    dovecot_mail: Store, open_desk: DeskFactory, encoding: str, content_type: str
) -> None:
    desk = open_desk(dovecot_mail.account)
    octets = b"A: b\r\n\r\n\0\xff\0"
    message_id = store_and_find(dovecot_mail, desk, nul_message(octets, encoding, content_type))
    assert file_of(get(desk, message_id, mode="content")) == (octets.replace(b"\0", b"\x80"), True, 1)


def test_a_server_that_sends_nul_octets_is_not_asked_again(pymap_mail: Store, open_desk: DeskFactory) -> None:
    desk = open_desk(pymap_mail.account)
    message_id = store_and_find(pymap_mail, desk, nul_message(BINARY, "binary"))
    octets, doubtful, round_trips = file_of(get(desk, message_id, mode="content"))
    assert (octets.rstrip(), doubtful, round_trips) == (BINARY, False, 1)


@pytest.mark.parametrize(
    ("encoding", "doubtful", "first", "second"), [("8bit", False, 2, 2), ("binary", True, None, 1)]
)
def test_a_server_that_drops_the_connection_over_binary_is_asked_once(
    pymap_mail: Store,
    open_desk: DeskFactory,
    encoding: str,
    first: int | None,
    second: int,
    *,
    doubtful: bool,
) -> None:
    """Pymap does, where the part says that it is binary."""
    desk = open_desk(pymap_mail.account)
    message_id = store_and_find(pymap_mail, desk, nul_message(b"\x80\xff", encoding))
    replies = [file_of(get(desk, message_id, mode="content")) for _ in range(2)]
    assert [(octets.rstrip(), doubt) for octets, doubt, _ in replies] == [(b"\x80\xff", doubtful)] * 2
    assert first is None or replies[0][2] == first
    assert replies[1][2] == second


def test_a_server_without_binary_is_not_asked(peer: PeerFactory, open_desk: DeskFactory) -> None:
    structure = b"* 1 FETCH (UID 1 RFC822.SIZE 400 BODYSTRUCTURE "
    structure += (
        b'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("APPLICATION" "X-A" NIL NIL NIL "BINARY" 2) "MIXED") '
    )
    answer = Respond(structure + b"BODY[2]<0> {2}\r\n\x80\xff)\r\n{tag} OK Done\r\n")
    server = peer(messages=[peer_message()], rules=[Rule(command="UID FETCH", action=answer)])
    assert file_of(get(desk_of(server, open_desk), PEER_ID, mode="content"))[:2] == (b"\x80\xff", True)
    assert fetches(server) == 1

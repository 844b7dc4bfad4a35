"""The source of a message in windows: exact, complete, and marked where it is not text."""

import pytest

from mailmcp.model.message_ref import MessageRef
from mcp_envelope import BaseReason, InvalidInputError, Untrusted
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import crlf, make_letter
from tools.stores import Store, peer_account

RAW = "imap_get_message_raw"
PEER_ID = "imap:work:INBOX:1700000000:1"

LONG = crlf("Subject: Long\n\n" + "".join(f"Line {number} of the text.\n" for number in range(2_000)))


def put(store: Store, octets: bytes) -> str:
    """Store a message and give its id."""
    (uid,) = store.fill("INBOX", [octets])
    with store.client() as client:
        uidvalidity = client.select_folder("INBOX", readonly=True)[b"UIDVALIDITY"]
    return MessageRef(account_id="work", mailbox="INBOX", uidvalidity=uidvalidity, uid=uid).message_id


def fenced(reply: Reply) -> list[Untrusted]:
    return [block for block in reply.outcome.blocks if isinstance(block, Untrusted)]


def test_a_short_message_is_one_window_and_one_round_trip(store: Store, desk: Desk) -> None:
    octets = make_letter("Grüße", "Text\n").as_bytes()
    message_id = put(store, octets)
    desk.call(RAW, {"message_id": message_id})
    reply = desk.call(RAW, {"message_id": message_id})
    data = reply.data
    text = octets.decode().replace("\r\n", "\n")
    assert data["content"] == text
    assert (data["encoding"], data["offset"]) == ("utf-8", 0)
    assert data["size_bytes"] == data["returned_bytes"] == len(octets)
    assert data["message_raw_uri"] == data["message_uri"] + "/raw"
    assert not {"next_offset", "next_action"} & set(data)
    assert reply.outcome.warnings == ()
    assert fenced(reply) == [Untrusted(label="raw_text", text=text)]
    assert reply.text.startswith(
        f"Octets 0 to {len(octets)} of {len(octets)} of message `{message_id}`, as text"
    )
    assert reply.telemetry.imap_round_trips == 1


def test_windows_follow_each_other_to_the_end(store: Store, desk: Desk) -> None:
    """Each next step is sent as it is; the windows are whole lines, and join to the message."""
    message_id = put(store, LONG)
    arguments: dict[str, object] = {"message_id": message_id, "max_bytes": 10_000}
    joined, windows = "", 0
    while True:
        reply = desk.call(RAW, arguments)
        joined += reply.data["content"]
        windows += 1
        assert reply.telemetry.imap_round_trips <= 1 or windows == 1
        if reply.outcome.next_action is None:
            break
        assert reply.data["content"].endswith("\n")
        assert reply.data["next_offset"] == len(joined.replace("\n", "\r\n"))
        arguments = dict(reply.outcome.next_action.arguments)
        assert arguments == {**arguments, "offset": reply.data["next_offset"], "max_bytes": 10_000}
    assert joined == LONG.decode().replace("\r\n", "\n")
    assert windows == len(LONG) // 10_000 + 1


@pytest.mark.parametrize(
    ("octets", "encoding", "content", "warning"),
    [
        (crlf("Subject: x\n\n\xfc\n", "latin-1"), "base64", "U3ViamVjdDogeA0KDQr8DQo=", ""),
        (
            crlf("Subject: x\n\nPay\u200b\u202e me\n", "utf-8"),
            "utf-8",
            "Subject: x\n\nPay<U+200B><U+202E> me\n",
            "2 invisible characters shown by code point, as <U+200B>; the resource message_raw_uri has",
        ),
    ],
)
def test_what_is_not_plain_text_is_encoded(
    store: Store, desk: Desk, octets: bytes, encoding: str, content: str, warning: str
) -> None:
    reply = desk.call(RAW, {"message_id": put(store, octets)})
    assert (reply.data["encoding"], reply.data["content"]) == (encoding, content)
    assert reply.data["returned_bytes"] == len(octets)
    assert "".join(reply.outcome.warnings).startswith(warning)
    with pytest.raises(InvalidInputError, match=f"the message has {len(octets)} octets") as caught:
        desk.call(RAW, {"message_id": reply.data["message_id"], "offset": len(octets)})
    assert caught.value.reason is BaseReason.OUT_OF_RANGE


def test_an_empty_message_is_nothing(peer: PeerFactory, open_desk: DeskFactory) -> None:
    desk = open_desk(peer_account(peer(messages=[PeerMessage(uid=1, octets=b"")])))
    reply = desk.call(RAW, {"message_id": PEER_ID})
    assert (reply.data["content"], reply.data["size_bytes"], reply.data["returned_bytes"]) == ("", 0, 0)
    assert "(nothing)" in reply.text


def test_a_size_that_is_too_large_ends_where_the_octets_do(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """Exchange estimates sizes: the window that was promised is empty, and says why."""
    size = b"* 1 FETCH (UID 1 RFC822.SIZE 900 BODY[]<%d> {%d}\r\n%b)\r\n{tag} OK -\r\n"
    text = b"x" * 98 + b"\r\n"
    rules = [
        Rule(command="UID FETCH", containing="<0.", action=Respond(size % (0, 100, text))),
        Rule(command="UID FETCH", containing="<100.", action=Respond(size % (100, 0, b""))),
    ]
    desk = open_desk(peer_account(peer(messages=make_messages(1), rules=rules)))
    first = desk.call(RAW, {"message_id": PEER_ID})
    assert (first.data["size_bytes"], first.data["next_offset"]) == (900, 100)
    assert first.outcome.next_action is not None
    last = desk.call(RAW, dict(first.outcome.next_action.arguments))
    assert (last.data["size_bytes"], last.data["returned_bytes"]) == (100, 0)
    assert "next_offset" not in last.data
    (warning,) = last.outcome.warnings
    assert warning == "The server announced 900 octets but sends none from 100 on."

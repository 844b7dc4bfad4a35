"""Resources have no arguments: they hold what tools show in windows, or are refused with another way."""

import pytest

from mailmcp import limits
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.read_resource import Octets, read_resource
from mcp_envelope import InvalidInputError, Outcome
from mcp_envelope.render import render_outcome
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import crlf
from tools.stores import peer_account

ODD = "Entw&APw-rfe/100%"
"""As a server spells `Entwürfe/100%`."""

PARTS = crlf(
    "Content-Type: multipart/mixed; boundary=b\n\n"
    "--b\nContent-Type: text/plain\n\nBody\n"
    "--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjQ=\n"
    "--b\nContent-Type: text/csv; charset=latin-1\nContent-Transfer-Encoding: quoted-printable\n\na=FC=3D1\n"
    "--b\nContent-Type: message/rfc822\n\nSubject: Inner\n\nInner text\n"
    "--b--\n"
)
LONG = crlf("Subject: Long\n\n" + "A line of it.\n" * 3_000)


def ref(uid: int, mailbox: str = "INBOX") -> MessageRef:
    return MessageRef(account_id="work", mailbox=mailbox, uidvalidity=1700000000, uid=uid)


@pytest.fixture
def desk(peer: PeerFactory, open_desk: DeskFactory) -> Desk:
    messages = [PeerMessage(uid=1, octets=LONG), PeerMessage(uid=2, octets=PARTS)]
    other = PeerMailbox(name=ODD, messages=make_messages(7))
    return open_desk(peer_account(peer(messages=messages, mailboxes=[other])))


def octets_of(desk: Desk, uri: str) -> tuple[str, bytes]:
    found = desk.run(lambda call: read_resource(uri, call))
    assert isinstance(found, Octets)
    return found.content_type, found.octets


def text_of(desk: Desk, uri: str) -> str:
    outcome = desk.run(lambda call: read_resource(uri, call))
    assert isinstance(outcome, Outcome)
    return render_outcome(outcome, marker="marker")


def test_a_long_message_is_not_cut_where_a_tool_would_cut_it(desk: Desk) -> None:
    assert desk.message(ref(1).message_id)["body_truncated"]
    assert text_of(desk, ref(1).message_uri).count("A line of it.") == 3_000


def test_sources_and_parts_are_octets(desk: Desk) -> None:
    assert octets_of(desk, ref(1).message_raw_uri) == ("message/rfc822", LONG)
    parts = [octets_of(desk, ref(2).attachment_uri(part_id)) for part_id in ("2", "3", "4.1")]
    # The peer counts the line end before a boundary to the part.
    assert [(content_type, octets.rstrip()) for content_type, octets in parts] == [
        ("application/pdf", b"%PDF-1.4"),
        ("text/csv", b"a\xfc=1"),
        ("text/plain", b"Inner text"),
    ]


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        (ref(1).message_raw_uri, f"is too large: {len(LONG)} octets; the limit is 1000. Read it in windows"),
        (ref(2).attachment_uri("2"), "a reply holds at most 7. Send mode text"),
    ],
)
def test_what_is_too_large_is_refused_with_the_way_to_read_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, uri: str, said: str
) -> None:
    monkeypatch.setattr(limits, "RAW_RESOURCE_OCTETS_MAX", 1000)
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 7)
    with pytest.raises(InvalidInputError, match=said) as caught:
        octets_of(desk, uri)
    assert caught.value.reason is Reason.TOO_LARGE


def test_a_part_that_is_larger_than_announced_is_refused(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 7)
    monkeypatch.setattr(limits, "MESSAGE_WINDOW_OCTETS", 50)
    structure = b'("APPLICATION" "PDF" NIL NIL NIL "7BIT" 5)'
    answer = b"* 1 FETCH (UID 1 RFC822.SIZE 99 BODYSTRUCTURE %b BODY[1]<0> {8}\r\nabcdefgh)\r\n{tag} OK -\r\n"
    rules = [Rule(command="UID FETCH", action=Respond(answer % structure))]
    desk = open_desk(peer_account(peer(messages=make_messages(1), rules=rules)))
    with pytest.raises(InvalidInputError, match="too large"):
        octets_of(desk, ref(1).attachment_uri("1"))

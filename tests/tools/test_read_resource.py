"""Behind each kind of URI stands what the tools give, or the octets as they are."""

from dataclasses import replace
from typing import Any

import pytest

from mailmcp import limits
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import format_mailboxes_uri
from mailmcp.reasons import Reason
from mailmcp.tools.read_resource import Octets, read_resource
from mcp_envelope import (
    Code,
    ConflictError,
    InternalError,
    InvalidInputError,
    NotFoundError,
    Outcome,
    ToolError,
)
from mcp_envelope.render import render_outcome
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import crlf
from tools.stores import Store, peer_account

ODD = "Entw&APw-rfe/100%"
"""As a server spells `Entwürfe/100%`."""

PARTS = crlf(
    "Content-Type: multipart/mixed; boundary=b\n\n"
    "--b\nContent-Type: text/plain\n\nBody\n"
    "--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjQ=\n"
    "--b\nContent-Type: text/csv; charset=latin-1\nContent-Transfer-Encoding: quoted-printable\n\na=FC=3D1\n"
    "--b\nContent-Type: strange(type)/x\n\nplain\n"
    "--b\nContent-Type: message/rfc822\n\nSubject: Inner\n\nInner text\n"
    "--b--\n"
)
"""Parts 1 to 5."""

LONG = crlf("Subject: Long\n\n" + "A line of it.\n" * 3_000)


def ref(uid: int = 1, mailbox: str = "INBOX", uidvalidity: int = 1700000000) -> MessageRef:
    return MessageRef(account_id="work", mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)


@pytest.fixture
def server(peer: PeerFactory) -> Peer:
    parts = PeerMessage(uid=4, octets=PARTS)
    return peer(
        messages=[*make_messages(1), PeerMessage(uid=2, octets=LONG), *make_messages(3), parts],
        mailboxes=[PeerMailbox(name=ODD, messages=make_messages(7))],
        rules=[Rule(command="UID FETCH", action=FailUid(3))],
    )


@pytest.fixture
def peer_desk(server: Peer, open_desk: DeskFactory) -> Desk:
    return open_desk(peer_account(server))


def put(store: Store, octets: bytes) -> MessageRef:
    """Store a message and say where."""
    (uid,) = store.fill("INBOX", [octets])
    with store.client() as client:
        return ref(uid, uidvalidity=client.select_folder("INBOX", readonly=True)[b"UIDVALIDITY"])


def read(desk: Desk, uri: str) -> Outcome[Any] | Octets:
    return desk.run(lambda call: read_resource(uri, call))


def text_of(desk: Desk, uri: str) -> str:
    outcome = read(desk, uri)
    assert isinstance(outcome, Outcome)
    return render_outcome(outcome, marker="marker")


def failure(desk: Desk, uri: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read(desk, uri)
    return caught.value


def test_a_message_is_the_text_that_the_tool_gives(peer_desk: Desk) -> None:
    assert text_of(peer_desk, ref().message_uri) == peer_desk.get(ref().message_id).text


def test_a_long_message_is_not_cut_where_a_tool_would_cut_it(peer_desk: Desk) -> None:
    """Whoever reads a resource has no argument to ask for more with."""
    assert len(peer_desk.message(ref(2).message_id)["body_text"]) < 3_000 * len("A line of it.\n") - 1
    assert text_of(peer_desk, ref(2).message_uri).count("A line of it.") == 3_000


def test_the_source_is_the_octets_as_stored(store: Store, open_desk: DeskFactory) -> None:
    octets = crlf("Subject: Gr\xfc\xdfe\n\n\xfc\n", "latin-1")
    named = put(store, octets)
    desk = open_desk(store.account)
    found = read(desk, named.message_raw_uri)
    assert found == Octets(content_type="message/rfc822", octets=octets)
    assert b"\\Seen" not in store.flags("INBOX")[named.uid]


def test_a_source_that_is_too_long_is_refused_with_the_way_to_read_it(
    peer_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RAW_RESOURCE_OCTETS_MAX", len(LONG) - 1)
    error = failure(peer_desk, ref(2).message_raw_uri)
    assert isinstance(error, InvalidInputError)
    assert error.reason is Reason.TOO_LARGE
    assert f"is too large: {len(LONG)} octets" in error.message
    assert "imap_get_message_raw" in error.message


def test_an_attached_message_and_its_text_can_be_read(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    named = put(dovecot_mail, PARTS)
    desk = open_desk(dovecot_mail.account)
    inner = b"Subject: Inner\r\n\r\nInner text"
    assert read(desk, named.attachment_uri("5")) == Octets(content_type="message/rfc822", octets=inner)
    assert read(desk, named.attachment_uri("5.1")) == Octets(content_type="text/plain", octets=b"Inner text")
    assert read(desk, named.attachment_uri("2")) == Octets(content_type="application/pdf", octets=b"%PDF-1.4")


def test_an_invalid_content_type_is_not_passed_on(peer_desk: Desk) -> None:
    found = read(peer_desk, ref(4).attachment_uri("4"))
    assert isinstance(found, Octets)
    assert found.content_type in {"application/octet-stream", "text/plain"}
    assert found.octets == b"plain"


def test_an_attachment_that_is_too_large_is_refused(peer_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 7)
    error = failure(peer_desk, ref(4).attachment_uri("2"))
    assert (error.code, error.reason) == (Code.INVALID_INPUT, Reason.TOO_LARGE)
    assert "the limit is 7" in error.message


def test_the_mailboxes_of_an_account_are_the_text_that_the_tool_gives(peer_desk: Desk) -> None:
    text = text_of(peer_desk, format_mailboxes_uri("work"))
    assert text == peer_desk.call("imap_list_mailboxes", {"account_id": "work"}).text
    assert "Entwürfe/100%" in text


@pytest.mark.parametrize("suffix", ["", "/raw"])
def test_a_mailbox_with_an_awkward_name_is_found(peer_desk: Desk, suffix: str) -> None:
    found = read(peer_desk, ref(7, "Entwürfe/100%").message_uri + suffix)
    octets = make_messages(7)[0].octets
    assert (
        found == Octets(content_type="message/rfc822", octets=octets) if suffix else "Message 7" in str(found)
    )


@pytest.mark.parametrize("suffix", ["", "/raw", "/attachment/1"])
@pytest.mark.parametrize(
    ("named", "error", "reason"),
    [
        (ref(99), NotFoundError, Reason.MESSAGE_GONE),
        (replace(ref(), account_id="nobody"), NotFoundError, Reason.ACCOUNT_UNKNOWN),
        (ref(uidvalidity=5), ConflictError, Reason.UIDVALIDITY_CHANGED),
        (ref(3), InternalError, Reason.SERVER_REFUSED),
    ],
)
def test_a_message_that_cannot_be_fetched_is_an_error(
    peer_desk: Desk, named: MessageRef, error: type[ToolError], reason: Reason, suffix: str
) -> None:
    found = failure(peer_desk, named.message_uri + suffix)
    assert isinstance(found, error)
    assert found.reason is reason
    if found.code is Code.CONFLICT:
        assert found.next_action is not None


def test_a_malformed_uri_is_refused_without_a_connection(peer_desk: Desk, server: Peer) -> None:
    assert failure(peer_desk, "test://nothing").reason is Reason.MALFORMED_ID
    assert server.connections == 0

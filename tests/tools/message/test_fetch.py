"""How much is fetched of a message: little, also of large ones; and what to do when it cannot be had."""

from email.policy import SMTP

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError
from servers.peer import PeerFactory
from servers.peer_actions import Action, FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import crlf, make_letter
from tools.stores import Store, peer_account

MIB = 1_048_576


def newest(desk: Desk) -> str:
    return str(desk.search(limit=1).data["messages"][0]["message_id"])


def with_file(size: int, *, text: str = "Beside it.\n", file_first: bool = False) -> bytes:
    """A message with a file of `size` octets."""
    lump = (b"QUJD" * 19 + b"\r\n") * (size // 57)
    parts = [
        b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text.replace("\n", "\r\n").encode(),
        b'Content-Type: application/zip\r\nContent-Disposition: attachment; filename="a.zip"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\n" + lump,
    ]
    if file_first:
        parts.reverse()
    head = (
        b"Subject: Large\r\nDate: Mon, 01 Jan 2024 12:00:00 +0000\r\n"
        b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    )
    return head + b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b--\r\n"


@pytest.mark.parametrize(("size", "file_first", "round_trips"), [(10 * MIB, False, 1), (MIB, True, 2)])
def test_an_attachment_is_not_downloaded_to_read_the_text_beside_it(
    store: Store, desk: Desk, size: int, round_trips: int, *, file_first: bool
) -> None:
    store.fill("INBOX", [with_file(size, file_first=file_first, text="Beside it: Grün.\n")])
    reply = desk.get(newest(desk))
    message = reply.data["message"]
    assert message["body_text"] == "Beside it: Grün."
    assert message["size_bytes"] > size
    (row,) = message["attachments"]
    assert (row["filename"], row["content_type"]) == ("a.zip", "application/zip")
    assert abs(row["size_bytes"] - size) < 0.05 * size
    assert reply.telemetry.imap_round_trips == round_trips
    assert reply.telemetry.bytes_received < 150_000
    assert reply.outcome.warnings == ()


@pytest.mark.parametrize(("encoding", "shift"), [("8bit", 1), ("base64", 2), ("quoted-printable", 0)])
def test_where_a_very_long_text_is_cut_no_character_is_halved(
    pymap_mail: Store, open_desk: DeskFactory, encoding: str, shift: int
) -> None:
    letter = make_letter()
    letter.set_content("x" * shift + "日本語é日本語é\n" * 30_000, cte=encoding)
    pymap_mail.fill("INBOX", [letter.as_bytes(policy=SMTP.clone(cte_type="8bit"))])
    desk = open_desk(pymap_mail.account)
    reply = desk.get(newest(desk), body_max_chars=100_000)
    assert set(reply.data["message"]["body_text"]) <= set("x日本語é\n")
    assert reply.telemetry.bytes_received < 700_000
    assert any("first 524288 octets" in warning for warning in reply.outcome.warnings)
    assert [warning for warning in reply.outcome.warnings if "malformed" in warning] == []


def test_the_text_of_an_attachment_beyond_the_first_octets(store: Store, desk: Desk) -> None:
    letter = make_letter(text="Body\n")
    letter.add_attachment(b"\0" * 200_000, maintype="application", subtype="zip", filename="a.zip")
    letter.add_attachment("Far behind\n", filename="b.txt")
    store.fill("INBOX", [letter.as_bytes()])
    message_id = newest(desk)
    assert desk.get(message_id).telemetry.imap_round_trips == 1
    reply = desk.get(message_id, attachment_mode="extract_text")
    assert reply.data["message"]["attachments"][1]["text"] == "Far behind"
    assert reply.telemetry.imap_round_trips == 2


PLAIN = PeerMessage(uid=1, octets=crlf("Subject: Peer\nContent-Type: text/plain\n\nText of the peer.\n"))

ANSWER = (
    b"* 1 FETCH (UID 1 FLAGS () RFC822.SIZE %d BODYSTRUCTURE %b BODY[]<0> {%d}\r\n%b)\r\n{tag} OK Done\r\n"
)


@pytest.mark.parametrize(
    ("action", "reason", "retryable"),
    [
        (FailUid(1, "NO"), Reason.SERVER_REFUSED, True),
        (FailUid(1, "BAD"), Reason.SERVER_REFUSED, False),
        (FailUid(1, "garbage"), Reason.PROTOCOL_VIOLATION, False),
        (Respond(b"{tag} NO [THROTTLED] Later\r\n"), Reason.SERVER_REFUSED, True),
    ],
)
def test_a_message_that_is_not_sent_is_an_error_of_the_server(
    peer: PeerFactory, open_desk: DeskFactory, action: Action, reason: Reason, *, retryable: bool
) -> None:
    server = peer(messages=[PLAIN])
    desk = open_desk(peer_account(server))
    message_id = newest(desk)
    server.rules.append(Rule(command="UID FETCH", action=action))
    before = len(server.commands)
    with pytest.raises(InternalError) as caught:
        desk.get(message_id)
    assert (caught.value.reason, caught.value.retryable) == (reason, retryable)
    assert caught.value.details["message_id"] == message_id
    if isinstance(action, Respond):  # who asks to wait gets no second FETCH
        assert [each.name for each in server.commands[before:]] == ["EXAMINE", "UID FETCH"]


def test_a_message_that_goes_between_the_two_round_trips_is_gone(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    large = PeerMessage(uid=1, octets=with_file(MIB, file_first=True))
    nothing = Rule(command="UID FETCH", containing="BODY.PEEK[2]", action=Respond(b"{tag} OK Nothing\r\n"))
    desk = open_desk(peer_account(peer(messages=[large], rules=[nothing])))
    with pytest.raises(NotFoundError) as caught:
        desk.get(newest(desk))
    assert caught.value.reason is Reason.MESSAGE_GONE


def test_bodies_are_only_ever_peeked_at(peer: PeerFactory, open_desk: DeskFactory) -> None:
    server = peer(messages=[PLAIN, PeerMessage(uid=2, octets=with_file(MIB, file_first=True))])
    desk = open_desk(peer_account(server))
    for row in desk.search(snippet_max_chars=100).data["messages"]:
        desk.get(row["message_id"], body_mode="html", attachment_mode="extract_text")
    assert not [each.line for each in server.commands if each.name in {"SELECT", "STORE", "UID STORE"}]
    assert not [each.line for each in server.commands if "BODY[" in each.line or "RFC822 " in each.line]


@pytest.mark.parametrize("recipients", [1_200, 6_000])
def test_row_and_message_agree_behind_many_recipients(store: Store, desk: Desk, recipients: int) -> None:
    """Of a header that is longer than what is fetched, the end is missing, and the reply says so."""
    to = ",\r\n ".join(f'"Recipient {n}" <recipient.{n}@quay.example>' for n in range(recipients))
    head = f"From: Ada <ada@harbour.example>\r\nTo: {to}\r\nSubject: Behind them\r\n"
    head += "Date: Thu, 05 Nov 2026 09:30:00 +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    store.fill("INBOX", [head.encode() + "Grüße\r\n".encode()])
    row = desk.search(limit=1).data["messages"][0]
    assert (row["subject"], row["date"]) == ("Behind them", "2026-11-05T09:30:00+01:00")
    reply = desk.get(row["message_id"])
    message, cut = reply.data["message"], recipients > 3_000
    assert message["body_text"] == "Grüße"
    shown = message["to"].count("@")
    assert message["to"].endswith(f"<recipient.{shown - 1}@quay.example>, {recipients - shown} more") or cut
    assert any(each.startswith(f"To has {recipients} addresses") for each in reply.outcome.warnings) or cut
    if cut:
        assert any("header block is too long and was cut" in each for each in reply.outcome.warnings)
    assert (message["subject"] == row["subject"]) != cut

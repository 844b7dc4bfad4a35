"""The embedded server over its real socket, where pymap by itself would mislead a client."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError
from pymap.mime import MessageContent

from mailmcp.demo import server as server_module
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.message import EmbeddedLoadedMessage, read_search_text
from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer

SAMPLE = load_sample(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))
NOTE = SampleMessage(
    octets=b"Subject: =?utf-8?Q?Gr=C3=BCn?=\r\n\r\nRemember the milk.\r\n",
    flags=("\\Seen", "$Forwarded"),
    internal_date=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
)


def client_of(server: EmbeddedServer) -> IMAPClient:
    client = IMAPClient(server.host, port=server.port, ssl=False, timeout=30)
    client.login(server.user, server.password)
    return client


@pytest.fixture(scope="module")
def client() -> Iterator[IMAPClient]:
    """A client of the sample account."""
    with EmbeddedServer(mailboxes=SAMPLE) as server:
        client = client_of(server)
        yield client
        client.shutdown()


@pytest.fixture
def clients() -> Iterator[tuple[IMAPClient, IMAPClient]]:
    """Two clients of a mailbox that may be changed."""
    mailboxes = [SampleMailbox(name="Receipts", messages=(NOTE,))]
    with EmbeddedServer(mailboxes=mailboxes, user="kim@example.com", password='a "b" c') as server:
        pair = client_of(server), client_of(server)
        yield pair
        for client in pair:
            client.shutdown()


def test_every_message_is_served_as_it_is(client: IMAPClient) -> None:
    """Broken ones, too: a server stores octets and has no opinion of them."""
    for mailbox in SAMPLE:
        client.select_folder(mailbox.name, readonly=True)
        items = ["BODY.PEEK[]", "RFC822.SIZE", "ENVELOPE", "BODYSTRUCTURE", "INTERNALDATE", "FLAGS"]
        uids = client.search("ALL")
        rows = client.fetch(uids, items) if uids else {}
        octets = [message.octets for message in mailbox.messages]
        assert [rows[uid][b"BODY[]"] for uid in uids] == octets
        assert [rows[uid][b"RFC822.SIZE"] for uid in uids] == list(map(len, octets))
        for uid, message in zip(uids, mailbox.messages, strict=True):
            flags = {flag.decode() for flag in rows[uid][b"FLAGS"]} - {"\\Recent"}
            assert flags == set(message.flags)
            assert rows[uid][b"INTERNALDATE"].timestamp() == message.internal_date.timestamp()


def test_mailboxes_have_their_special_use(client: IMAPClient) -> None:
    listed = {name: flags for flags, _, name in client.list_folders()}
    assert {"INBOX", "Projects", "Projects/Grün", "日本語"} <= set(listed)
    assert listed["Sent"] == (b"\\HasNoChildren", b"\\Sent")
    assert b"\\Noselect" in listed["Projects"]
    assert b"SPECIAL-USE" in client.capabilities()


@pytest.mark.parametrize(
    ("text", "is_there"), [("radiation shield", True), ("設置", True), ("GESENDET VON NIEMANDEM", False)]
)
def test_text_is_found_whatever_its_encoding(client: IMAPClient, text: str, *, is_there: bool) -> None:
    found = 0
    for mailbox in ("INBOX", "Sent"):
        client.select_folder(mailbox, readonly=True)
        found += len(client.search(["TEXT", text], "UTF-8"))
    assert bool(found) == is_there


def describe(message: str) -> str:
    content = MessageContent.parse(message.replace("\n", "\r\n").encode())
    return bytes(EmbeddedLoadedMessage.make_body_structure(content).extended).decode()


@pytest.mark.parametrize(
    ("message", "described"),
    [
        (
            "Content-Type: text/html; charset=utf-8\n\n<p>\n</p>\n",
            '("text" "html" ("charset" "utf-8") NIL NIL "7BIT" 11 2 NIL NIL NIL NIL)',
        ),
        (
            'Content-Type: image/png\nContent-Disposition: inline; filename="a b.png"\n\nx\n',
            '("image" "png" NIL NIL NIL "7BIT" 3 NIL ("inline" ("filename" "a b.png")) NIL NIL)',
        ),
        (
            "Content-Type: image/png\nContent-Disposition: attachment; filename*=utf-8''%C3%9C\n\nx\n",
            '("image" "png" NIL NIL NIL "7BIT" 3 NIL ("attachment" ("filename*" "utf-8\'\'%C3%9C")) NIL NIL)',
        ),
        (
            "Content-Type: message/rfc822\n\nSubject: inner\n\nhello\n",
            f'("message" "rfc822" NIL NIL NIL "7BIT" 25 (NIL "inner" {" ".join(["NIL"] * 8)}) '
            '("text" "plain" NIL NIL NIL "7BIT" 7 1 NIL NIL NIL NIL) 3 NIL NIL NIL NIL)',
        ),
        (
            "Content-Type: multipart/mixed\n\nnothing\n",
            '(("text" "plain" NIL NIL NIL "7BIT" 0 0 NIL NIL NIL NIL) "mixed" NIL NIL NIL NIL)',
        ),
    ],
)
def test_structures_are_those_of_imap(message: str, described: str) -> None:
    assert describe(message) == described


@pytest.mark.parametrize(
    ("octets", "found"),
    [
        (b"Subject: =?iso-8859-1?Q?R=FCckfrage?= zur =?utf-8?B?SMO2aGU=?=\r\n\r\n", "rückfrage zur höhe"),
        (
            b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            b"TUVTU0jWSEU=",
            "messhöhe",
        ),
        (b"Content-Type: text/plain; charset=x-none\r\n\r\nplain \xff words\r\n", "words"),
    ],
)
def test_searched_text_is_decoded(octets: bytes, found: str) -> None:
    assert found in read_search_text(octets)


def test_a_mailbox_made_again_is_another_one(clients: tuple[IMAPClient, IMAPClient]) -> None:
    """RFC 9051 section 2.3.1.1; the demo shows a `conflict` this way."""
    reader, owner = clients
    values = [reader.select_folder("Receipts", readonly=True)[b"UIDVALIDITY"]]
    for _ in range(3):
        owner.delete_folder("Receipts")
        owner.create_folder("Receipts")
        values.append(owner.folder_status("Receipts", ["UIDVALIDITY"])[b"UIDVALIDITY"])
    assert values == sorted(set(values))


def test_a_session_of_a_deleted_mailbox_ends(clients: tuple[IMAPClient, IMAPClient]) -> None:
    """By itself pymap would go on in the new mailbox, whose UIDVALIDITY that session was never told."""
    reader, owner = clients
    reader.select_folder("Receipts", readonly=True)
    owner.delete_folder("Receipts")
    owner.create_folder("Receipts")
    with pytest.raises(IMAPClient.AbortError, match="was deleted"):
        reader.search("ALL")


def test_copied_and_appended_messages_are_like_all_others(clients: tuple[IMAPClient, IMAPClient]) -> None:
    client, _ = clients
    client.select_folder("Receipts")
    client.copy([101], "INBOX")
    client.append("INBOX", NOTE.octets)
    client.select_folder("INBOX", readonly=True)
    assert client.search(["TEXT", "grün"], "UTF-8") == [101, 102]
    structure = client.fetch([101], ["BODYSTRUCTURE"])[101][b"BODYSTRUCTURE"]
    assert structure[6] == len(NOTE.octets.partition(b"\r\n\r\n")[2])


def test_a_wrong_password_is_refused(clients: tuple[IMAPClient, IMAPClient]) -> None:
    other = IMAPClient(clients[0].host, port=clients[0].port, ssl=False, timeout=30)
    with pytest.raises(LoginError):
        other.login("kim@example.com", "wrong")
    other.shutdown()


def test_stop_closes_the_port_the_connections_and_the_thread() -> None:
    threads_before = threading.active_count()
    with EmbeddedServer() as server:
        port, client = server.port, client_of(server)
        assert client.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 0}
        server.stop()
        with pytest.raises((IMAPClientError, OSError)):
            client.noop()
        client.shutdown()
    assert threading.active_count() == threads_before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.host, port), timeout=30)


def test_failure_to_start_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HOST", "192.0.2.1")  # RFC 5737: nobody's address
    with pytest.raises(OSError, match=r"192\.0\.2\.1"):
        EmbeddedServer().start()


def test_a_failed_connection_leaves_the_others(
    client: IMAPClient, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """A command line past every bound makes pymap give up on that connection, and on no other."""
    with (
        socket.create_connection((client.host, client.port), timeout=30) as rude,
        suppress(ConnectionError),
    ):
        rude.sendall(b"a " + b"x" * 2_500_000)
        while rude.recv(65_536):
            pass
    assert client.folder_status("Sent", ["MESSAGES"])[b"MESSAGES"] == 8
    assert [record.name for record in caplog.records] == [server_module.__name__]
    assert capfd.readouterr().out == "", "stdout carries the protocol of another server"

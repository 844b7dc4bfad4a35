"""The embedded server over its real socket, where pymap by itself would mislead a client."""

import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError
from pymap.mime import MessageContent

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.message import EmbeddedMessage, read_search_text
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


@pytest.mark.parametrize(
    ("message", "described"),
    [
        (
            "Content-Type: text/html; charset=utf-8\n\n<p>\n</p>\n",
            '("text" "html" ("charset" "utf-8") NIL NIL "7BIT" 11 2 NIL NIL NIL NIL)',
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
    content = MessageContent.parse(message.replace("\n", "\r\n").encode())
    assert bytes(EmbeddedMessage.make_body_structure(content).extended).decode() == described


@pytest.mark.parametrize(
    ("octets", "found"),
    [
        (b"Subject: =?iso-8859-1?Q?R=FCckfrage?= zur =?utf-8?B?SMO2aGU=?=\r\n\r\n", "rückfrage zur höhe"),
        (
            b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            b"TUVTU0jWSEU=",
            "messhöhe",
        ),
        (
            b"Subject: =?x-none?B?!!?=\r\nContent-Type: text/plain; charset=x-none\r\n\r\n\xff words\r\n",
            "words",
        ),
    ],
)
def test_searched_text_is_decoded(octets: bytes, found: str) -> None:
    assert found in read_search_text(octets)


def test_it_ends_with_its_port_its_connections_and_its_thread() -> None:
    before = threading.active_count()
    mailboxes = [SampleMailbox(name="Receipts", messages=(NOTE,))]
    with EmbeddedServer(mailboxes=mailboxes, user="kim@example.com", password='a "b" c') as server:
        other = IMAPClient(server.host, port=server.port, ssl=False, timeout=30)
        with pytest.raises(LoginError):
            other.login("kim@example.com", "wrong")
        other.shutdown()
        client = client_of(server)
        client.select_folder("Receipts")
        client.copy([101], "INBOX")
        client.select_folder("INBOX", readonly=True)
        assert client.search(["TEXT", "grün"], "UTF-8") == [101]
        (row,) = client.fetch([101], ["BODYSTRUCTURE"]).values()
        assert row[b"BODYSTRUCTURE"][6] == len(NOTE.octets.partition(b"\r\n\r\n")[2])
    with pytest.raises((IMAPClientError, OSError)):
        client.noop()
    client.shutdown()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.host, server.port), timeout=5)

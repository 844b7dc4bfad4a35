"""The embedded server over its real socket, with the client library mailmcp uses."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError

from mailmcp.demo import server as server_module
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.server import EmbeddedServer


def message(number: int) -> SampleMessage:
    return SampleMessage(
        octets=f"From: a@example.com\r\nSubject: number {number}\r\n\r\nBody {number}.\r\n".encode(),
        flags=("\\Seen",) if number % 2 else (),
        internal_date=datetime(2026, 1, number, 12, tzinfo=UTC),
    )


MAILBOXES = (
    SampleMailbox(name="INBOX", messages=tuple(message(number) for number in range(1, 6))),
    SampleMailbox(name="Sent", special_use="\\Sent"),
    SampleMailbox(name="Projects/Grün", messages=(message(1),)),
    SampleMailbox(name="日本語"),
)


@contextmanager
def client_of(server: EmbeddedServer) -> Iterator[IMAPClient]:
    client = IMAPClient(server.host, port=server.port, ssl=False, timeout=30)
    try:
        yield client
    finally:
        client.shutdown()


@contextmanager
def logged_in(server: EmbeddedServer) -> Iterator[IMAPClient]:
    with client_of(server) as client:
        client.login(server.user, server.password)
        yield client


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer(mailboxes=MAILBOXES) as running:
        yield running


def test_lists_nested_and_non_ascii_mailboxes(server: EmbeddedServer) -> None:
    with logged_in(server) as client:
        listed = {name: (flags, delimiter) for flags, delimiter, name in client.list_folders()}
    assert set(listed) == {"INBOX", "Sent", "Projects", "Projects/Grün", "日本語"}
    assert listed["Sent"] == ((b"\\HasNoChildren", b"\\Sent"), b"/")
    assert b"\\Noselect" in listed["Projects"][0]


def test_examines_searches_and_fetches(server: EmbeddedServer) -> None:
    with logged_in(server) as client:
        examined = client.select_folder("INBOX", readonly=True)
        unseen = client.search("UNSEEN")
        found = client.fetch(unseen, ["FLAGS", "BODY.PEEK[HEADER.FIELDS (SUBJECT)]"])
    assert (examined[b"EXISTS"], examined[b"UIDNEXT"]) == (5, 106)
    assert unseen == [102, 104]
    assert b"number 4" in found[104][b"BODY[HEADER.FIELDS (SUBJECT)]"]


def test_wrong_password_is_refused(server: EmbeddedServer) -> None:
    with client_of(server) as client, pytest.raises(LoginError):
        client.login(server.user, "wrong")


def test_each_server_has_its_own_password_and_mail() -> None:
    with EmbeddedServer() as one, EmbeddedServer(mailboxes=MAILBOXES) as two:
        assert one.password != two.password
        assert one.port != two.port
        with logged_in(one) as client:
            assert client.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 0}
        with logged_in(two) as client:
            assert client.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 5}


def test_user_and_password_may_be_given() -> None:
    with EmbeddedServer(user="kim@example.com", password='a "quoted" secret') as server:
        with logged_in(server) as client:
            assert [name for _, _, name in client.list_folders()] == ["INBOX"]
        assert server.password not in repr(server)


def test_mailbox_made_again_has_another_uidvalidity() -> None:
    """The demo shows a `conflict` this way; pymap draws the value from the clock and at random."""
    with EmbeddedServer() as server, logged_in(server) as client:
        seen = set()
        for _ in range(3):
            client.create_folder("Receipts")
            seen.add(client.folder_status("Receipts", ["UIDVALIDITY"])[b"UIDVALIDITY"])
            client.delete_folder("Receipts")
    assert len(seen) > 1


def test_stop_closes_the_port_the_connections_and_the_thread() -> None:
    threads_before = threading.active_count()
    with EmbeddedServer() as server:
        port = server.port
        idle, asleep = client_of(server), client_of(server)
        with idle as idling, asleep as silent:
            idling.login(server.user, server.password)
            idling.select_folder("INBOX", readonly=True)
            idling.idle()
            server.stop()
            with pytest.raises((IMAPClientError, OSError)):
                silent.noop()
            with pytest.raises((IMAPClientError, OSError)):
                idling.idle_done()
    assert threading.active_count() == threads_before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.host, port), timeout=30)
    assert "not running" in repr(server)


def test_stop_is_harmless_before_the_start_and_after_the_stop() -> None:
    server = EmbeddedServer()
    server.stop()
    with server:
        pass
    server.stop()


def test_port_of_a_server_that_was_not_started_is_not_waited_for() -> None:
    with pytest.raises(TimeoutError):
        _ = EmbeddedServer().port


def test_failure_to_start_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HOST", "192.0.2.1")  # RFC 5737: nobody's address
    with pytest.raises(OSError, match=r"192\.0\.2\.1"):
        EmbeddedServer().start()


def test_failed_connection_leaves_the_others(
    server: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A command line past every bound makes pymap give up on that connection, and on no other."""
    with logged_in(server) as client:
        with (
            socket.create_connection((server.host, server.port), timeout=30) as rude,
            suppress(ConnectionError),
        ):
            rude.sendall(b"a " + b"x" * 2_500_000)
            while rude.recv(65_536):
                pass
        assert client.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 5}
    assert [record.levelno for record in caplog.records if record.name == server_module.__name__] == [
        logging.ERROR
    ]


def test_nothing_is_printed(server: EmbeddedServer, capfd: pytest.CaptureFixture[str]) -> None:
    """The standard output of the process carries the protocol of another server."""
    with logged_in(server) as client:
        client.select_folder("INBOX", readonly=True)
    assert capfd.readouterr().out == ""

"""The proxy's counts are exact, and its delay is a delay."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from servers.dovecot import Dovecot, Login
from servers.peer import Peer, PeerFactory
from servers.peer_connection import GREETING
from servers.peer_mailbox import PeerMessage, make_messages
from servers.proxy import CountingProxy, ProxyFactory, Traffic

TIMEOUT_S = 30.0


@contextmanager
def connected(through: CountingProxy) -> Iterator[socket.socket]:
    with socket.create_connection((through.host, through.port), timeout=TIMEOUT_S) as client:
        yield client


def say(client: socket.socket, octets: bytes, *, until: bytes) -> bytes:
    """Send octets, and read until those that are expected last."""
    client.sendall(octets)
    heard = b""
    while not heard.endswith(until):
        heard += client.recv(65536)
    return heard


def test_a_known_conversation_is_counted_exactly(peer: PeerFactory, proxy: ProxyFactory) -> None:
    server = peer(messages=make_messages(1))
    through = proxy(server.host, server.port)
    with connected(through) as client:
        heard = say(client, b"", until=GREETING)
        assert through.snapshot() == Traffic(connections=1, octets_received=len(heard))
        sent = b"a LOGIN fake-user fake-password\r\n"
        heard += say(client, sent, until=b"a OK Logged in\r\n")
        assert through.snapshot() == Traffic(
            connections=1, round_trips=1, octets_sent=len(sent), octets_received=len(heard)
        )
        through.reset()
        sent = b"b EXAMINE INBOX\r\nc UID SEARCH ALL\r\nd UID FETCH 1 FLAGS\r\n"
        heard = say(client, sent, until=b"d OK Fetch done\r\n")
        assert through.snapshot() == Traffic(
            round_trips=1, octets_sent=len(sent), octets_received=len(heard)
        ), "pipelined commands are one round trip"
        say(client, b"e UID SEARCH TEXT {1}\r\n", until=b"+ OK\r\n")
        say(client, b"x\r\n", until=b"e OK Search done\r\n")
        assert through.snapshot().round_trips == 3, "a literal that waits is a round trip"


def test_connections_are_counted_apart_and_together(peer: PeerFactory, proxy: ProxyFactory) -> None:
    server = peer()
    through = proxy(server.host, server.port)
    with connected(through) as first, connected(through) as second:
        for client in (first, second):
            say(client, b"", until=GREETING)
        say(second, b"a NOOP\r\n", until=b"a OK NOOP done\r\n")
        assert [through.snapshot(number).round_trips for number in (1, 2)] == [0, 1]
        assert through.snapshot().connections == 2


def test_a_client_of_dovecot_costs_what_it_says(
    dovecot: Dovecot, dovecot_user: Login, proxy: ProxyFactory
) -> None:
    through = proxy(dovecot.host, dovecot.plain_port)
    dovecot.fill(dovecot_user.user, "INBOX", [b"Subject: a\r\n\r\nText\r\n"])
    with IMAPClient(through.host, through.port, ssl=False, timeout=TIMEOUT_S) as client:
        client.login(*dovecot_user)
        client.select_folder("INBOX", readonly=True)
        client.capabilities()  # IMAPClient wants to know them once, before it searches
        through.reset()
        client.search("ALL")
        client.fetch([1], ["FLAGS"])
        assert through.snapshot().round_trips == 2


def test_tls_passes(dovecot: Dovecot, dovecot_user: Login, proxy: ProxyFactory) -> None:
    through = proxy(dovecot.host, dovecot.tls_port)
    context = dovecot.certificates.client_context()
    with IMAPClient(through.host, through.port, ssl_context=context, timeout=TIMEOUT_S) as client:
        client.login(*dovecot_user)
        assert through.snapshot().round_trips == 4, "ClientHello, Finished, imaplib's CAPABILITY, LOGIN"


def test_however_much_is_delayed_order_is_kept_and_round_trips_are_counted(
    peer: PeerFactory, proxy: ProxyFactory
) -> None:
    octets = b"Subject: large\r\n\r\n" + b"x" * 5_000_000
    server = peer(messages=[PeerMessage(uid=1, octets=octets)])
    through = proxy(server.host, server.port, rtt_s=0.1)
    with connected(through) as client:
        say(client, b"", until=GREETING)
        say(client, b"a LOGIN fake-user fake-password\r\n", until=b"a OK Logged in\r\n")
        sent = b"b EXAMINE INBOX\r\nc UID FETCH 1 BODY.PEEK[]\r\n"
        heard = say(client, sent, until=b"c OK Fetch done\r\n")
        assert octets in heard, "order is kept"
        assert through.snapshot().round_trips == 2


def test_cutting_leaves_the_way_open_for_new_connections(peer: PeerFactory, proxy: ProxyFactory) -> None:
    server: Peer = peer()
    through = proxy(server.host, server.port)
    client = IMAPClient(through.host, through.port, ssl=False, timeout=TIMEOUT_S)
    through.sever()
    server.wait_closed(1)
    with pytest.raises((IMAPClientError, OSError)):
        client.noop()
    client.shutdown()
    with IMAPClient(through.host, through.port, ssl=False, timeout=TIMEOUT_S) as again:
        again.noop()


def test_the_end_of_one_side_reaches_the_other(peer: PeerFactory, proxy: ProxyFactory) -> None:
    server: Peer = peer()
    through = proxy(server.host, server.port, rtt_s=0.01)
    with connected(through) as client:
        say(client, b"", until=GREETING)
    server.wait_closed(1)
    with connected(through) as client:
        heard = say(client, b"a LOGOUT\r\n", until=b"a OK Logout done\r\n")
        assert heard.startswith(GREETING)
        assert client.recv(1) == b""


def test_a_server_that_is_not_there_is_a_closed_connection(proxy: ProxyFactory) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    through = proxy("127.0.0.1", port)
    with connected(through) as client:
        assert client.recv(1) == b""

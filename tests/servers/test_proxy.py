"""The proxy's counts are exact, and its delay is a delay."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from servers.peer import PeerFactory
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

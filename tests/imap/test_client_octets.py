"""Octets are counted, responses are bounded, and a connection can be aborted whatever it is doing."""

import socket
import threading

import pytest

from imap.scenes import At, make_account, open_mailbox, session_on
from mailmcp.imap.client import LITERAL_OCTETS_MAX, Traffic
from mailmcp.imap.command import Command
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.proxy import ProxyFactory


def test_what_is_received_and_all_bursts_of_a_connection_are_counted(
    dovecot: Dovecot, dovecot_user: Login, proxy: ProxyFactory
) -> None:
    counting = proxy(dovecot.host, dovecot.plain_port)
    with session_on(make_account(counting, dovecot_user)) as session:
        open_mailbox(session, "INBOX")
        session.run("UID", b"SEARCH", b"CHARSET", b"UTF-8", b"TEXT", "ä".encode())
        seen = counting.snapshot()
        traffic = session.handle.traffic
        assert traffic == Traffic(round_trips=seen.round_trips, octets_received=seen.octets_received)


@pytest.mark.parametrize("size", [LITERAL_OCTETS_MAX + 1, 2**31, 2**64])
def test_a_huge_literal_is_refused_before_it_is_read(peer: PeerFactory, size: int) -> None:
    claim = Respond(b"* 1 FETCH (UID 1 BODY[] {%d}\r\nabc" % size)
    server = peer(rules=[Rule(command="NOOP", action=claim)])
    with session_on(make_account(server)) as session:
        with pytest.raises(InternalError) as caught:
            session.run("NOOP")
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert session.in_doubt


def flood(response: bytes, count: int) -> Respond:
    return Respond(response * count + b"{tag} OK Done\r\n")


LITERAL = b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%b)\r\n" % (100_000, b"x" * 100_000)


@pytest.mark.parametrize(
    ("response", "count"),
    [(LITERAL, 40), (b"* 1 FETCH (UID 1)\r\n", 40_000), (b"* SEARCH " + b"1 " * 2_000_000 + b"\r\n", 1)],
    ids=["literals", "short responses", "a long line"],
)
def test_a_response_is_not_held_beyond_its_budget(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, response: bytes, count: int
) -> None:
    """Forty of the longest literals for one small message, at a hundredth of the scale."""
    monkeypatch.setattr("mailmcp.imap.client.RESPONSE_OCTETS_MAX", 400_000)
    server = peer(rules=[Rule(command="NOOP", action=flood(response, count))])
    with session_on(make_account(server)) as session:
        before = session.handle.traffic.octets_received
        with pytest.raises(InternalError, match="response that is too long") as caught:
            session.run("NOOP")
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert session.handle.traffic.octets_received - before < 500_000
        assert session.in_doubt


def test_each_command_has_a_budget_of_its_own(peer: PeerFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.imap.client.RESPONSE_OCTETS_MAX", 400_000)
    server = peer(rules=[Rule(command="NOOP", action=flood(LITERAL, 3))])
    with session_on(make_account(server)) as session:
        for _ in range(3):
            assert len(session.run("NOOP").lines("FETCH")) == 3
        with pytest.raises(InternalError, match="response that is too long"):
            session.run_all([Command(name="NOOP")] * 2)


def test_a_literal_that_ends_early_is_a_lost_connection(peer: PeerFactory) -> None:
    """Not a short message: it would look complete."""
    claim = Respond(b"* 1 FETCH (UID 1 BODY[] {100}\r\nabc")
    server = peer(rules=[Rule(command="NOOP", action=claim)])
    with session_on(make_account(server)) as session:

        def stop_then() -> None:
            server.wait_for("NOOP")
            server.stop()

        stopper = threading.Thread(target=stop_then)
        stopper.start()
        with pytest.raises(InternalError) as caught:
            session.run("NOOP")
        stopper.join()
        assert caught.value.reason is Reason.CONNECTION_LOST


def test_an_abort_wakes_a_blocked_reader() -> None:
    here, there = socket.socketpair()
    handle = ConnectionHandle(make_account(At("unused", 1)))
    handle.watch(here)
    reading = threading.Thread(target=lambda: here.recv(1))
    with here, there:
        reading.start()
        handle.abort()
        reading.join(30)
        assert not reading.is_alive()
        handle.abort()
    handle.close()
    handle.close()
    handle.abort()
    assert handle.aborted


def test_nothing_connects_after_an_abort() -> None:
    """A socket that is not connected cannot be shut down: it must not be connected at all."""
    handle = ConnectionHandle(make_account(At("unused", 1)))
    handle.abort()
    with socket.socket() as late, pytest.raises(ConnectionAbortedError):
        handle.watch(late)
    handle.close()


def test_watching_another_socket_releases_the_first() -> None:
    """A handle that is left open is a ResourceWarning, which fails the test."""
    handle = ConnectionHandle(make_account(At("unused", 1)))
    first, second = socket.socket(), socket.socket()
    with first, second:
        handle.watch(first)
        handle.watch(second)
        handle.abort()
    handle.close()

"""A call that ends early, by its caller, its deadline or the pool's end, ends its connection at once."""

import threading

import pytest

from imap.conftest import PoolFactory
from imap.scenes import RunningPool, make_account, newest
from mailmcp.imap.account import Tls
from mailmcp.imap.client import Client
from mailmcp.imap.connect import ConnectionHandle, log_in
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.certificates import Certificates
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence
from servers.peer_mailbox import make_messages

WAIT_S = 60.0
"""Only bounds a failure: less than what accounts here allow a server to be silent for."""


@pytest.mark.parametrize("tls", [Tls.NONE, Tls.IMPLICIT])
@pytest.mark.parametrize("command", ["", "LOGIN", "ID", "UID FETCH"])
def test_a_cancelled_call_ends_its_connection(
    peer: PeerFactory, run_pool: PoolFactory, certificates: Certificates, tls: Tls, command: str
) -> None:
    """Where the server never answers: nothing at all, not even a TLS handshake, or one command."""
    server = peer(
        messages=make_messages(1),
        greeting=None if command else Silence(),
        rules=[Rule(command=command, action=Silence())],
        tls=certificates.server_context() if tls is Tls.IMPLICIT and command else None,
    )
    pool = run_pool(make_account(server, tls=tls, ca_file=certificates.ca_file))
    call = pool.start(newest)
    if command:
        server.wait_for(command)
    else:
        server.wait_connected()
    call.cancel()
    server.wait_closed(1)
    server.rules.clear()
    if command:
        assert pool.run(newest) == [1]


def test_a_session_that_came_up_for_nobody_is_closed(
    peer: PeerFactory, run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call ends after its thread has logged in, before its result is taken."""
    server = peer(messages=make_messages(1))
    logged_in, go_on = threading.Event(), threading.Event()

    def slow(connection: Client, handle: ConnectionHandle) -> None:
        log_in(connection, handle)
        logged_in.set()
        go_on.wait(WAIT_S)

    monkeypatch.setattr("mailmcp.imap.pool.log_in", slow)
    pool = run_pool(make_account(server))
    call = pool.start(newest)
    assert logged_in.wait(WAIT_S)
    call.cancel()
    server.wait_closed(1)
    go_on.set()
    assert pool.run(newest) == [1]
    assert server.connections == 2


@pytest.mark.parametrize("command", ["LOGIN", "UID FETCH"])
def test_closing_the_pool_ends_its_calls_and_nothing_is_tried_again(peer: PeerFactory, command: str) -> None:
    server = peer(messages=make_messages(1), rules=[Rule(command=command, action=Silence())])
    with RunningPool(make_account(server, max_sessions=2)) as pool:
        calls = [pool.start(newest) for _ in range(3)]
        server.wait_for(command)
        pool.close()
    for call in calls:
        with pytest.raises(InternalError) as caught:
            call.result(WAIT_S)
        assert caught.value.reason is Reason.CONNECTION_LOST
    for number in range(1, server.connections + 1):
        server.wait_closed(number)
    assert server.connections <= 2


@pytest.mark.parametrize("answers", [True, False])
def test_closing_says_goodbye_and_does_not_wait_for_an_answer(peer: PeerFactory, *, answers: bool) -> None:
    server = peer(messages=make_messages(1))
    if not answers:
        server.rules.append(Rule(command="LOGOUT", action=Silence()))
    with RunningPool(make_account(server)) as pool:
        pool.run(newest)
    assert server.commands[-1].name == "LOGOUT"
    server.wait_closed(1)

"""A call that ends early, by its caller, its deadline or the pool's end, frees its thread at once."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import pytest

from imap.conftest import PoolFactory
from imap.scenes import At, RunningPool, make_account, newest
from mailmcp.imap.account import Tls
from mailmcp.imap.client import Client
from mailmcp.imap.connect import ConnectionHandle, connect, log_in
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, InternalError
from servers.certificates import Certificates
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence
from servers.peer_mailbox import make_messages

WAIT_S = 60.0
"""Only bounds a failure: less than what accounts here allow a server to be silent for."""


class Watched:
    """Notes when the thread of a call begins to block and when it ends."""

    def __init__(self) -> None:
        self.began, self.ended = threading.Event(), threading.Event()

    def __call__(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            self.began.set()
            try:
                return work(*args, **options)
            finally:
                self.ended.set()

        return run

    def ends_by(self, stop: Callable[[], object]) -> None:
        """Check that `stop` ends the thread, which no answer and no timeout would."""
        assert self.began.wait(WAIT_S)
        assert not self.ended.is_set()
        stop()
        assert self.ended.wait(WAIT_S)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> dict[str, Watched]:
    """Watches the threads that connect and log in."""
    steps: dict[str, Callable[..., Any]] = {"connect": connect, "log_in": log_in}
    found = {name: Watched() for name in steps}
    for name, step in steps.items():
        monkeypatch.setattr(f"mailmcp.imap.pool.{name}", found[name](step))
    return found


def test_cancelled_while_no_connection_comes_up(
    deaf_host: At, run_pool: PoolFactory, watched: dict[str, Watched]
) -> None:
    call = run_pool(make_account(deaf_host)).start(newest)
    watched["connect"].ends_by(call.cancel)


@pytest.mark.parametrize("tls", [Tls.NONE, Tls.IMPLICIT])
def test_cancelled_before_the_greeting(
    peer: PeerFactory,
    run_pool: PoolFactory,
    watched: dict[str, Watched],
    certificates: Certificates,
    tls: Tls,
) -> None:
    """The server says nothing, not even to a TLS handshake."""
    server = peer(greeting=Silence())
    call = run_pool(make_account(server, tls=tls, ca_file=certificates.ca_file)).start(newest)
    server.wait_connected(1)
    watched["connect"].ends_by(call.cancel)
    server.wait_closed(1)


@pytest.mark.parametrize("command", ["LOGIN", "ID"])
def test_cancelled_while_logging_in(
    peer: PeerFactory, run_pool: PoolFactory, watched: dict[str, Watched], command: str
) -> None:
    server = peer(messages=make_messages(1), rules=[Rule(command=command, action=Silence())])
    pool = run_pool(make_account(server))
    call = pool.start(newest)
    server.wait_for(command)
    watched["log_in"].ends_by(call.cancel)
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(newest) == [1]


@pytest.mark.parametrize("tls", [Tls.NONE, Tls.IMPLICIT])
def test_cancelled_within_a_command(
    peer: PeerFactory, run_pool: PoolFactory, certificates: Certificates, tls: Tls
) -> None:
    server = peer(
        messages=make_messages(1),
        rules=[Rule(command="UID FETCH", action=Silence())],
        tls=certificates.server_context() if tls is Tls.IMPLICIT else None,
    )
    pool, work = run_pool(make_account(server, tls=tls, ca_file=certificates.ca_file)), Watched()
    call = pool.start(work(newest))
    server.wait_for("UID FETCH")
    work.ends_by(call.cancel)
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(newest) == [1]


def test_a_deadline_frees_the_thread_as_well(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1), rules=[Rule(command="EXAMINE", action=Silence())])
    pool, work = run_pool(make_account(server)), Watched()
    call = pool.start(work(newest), timeout_s=0.2)
    with pytest.raises(DeadlineError):
        call.result(WAIT_S)
    assert work.ended.wait(WAIT_S)


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


def test_a_call_that_is_cancelled_before_its_thread_began_ends_at_once(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server, max_sessions=1))
    server.rules.append(Rule(command="EXAMINE", action=Silence()))
    busy = pool.start(newest)
    server.wait_for("EXAMINE")
    waiting = pool.start(newest)
    pool.settle()
    waiting.cancel()
    with pytest.raises(CancelledError):
        waiting.result(WAIT_S)
    busy.cancel()


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

"""A server that says nothing: the deadline's error names the stage, and the thread is free."""

import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import pytest

from imap.conftest import PoolFactory
from imap.scenes import At, RunningPool, make_account, newest, read_round
from imap.test_errors_commands import AFTER_LOGIN, COMMANDS, start
from mailmcp.imap.account import Tls
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError
from servers.certificates import Certificates
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence, Stall
from servers.peer_mailbox import make_messages

SHORT_S = 0.6
"""Waited for, and time enough for what comes before."""


def fails_silently(pool: RunningPool, work: Callable[..., object], *, timeout_s: float) -> StrEnum:
    with pytest.raises(DeadlineError, match=r"\(account main\)") as caught:
        pool.run(work, timeout_s=timeout_s)
    assert caught.value.retryable
    return caught.value.reason


def test_no_connection_comes_up_by_the_deadline(deaf_host: At, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(deaf_host))
    assert fails_silently(pool, newest, timeout_s=SHORT_S) is Reason.CONNECT


def test_no_connection_comes_up_by_the_accounts_own_timeout(deaf_host: At, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(deaf_host, connect_timeout_s=SHORT_S))
    assert fails_silently(pool, newest, timeout_s=300) is Reason.CONNECT


@pytest.mark.parametrize("own", [False, True], ids=["deadline", "account"])
def test_a_name_look_up_is_part_of_connecting(
    run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch, *, own: bool
) -> None:
    told = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: told.wait(60))
    account = make_account(At("mail.example", 993), connect_timeout_s=SHORT_S if own else 300.0)
    assert fails_silently(run_pool(account), newest, timeout_s=300 if own else SHORT_S) is Reason.CONNECT
    told.set()


def test_a_tls_handshake_that_hangs_is_part_of_connecting(
    peer: PeerFactory, run_pool: PoolFactory, certificates: Certificates
) -> None:
    """The peer waits for IMAP, so the client's first TLS record is never answered."""
    server = peer(greeting=Silence())
    account = make_account(server, tls=Tls.IMPLICIT, ca_file=certificates.ca_file)
    assert fails_silently(run_pool(account), newest, timeout_s=SHORT_S) is Reason.CONNECT
    server.wait_closed(1)


@pytest.mark.parametrize("own", [False, True], ids=["deadline", "account"])
def test_a_greeting_that_never_comes(peer: PeerFactory, run_pool: PoolFactory, *, own: bool) -> None:
    server = peer(greeting=Silence())
    account = make_account(server, connect_timeout_s=SHORT_S if own else 300.0)
    assert fails_silently(run_pool(account), newest, timeout_s=300 if own else SHORT_S) is Reason.GREETING
    server.wait_closed(1)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_never_answered(peer: PeerFactory, run_pool: PoolFactory, command: str) -> None:
    """By the account's timeout; not tried again, since the server may be busy with it."""
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Silence()))
    pool = run_pool(replace(account, command_timeout_s=SHORT_S))
    assert fails_silently(pool, read_round, timeout_s=300) is Reason.COMMAND
    assert server.connections == 1
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(read_round) == [3, 2, 1]


@pytest.mark.parametrize("command", AFTER_LOGIN)
def test_a_command_that_is_not_answered_by_the_deadline(
    peer: PeerFactory, run_pool: PoolFactory, command: str
) -> None:
    server, account = start(peer, command)
    pool = run_pool(account)
    pool.run(read_round)
    server.rules.append(Rule(command=command, action=Silence()))
    assert fails_silently(pool, read_round, timeout_s=SHORT_S) is Reason.COMMAND
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(read_round) == [3, 2, 1]
    assert server.connections == 2


def test_a_server_that_drips_does_not_outlast_the_deadline(peer: PeerFactory, run_pool: PoolFactory) -> None:
    """Each octet comes in time, the answer never does."""
    server = peer(messages=make_messages(1), rules=[Rule(command="UID FETCH", action=Stall())])
    pool = run_pool(make_account(server))
    assert fails_silently(pool, newest, timeout_s=2 * SHORT_S) is Reason.COMMAND
    server.wait_closed(1)


def test_waiting_for_a_free_session_ends_with_the_deadline(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server, max_sessions=1))
    pool.run(newest)
    server.rules.append(Rule(command="NOOP", action=Silence()))
    first = pool.start(lambda session: session.run("NOOP"))
    server.wait_for("NOOP")
    assert fails_silently(pool, newest, timeout_s=SHORT_S) is Reason.COMMAND
    first.cancel()

"""Faults on the wire: the error is the right one, nothing is tried too often, and the next call is served."""

import threading

import pytest

from imap.conftest import PoolFactory
from imap.scenes import At, RunningPool, make_account, newest, read_round
from mailmcp.imap.account import Tls
from mailmcp.imap.pool import AUTH_BACKOFF_S, RETRY_ATTEMPTS
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, InternalError, ToolError
from servers.certificates import Certificates
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action, Bye, Close, Respond, Rule, Silence, Stall
from servers.peer_mailbox import make_messages

SHORT_S = 0.6
"""Waited for, and time enough for what comes before."""


@pytest.fixture
def server(peer: PeerFactory, monkeypatch: pytest.MonkeyPatch) -> Peer:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.0)
    return peer(messages=make_messages(1, 2, 3))


@pytest.mark.parametrize("command", ["CAPABILITY", "ID", "LIST", "STATUS", "EXAMINE", "UID FETCH", "NOOP"])
@pytest.mark.parametrize(
    "action", [Close("before"), Close("within"), Close("before", reset=True)], ids=["end", "within", "reset"]
)
def test_a_connection_lost_once_is_made_again_quietly(server: Peer, command: str, action: Action) -> None:
    server.rules.append(Rule(command=command, nth=1, action=action))
    with RunningPool(make_account(server)) as pool:
        assert [pool.run(read_round) for _ in range(2)] == [[3, 2, 1]] * 2
    assert server.connections == 2


@pytest.mark.parametrize("command", ["CAPABILITY", "EXAMINE"])
@pytest.mark.parametrize("action", [Close("before"), Bye()], ids=["close", "bye"])
def test_a_connection_lost_again_and_again_is_given_up(server: Peer, command: str, action: Action) -> None:
    server.rules.append(Rule(command=command, action=action))
    with RunningPool(make_account(server)) as pool:
        with pytest.raises(InternalError, match="lost") as caught:
            pool.run(read_round)
        assert (caught.value.reason, caught.value.retryable) == (Reason.CONNECTION_LOST, True)
        assert server.connections == RETRY_ATTEMPTS
        server.rules.clear()
        assert pool.run(read_round) == [3, 2, 1]


@pytest.mark.parametrize("command", ["CAPABILITY", "LOGIN", "EXAMINE"])
@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"%&/ no IMAP\r\n{tag} OK Done\r\n", "not IMAP"),
        (b"zzz9 OK For somebody else\r\n", "not IMAP"),
        (b"* 1 FETCH (BODY[] {%b}\r\n" % (b"9" * 5000), "not IMAP"),
        (b"* OK " + b"x" * 50_000 + b"\r\n", "too long"),
    ],
    ids=["line", "tag", "number", "long line"],
)
def test_garbage_ends_the_connection_and_is_not_tried_again(
    server: Peer, command: str, raw: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.client.RESPONSE_OCTETS_MAX", 50_000)
    server.rules.append(Rule(command=command, action=Respond(raw)))
    with RunningPool(make_account(server)) as pool:
        with pytest.raises(InternalError, match=words) as caught:
            pool.run(read_round)
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert server.connections == 1
        server.rules.clear()
        pool.clock.now += AUTH_BACKOFF_S
        assert pool.run(read_round) == [3, 2, 1]


def test_a_refused_id_changes_nothing(server: Peer) -> None:
    server.rules.append(Rule(command="ID", action=Respond(b"{tag} BAD No names\r\n")))
    with RunningPool(make_account(server)) as pool:
        assert pool.run(read_round) == [3, 2, 1]
    assert server.connections == 1


@pytest.mark.parametrize(
    ("greeting", "reason", "words"),
    [
        (Bye("Sorry"), Reason.SERVER_REFUSED, "greeted with BYE"),
        (Bye("Too many connections"), Reason.CONNECTION_LIMIT, "no more connections"),
        (Respond(b"220 mail.example.org ESMTP\r\n"), Reason.PROTOCOL_VIOLATION, "not IMAP"),
        (Respond(b"* NO Closed\r\n"), Reason.PROTOCOL_VIOLATION, "sent no IMAP greeting"),
        (Close("within"), Reason.CONNECTION_LOST, "lost"),
    ],
)
def test_a_bad_greeting_is_named(server: Peer, greeting: Action, reason: Reason, words: str) -> None:
    server.greeting = greeting
    with RunningPool(make_account(server)) as pool, pytest.raises(ToolError, match=words) as caught:
        pool.run(read_round)
    assert caught.value.reason is reason
    assert server.connections == (RETRY_ATTEMPTS if reason is Reason.CONNECTION_LOST else 1)


def fails_silently(pool: RunningPool, *, timeout_s: float = 300.0) -> object:
    with pytest.raises(DeadlineError, match=r"\(account main\)") as caught:
        pool.run(read_round, timeout_s=timeout_s)
    assert caught.value.retryable
    return caught.value.reason


def test_no_connection_comes_up_by_the_deadline(deaf_host: At, run_pool: PoolFactory) -> None:
    assert fails_silently(run_pool(make_account(deaf_host)), timeout_s=SHORT_S) is Reason.CONNECT
    impatient = make_account(deaf_host, connect_timeout_s=SHORT_S)
    assert fails_silently(run_pool(impatient)) is Reason.CONNECT


@pytest.mark.parametrize("own", [False, True], ids=["deadline", "account"])
def test_a_name_look_up_is_part_of_connecting(
    run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch, *, own: bool
) -> None:
    told = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_options: told.wait(60))
    account = make_account(At("mail.example", 993), connect_timeout_s=SHORT_S if own else 300.0)
    assert fails_silently(run_pool(account), timeout_s=300 if own else SHORT_S) is Reason.CONNECT
    told.set()


@pytest.mark.parametrize(
    ("own", "tls", "reason"),
    [
        (False, Tls.NONE, Reason.GREETING),
        (True, Tls.NONE, Reason.GREETING),
        # The peer waits for IMAP, so the client's first TLS record is never answered.
        (False, Tls.IMPLICIT, Reason.CONNECT),
    ],
    ids=["deadline", "account", "TLS handshake"],
)
def test_a_greeting_that_never_comes(
    server: Peer, run_pool: PoolFactory, certificates: Certificates, tls: Tls, reason: Reason, *, own: bool
) -> None:
    server.greeting = Silence()
    timeout_s = SHORT_S if own else 300.0
    account = make_account(server, tls=tls, ca_file=certificates.ca_file, connect_timeout_s=timeout_s)
    assert fails_silently(run_pool(account), timeout_s=300 if own else SHORT_S) is reason
    server.wait_closed(1)


@pytest.mark.parametrize("command", ["CAPABILITY", "LOGIN", "ID", "EXAMINE"])
def test_a_command_that_is_never_answered(server: Peer, run_pool: PoolFactory, command: str) -> None:
    """By the account's timeout; not tried again, since the server may be busy with it."""
    server.rules.append(Rule(command=command, action=Silence()))
    pool = run_pool(make_account(server, command_timeout_s=SHORT_S))
    assert fails_silently(pool) is Reason.COMMAND
    assert server.connections == 1
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(read_round) == [3, 2, 1]


@pytest.mark.parametrize("action", [Silence(), Stall()], ids=["silence", "each octet in time"])
def test_a_command_that_is_not_answered_by_the_deadline(
    server: Peer, run_pool: PoolFactory, action: Action
) -> None:
    pool = run_pool(make_account(server))
    pool.run(read_round)
    server.rules.append(Rule(command="UID FETCH", action=action))
    assert fails_silently(pool, timeout_s=2 * SHORT_S) is Reason.COMMAND
    server.wait_closed(1)
    server.rules.clear()
    assert pool.run(read_round) == [3, 2, 1]


def test_waiting_for_a_free_session_ends_with_the_deadline(server: Peer, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(server, max_sessions=1))
    pool.run(newest)
    server.rules.append(Rule(command="NOOP", action=Silence()))
    first = pool.start(lambda session: session.run("NOOP"))
    server.wait_for("NOOP")
    assert fails_silently(pool, timeout_s=SHORT_S) is Reason.COMMAND
    first.cancel()

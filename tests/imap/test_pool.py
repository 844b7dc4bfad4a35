"""Sessions are shared, checked, aged and lost; calls do not notice, but in what they cost."""

from threading import Barrier, Event

import pytest

from imap.conftest import PoolFactory
from imap.scenes import RESULT_TIMEOUT_S, At, RunningPool, make_account, newest
from mailmcp.imap.account import Tls
from mailmcp.imap.connect import log_in
from mailmcp.imap.pool import SESSION_IDLE_CHECK_S, SESSION_IDLE_MAX_S
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.certificates import Certificates
from servers.dovecot import Dovecot, Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Bye, Close, Respond, Rule, Silence
from servers.peer_mailbox import make_messages

CALLS = 24
LIMIT = Respond(b"{tag} NO [LIMIT] Enough\r\n")


def names(server: Peer) -> list[str]:
    return [command.name for command in server.commands]


def open_sessions(server: Peer, pool: RunningPool, count: int) -> None:
    """Make the pool open `count` sessions, by as many calls at once."""
    together = Barrier(count, timeout=RESULT_TIMEOUT_S)
    for call in [pool.start(lambda _session: together.wait()) for _ in range(count)]:
        call.result(RESULT_TIMEOUT_S)
    assert server.open_connections == count


@pytest.mark.parametrize("limit", [1, 4])
def test_many_calls_at_once_share_a_few_sessions(
    dovecot: Dovecot, dovecot_user: Login, run_pool: PoolFactory, limit: int
) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [b"Subject: %d\r\n\r\nText\r\n" % n for n in range(15)])
    pool = run_pool(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user, max_sessions=limit))
    calls = [pool.start(newest) for _ in range(CALLS)]
    assert [call.result(RESULT_TIMEOUT_S) for call in calls] == [list(range(15, 5, -1))] * CALLS
    sessions = pool.pool.sessions_of("main")
    assert sessions.leased == 0
    assert 0 < len(sessions.idle) <= limit


def test_a_session_that_was_idle_is_checked_before_it_is_used(server: Peer, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(server, command_timeout_s=7.0))
    pool.run(newest)
    pool.clock.now += SESSION_IDLE_CHECK_S
    pool.run(newest)
    assert "NOOP" not in names(server)
    pool.clock.now += SESSION_IDLE_CHECK_S + 0.1
    assert pool.run(newest) == [1]
    assert names(server).count("NOOP") == 1
    assert server.connections == 1
    assert pool.telemetry.imap_round_trips == 3
    assert pool.run(lambda session: session.connection.socket().gettimeout()) == 7.0


def test_an_idle_session_that_a_router_has_forgotten_is_replaced(
    server: Peer, run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is silent, neither closed nor reset; the check finds out, and the call goes on afresh."""
    monkeypatch.setattr("mailmcp.imap.pool._CHECK_TIMEOUT_S", 0.1)
    pool = run_pool(make_account(server))
    pool.run(newest)
    server.rules.append(Rule(command="NOOP", action=Silence()))
    pool.clock.now += SESSION_IDLE_CHECK_S + 1
    assert pool.run(newest) == [1]
    assert server.connections == 2
    server.wait_closed(1)


def test_a_session_that_was_idle_for_long_is_not_used_again(server: Peer, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(server))
    open_sessions(server, pool, 3)
    pool.clock.now += SESSION_IDLE_MAX_S + 1
    assert pool.run(newest) == [1]
    for connection in (1, 2, 3):
        server.wait_closed(connection)
    assert "NOOP" not in names(server)


def test_all_idle_sessions_may_have_died_at_once(server: Peer, run_pool: PoolFactory) -> None:
    """A server that restarts takes all of them along: a call must not try them one by one and give up."""
    pool = run_pool(make_account(server))
    open_sessions(server, pool, 4)
    server.rules += [
        Rule(command=command, connection=connection, action=Close("before", reset=True))
        for connection in range(1, 5)
        for command in ("EXAMINE", "NOOP")
    ]
    assert pool.run(newest) == [1]
    assert server.connections == 5


def test_a_lost_connection_is_tried_again_on_the_same_terms(server: Peer, run_pool: PoolFactory) -> None:
    """The traffic of all tries is counted; the sum of sessions stays within bounds."""
    server.rules.append(Rule(command="UID FETCH", nth=1, action=Close("before")))
    pool = run_pool(make_account(server, max_sessions=1))
    assert pool.run(newest) == [1]
    one_try = [command for command in server.commands if command.connection == 2]
    assert pool.telemetry.imap_round_trips == 2 * (len(one_try) - 1), "EXAMINE rides with SEARCH"
    assert server.open_connections == 1


def test_a_refusal_that_nobody_expected_is_the_servers(server: Peer, run_pool: PoolFactory) -> None:
    server.rules.append(Rule(command="NOOP", action=Respond(b"{tag} NO [LIMIT] Slow down\r\n")))
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError, match=r'refused NOOP \(account main\): NO "\\\[LIMIT] Slow down"'):
        pool.run(lambda session: session.run("NOOP"))
    assert len(pool.pool.sessions_of("main").idle) == 1


def test_a_session_is_not_kept_after_a_bug(server: Peer, run_pool: PoolFactory) -> None:
    def fail(_session: Session) -> None:
        raise LookupError("a bug")

    pool = run_pool(make_account(server))
    with pytest.raises(LookupError):
        pool.run(fail)
    server.wait_closed(1)


# A server that allows fewer sessions than the settings is not asked for more, and no call fails for it.


def test_no_more_sessions_are_asked_for_once_one_was_refused(server: Peer, run_pool: PoolFactory) -> None:
    server.rules.append(Rule(command="LOGIN", nth=3, action=LIMIT))
    pool = run_pool(make_account(server, max_sessions=4))
    for _ in range(2):
        calls = [pool.start(newest) for _ in range(CALLS)]
        assert [call.result(RESULT_TIMEOUT_S) for call in calls] == [[1]] * CALLS
        assert len(server.logins) == 3


@pytest.mark.parametrize("refusal", [LIMIT, Bye("Maximum number of connections exceeded")])
def test_a_call_that_is_refused_a_session_waits_for_one(
    server: Peer, run_pool: PoolFactory, refusal: Respond | Bye
) -> None:
    pool = run_pool(make_account(server))
    pool.run(newest)
    server.rules.append(Rule(command="LOGIN", action=refusal))
    held = pool.start(lambda _session: server.wait_for("LOGIN", nth=2))
    waiting = pool.start(newest)
    held.result(RESULT_TIMEOUT_S)
    assert waiting.result(RESULT_TIMEOUT_S) == [1]
    assert len(server.logins) == 2


def test_where_other_programs_hold_all_sessions_the_call_fails_for_now(
    server: Peer, run_pool: PoolFactory
) -> None:
    server.rules.append(Rule(command="LOGIN", action=LIMIT))
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError, match="Other mail programs may hold some") as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.CONNECTION_LIMIT, True)
    assert len(server.logins) == 1
    server.rules.clear()
    assert pool.run(newest) == [1]


# A call that ends early, by its caller, its deadline or the pool's end, ends its connection at once.


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
    logged_in, go_on = Event(), Event()

    def slow(session: Session) -> None:
        log_in(session)
        logged_in.set()
        go_on.wait(RESULT_TIMEOUT_S)

    monkeypatch.setattr("mailmcp.imap.pool.log_in", slow)
    pool = run_pool(make_account(server))
    call = pool.start(newest)
    assert logged_in.wait(RESULT_TIMEOUT_S)
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
            call.result(RESULT_TIMEOUT_S)
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

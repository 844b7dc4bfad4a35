"""Sessions are shared, checked, aged and lost; calls do not notice, but in what they cost."""

from functools import partial
from threading import Barrier

import pytest

from imap.conftest import PoolFactory
from imap.scenes import RESULT_TIMEOUT_S, At, RunningPool, make_account, newest, open_mailbox
from mailmcp import limits
from mailmcp.imap.pool import SESSION_IDLE_CHECK_S, SESSION_IDLE_MAX_S
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import NotFoundError
from servers.dovecot import Dovecot, Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Respond, Rule, Silence
from servers.peer_mailbox import PeerMailbox, make_messages
from servers.proxy import ProxyFactory

CALLS = 64


def names(server: Peer) -> list[str]:
    return [command.name for command in server.commands]


def open_sessions(server: Peer, pool: RunningPool, count: int) -> None:
    """Make the pool open `count` sessions, by as many calls at once."""
    together = Barrier(count, timeout=RESULT_TIMEOUT_S)
    for call in [pool.start(lambda _session: together.wait()) for _ in range(count)]:
        call.result(RESULT_TIMEOUT_S)
    assert server.open_connections == count


def look_at(mailbox: str, session: Session) -> None:
    open_mailbox(session, mailbox)
    session.run("NOOP")


@pytest.mark.parametrize("limit", [1, 4])
def test_many_calls_at_once_share_a_few_sessions(
    dovecot: Dovecot, dovecot_user: Login, proxy: ProxyFactory, run_pool: PoolFactory, limit: int
) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [b"Subject: %d\r\n\r\nText\r\n" % n for n in range(15)])
    counting = proxy(dovecot.host, dovecot.plain_port)
    pool = run_pool(make_account(counting, dovecot_user, max_sessions=limit))
    calls = [pool.start(newest) for _ in range(CALLS)]
    assert [call.result(RESULT_TIMEOUT_S) for call in calls] == [list(range(15, 5, -1))] * CALLS
    assert counting.snapshot().connections <= limit
    assert repr(pool.pool) == f"<Pool main: 0 of {limit} in use, {counting.snapshot().connections} idle>"


def test_by_default_four_sessions_are_open_at_most(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1, 2))
    pool = run_pool(make_account(server))
    calls = [pool.start(newest) for _ in range(CALLS)]
    assert [call.result(RESULT_TIMEOUT_S) for call in calls] == [[2, 1]] * CALLS
    assert 1 <= server.connections <= limits.SESSIONS_PER_ACCOUNT == 4


def test_the_session_that_has_the_mailbox_open_is_taken(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1), mailboxes=[PeerMailbox(name="Other")])
    pool = run_pool(make_account(server))
    open_sessions(server, pool, 2)
    for mailbox in ("INBOX", "Other", "Other", "INBOX", "INBOX"):
        pool.run(partial(look_at, mailbox), mailbox=mailbox)
    opened = {(command.connection, command.line) for command in server.commands if command.name == "EXAMINE"}
    assert len(opened) == 2
    assert len({connection for connection, _ in opened}) == 2


def test_an_unknown_account_is_named_with_those_there_are(peer: PeerFactory, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(peer()))
    pool.account_id = "other"
    with pytest.raises(NotFoundError, match=r"There is no account `other`\. Accounts: main\.") as caught:
        pool.run(newest)
    assert caught.value.reason is Reason.ACCOUNT_UNKNOWN


def test_a_session_that_was_idle_is_checked_before_it_is_used(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    pool.run(newest)
    pool.clock.now += SESSION_IDLE_CHECK_S
    pool.run(newest)
    assert "NOOP" not in names(server)
    pool.clock.now += SESSION_IDLE_CHECK_S + 0.1
    assert pool.run(newest) == [1]
    assert names(server).count("NOOP") == 1
    assert server.connections == 1
    assert pool.telemetry.imap_round_trips == 3


def test_an_idle_session_that_a_router_has_forgotten_is_replaced(
    peer: PeerFactory, run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is silent, neither closed nor reset; the check finds out, and the call goes on afresh."""
    monkeypatch.setattr("mailmcp.imap.pool._CHECK_TIMEOUT_S", 0.1)
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    pool.run(newest)
    server.rules.append(Rule(command="NOOP", action=Silence()))
    pool.clock.now += SESSION_IDLE_CHECK_S + 1
    assert pool.run(newest) == [1]
    assert server.connections == 2
    server.wait_closed(1)


def test_the_check_leaves_the_time_for_commands_as_it_was(peer: PeerFactory, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(peer(messages=make_messages(1)), command_timeout_s=7.0))
    pool.run(newest)
    pool.clock.now += SESSION_IDLE_CHECK_S + 1
    assert pool.run(lambda session: session.connection.socket().gettimeout()) == 7.0


def test_sessions_that_are_idle_for_long_are_logged_out(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    open_sessions(server, pool, 3)
    pool.clock.now += SESSION_IDLE_MAX_S
    pool.run(newest)
    pool.clock.now += 1
    pool.close_stale()
    assert names(server).count("LOGOUT") == 2
    assert server.open_connections == 1


def test_all_idle_sessions_may_have_died_at_once(peer: PeerFactory, run_pool: PoolFactory) -> None:
    """A server that restarts takes all of them along: a call must not try them one by one and give up."""
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    open_sessions(server, pool, 4)
    server.rules += [
        Rule(command=command, connection=connection, action=Close("before", reset=True))
        for connection in range(1, 5)
        for command in ("EXAMINE", "NOOP")
    ]
    assert pool.run(newest) == [1]
    assert server.connections == 5


@pytest.mark.usefixtures("dovecot")
def test_a_restarted_dovecot_is_not_noticed(run_pool: PoolFactory) -> None:
    with Dovecot() as server:
        login = server.user("restarted")
        server.fill(login.user, "INBOX", [b"Subject: 1\r\n\r\nText\r\n"])
        pool = run_pool(make_account(At(server.host, server.plain_port), login))
        assert pool.run(newest) == [1]
        server.stop()
        server.start()
        assert pool.run(newest) == [1]


def test_a_lost_connection_is_tried_again_on_the_same_terms(peer: PeerFactory, run_pool: PoolFactory) -> None:
    """The traffic of all tries is counted; the sum of sessions stays within bounds."""
    server = peer(messages=make_messages(1), rules=[Rule(command="UID FETCH", nth=1, action=Close("before"))])
    pool = run_pool(make_account(server, max_sessions=1))
    assert pool.run(newest) == [1]
    one_try = [command for command in server.commands if command.connection == 2]
    assert pool.telemetry.imap_round_trips == 2 * (len(one_try) - 1), "EXAMINE rides with SEARCH"
    assert server.open_connections == 1


def test_a_refusal_that_nobody_expected_is_the_servers(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Respond(b"{tag} NO [LIMIT] Slow down\r\n"))])
    pool = run_pool(make_account(server))
    with pytest.raises(Exception, match=r'refused NOOP \(account main\): NO "\\\[LIMIT] Slow down"'):
        pool.run(lambda session: session.run("NOOP"))
    assert "1 idle" in repr(pool.pool)


def test_a_session_is_not_kept_after_a_bug(peer: PeerFactory, run_pool: PoolFactory) -> None:
    def fail(_session: Session) -> None:
        raise LookupError("a bug")

    server = peer()
    pool = run_pool(make_account(server))
    with pytest.raises(LookupError):
        pool.run(fail)
    server.wait_closed(1)


def test_the_pool_looks_for_stale_sessions_by_itself(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.SESSION_IDLE_CHECK_S", 0.01)
    monkeypatch.setattr("mailmcp.imap.pool.SESSION_IDLE_MAX_S", -1.0)
    server = peer(messages=make_messages(1))
    with RunningPool(make_account(server)) as pool:
        pool.run(newest)
        server.wait_for("LOGOUT")

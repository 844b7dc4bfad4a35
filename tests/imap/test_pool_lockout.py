"""No login is repeated that may count against the account, however it ended; counted at the server."""

import threading
from functools import partial

import pytest

from imap.conftest import PoolFactory
from imap.scenes import make_account, newest
from mailmcp.imap.pool import AUTH_BACKOFF_S, SESSION_IDLE_MAX_S
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, ToolError
from servers.dovecot import Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action, Bye, Close, Respond, Rule
from servers.peer_mailbox import make_messages

CALLS = 10
BYE_AND_NO = Respond(b"* BYE Go away\r\n{tag} NO [AUTHENTICATIONFAILED] Wrong\r\n")


@pytest.mark.parametrize("password", ["fake-password", "fäke-password"], ids=["LOGIN", "AUTHENTICATE"])
@pytest.mark.parametrize(
    ("action", "first", "later"),
    [
        (Bye(), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Close("before"), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Close("within"), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Close("before", reset=True), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Respond(b"Go away\r\n"), Reason.PROTOCOL_VIOLATION, Reason.LOGIN_UNANSWERED),
        (BYE_AND_NO, Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Bye("[AUTHENTICATIONFAILED] Wrong"), Reason.CREDENTIALS_REJECTED, Reason.BACKING_OFF),
        (Respond(b"{tag} NO Wrong\r\n* BYE Go away\r\n"), Reason.CREDENTIALS_REJECTED, Reason.BACKING_OFF),
    ],
    ids=["bye", "close", "half", "reset", "garbage", "bye and no", "bye with a code", "no and bye"],
)
def test_ten_calls_are_one_login(
    peer: PeerFactory, run_pool: PoolFactory, password: str, action: Action, first: Reason, later: Reason
) -> None:
    server = peer(rules=[Rule(command=name, action=action) for name in ("LOGIN", "AUTHENTICATE")])
    pool = run_pool(make_account(server, Login("fake-user", password)))
    found = []
    for _ in range(CALLS):
        with pytest.raises(ToolError) as caught:
            pool.run(newest)
        found.append(caught.value.reason)
    assert found == [first, *[later] * (CALLS - 1)]
    assert (len(server.logins), server.connections) == (1, 1)
    pool.clock.now += AUTH_BACKOFF_S
    with pytest.raises(ToolError):
        pool.run(newest)
    assert len(server.logins) == 2


def test_a_temporary_bye_is_not_held_against_the_login(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1))
    server.rules.append(Rule(command="LOGIN", nth=1, action=Bye("[UNAVAILABLE] Restarting")))
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError) as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.SERVER_REFUSED, True)
    assert pool.run(newest) == [1]


def hold_one(server: Peer, all_wait: threading.Event, session: Session) -> None:
    """Keep a session from the other calls until all of them wait for a login, and one has been tried."""
    server.wait_for("LOGIN", nth=2)
    assert all_wait.wait(10)
    session.run("NOOP")


def test_a_changed_password_is_refused_once_however_many_calls_there_are(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server, max_sessions=CALLS))
    pool.run(newest)
    server.settings.password = "changed"
    all_wait = threading.Event()
    held = pool.start(partial(hold_one, server, all_wait))
    calls = [pool.start(newest) for _ in range(CALLS - 1)]
    pool.settle()
    all_wait.set()
    errors = [call.exception(10) for call in calls]
    held.result(5)
    found = [error.reason for error in errors if isinstance(error, AuthFailedError)]
    assert sorted(found) == [Reason.BACKING_OFF] * (CALLS - 2) + [Reason.CREDENTIALS_REJECTED]
    assert len(server.logins) == 2, "the one that was accepted, and one"


def test_credentials_that_have_worked_are_tried_once_more_where_the_connection_is_lost(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    pool.run(newest)
    for lost, logins in ((1, 2), (2, 2)):
        pool.clock.now += SESSION_IDLE_MAX_S + 1
        pool.close_stale()
        before = len(server.logins)
        server.rules[:] = [
            Rule(command="LOGIN", nth=number + 1, action=Close("before")) for number in range(lost)
        ]
        if lost == 1:
            assert pool.run(newest) == [1]
        else:
            with pytest.raises(InternalError) as caught:
                pool.run(newest)
            assert caught.value.reason is Reason.LOGIN_UNANSWERED
        assert len(server.logins) - before == logins


def test_logins_of_proven_credentials_go_one_by_one(peer: PeerFactory, run_pool: PoolFactory) -> None:
    """So that the second would not be sent if the first were refused; connections come up side by side."""
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server, max_sessions=4))
    pool.run(newest)
    pool.clock.now += SESSION_IDLE_MAX_S + 1
    pool.close_stale()
    calls = [pool.start(newest) for _ in range(4)]
    assert [call.result(10) for call in calls] == [[1]] * 4
    assert len(server.logins) == server.connections

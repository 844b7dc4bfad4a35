"""No login is repeated that may count against the account, however it ended; counted at the server."""

import threading

import pytest

from imap.conftest import PoolFactory
from imap.scenes import RESULT_TIMEOUT_S, make_account, newest
from mailmcp.imap.pool import AUTH_BACKOFF_S, SESSION_IDLE_MAX_S
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, RateLimit, ToolError
from servers.dovecot import Login
from servers.peer import Peer
from servers.peer_actions import Action, Bye, Close, Respond, Rule

CALLS = 10


def test_a_wrong_password_is_tried_once_a_minute(server: Peer, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(server, Login("fake-user", "wrong")))
    with pytest.raises(AuthFailedError) as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.CREDENTIALS_REJECTED, False)
    for passed_s, left_s in ((0.0, 60), (30.0, 30), (29.9, 0)):
        pool.clock.now += passed_s
        with pytest.raises(AuthFailedError, match="won't be retried for") as backing_off:
            pool.run(newest)
        assert backing_off.value.reason is Reason.BACKING_OFF
        assert backing_off.value.rate_limit == RateLimit(retry_after_s=left_s)
    assert (len(server.logins), server.connections) == (1, 1)
    pool.clock.now += 0.2
    server.settings.password = "wrong"
    assert pool.run(newest) == [1]
    assert len(server.logins) == 2


@pytest.mark.parametrize("password", ["fake-password", "fäke-password"], ids=["LOGIN", "AUTHENTICATE"])
@pytest.mark.parametrize(
    ("action", "first", "later"),
    [
        (Bye(), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Close("within"), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Close("before", reset=True), Reason.LOGIN_UNANSWERED, Reason.LOGIN_UNANSWERED),
        (Respond(b"Go away\r\n"), Reason.PROTOCOL_VIOLATION, Reason.LOGIN_UNANSWERED),
        (Bye("[AUTHENTICATIONFAILED] Wrong"), Reason.CREDENTIALS_REJECTED, Reason.BACKING_OFF),
        (Respond(b"{tag} NO Wrong\r\n* BYE Go away\r\n"), Reason.CREDENTIALS_REJECTED, Reason.BACKING_OFF),
    ],
    ids=["bye", "half", "reset", "garbage", "bye with a code", "no and bye"],
)
def test_ten_calls_are_one_login(
    server: Peer, run_pool: PoolFactory, password: str, action: Action, first: Reason, later: Reason
) -> None:
    server.rules += [Rule(command=name, action=action) for name in ("LOGIN", "AUTHENTICATE")]
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


@pytest.mark.parametrize(
    "action", [Bye("[UNAVAILABLE] Restarting"), Respond(b"{tag} NO [THROTTLED] Later\r\n")]
)
def test_a_temporary_refusal_is_not_held_against_the_login(
    server: Peer, run_pool: PoolFactory, action: Action
) -> None:
    server.rules.append(Rule(command="LOGIN", nth=1, action=action))
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError) as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.SERVER_REFUSED, True)
    assert len(server.logins) == 1, "not tried again by itself"
    assert pool.run(newest) == [1]


def test_a_changed_password_is_refused_once_however_many_calls_there_are(
    server: Peer, run_pool: PoolFactory
) -> None:
    pool = run_pool(make_account(server, max_sessions=CALLS))
    pool.run(newest)
    server.settings.password = "changed"
    all_wait = threading.Event()

    def hold(session: Session) -> None:
        """Keep a session from the other calls until all of them wait for a login, and one has been tried."""
        server.wait_for("LOGIN", nth=2)
        assert all_wait.wait(RESULT_TIMEOUT_S)
        session.run("NOOP")

    held = pool.start(hold)
    calls = [pool.start(newest) for _ in range(CALLS - 1)]
    pool.settle()
    all_wait.set()
    errors = [call.exception(RESULT_TIMEOUT_S) for call in calls]
    held.result(RESULT_TIMEOUT_S)
    found = [error.reason for error in errors if isinstance(error, AuthFailedError)]
    assert sorted(found) == [Reason.BACKING_OFF] * (CALLS - 2) + [Reason.CREDENTIALS_REJECTED]
    assert len(server.logins) == 2, "the one that was accepted, and one"
    assert pool.run(newest) == [1], "what is logged in still works"


@pytest.mark.parametrize(("lost", "reason"), [(1, None), (2, Reason.LOGIN_UNANSWERED)])
def test_credentials_that_have_worked_are_tried_once_more_where_the_connection_is_lost(
    server: Peer, run_pool: PoolFactory, lost: int, reason: Reason | None
) -> None:
    pool = run_pool(make_account(server))
    pool.run(newest)
    pool.clock.now += SESSION_IDLE_MAX_S + 1
    server.rules += [Rule(command="LOGIN", nth=number + 1, action=Close("before")) for number in range(lost)]
    error = pool.start(newest).exception(RESULT_TIMEOUT_S)
    assert (error.reason if isinstance(error, ToolError) else None) is reason
    assert len(server.logins) == 3

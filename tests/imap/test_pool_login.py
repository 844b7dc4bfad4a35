"""A refused login is remembered, so that no provider locks an account for our tries."""

import pytest

from imap.conftest import PoolFactory
from imap.scenes import RESULT_TIMEOUT_S, At, make_account, newest
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, RateLimit, ToolError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages

WRONG = Login("fake-user", "wrong")


def test_a_wrong_password_is_tried_once_a_minute(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server, WRONG))
    with pytest.raises(AuthFailedError, match="many providers require an app password") as caught:
        pool.run(newest)
    assert caught.value.reason is Reason.CREDENTIALS_REJECTED
    assert not caught.value.retryable
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


def test_dovecots_refusal_is_understood(dovecot: Dovecot, dovecot_user: Login, run_pool: PoolFactory) -> None:
    pool = run_pool(make_account(At(dovecot.host, dovecot.plain_port), Login(dovecot_user.user, "wrong")))
    with pytest.raises(AuthFailedError, match=r"account main \(`AUTHENTICATIONFAILED`\)"):
        pool.run(newest)


def test_until_a_login_has_worked_one_is_tried_at_a_time(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer()
    pool = run_pool(make_account(server, WRONG))
    calls = [pool.start(newest) for _ in range(8)]
    reasons = []
    for call in calls:
        with pytest.raises(AuthFailedError) as caught:
            call.result(RESULT_TIMEOUT_S)
        reasons.append(caught.value.reason)
    assert sorted(reasons) == [Reason.BACKING_OFF] * 7 + [Reason.CREDENTIALS_REJECTED]
    assert len(server.logins) == 1


def test_an_open_session_goes_on_while_logins_back_off(peer: PeerFactory, run_pool: PoolFactory) -> None:
    """The password was changed at the provider: what is logged in still works."""
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    pool.run(newest)
    server.settings.password = "changed"
    held = pool.start(lambda session: (server.wait_for("LOGIN", nth=2), session.run("NOOP"))[1])
    with pytest.raises(AuthFailedError) as caught:
        pool.run(newest)
    assert caught.value.reason is Reason.CREDENTIALS_REJECTED
    held.result(RESULT_TIMEOUT_S)
    assert pool.run(newest) == [1]
    assert len(server.logins) == 2


@pytest.mark.parametrize("code", ["UNAVAILABLE", "THROTTLED", "INUSE", "SERVERBUG"])
def test_a_temporary_refusal_is_not_remembered(peer: PeerFactory, run_pool: PoolFactory, code: str) -> None:
    refusal = Respond(f"{{tag}} NO [{code}] Later\r\n".encode())
    server = peer(messages=make_messages(1), rules=[Rule(command="LOGIN", nth=1, action=refusal)])
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError) as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.SERVER_REFUSED, True)
    assert len(server.logins) == 1, "a refused login is never tried again by itself"
    assert pool.run(newest) == [1]


@pytest.mark.parametrize("reason", [Reason.LOGIN_DISABLED, Reason.CONNECTION_REFUSED])
def test_other_failures_are_not_remembered_either(
    peer: PeerFactory, run_pool: PoolFactory, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.0)
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    if reason is Reason.LOGIN_DISABLED:
        server.settings.capabilities = ("IMAP4rev1", "LOGINDISABLED")
    else:
        server.stop()
    for _ in range(2):
        with pytest.raises(ToolError) as caught:
            pool.run(newest)
        assert caught.value.reason is reason
    assert server.logins == []


def test_a_host_that_is_not_known_is_said_to_be_that(
    run_pool: PoolFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.0)
    with pytest.raises(InternalError, match="host is unknown") as caught:
        run_pool(make_account(At("mail.invalid", 143))).run(newest)
    assert caught.value.reason is Reason.CONNECTION_REFUSED

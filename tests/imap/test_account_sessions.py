"""Which session is taken, which are stale, and when a login may be tried."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from imap.scenes import make_account, session_on
from mailmcp import limits
from mailmcp.imap.account_sessions import AccountSessions
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError
from servers.peer import Peer, PeerFactory


@pytest.fixture
def server(peer: PeerFactory) -> Peer:
    return peer()


@pytest.fixture
def open_one(server: Peer) -> Iterator[Callable[..., Session]]:
    """Opens real sessions and says when they were made and used."""
    with ExitStack() as stack:

        def make(mailbox: str = "", *, opened_at: float = 0.0, last_used_at: float = 0.0) -> Session:
            session = stack.enter_context(session_on(make_account(server)))
            session.opened_at, session.last_used_at = opened_at, last_used_at
            if mailbox:
                session.examine(mailbox)
            return session

        yield make


@pytest.fixture
def sessions(server: Peer) -> AccountSessions:
    return AccountSessions(make_account(server))


def test_the_one_with_the_mailbox_open_is_taken_else_the_oldest(
    sessions: AccountSessions, open_one: Callable[..., Session]
) -> None:
    first, second, third = open_one(), open_one("INBOX"), open_one()
    sessions.idle = [first, second, third]
    assert str(sessions) == "main: 0 of 4 in use, 3 idle"
    assert sessions.take("INBOX") is second
    assert sessions.take("INBOX") is first
    assert sessions.take("") is third
    assert sessions.take("INBOX") is None


def test_stale_ones_are_idle_for_long_or_old(
    sessions: AccountSessions, open_one: Callable[..., Session]
) -> None:
    now = 10_000.0
    fresh = open_one(opened_at=now - limits.SESSION_AGE_MAX_S, last_used_at=now - limits.SESSION_IDLE_MAX_S)
    idle = open_one(opened_at=now - 500, last_used_at=now - limits.SESSION_IDLE_MAX_S - 1)
    old = open_one(opened_at=now - limits.SESSION_AGE_MAX_S - 1, last_used_at=now)
    sessions.idle = [idle, fresh, old]
    assert sessions.take_stale(now) == [idle, old]
    assert sessions.idle == [fresh]


def test_idle_ones_are_dropped_together(
    server: Peer, sessions: AccountSessions, open_one: Callable[..., Session]
) -> None:
    sessions.idle = [open_one(), open_one()]
    sessions.drop_idle()
    assert sessions.idle == []
    server.wait_closed(1)
    server.wait_closed(2)


@pytest.mark.parametrize(
    ("reason", "remembered"),
    [
        (Reason.CREDENTIALS_REJECTED, True),
        (Reason.LOGIN_DISABLED, False),
        (Reason.PASSWORD_UNAVAILABLE, False),
    ],
)
def test_only_rejected_credentials_are_remembered(
    sessions: AccountSessions, reason: Reason, *, remembered: bool
) -> None:
    sessions.fail_if_backing_off(0.0)
    sessions.proven = True
    sessions.login_failed(AuthFailedError("no", reason=reason), 0.0)
    assert not sessions.proven
    if remembered:
        with pytest.raises(AuthFailedError, match=r"not tried again for 60 s.*Correct the password"):
            sessions.fail_if_backing_off(0.0)
    sessions.fail_if_backing_off(limits.AUTH_BACKOFF_S)

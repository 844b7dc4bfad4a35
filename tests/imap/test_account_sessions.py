"""Which session is taken, which are stale, and when a login may be tried."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from mailmcp.imap.account_sessions import AUTH_BACKOFF_S, SESSION_AGE_MAX_S, AccountSessions
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import connection_lost_error
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, DeadlineError, InternalError, RateLimit, ToolError
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
                open_mailbox(session, mailbox)
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


REFUSED = AuthFailedError("Correct the password.", reason=Reason.CREDENTIALS_REJECTED)
LOST = connection_lost_error("main")
SENT, ANSWERED, CUT, PROVEN = "sent", "answered", "cut", "proven"


@pytest.mark.parametrize(
    ("error", "facts", "backs_off"),
    [
        (REFUSED, {SENT, ANSWERED}, Reason.BACKING_OFF),
        (REFUSED, {SENT, ANSWERED, PROVEN}, Reason.BACKING_OFF),
        (REFUSED, set[str](), None),  # no password to be had, or no login offered
        (LOST, {SENT}, Reason.LOGIN_UNANSWERED),
        (LOST, {SENT, PROVEN}, None),  # once more
        (LOST, {SENT, CUT}, None),  # by us
        (LOST, {SENT, ANSWERED}, None),  # after it was accepted
        (LOST, set[str](), None),
        (DeadlineError("Late.", reason=Reason.COMMAND), {SENT}, None),  # that took its time
        (InternalError("Later.", reason=Reason.SERVER_REFUSED), {SENT, ANSWERED}, None),
    ],
)
def test_a_login_that_may_count_against_the_account_is_not_repeated(
    sessions: AccountSessions, error: ToolError, facts: set[str], backs_off: Reason | None
) -> None:
    handle = ConnectionHandle(sessions.account, login_sent=SENT in facts, login_answered=ANSWERED in facts)
    handle.aborted = CUT in facts
    sessions.proven = PROVEN in facts
    sessions.login_failed(error, handle, 0.0)
    if backs_off:
        with pytest.raises(ToolError, match=r"won't be retried for 60 s") as caught:
            sessions.fail_if_backing_off(0.0)
        assert caught.value.reason is backs_off
        assert caught.value.rate_limit == RateLimit(retry_after_s=60)
        assert not sessions.proven
    else:
        sessions.fail_if_backing_off(0.0)
    sessions.fail_if_backing_off(AUTH_BACKOFF_S)


def test_a_lease_ends_in_an_idle_session_or_a_closed_one(
    sessions: AccountSessions, open_one: Callable[..., Session]
) -> None:
    kept, doubtful, old, unwanted = (open_one() for _ in range(4))
    doubtful.in_doubt = True
    kept.opened_at = unwanted.opened_at = doubtful.opened_at = 10.0
    sessions.leased |= {kept, doubtful, old, unwanted}
    for session in (kept, doubtful, old):
        sessions.give_back(session, SESSION_AGE_MAX_S + 1, keep=True)
    sessions.give_back(unwanted, SESSION_AGE_MAX_S + 1, keep=False)
    assert (sessions.idle, sessions.leased) == ([kept], set())
    assert [each.handle.aborted for each in (kept, doubtful, old, unwanted)] == [
        False,
        True,
        True,
        True,
    ]

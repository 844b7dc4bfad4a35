"""A server that allows fewer sessions than the settings is not asked for more, and no call fails for it."""

from collections.abc import Iterator
from threading import Barrier

import pytest

from imap.conftest import PoolFactory
from imap.scenes import make_account, newest
from mailmcp.imap.pool import CONNECTION_LIMIT_TTL_S
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.dovecot import Dovecot
from servers.peer import PeerFactory
from servers.peer_actions import Bye, Respond, Rule
from servers.peer_mailbox import make_messages
from servers.proxy import ProxyFactory

CALLS = 24
ROUNDS = 3


@pytest.fixture(scope="module")
def narrow_dovecot() -> Iterator[Dovecot]:
    """Allows two sessions of one user."""
    with Dovecot(mail_max_userip_connections=2) as server:
        yield server


def test_dovecots_limit_is_learned_and_all_calls_are_served(
    narrow_dovecot: Dovecot, proxy: ProxyFactory, run_pool: PoolFactory
) -> None:
    user = narrow_dovecot.user("narrow")
    narrow_dovecot.fill("narrow", "INBOX", [b"Subject: 1\r\n\r\nText\r\n"])
    counting = proxy(narrow_dovecot.host, narrow_dovecot.plain_port)
    pool = run_pool(make_account(counting, user, max_sessions=4))
    together = Barrier(2, timeout=5)
    for call in [pool.start(lambda _session: together.wait()) for _ in range(2)]:
        call.result(5)
    for _ in range(ROUNDS):
        calls = [pool.start(newest) for _ in range(CALLS)]
        assert [call.result(20) for call in calls] == [[1]] * CALLS
    assert counting.snapshot().connections <= 4, "two allowed, one refused, one that waited"


def test_one_login_is_refused_until_the_limit_that_was_learned_expires(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    server.settings.session_limit = 2
    pool = run_pool(make_account(server, max_sessions=4))
    for passed_s, refused in ((0.0, 1), (CONNECTION_LIMIT_TTL_S - 1, 1), (1.0, 2)):
        pool.clock.now += passed_s
        calls = [pool.start(newest) for _ in range(CALLS)]
        assert [call.result(20) for call in calls] == [[1]] * CALLS
        assert len(server.logins) == 2 + refused


@pytest.mark.parametrize(
    "refusal",
    [
        Respond(b"{tag} NO [LIMIT] Enough\r\n"),
        Respond(b"{tag} NO [ALERT] Too many simultaneous connections. (Failure)\r\n"),
        Respond(b"{tag} NO [UNAVAILABLE] Maximum number of connections reached\r\n"),
        Bye("Maximum number of connections exceeded"),
        Bye("[ALERT] Too many connections from your address"),
    ],
)
def test_a_call_that_is_refused_a_session_waits_for_one(
    peer: PeerFactory, run_pool: PoolFactory, refusal: Respond | Bye
) -> None:
    server = peer(messages=make_messages(1))
    pool = run_pool(make_account(server))
    pool.run(newest)
    server.rules.append(Rule(command="LOGIN", action=refusal))

    def hold(_session: object) -> None:
        server.wait_for("LOGIN", nth=2)

    held, waiting = pool.start(hold), pool.start(newest)
    held.result(5)
    assert waiting.result(5) == [1]
    assert len(server.logins) == 2


def test_a_greeting_may_say_so_too(peer: PeerFactory, run_pool: PoolFactory) -> None:
    server = peer(greeting=Bye("Too many connections"))
    with pytest.raises(InternalError) as caught:
        run_pool(make_account(server)).run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.CONNECTION_LIMIT, True)
    assert server.connections == 1


def test_where_other_programs_hold_all_sessions_the_call_fails_for_now(
    peer: PeerFactory, run_pool: PoolFactory
) -> None:
    server = peer(messages=make_messages(1))
    server.settings.session_limit = 0
    pool = run_pool(make_account(server))
    with pytest.raises(InternalError, match="Other mail programs may hold some") as caught:
        pool.run(newest)
    assert (caught.value.reason, caught.value.retryable) == (Reason.CONNECTION_LIMIT, True)
    assert len(server.logins) == 1
    server.settings.session_limit = 1
    assert pool.run(newest) == [1]

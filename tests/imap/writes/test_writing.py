"""Sessions that write: one for each block, never shared with reading, never repeated, never cut short."""

import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import anyio
import pytest

from imap.scenes import newest
from imap.writes.orders import EXCHANGE, change, make_order, peer_account
from imap.writes.test_traps import serve
from mailmcp.imap.account import Account, Writes
from mailmcp.imap.pool import Pool, Telemetry
from mailmcp.imap.session import Session
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, DeadlineError, NotFoundError, ToolError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Respond, Rule, Silence

ResultT = TypeVar("ResultT")


def in_pool(account: Account, use: Callable[[Pool], Awaitable[ResultT]]) -> ResultT:
    """Run something in a pool of one account."""

    async def run() -> ResultT:
        async with Pool([account], clock=monotonic).opened() as pool:
            return await use(pool)

    return anyio.run(run)


def writing(pool: Pool, account_id: str = "main", timeout_s: float = 60.0, **counts: Telemetry) -> Any:
    telemetry, deadline = counts.get("telemetry", Telemetry()), anyio.current_time() + timeout_s
    return pool.writing(account_id, telemetry=telemetry, deadline=deadline)


async def read(pool: Pool) -> list[int]:
    deadline = anyio.current_time() + 60.0
    return await pool.run("main", newest, telemetry=Telemetry(), deadline=deadline)


def mark(session: Session) -> bool:
    return change(session, Action.FLAGS, uids=(1,), add=("\\Seen",))[0].error is None


def logins(server: Peer) -> list[int]:
    return [each.connection for each in server.commands if each.name == "LOGIN"]


def test_each_block_has_a_session_of_its_own_that_ends_with_it(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    telemetry = Telemetry()

    async def use(pool: Pool) -> None:
        await read(pool)
        for _ in range(2):
            async with writing(pool, telemetry=telemetry) as writer:
                assert await writer.run(mark)
                assert await writer.run(mark), "one login for all of the block"
        await read(pool)
        assert len(pool.sessions_of("main").idle) == 1, "none that may write is kept"
        server.wait_closed(2)
        server.wait_closed(3)

    in_pool(peer_account(server), use)
    assert logins(server) == [1, 2, 3]
    assert (telemetry.imap_round_trips > 20, telemetry.bytes_received > 1_000) == (True, True)
    by_connection = {
        number: {each.name for each in server.commands if each.connection == number} for number in (1, 2, 3)
    }
    assert "SELECT" not in by_connection[1]
    assert {"SELECT", "UID STORE", "LOGOUT"} <= by_connection[2] & by_connection[3]


@pytest.mark.parametrize(
    ("fault", "reason"), [(Close("before"), Reason.CONNECTION_LOST), (Silence(), Reason.COMMAND)]
)
def test_work_is_never_repeated(peer: PeerFactory, fault: Close | Silence, reason: Reason) -> None:
    """Nor is anything sent on a connection that is out of step."""
    server = serve(peer, EXCHANGE)
    server.rules.append(Rule(command="NOOP", action=fault))

    async def use(pool: Pool) -> None:
        async with writing(pool) as writer:
            for expected in (reason, Reason.CONNECTION_LOST):
                with pytest.raises(ToolError) as caught:
                    await writer.run(lambda session: session.run("NOOP"))
                assert caught.value.reason is expected
        assert await read(pool), "those that read go on"

    in_pool(peer_account(server, command_timeout_s=1.0), use)
    assert [each.name for each in server.commands].count("NOOP") == 1


def test_a_refusal_that_work_did_not_expect_is_an_error(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    server.rules.append(Rule(command="STATUS", action=Respond(b"{tag} NO [NOPERM] Not yours\r\n")))
    order = make_order(Action.MOVE, uids=(1,), target="Work")

    async def use(pool: Pool) -> None:
        async with writing(pool) as writer:
            with pytest.raises(ToolError) as caught:
                await writer.run(partial(prepare, order=order))
            assert caught.value.reason is Reason.PERMISSION_DENIED
            assert await writer.run(mark), "the session goes on"

    in_pool(peer_account(server), use)


def test_what_was_begun_ends_whoever_cancels(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    begun, may_end = threading.Event(), threading.Event()
    done: list[bool] = []

    def work(session: Session) -> None:
        begun.set()
        assert may_end.wait(60.0)
        done.append(mark(session))

    async def use(pool: Pool) -> None:
        async def write() -> None:
            async with writing(pool) as writer:
                await writer.run(work)
                await writer.run(work)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await anyio.to_thread.run_sync(begun.wait)
            tasks.cancel_scope.cancel()
            may_end.set()

    in_pool(peer_account(server), use)
    assert done == [True], "the second was not begun"
    assert server.commands[-1].name == "LOGOUT"


def test_a_deadline_lets_what_was_begun_end_and_begins_nothing_more(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)

    async def use(pool: Pool) -> None:
        async with writing(pool) as writer:
            late = replace(writer, _deadline=anyio.current_time())
            with pytest.raises(DeadlineError):
                await late.run(mark)
            with anyio.move_on_after(0):
                assert await writer.run(mark)

    in_pool(peer_account(server), use)
    assert [each.name for each in server.commands].count("UID STORE") <= 1


def test_an_idle_session_makes_room_and_a_busy_one_is_waited_for(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)

    async def use(pool: Pool) -> None:
        await read(pool)
        async with writing(pool) as writer:
            server.wait_closed(1)
            await writer.run(mark)
            with anyio.move_on_after(0.05) as waits:
                await read(pool)
            assert waits.cancelled_caught, "the account's only slot is taken"
        assert await read(pool)
        with pytest.raises(DeadlineError):
            async with writing(pool), writing(pool, timeout_s=0.05):
                pass
        assert await read(pool)

    in_pool(peer_account(server, max_sessions=1), use)


def test_where_all_that_the_server_allows_are_busy_one_is_waited_for(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    full = Respond(b"{tag} NO [LIMIT] Too many connections\r\n")
    server.rules.append(Rule(command="LOGIN", nth=2, action=full))
    begun, may_end, done = threading.Event(), threading.Event(), list[bool]()

    def work(_session: Session) -> bool:
        begun.set()
        return may_end.wait(60.0)

    async def use(pool: Pool) -> None:
        async def write() -> None:
            async with writing(pool) as writer:
                done.append(await writer.run(mark))

        async with anyio.create_task_group() as tasks:
            deadline = anyio.current_time() + 60.0
            tasks.start_soon(partial(pool.run, "main", work, telemetry=Telemetry(), deadline=deadline))
            await anyio.to_thread.run_sync(begun.wait)
            tasks.start_soon(write)
            await anyio.to_thread.run_sync(partial(server.wait_for, "LOGIN", nth=2))
            await anyio.to_thread.run_sync(server.wait_closed, 2)
            await anyio.wait_all_tasks_blocked()
            may_end.set()

    in_pool(peer_account(server), use)
    assert done == [True]


def test_a_refused_login_keeps_reading_from_trying_too(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    wrong = Respond(b"{tag} NO [AUTHENTICATIONFAILED] Wrong\r\n")
    server.rules.append(Rule(command="LOGIN", action=wrong))

    async def use(pool: Pool) -> None:
        with pytest.raises(AuthFailedError) as caught:
            async with writing(pool):
                pass
        assert caught.value.reason is Reason.CREDENTIALS_REJECTED
        with pytest.raises(AuthFailedError) as caught:
            await read(pool)
        assert caught.value.reason is Reason.BACKING_OFF

    in_pool(peer_account(server), use)
    assert len(server.logins) == 1


def test_an_account_that_may_not_be_changed_is_not_even_connected_to(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)

    async def use(pool: Pool) -> list[ToolError]:
        errors: list[ToolError] = []
        for name in ("main", "other"):
            with pytest.raises(ToolError) as caught:
                async with writing(pool, name):
                    pass
            errors.append(caught.value)
        return errors

    forbidden, missing = in_pool(peer_account(server, Writes.OFF), use)
    assert (type(forbidden), forbidden.reason) == (AuthFailedError, Reason.WRITES_FORBIDDEN)
    assert (type(missing), missing.reason) == (NotFoundError, Reason.ACCOUNT_UNKNOWN)
    assert server.connections == 0

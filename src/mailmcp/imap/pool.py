"""Sessions of all accounts, shared by the calls: leased, kept, checked, dropped.

A call says which mailbox it needs and hands over a function that blocks; the pool
finds the best session, runs the function in a thread of its own and takes the
session back. Which session is decided synchronously, from state that only the
event loop touches; the I/O follows.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

import anyio
from anyio import to_thread
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)
from typing_extensions import override

from mailmcp import limits
from mailmcp.imap.account import Account
from mailmcp.imap.account_sessions import AccountSessions
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, close_socket, connect, identify, log_in
from mailmcp.imap.connection import Connection
from mailmcp.imap.errors import Stage, deadline_error, refused_error
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session, start_session
from mailmcp.imap.telemetry import Telemetry
from mailmcp.imap.workers import Threads
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError, Resource, ToolError, code

ResultT = TypeVar("ResultT")

_LOG_OUT_S = 1.0
"""How long the farewells may take, all together."""

_CHECK_TIMEOUT_S = 5.0
"""A NOOP on a connection that was idle: longer than any round trip, shorter than a user's patience."""


@dataclass(slots=True)
class _Attempt:
    """One try of a call: what the deadline's error needs to know."""

    handle: ConnectionHandle | None = None

    @property
    def stage(self) -> Stage:
        return self.handle.stage if self.handle else Stage.COMMAND


class Pool:
    """All sessions of the process; enter it before use, leave it to close them."""

    def __init__(self, accounts: Sequence[Account], *, clock: Callable[[], float]) -> None:
        """Make a pool of no sessions; `clock` gives seconds that never run backwards."""
        self._clock = clock
        self._accounts = {
            account.account_id: AccountSessions(account, quirks=Quirks(clock=clock)) for account in accounts
        }
        self._threads = Threads(sum(account.max_sessions for account in accounts) + len(accounts) + 1)
        self.accounts = tuple(accounts)

    @override
    def __repr__(self) -> str:
        return f"<Pool {'; '.join(str(each) for each in self._accounts.values())}>"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Pool"]:
        """Serve until the block ends; then close all sessions, those in use at once."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._close_stale_forever)
                yield self
                tasks.cancel_scope.cancel()
        finally:
            await self._close_all()

    async def run(
        self,
        account_id: str,
        work: Callable[[Session], ResultT],
        *,
        mailbox: str = "",
        telemetry: Telemetry,
        deadline: float,
    ) -> ResultT:
        """Run `work` on a session, in a thread; again on a fresh one if the connection is lost.

        Args:
            account_id: As in the settings.
            work: Blocks; must only read, since it may be run more than once.
            mailbox: What `work` will open; a session that has it open is preferred.
            telemetry: Gets the traffic of all tries.
            deadline: On the event loop's clock (`anyio.current_time`).

        Raises:
            NotFoundError: With reason `account_unknown`.
            AuthFailedError: The login was refused, now or within the last minute.
            DeadlineError: The deadline passed; the connection is closed.
            ToolError: Whatever `work` raised.
        """
        sessions = self.sessions_of(account_id)
        attempt = _Attempt()
        with anyio.CancelScope(deadline=deadline) as scope:
            async for each in AsyncRetrying(
                retry=retry_if_exception(self._may_try_again),
                wait=_wait_before_retry,
                stop=stop_after_attempt(limits.RETRY_ATTEMPTS),
                sleep=anyio.sleep,
                reraise=True,
            ):
                with each:
                    attempt = _Attempt()
                    return await self._run_once(sessions, work, mailbox, telemetry, attempt)
        assert scope.cancelled_caught  # noqa: S101 - the loop returns or raises
        raise deadline_error(account_id, attempt.stage)

    def sessions_of(self, account_id: str) -> AccountSessions:
        """Look an account up.

        Raises:
            NotFoundError: With reason `account_unknown`; names the accounts there are.
        """
        try:
            return self._accounts[account_id]
        except KeyError:
            known = ", ".join(self._accounts)
            raise NotFoundError(
                f"There is no account {code(account_id)}. Accounts: {known}.",
                reason=Reason.ACCOUNT_UNKNOWN,
                details={"accounts": list(self._accounts)},
                resource=Resource(type="account", id=account_id),
            ) from None

    async def _run_once(
        self,
        sessions: AccountSessions,
        work: Callable[[Session], ResultT],
        mailbox: str,
        telemetry: Telemetry,
        attempt: _Attempt,
    ) -> ResultT:
        try:
            async with self._leased(sessions, mailbox, telemetry, attempt) as session:
                return await self._threads.run(session.handle, lambda: _named(session, work), telemetry)
        except InternalError as error:
            if error.reason is Reason.CONNECTION_LOST:
                sessions.drop_idle()
            raise

    @asynccontextmanager
    async def _leased(
        self, sessions: AccountSessions, mailbox: str, telemetry: Telemetry, attempt: _Attempt
    ) -> AsyncIterator[Session]:
        """Lease a session for the block; wait for one where the server allows no more."""
        leased = False
        while not leased:
            sessions.forget_old_limit(self._clock())
            async with sessions.slots:
                try:
                    session = await self._lease(sessions, mailbox, telemetry, attempt)
                except InternalError as error:
                    if error.reason is not Reason.CONNECTION_LIMIT or not sessions.learn_limit(self._clock()):
                        raise
                    continue
                leased = True
                try:
                    yield session
                except BaseException as error:
                    session.in_doubt = session.in_doubt or not isinstance(error, ToolError)
                    raise
                finally:
                    sessions.give_back(session, self._clock(), keep=not self._threads.closed)

    async def _lease(
        self, sessions: AccountSessions, mailbox: str, telemetry: Telemetry, attempt: _Attempt
    ) -> Session:
        session = sessions.take(mailbox)
        if session is None:
            return await self._open(sessions, telemetry, attempt)
        attempt.handle = session.handle
        session.begin_lease()
        if self._clock() - session.last_used_at > limits.SESSION_IDLE_CHECK_S:
            try:
                await self._threads.run(session.handle, lambda: session.check(_CHECK_TIMEOUT_S), telemetry)
            except BaseException:
                sessions.give_back(session, self._clock(), keep=False)
                raise
        return session

    async def _open(self, sessions: AccountSessions, telemetry: Telemetry, attempt: _Attempt) -> Session:
        """Open a session. Logins are sent one at a time, so that a changed password is refused once."""
        if not sessions.proven:
            async with sessions.login_lock:
                if not sessions.proven:
                    return await self._log_in(sessions, nullcontext(), telemetry, attempt)
        return await self._log_in(sessions, sessions.login_lock, telemetry, attempt)

    async def _log_in(
        self,
        sessions: AccountSessions,
        login_lock: AbstractAsyncContextManager[None],
        telemetry: Telemetry,
        attempt: _Attempt,
    ) -> Session:
        sessions.fail_if_backing_off(self._clock())
        handle = attempt.handle = ConnectionHandle(sessions.account)
        opened: list[Connection] = []
        try:
            await self._threads.run(handle, lambda: opened.append(connect(handle)), telemetry)
            [connection] = opened
            async with login_lock:
                sessions.fail_if_backing_off(self._clock())
                sessions.fail_if_full()
                try:
                    await self._threads.run(handle, lambda: log_in(connection, handle), telemetry)
                except BaseException as error:
                    sessions.login_failed(error, handle, self._clock())
                    raise
                session = start_session(connection, handle, sessions.quirks, now=self._clock())
                sessions.login_succeeded(session)
        except BaseException:
            # The thread may have ended well after the call was over.
            handle.kill_switch.trip()
            for each in opened:
                close_socket(each)
            handle.kill_switch.close()
            raise
        try:
            await self._threads.run(handle, lambda: identify(connection, handle), telemetry)
        except BaseException:
            sessions.give_back(session, self._clock(), keep=False)
            raise
        return session

    async def close_stale(self) -> None:
        """Log sessions out that have been idle for long or are old."""
        now = self._clock()
        await self._log_out([each for account in self._accounts.values() for each in account.take_stale(now)])

    async def _close_stale_forever(self) -> None:
        while True:
            await anyio.sleep(limits.SESSION_IDLE_CHECK_S)
            await self.close_stale()

    async def _close_all(self) -> None:
        self._threads.close()
        idle = [session for account in self._accounts.values() for session in account.idle]
        for account in self._accounts.values():
            account.idle = []
        await self._log_out(idle)

    async def _log_out(self, sessions: Sequence[Session]) -> None:
        """Take leave on all of them at once; those that take too long are cut."""

        async def log_out(session: Session) -> None:
            await to_thread.run_sync(session.log_out, abandon_on_cancel=True, limiter=self._threads.limiter)

        with anyio.move_on_after(_LOG_OUT_S, shield=True):
            async with anyio.create_task_group() as tasks:
                for session in sessions:
                    tasks.start_soon(log_out, session)
        for session in sessions:
            session.discard()

    def _may_try_again(self, error: BaseException) -> bool:
        lost_or_refused = {Reason.CONNECTION_LOST, Reason.CONNECTION_REFUSED}
        return (
            isinstance(error, InternalError) and error.reason in lost_or_refused and not self._threads.closed
        )


def _named(session: Session, work: Callable[[Session], ResultT]) -> ResultT:
    """Run `work`; a refusal that it did not expect is the server's."""
    try:
        return work(session)
    except RefusedError as error:
        raise refused_error(session.account.account_id, error) from error


def _wait_before_retry(state: RetryCallState) -> float:
    # The first loss is most often an idle connection that died: reconnect at once, quietly.
    if state.attempt_number == 1:
        return 0.0
    return wait_random_exponential(multiplier=0.25, max=limits.RETRY_WAIT_MAX_S)(state)

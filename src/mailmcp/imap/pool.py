"""The sessions of all accounts, which calls lease, keep and drop.

A call says which mailbox it needs and passes a function that blocks. The pool picks the best session and
runs the function in a thread. It decides synchronously, on state that only the event loop touches, and
does I/O afterwards.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import anyio
from anyio import to_thread
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    wait_chain,
    wait_none,
    wait_random,
)
from typing_extensions import override

from mailmcp.imap.account import Account
from mailmcp.imap.account_sessions import AccountSessions
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, connect, identify, log_in
from mailmcp.imap.errors import Stage, deadline_error, refused_error
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session
from mailmcp.imap.telemetry import Telemetry
from mailmcp.imap.threads import Threads
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError, Resource, ToolError, code

RETRY_ATTEMPTS: Final = 3
"""Attempts at one read over new connections, the first included."""

RETRY_WAIT_MAX_S: Final = 0.5
"""Before the third attempt. The second follows at once: the first loss is usually a dead idle connection."""

SESSION_IDLE_CHECK_S: Final = 30.0
"""A session that was idle for this long is checked with NOOP before use."""

ResultT = TypeVar("ResultT")

_RETRIED = {Reason.CONNECTION_LOST, Reason.CONNECTION_REFUSED}

_LOG_OUT_S = 1.0
"""For all LOGOUTs together."""

_CHECK_TIMEOUT_S = 5.0
"""For a NOOP on a connection that was idle: longer than any round trip, shorter than a user's patience."""


@dataclass(slots=True)
class _Call:
    """One call of the pool, over all its attempts."""

    sessions: AccountSessions
    mailbox: str
    telemetry: Telemetry
    handle: ConnectionHandle | None = None
    """The connection of the current attempt, if it has one."""


class Pool:
    """All sessions of the process; enter it before use, leave it to close them."""

    def __init__(self, accounts: Sequence[Account], *, clock: Callable[[], float]) -> None:
        """Begin without sessions.

        Args:
            accounts: At least one.
            clock: Returns seconds that never run backwards.
        """
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
        """Serve until the block ends; then close all sessions, even those in use."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._close_stale_forever)
                yield self
                tasks.cancel_scope.cancel()
        finally:
            self._threads.close()
            await self._log_out([session for each in self._accounts.values() for session in each.take_all()])

    async def run(
        self,
        account_id: str,
        work: Callable[[Session], ResultT],
        *,
        mailbox: str = "",
        telemetry: Telemetry,
        deadline: float,
    ) -> ResultT:
        """Run `work` on a session, in a thread; again on a new session if the connection is lost.

        Args:
            account_id: As in the settings.
            work: Blocks. It must only read, since it may run more than once.
            mailbox: The one that `work` will open; a session that has it open is preferred.
            telemetry: Counts the traffic of all attempts.
            deadline: On the event loop's clock (`anyio.current_time`).

        Raises:
            NotFoundError: There is no such account; the reason is `account_unknown`.
            AuthFailedError: The login was refused, now or within the last minute.
            DeadlineError: The deadline passed; the connection is closed.
            ToolError: Whatever `work` raised.
        """
        call = _Call(self.sessions_of(account_id), mailbox, telemetry)
        attempts = AsyncRetrying(
            retry=retry_if_exception(self._is_retried),
            # The first loss is usually a dead idle connection: the second attempt follows at once.
            wait=wait_chain(wait_none(), wait_random(0, RETRY_WAIT_MAX_S)),
            stop=stop_after_attempt(RETRY_ATTEMPTS),
            sleep=anyio.sleep,
            reraise=True,
        )
        with anyio.CancelScope(deadline=deadline) as scope:
            async for attempt in attempts:
                with attempt:
                    return await self._run_once(call, work)
        assert scope.cancelled_caught  # noqa: S101 - the loop returns or raises
        raise deadline_error(account_id, call.handle.stage if call.handle else Stage.COMMAND)

    async def _run_once(self, call: _Call, work: Callable[[Session], ResultT]) -> ResultT:
        call.handle = None
        try:
            async with self._leased(call) as session:
                run = partial(_run_work, session, work)
                return await self._threads.run(session.handle, run, call.telemetry)
        except InternalError as error:
            if error.reason is Reason.CONNECTION_LOST:
                call.sessions.drop_idle()
            raise

    def _is_retried(self, error: BaseException) -> bool:
        return isinstance(error, InternalError) and error.reason in _RETRIED and not self._threads.closed

    def sessions_of(self, account_id: str) -> AccountSessions:
        """Return the sessions of an account.

        Raises:
            NotFoundError: There is no such account; the reason is `account_unknown`.
        """
        try:
            return self._accounts[account_id]
        except KeyError:
            raise NotFoundError(
                f"There is no account {code(account_id)}. Accounts: {', '.join(self._accounts)}.",
                reason=Reason.ACCOUNT_UNKNOWN,
                details={"accounts": list(self._accounts)},
                resource=Resource(type="account", id=account_id),
            ) from None

    @asynccontextmanager
    async def _leased(self, call: _Call) -> AsyncIterator[Session]:
        """Lease a session for the block; wait for one if the server allows no more."""
        sessions = call.sessions
        while True:
            sessions.forget_old_limit(self._clock())
            async with sessions.slots:
                try:
                    session = await self._obtain(call)
                except InternalError as error:
                    if error.reason is Reason.CONNECTION_LIMIT and sessions.learn_limit(self._clock()):
                        continue
                    raise
                try:
                    yield session
                except BaseException as error:
                    session.in_doubt = session.in_doubt or not isinstance(error, ToolError)
                    raise
                finally:
                    sessions.give_back(session, self._clock(), keep=not self._threads.closed)
                return

    async def _obtain(self, call: _Call) -> Session:
        session = call.sessions.take(call.mailbox)
        if session is None:
            return await self._open(call)
        call.handle = session.handle
        session.begin_lease()
        if self._clock() - session.last_used_at > SESSION_IDLE_CHECK_S:
            await self._run_or_drop(call, session, partial(session.check, _CHECK_TIMEOUT_S))
        return session

    async def _run_or_drop(self, call: _Call, session: Session, work: Callable[[], None]) -> None:
        try:
            await self._threads.run(session.handle, work, call.telemetry)
        except BaseException:
            call.sessions.give_back(session, self._clock(), keep=False)
            raise

    async def _open(self, call: _Call) -> Session:
        """Open a session. Logins are sent one at a time, so that a changed password is refused only once."""
        sessions, telemetry = call.sessions, call.telemetry
        sessions.fail_if_backing_off(self._clock())
        handle = call.handle = ConnectionHandle(sessions.account)
        try:
            connection = await self._threads.run(handle, partial(connect, handle), telemetry)
            async with sessions.login_lock:
                sessions.fail_if_backing_off(self._clock())
                sessions.fail_if_full()
                try:
                    await self._threads.run(handle, partial(log_in, connection, handle), telemetry)
                except BaseException as error:
                    sessions.login_failed(error, handle, self._clock())
                    raise
                session = Session(
                    connection=connection, handle=handle, quirks=sessions.quirks, opened_at=self._clock()
                )
                sessions.login_succeeded(session)
        except BaseException:
            # The thread may have finished connecting after the call was cancelled.
            handle.abort()
            handle.close()
            raise
        await self._run_or_drop(call, session, partial(identify, connection, handle))
        return session

    async def close_stale(self) -> None:
        """Log out of the sessions that have been idle for long or are old."""
        now = self._clock()
        await self._log_out([each for account in self._accounts.values() for each in account.take_stale(now)])

    async def _close_stale_forever(self) -> None:
        while True:
            await anyio.sleep(SESSION_IDLE_CHECK_S)
            await self.close_stale()

    async def _log_out(self, sessions: Sequence[Session]) -> None:
        """Log out of all sessions at once; cut those that take too long."""

        async def log_out(session: Session) -> None:
            await to_thread.run_sync(session.log_out, abandon_on_cancel=True, limiter=self._threads.limiter)

        with anyio.move_on_after(_LOG_OUT_S, shield=True):
            async with anyio.create_task_group() as tasks:
                for session in sessions:
                    tasks.start_soon(log_out, session)
        for session in sessions:
            session.discard()


def _run_work(session: Session, work: Callable[[Session], ResultT]) -> ResultT:
    try:
        return work(session)
    except RefusedError as error:  # one that `work` did not expect
        raise refused_error(session.account.account_id, error) from error

"""The sessions of all accounts, which calls lease, keep and drop.

A call passes a function that blocks. The pool leases it a session and runs it in a thread. It decides
synchronously, on state that only the event loop touches, and does I/O afterwards. A thread that blocks on a
socket can't be cancelled, but aborting the connection wakes it.
"""

import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Final, TypeVar

import anyio
import tenacity
from anyio import CapacityLimiter, to_thread

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import connect, log_in
from mailmcp.imap.errors import (
    connection_limit_error,
    connection_lost_error,
    deadline_error,
    refused_error,
    writes_forbidden_error,
)
from mailmcp.imap.session import Quirks, Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, NotFoundError, RateLimit, Resource, ToolError, code

RETRY_ATTEMPTS: Final = 3
"""Attempts at one read over new connections, the first included."""

RETRY_WAIT_MAX_S: Final = 0.5
"""Before the third attempt. The second follows at once: the first loss is usually a dead idle connection."""

SESSION_IDLE_CHECK_S: Final = 30.0
"""A session that was idle for this long is checked with NOOP before use."""

SESSION_IDLE_MAX_S: Final = 240.0
"""A session that was idle for longer is not used again: NATs forget connections after about five minutes."""

AUTH_BACKOFF_S: Final = 60.0
"""No login for this long after one that was refused or not answered: providers lock accounts."""

_CHECK_TIMEOUT_S: Final = 5.0
"""For a NOOP on a connection that was idle: longer than any round trip, shorter than a user's patience."""

_LOG_OUT_S: Final = 1.0
"""For all LOGOUTs together."""

_RETRIED: Final = {Reason.CONNECTION_LOST, Reason.CONNECTION_REFUSED}

ResultT = TypeVar("ResultT")


@dataclass(slots=True, kw_only=True)
class Telemetry:
    """What one call cost on the IMAP side; the names of its fields are those of `meta.telemetry`."""

    imap_round_trips: int = 0
    """Bursts sent to the server and waited for, over all connections of the call."""

    bytes_received: int = 0
    """Octets received from the server, after decryption."""

    cache_hit: bool = False
    """Whether a remembered search result saved a SEARCH."""

    def counted(self) -> dict[str, int]:
        """Return what was counted so far; empty if no server was asked."""
        return asdict(self) if self.imap_round_trips else {}


@dataclass(slots=True)
class AccountSessions:
    """The sessions of one account: which are idle, and whether another one may be opened. Does no I/O."""

    account: Account
    quirks: Quirks
    idle: list[Session] = field(default_factory=list)
    """Least recently used first."""

    leased: int = 0
    slots: CapacityLimiter = field(init=False)
    """A token for each session in use. Idle sessions are used before new ones, so this bounds all."""

    login_lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Held for each login. If one is refused, those that wait are not tried."""

    give_way: Callable[[], object] | None = None
    """Ends the work that stands on a session for as long as it takes; None if there is none."""

    _proven: bool = False
    """Whether the latest login succeeded."""

    _no_login_until: float = 0.0
    """On the pool's clock; 0 if logins are allowed."""

    _refusal: AuthFailedError | None = None
    """Why not; None if the latest login was not answered."""

    def __post_init__(self) -> None:
        self.slots = CapacityLimiter(self.account.max_sessions)

    def take(self, now: float) -> Session | None:
        """Lease the session that was idle for longest; None if there is none."""
        while self.idle and now - self.idle[0].last_used_at > SESSION_IDLE_MAX_S:
            self.idle.pop(0).discard()
        if not self.idle:
            return None
        self.leased += 1
        return self.idle.pop(0)

    def give_back(self, session: Session, now: float, *, keep: bool) -> None:
        """End a lease; close the session if it is in doubt, or unless `keep`."""
        self.leased -= 1
        session.last_used_at = now
        if keep and not session.in_doubt:
            self.idle.append(session)
        else:
            session.discard()

    def make_room(self) -> bool:
        """Close the session that was idle for longest, so that another one may be opened, if there is one."""
        if self.idle:
            self.idle.pop(0).discard()
            return True
        return False

    def drop_idle(self) -> None:
        """Close the idle sessions: if one connection is lost, the others of its age usually are, too."""
        while self.idle:
            self.idle.pop().discard()

    def login_succeeded(self) -> None:
        """Note that the credentials work, and lease the session."""
        self._proven, self._no_login_until = True, 0.0
        self.leased += 1

    def login_failed(self, error: BaseException, session: Session, now: float) -> None:
        """Allow no login for a while after one that was refused or not answered: providers lock accounts.

        If the connection was lost, credentials that have worked before may be tried once more.
        """
        refusal = error if isinstance(error, AuthFailedError) else None
        was_cut = isinstance(error, InternalError) and not session.login_answered and not session.aborted
        if not session.login_sent or not (refusal or was_cut):
            return
        if refusal or not self._proven:
            self._no_login_until, self._refusal = now + AUTH_BACKOFF_S, refusal
        self._proven = False

    def fail_if_no_login(self, now: float) -> None:
        """Raise within a minute of a login that was refused or not answered, and if there is no room.

        Raises:
            AuthFailedError: It was refused; the reason is `backing_off`.
            InternalError: It was not answered; the reason is `login_unanswered`. Or the server is known to
                allow no more sessions; the reason is `connection_limit`.
        """
        wait_s, account_id, refusal = self._no_login_until - now, self.account.account_id, self._refusal
        if wait_s > 0:
            what = "was refused a moment ago" if refusal else "was not answered by the server"
            advice = refusal.message if refusal else "If this happens again, check the password."
            raise (AuthFailedError if refusal else InternalError)(
                f"The login of account {account_id} {what}. It won't be retried for {wait_s:.0f} s, so that "
                f"the provider doesn't lock the account. {advice}",
                reason=Reason.BACKING_OFF if refusal else Reason.LOGIN_UNANSWERED,
                retryable=refusal is None,
                details={"account_id": account_id},
                rate_limit=RateLimit(retry_after_s=round(wait_s)),
            )
        if self.leased + len(self.idle) >= self.slots.total_tokens:
            raise connection_limit_error(account_id)

    def learn_limit(self) -> bool:
        """Remember that the server allows no more sessions than there are; return False if there are none."""
        opened = self.leased + len(self.idle)
        if opened:
            self.slots.total_tokens = min(opened, self.slots.total_tokens)
        if not self.has_room_to_stand and self.give_way:
            self.give_way()
        return opened > 0

    @property
    def has_room_to_stand(self) -> bool:
        """Whether calls are left a session if one is taken for as long as it takes."""
        return self.slots.total_tokens > 1


@dataclass(slots=True, eq=False)
class _Call:
    """One call of the pool, over all its attempts."""

    sessions: AccountSessions
    telemetry: Telemetry
    session: Session | None = None
    """The latest one, if there was one."""


@dataclass(slots=True, eq=False)
class Writer:
    """A session that changes mail, for as long as `Pool.writing` lends it."""

    _pool: "Pool"
    _call: _Call
    _session: Session
    _deadline: float

    async def run(self, work: Callable[[Session], ResultT]) -> ResultT:
        """Run `work` on the session, in a thread; never again.

        Once it has begun, cancelling waits for its end, and so does the deadline: what was sent to a server
        can't be recalled. Its timeouts bound it.

        Raises:
            DeadlineError: The deadline passed before it began.
            InternalError: The connection was lost earlier; the reason is `connection_lost`.
            ToolError: Whatever `work` raised.
        """
        session, account_id = self._session, self._session.account.account_id
        if anyio.current_time() >= self._deadline:
            raise deadline_error(account_id, Reason.COMMAND)
        if session.in_doubt:
            raise connection_lost_error(account_id)
        run = partial(_run_work, session, work)
        return await self._pool.run_in_thread(self._call, session, run, abandon_on_cancel=False)


def _run_work(session: Session, work: Callable[[Session], ResultT]) -> ResultT:
    """Run `work`; turn a refusal that it did not expect into an error."""
    try:
        return work(session)
    except RefusedError as error:
        raise refused_error(session.account.account_id, error) from error
    except ToolError:
        raise
    except BaseException:
        session.in_doubt = True
        raise


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
            account.account_id: AccountSessions(account, Quirks(clock=clock)) for account in accounts
        }
        self._limiter = CapacityLimiter(sum(each.max_sessions for each in accounts) + len(accounts) + 1)
        self._busy: set[Session] = set()
        self._closed = False
        self.accounts = tuple(accounts)

    @property
    def session_count(self) -> int:
        """How many sessions are open."""
        return sum(each.leased + len(each.idle) for each in self._accounts.values())

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Pool"]:
        """Serve until the block ends; then close all sessions, even those in use."""
        try:
            yield self
        finally:
            self._closed = True
            for busy in self._busy:
                busy.abort()
            idle = [session for each in self._accounts.values() for session in each.idle]
            with anyio.move_on_after(_LOG_OUT_S, shield=True):
                for session in idle:
                    await to_thread.run_sync(session.log_out, abandon_on_cancel=True)
            for session in idle:
                session.discard()

    async def run(
        self,
        account_id: str,
        work: Callable[[Session], ResultT],
        *,
        telemetry: Telemetry,
        deadline: float,
    ) -> ResultT:
        """Run `work` on a session, in a thread; again on a new session if the connection is lost.

        Args:
            account_id: As in the settings.
            work: Blocks. It must only read, since it may run more than once.
            telemetry: Counts the traffic of all attempts.
            deadline: On the event loop's clock (`anyio.current_time`).

        Raises:
            NotFoundError: There is no such account; the reason is `account_unknown`.
            AuthFailedError: The login was refused, now or within the last minute.
            DeadlineError: The deadline passed; the connection is closed.
            ToolError: Whatever `work` raised.
        """
        call = _Call(self.sessions_of(account_id), telemetry)
        attempts = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(self._is_retried),
            wait=tenacity.wait_chain(tenacity.wait_none(), tenacity.wait_random(0, RETRY_WAIT_MAX_S)),
            stop=tenacity.stop_after_attempt(RETRY_ATTEMPTS),
            sleep=anyio.sleep,
            reraise=True,
        )
        with anyio.CancelScope(deadline=deadline) as scope:
            async for attempt in attempts:
                with attempt:
                    return await self._run_once(call, work)
        assert scope.cancelled_caught  # noqa: S101 - the loop returns or raises
        raise deadline_error(account_id, call.session.stage if call.session else Reason.COMMAND)

    async def stand(
        self, account_id: str, work: Callable[[Session], object], *, give_way: Callable[[], object]
    ) -> None:
        """Run `work` on a session for as long as it takes; see `run`.

        Ask for `has_room_to_stand` before. `give_way` is called, and must end `work`, when the server turns
        out to allow only this one session.
        """
        sessions = self.sessions_of(account_id)
        sessions.give_way = give_way
        try:
            await self.run(account_id, work, telemetry=Telemetry(), deadline=math.inf)
        finally:
            sessions.give_way = None

    def _is_retried(self, error: BaseException) -> bool:
        return isinstance(error, InternalError) and error.reason in _RETRIED and not self._closed

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

    async def _run_once(self, call: _Call, work: Callable[[Session], ResultT]) -> ResultT:
        """Run `work` on a session of its own; wait for one if the server allows no more."""
        sessions = call.sessions
        while True:
            async with sessions.slots:
                session = sessions.take(self._clock())
                try:
                    session = session or await self._open(call)
                except InternalError as error:
                    if error.reason is Reason.CONNECTION_LIMIT and sessions.learn_limit():
                        continue
                    raise
                return await self._run_leased(call, session, work)

    async def _run_leased(self, call: _Call, session: Session, work: Callable[[Session], ResultT]) -> ResultT:
        """Run `work` on a session that was leased; end the lease."""
        sessions = call.sessions
        session.begin_lease()
        check = self._clock() - session.last_used_at > SESSION_IDLE_CHECK_S

        def run() -> ResultT:
            if check:
                session.check(_CHECK_TIMEOUT_S)
            return _run_work(session, work)

        try:
            return await self.run_in_thread(call, session, run)
        except BaseException as error:
            session.in_doubt = session.in_doubt or not isinstance(error, ToolError)
            if isinstance(error, InternalError) and error.reason is Reason.CONNECTION_LOST:
                sessions.drop_idle()
            raise
        finally:
            sessions.give_back(session, self._clock(), keep=not self._closed)

    @asynccontextmanager
    async def writing(
        self, account_id: str, *, telemetry: Telemetry, deadline: float
    ) -> AsyncIterator[Writer]:
        """Open a session that may change what the account's settings allow; close it after the block.

        It counts among the account's sessions: with `max_sessions` of 1, nothing can be read within the
        block.

        Args:
            account_id: As in the settings.
            telemetry: Counts its traffic.
            deadline: On the event loop's clock; for the login, and for beginning anything.

        Raises:
            NotFoundError: There is no such account; the reason is `account_unknown`.
            AuthFailedError: Its settings allow no changes (`writes_forbidden`), or the login was refused.
            DeadlineError: The deadline passed before it was open.
            InternalError: The connection failed.
        """
        sessions = self.sessions_of(account_id)
        if sessions.account.writes is Writes.OFF:
            raise writes_forbidden_error(sessions.account, Writes.DRAFTS)
        call = _Call(sessions, telemetry)
        session = None
        with anyio.CancelScope(deadline=deadline):
            session = await self._open_to_write(call)
        if session is None:
            raise deadline_error(account_id, call.session.stage if call.session else Reason.COMMAND)
        try:
            yield Writer(self, call, session, deadline)
        finally:
            if not session.in_doubt:
                with anyio.move_on_after(_LOG_OUT_S, shield=True):
                    await to_thread.run_sync(session.log_out, abandon_on_cancel=True)
            sessions.give_back(session, self._clock(), keep=False)
            sessions.slots.release_on_behalf_of(call)

    async def _open_to_write(self, call: _Call) -> Session:
        """Take a slot and open a session to write; close one that is idle if there is no room for it."""
        sessions = call.sessions
        while True:
            await sessions.slots.acquire_on_behalf_of(call)
            try:
                return await self._open(call, sessions.account.writes)
            except BaseException as error:
                sessions.slots.release_on_behalf_of(call)
                is_full = isinstance(error, InternalError) and error.reason is Reason.CONNECTION_LIMIT
                if not (is_full and (sessions.make_room() or sessions.learn_limit())):
                    raise

    async def _open(self, call: _Call, writes: Writes = Writes.OFF) -> Session:
        """Open a session and lease it. Logins go one at a time: a changed password is refused only once."""
        sessions = call.sessions
        sessions.fail_if_no_login(self._clock())
        session = Session(sessions.account, sessions.quirks, self._clock(), writes)
        try:
            await self.run_in_thread(call, session, partial(connect, session))
            async with sessions.login_lock:
                sessions.fail_if_no_login(self._clock())
                try:
                    await self.run_in_thread(call, session, partial(log_in, session))
                except BaseException as error:
                    sessions.login_failed(error, session, self._clock())
                    raise
                sessions.login_succeeded()
        except BaseException:
            # The thread may have finished connecting after the call was cancelled.
            session.discard()
            raise
        return session

    async def run_in_thread(
        self,
        call: _Call,
        session: Session,
        work: Callable[[], ResultT],
        *,
        abandon_on_cancel: bool = True,
    ) -> ResultT:
        """Run `work`, which uses one connection, in a thread that ends with the call; count its traffic.

        If the call is cancelled and the thread may not be abandoned, wait for it.

        Raises:
            InternalError: The pool is closed; the reason is `connection_lost`.
        """
        if self._closed:
            raise connection_lost_error(session.account.account_id)
        call.session, traffic = session, session.traffic
        round_trips, octets_received = traffic.round_trips, traffic.octets_received
        self._busy.add(session)
        try:
            return await to_thread.run_sync(work, abandon_on_cancel=abandon_on_cancel, limiter=self._limiter)
        finally:
            self._busy.discard(session)
            call.telemetry.imap_round_trips += traffic.round_trips - round_trips
            call.telemetry.bytes_received += traffic.octets_received - octets_received

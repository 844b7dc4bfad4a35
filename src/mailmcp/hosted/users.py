"""Everybody who is served: a pool and caches for each user, made at their first call, dropped when idle.

Users share nothing but the number of documents that are read at once. So one user's slow server, refused
login or full pool is nobody else's.
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Final

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext

from mailmcp.documents.extractor import EXTRACT_PROCESSES, Extractor
from mailmcp.hosted import telemetry
from mailmcp.hosted.credentials import MakeCredentials
from mailmcp.hosted.issuer import Issuer
from mailmcp.hosted.principal import Principal
from mailmcp.hosted.state import State
from mailmcp.hosted.tokens import Admitted
from mailmcp.imap.account import Account
from mailmcp.imap.pool import AUTH_BACKOFF_S, Pool
from mailmcp.reasons import Reason
from mailmcp.tools.journal import Journal
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.tool import Shared
from mcp_envelope import Confirmations, InternalError, RateLimit

PLACEHOLDER: Final = "{user}"
"""In the template's login name: the user whom the token names."""

USER_IDLE_S: Final = 300.0
"""A user who made no call for this long is dropped: servers and NATs forget their connections about then."""

CALLS_PER_USER: Final = 16
"""Calls of one user at a time: four for each of their connections."""

READERS: Final = 4 * EXTRACT_PROCESSES
"""Documents of all users that are read at once, each by a process that can take half a gigabyte."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _User:
    shared: Shared
    received: str = field(repr=False)
    """The latest token."""

    last_used_at: float
    calls: int = 0
    dropped: anyio.Event = field(default_factory=anyio.Event)


@dataclass(slots=True, eq=False)
class HostedUsers:
    """Serves each user the mailbox that their token names; begins without any."""

    template: Account
    """The account of everybody, with the placeholder in its login name."""

    credentials: MakeCredentials
    """Makes what a user signs in with."""

    preferences: Preferences
    """Of everybody, with an owner for the template's id."""

    issuer: Issuer
    """Whose tokens they send; opened together with this."""

    state: State
    """Where their journals and confirmations are kept."""

    users_max: int
    """Users who can be served at a time."""

    lean_rows: bool = False
    """As `Shared`."""

    idle_s: float = USER_IDLE_S
    """How long a user may be idle."""

    clock: Callable[[], float] = monotonic
    """Returns seconds that never run backwards."""

    _users: dict[Principal, _User] = field(init=False, default_factory=dict)
    _readers: anyio.CapacityLimiter = field(
        init=False, default_factory=lambda: anyio.CapacityLimiter(READERS)
    )
    _tasks: TaskGroup = field(init=False)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Serve until the block ends; then close all connections."""
        async with self.issuer.opened(), anyio.create_task_group() as self._tasks:
            telemetry.observe_sessions(self._count_sessions)
            try:
                yield
            finally:
                self._tasks.cancel_scope.cancel()
                with anyio.move_on_after(telemetry.FLUSH_S, shield=True):
                    await to_thread.run_sync(telemetry.flush, abandon_on_cancel=True)

    def accounts_of(self, request: ServerRequestContext[Any]) -> Sequence[Account]:
        """Return the one account of the user who sent a request."""
        principal = _token_of(request).principal
        return [account_of(principal, self.template, self.credentials, lambda: "")]

    def principal_of(self, request: ServerRequestContext[Any]) -> str:
        """Return the user who sent a request."""
        return _token_of(request).principal.user

    @contextmanager
    def shared_with(self, request: ServerRequestContext[Any]) -> Iterator[Shared]:
        """Return what the calls of that user have in common, for one call.

        Raises:
            InternalError: The user has too many calls, or the server too many users; the reason is `busy`.
        """
        token = _token_of(request)
        user = self._users.get(token.principal) or self._add(token)
        if user.calls >= CALLS_PER_USER:
            raise _busy(f"You have {CALLS_PER_USER} calls in progress.", retry_after_s=1)
        user.received = token.token
        user.calls += 1
        try:
            yield user.shared
        finally:
            user.calls -= 1
            user.last_used_at = self.clock()

    def note_call(self, fields: Mapping[str, object]) -> None:
        """Measure a call that has ended."""
        telemetry.note_call(fields)

    def _count_sessions(self) -> dict[str, int]:
        return {who.user: user.shared.pool.session_count for who, user in list(self._users.items())}

    def _add(self, token: Admitted) -> _User:
        """Make room for a user, who is in use from now on."""
        if len(self._users) >= self.users_max:
            self._drop_one()
        principal = token.principal
        account = account_of(principal, self.template, self.credentials, lambda: user.received)
        owner = replace(
            self.preferences.owner_of(self.template.account_id),
            names=tuple(filter(None, [principal.name])),
            addresses=tuple({each for each in (principal.address, account.user) if "@" in each}),
        )
        shared = Shared(
            pool=Pool([account], clock=self.clock),
            preferences=replace(self.preferences, owners={account.account_id: owner}),
            lean_rows=self.lean_rows,
            extractor=Extractor(readers=self._readers),
            journal=Journal(store=self.state.journal_of(principal)),
            confirmations=Confirmations(store=self.state.confirmations),
        )
        user = self._users[principal] = _User(shared, token.token, self.clock())
        self._tasks.start_soon(self._keep, principal, user)
        return user

    def _drop_one(self) -> None:
        """Drop the user who was idle for longest.

        Not one of the last minute: the pool must remember for so long that a login was refused, or providers
        lock the account.
        """
        idle = {who: user.last_used_at for who, user in self._users.items() if not user.calls}
        longest = min(idle, key=idle.__getitem__, default=None)
        if longest is None or self.clock() - idle[longest] < AUTH_BACKOFF_S:
            raise _busy("The server has no room for another user right now.", retry_after_s=10)
        self._users.pop(longest).dropped.set()

    async def _keep(self, principal: Principal, user: _User) -> None:
        """Close the connections of a user who has been idle for long, or was dropped for another."""
        async with user.shared.pool.opened():
            while not user.dropped.is_set():
                idle_s = 0.0 if user.calls else self.clock() - user.last_used_at
                if idle_s >= self.idle_s:
                    self._users.pop(principal).dropped.set()
                with anyio.move_on_after(self.idle_s - idle_s):
                    await user.dropped.wait()
            _log.info("closing connections", extra={"principal": principal.user})


def account_of(
    principal: Principal, template: Account, credentials: MakeCredentials, received: Callable[[], str]
) -> Account:
    """Make the account of one user; `received` returns the latest token that they sent."""
    return replace(
        template,
        account_id=principal.account_id(template.account_id),
        user=template.user.replace(PLACEHOLDER, principal.user),
        credentials=credentials(principal, received),
        remedy="The administrator of mailmcp has to look into it.",
    )


def _token_of(request: ServerRequestContext[Any]) -> Admitted:
    """Return the token that the SDK let in with a request."""
    token = request.request.user.access_token  # type: ignore[union-attr] # over HTTP there is a request
    assert isinstance(token, Admitted)  # noqa: S101 - else it was let in by somebody else than TokenChecker
    return token


def _busy(what: str, *, retry_after_s: int) -> InternalError:
    return InternalError(
        f"{what} Try again in a moment.",
        reason=Reason.BUSY,
        retryable=True,
        rate_limit=RateLimit(retry_after_s=retry_after_s),
    )

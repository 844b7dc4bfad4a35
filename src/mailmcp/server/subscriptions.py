"""Subscriptions to mailboxes, in both eras: who is told that something happened, and what is watched.

A notification only says that a resource is to be read again; `imap_get_changes` says what has changed. Each
account with subscribers takes one connection, if calls are left one. Otherwise, and where the server can't
say by itself that something has happened, it is asked each minute.

A legacy client subscribes for as long as it is connected: over stdio, that is as long as the server runs.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio
from anyio import from_thread
from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_REQUEST,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from mailmcp import limits
from mailmcp.imap.changes.watch import EVERY, LOOK_S, Look, Waker, look, watch
from mailmcp.imap.command import canonical_name
from mailmcp.imap.pool import Pool, Telemetry
from mailmcp.model.resource_uri import MAILBOX_TEMPLATE, ResourceKind, parse_resource_uri
from mailmcp.reasons import Reason
from mailmcp.server.resources import make_subscribed
from mailmcp.server.users import Users
from mailmcp.tools.errors import list_mailboxes_of
from mailmcp.tools.tool import Call
from mcp_envelope import InvalidInputError, NotFoundError, ToolError, code
from mcp_envelope.server import Toolset

_RETRY_S: Final = 60.0
"""After an error, before the server is asked again."""

_LISTENED_MAX: Final = 100
"""Mailboxes that one client can name at once: each costs a round trip before it is acknowledged."""

_NO_SESSION: Final = (
    "Over HTTP there are no sessions, so nothing can be sent later. Use subscriptions/listen of protocol "
    "2026-07-28, or call imap_get_changes now and then."
)

_log = logging.getLogger(__name__)

Context = ServerRequestContext[Users]


@dataclass(slots=True, eq=False)
class _Watched:
    """An account that somebody watches."""

    account_id: str
    uris: Counter[str] = field(default_factory=Counter)
    """How many subscriptions there are to each."""

    known: dict[str, object] = field(default_factory=dict)
    """What the mailboxes were like when subscribers were told last; see `Look.seen`."""

    is_pushed: bool = False
    """Whether the server can say by itself that something has happened."""

    is_announced: bool = False
    """Whether the log says that it is asked each minute."""

    waker: Waker | None = None
    """Ends the wait for it; None while nobody waits."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    """Ends the watching."""

    @property
    def names(self) -> frozenset[str]:
        """The mailboxes to look at."""
        return frozenset(_target(uri)[1] for uri in self.uris)


class Subscriptions:
    """All subscriptions of a server; its tools answer the requests."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus)
        self._watched: dict[str, _Watched] = {}
        self._legacy: dict[str, ServerSession] = {}
        """The subscriber to each URI; only one can be connected."""

        self._watching: TaskGroup | None = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Watch what is subscribed to, until the block ends."""
        async with anyio.create_task_group() as self._watching:
            yield
            self._watching.cancel_scope.cancel()

    async def listen(
        self, context: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tell a modern client of the mailboxes that it names, for as long as it listens.

        What isn't a mailbox of this server's accounts is left out of what is acknowledged, and so are lists
        that never change.
        """
        users = context.lifespan_context
        accounts = {each.account_id for each in users.accounts_of(context)}
        asked = dict.fromkeys(params.notifications.resource_subscriptions or ())
        uris = [uri for uri in asked if _is_mailbox(uri) and _target(uri)[0] in accounts]
        added: list[str] = []
        try:
            for uri in uris[:_LISTENED_MAX]:
                await self._add(context, uri)
                added.append(uri)
            honoured = SubscriptionFilter(resource_subscriptions=added or None)
            with users.shared_with(context):  # the user stays while somebody listens
                return await self._handler(context, params.model_copy(update={"notifications": honoured}))
        finally:
            for uri in added:
                self._remove(uri)

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell a legacy client of a mailbox."""
        if not context.session.can_send_request:
            raise MCPError(INVALID_REQUEST, _NO_SESSION)
        result = await self._add(context, params.uri)
        if params.uri in self._legacy:
            self._remove(params.uri)
        self._legacy[params.uri] = context.session
        return result

    async def unsubscribe(self, _context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell a legacy client no more."""
        if self._legacy.pop(params.uri, None):
            self._remove(params.uri)
        return EmptyResult()

    async def _add(self, context: Context, uri: str) -> EmptyResult:
        """Watch a mailbox, or all of an account: nothing that happens from now on is missed.

        Raises:
            MCPError: There is no such account or mailbox, or it can't be read.
        """

        async def add(call: Call) -> None:
            account_id, name = _target(uri)
            call.choose_account(account_id)
            call.mailbox = name
            found = await call.ask(partial(look, names=frozenset({name})))
            if found.seen[name] is None:
                raise NotFoundError(
                    f"There is no mailbox {code(name)} in account {account_id}. Names are case-sensitive.",
                    reason=Reason.MAILBOX_MISSING,
                    next_action=list_mailboxes_of(account_id),
                )
            watched = self._watched.get(account_id)
            if watched is None:
                watched = self._watched[account_id] = _Watched(account_id, is_pushed=found.is_pushed)
                assert self._watching is not None  # noqa: S101 - requests come while it serves
                self._watching.start_soon(self._follow, watched, call.pool)
            before = watched.names
            watched.uris[uri] += 1
            watched.known |= {each: found.seen[each] for each in found.seen if not before & {each, EVERY}}
            if name not in before and watched.waker:
                watched.waker.wake()

        return await self._tools.answer(context.method, add, partial(make_subscribed, uri), context)

    def _remove(self, uri: str) -> None:
        """End one subscription; with the last one of an account, end its connection."""
        watched = self._watched[_target(uri)[0]]
        watched.uris -= Counter([uri])
        if not watched.uris:
            watched.scope.cancel()
            del self._watched[watched.account_id]
        elif EVERY not in watched.names:
            watched.known = {name: watched.known[name] for name in watched.names}

    async def _follow(self, watched: _Watched, pool: Pool) -> None:
        """Tell subscribers whenever something has happened, until the last one has gone."""
        with watched.scope:
            while True:
                try:
                    await self._wait(watched, pool)
                    continue
                except ToolError as error:
                    _log.warning("watching account %s: %s", watched.account_id, error.reason.value)
                except Exception:  # noqa: BLE001 - a bug must not end the server, nor the subscription
                    _log.exception("unexpected error while watching account %s", watched.account_id)
                await anyio.sleep(_RETRY_S)

    async def _wait(self, watched: _Watched, pool: Pool) -> None:
        """Wait for what happens on a connection of its own, or a minute."""
        account_id, report = watched.account_id, partial(self._report, watched)
        if watched.is_pushed and pool.sessions_of(account_id).has_room_to_stand:
            with closing(Waker()) as waker:
                watched.waker = waker
                tell = partial(from_thread.run, report)
                work = partial(watch, names=watched.names, waker=waker, report=tell)
                try:
                    await pool.stand(account_id, work, give_way=waker.wake)
                finally:
                    watched.waker = None
                if waker.is_awake:
                    return
        if not watched.is_announced:
            watched.is_announced = True
            _log.info("no connection to wait on for account %s: asking each minute", account_id)
        await anyio.sleep(LOOK_S)
        deadline = anyio.current_time() + limits.CALL_TIMEOUT_S
        once = partial(look, names=watched.names)
        await report(await pool.run(account_id, once, telemetry=Telemetry(), deadline=deadline))

    async def _report(self, watched: _Watched, found: Look) -> None:
        """Tell the subscribers to what isn't as it was."""
        known = watched.known
        changed = {name for name, seen in found.seen.items() if known.get(name, seen) != seen} | found.told
        known.update(found.seen)
        watched.is_pushed = found.is_pushed
        for uri in list(watched.uris):
            name = _target(uri)[1]
            if name in changed or (name == EVERY and changed):
                await self._bus.publish(ResourceUpdated(uri=uri))
                if uri in self._legacy:
                    await self._legacy[uri].send_resource_updated(uri)


def _is_mailbox(uri: str) -> bool:
    """Return whether a URI can be subscribed to, if there is such an account and mailbox."""
    try:
        _target(uri)
    except InvalidInputError:
        return False
    return True


def _target(uri: str) -> tuple[str, str]:
    """Return the account and the mailbox, or `EVERY`, of a URI that can be subscribed to.

    Raises:
        InvalidInputError: It is another resource, or none.
    """
    parsed = parse_resource_uri(uri)
    if parsed.kind is ResourceKind.MAILBOXES:
        return parsed.account_id, EVERY
    if parsed.kind is ResourceKind.MAILBOX:
        return parsed.account_id, canonical_name(parsed.mailbox)
    raise InvalidInputError.of(
        "uri", Reason.MALFORMED_ID, f"is a message, which never changes. Subscribe to {MAILBOX_TEMPLATE}."
    )

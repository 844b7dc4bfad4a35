"""A TCP proxy that counts what passes, and makes the way longer.

A round trip is a burst of client octets sent after server octets arrived there,
or first of all: what a client cannot send before it has heard. So pipelined
commands count once, and a literal that waits for its ``+`` counts by itself.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Self, TypeAlias, cast

from typing_extensions import override

START_TIMEOUT_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What has passed over one or more connections."""

    connections: int = 0
    round_trips: int = 0
    octets_sent: int = 0
    """From the client to the server."""

    octets_received: int = 0
    """From the server to the client, counted as they reach the client."""

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            connections=self.connections + other.connections,
            round_trips=self.round_trips + other.round_trips,
            octets_sent=self.octets_sent + other.octets_sent,
            octets_received=self.octets_received + other.octets_received,
        )


class CountingProxy:
    """A running proxy, for one `with` block, on a free port of 127.0.0.1.

    Args:
        target_host: Where the server is.
        target_port: And where there.
        rtt_s: Added to each round trip, half of it each way; it delays octets and does
            not limit how many are under way. Opening a connection is not delayed.
    """

    def __init__(self, target_host: str, target_port: int, *, rtt_s: float = 0.0) -> None:
        self.host = "127.0.0.1"
        self._target = (target_host, target_port)
        self._rtt_s = rtt_s
        self._lock = threading.Lock()
        self._links: list[_Link] = []
        self._listening: Future[int] = Future()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self._listening.result(START_TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(START_TIMEOUT_S)

    def snapshot(self, connection: int | None = None) -> Traffic:
        """Return what has passed since the start or the last `reset`.

        Args:
            connection: Of this connection, from 1; None for the sum of all.
        """
        with self._lock:
            links = self._links if connection is None else [self._links[connection - 1]]
            return sum((link.traffic for link in links), Traffic())

    def reset(self) -> None:
        """Count from zero. Open connections stay open but no longer count as connections."""
        with self._lock:
            for link in self._links:
                link.traffic = Traffic()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as exc:
            self._listening.set_exception(exc)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        listener = await self._loop.create_server(lambda: self._make_link().client, self.host, 0)
        self._listening.set_result(listener.sockets[0].getsockname()[1])
        await self._stopping.wait()
        listener.close()
        for link in self._links:
            link.abort()
        await asyncio.gather(*(link.closed.wait() for link in self._links))

    def _make_link(self) -> "_Link":
        link = _Link(self._target, self._rtt_s / 2, self._lock)
        with self._lock:
            self._links.append(link)
        return link


ProxyFactory: TypeAlias = Callable[..., CountingProxy]
"""The value of the fixture `proxy`: takes the arguments of `CountingProxy`, returns it running."""


class _Link:
    """One client's connection and the one made for it to the server; lives in the loop's thread."""

    def __init__(self, target: tuple[str, int], delay_s: float, lock: threading.Lock) -> None:
        self.traffic = Traffic(connections=1)
        self.closed = asyncio.Event()
        """Both connections are gone."""

        self._target = target
        self._lock = lock
        self._heard = True
        """Server octets have reached the client since it last sent any."""

        self.client = _End(self, delay_s)
        self._server = _End(self, delay_s)
        self._connecting: asyncio.Task[None] | None = None

    def opened(self, end: "_End") -> None:
        """Go on once an end is connected: the server's is, after the client's."""
        self.closed.clear()
        if end is self.client:
            self._connecting = asyncio.create_task(self._connect())

    def arrived(self, end: "_End", octets: bytes) -> None:
        """Forward what one end received."""
        if end is self.client:
            self._count(Traffic(round_trips=int(self._heard), octets_sent=len(octets)))
            self._heard = False
            self._server.deliver(octets)
        else:
            self.client.deliver(octets)

    def delivering(self, end: "_End", octets: bytes) -> None:
        """Count what is about to be sent at one end."""
        if end is self.client:
            self._count(Traffic(octets_received=len(octets)))
            self._heard = True

    def lost(self, end: "_End") -> None:
        """Forward that one end was closed, after all it had sent."""
        (self._server if end is self.client else self.client).deliver(None)
        if not (self.client.is_open or self._server.is_open):
            self.closed.set()

    def abort(self) -> None:
        """Cut both connections at once."""
        if self._connecting is not None:
            self._connecting.cancel()
        for end in (self.client, self._server):
            if end.is_open:
                end.transport.abort()

    async def _connect(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: self._server, *self._target)
        except OSError:
            self.client.transport.abort()

    def _count(self, more: Traffic) -> None:
        with self._lock:
            self.traffic += more


class _End(asyncio.Protocol):
    """One socket of a link, and the octets on their way to it."""

    transport: asyncio.Transport

    def __init__(self, link: _Link, delay_s: float) -> None:
        self.is_open = self._was_open = False
        self._link = link
        self._delay_s = delay_s
        self._queue: deque[bytes | None] = deque()
        self._early: list[bytes | None] = []
        """What was due before the connection was made."""

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.is_open = self._was_open = True
        self._link.opened(self)
        for octets in self._early:
            self._send(octets)

    @override
    def data_received(self, data: bytes) -> None:
        self._link.arrived(self, data)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self._link.lost(self)

    def deliver(self, octets: bytes | None) -> None:
        """Send octets, or close (None), after the delay and in order."""
        self._queue.append(octets)
        if self._delay_s:
            # Timers of one instant may fire in any order: each takes what is next, not its own.
            asyncio.get_running_loop().call_later(self._delay_s, self._send_next)
        else:
            self._send_next()

    def _send_next(self) -> None:
        octets = self._queue.popleft()
        if self._was_open:
            self._send(octets)
        else:
            self._early.append(octets)

    def _send(self, octets: bytes | None) -> None:
        if not self.is_open:
            return
        if octets is None:
            self.transport.close()
        else:
            self._link.delivering(self, octets)
            self.transport.write(octets)

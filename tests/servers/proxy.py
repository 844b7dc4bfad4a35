"""A TCP proxy that counts what passes, and makes the way longer.

A round trip is a burst of client octets sent after server octets arrived there,
or first of all: what a client cannot send before it has heard. So pipelined
commands count once, and a literal that waits for its ``+`` counts by itself.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import Final, Self, TypeAlias

WAIT_S: Final = 60.0
"""For threads to end."""


@dataclass(slots=True, kw_only=True)
class Traffic:
    """What has passed over all connections."""

    connections: int = 0
    round_trips: int = 0
    octets_received: int = 0
    """From the server to the client, counted before they are sent on."""


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
        self._delay_s = rtt_s / 2
        self._lock = threading.Lock()
        self._traffic = Traffic()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._stopping = False

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        socket.create_connection((self.host, self.port), timeout=WAIT_S).close()  # wakes who accepts
        self._threads[0].join(WAIT_S)
        for each in self._sockets:
            _cut(each)
        for thread in self._threads:
            thread.join(WAIT_S)
        for each in (self._listener, *self._sockets):
            each.close()

    def snapshot(self) -> Traffic:
        """Return what has passed since the start or the last `reset`."""
        with self._lock:
            return replace(self._traffic)

    def reset(self) -> None:
        """Count from zero. Open connections stay open but no longer count as connections."""
        with self._lock:
            self._traffic = Traffic()

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, name="proxy", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            self._sockets.append(client)
            if self._stopping:
                return
            server = socket.create_connection(self._target, timeout=WAIT_S)
            server.settimeout(None)
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets.append(server)
            with self._lock:
                self._traffic.connections += 1
            heard = threading.Event()  # server octets have reached the client since it last sent any
            heard.set()
            self._forward(client, server, partial(self._count_burst, heard), before=True)
            self._forward(server, client, partial(self._count_octets, heard))

    def _count_burst(self, heard: threading.Event, _count: int) -> None:
        with self._lock:
            self._traffic.round_trips += heard.is_set()
            heard.clear()

    def _count_octets(self, heard: threading.Event, count: int) -> None:
        with self._lock:
            self._traffic.octets_received += count
            heard.set()

    def _forward(
        self,
        source: socket.socket,
        target: socket.socket,
        count: Callable[[int], None],
        *,
        before: bool = False,
    ) -> None:
        """Start the threads that pass on what comes from `source`, counted before or after its delay."""
        under_way: SimpleQueue[tuple[float, bytes]] = SimpleQueue()

        def read() -> None:
            octets = b"-"
            while octets:
                try:
                    octets = source.recv(65536)
                except OSError:
                    octets = b""
                if octets and before:
                    count(len(octets))
                under_way.put((time.monotonic() + self._delay_s, octets))

        def write() -> None:
            while True:
                due, octets = under_way.get()
                if (wait_s := due - time.monotonic()) > 0:
                    time.sleep(wait_s)  # the delay that was asked for
                if not octets:
                    _cut(target)
                    return
                if not before:
                    count(len(octets))
                with suppress(OSError):
                    target.sendall(octets)

        self._start(read)
        self._start(write)


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


ProxyFactory: TypeAlias = Callable[..., CountingProxy]
"""The value of the fixture `proxy`: takes the arguments of `CountingProxy`, returns it running."""

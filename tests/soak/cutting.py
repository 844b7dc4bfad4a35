"""A TCP proxy that cuts connections at random octets, and lets others act in the middle of a command."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final, Self

WAIT_S: Final = 60.0
"""For threads to end."""

_CUT_BEFORE_OCTETS: Final = (700, 3_000)
"""From the client and from the server: about what a session that writes sends and receives."""

_WRITES: Final = (b" UID MOVE ", b" UID COPY ", b" UID STORE ", b" UID EXPUNGE ", b" APPEND ")


class CuttingProxy:
    """A running proxy, for one `with` block, on a free port of 127.0.0.1.

    Args:
        host: Where the server is.
        port: And where there.
        random: Chooses what to cut.
    """

    def __init__(self, host: str, port: int, random: Random) -> None:
        self.host = "127.0.0.1"
        self._target, self._random = (host, port), random
        self.cuts_of_hundred = 0
        """How many of a hundred connections are cut."""

        self.before_write: Callable[[], None] | None = None
        """Called once, before the next command that changes mail is passed on."""

        self.cut = 0
        """Connections that were cut so far."""

        self._stopping = False
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._accepting = self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        socket.create_connection((self.host, self.port), timeout=WAIT_S).close()  # wakes who accepts
        self._accepting.join(WAIT_S)
        for each in self._sockets:
            _end(each)
        for thread in self._threads:
            thread.join(WAIT_S)
        self._listener.close()

    def _start(self, run: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        thread.start()
        return thread

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            if self._stopping:
                client.close()
                return
            server = socket.create_connection(self._target, timeout=WAIT_S)
            server.settimeout(None)
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets = [each for each in self._sockets if each.fileno() >= 0] + [client, server]
            self._threads = [each for each in self._threads if each.is_alive()]
            cuts = [-1, -1]
            if self._random.randrange(100) < self.cuts_of_hundred:
                direction = self._random.randrange(2)
                cuts[direction] = self._random.randrange(_CUT_BEFORE_OCTETS[direction])
            pair = _Pair(self, client, server)
            self._threads += [
                self._start(pair.pass_on, client, server, cuts[0]),
                self._start(pair.pass_on, server, client, cuts[1]),
            ]


class _Pair:
    """The two directions of one connection; whichever ends last closes both sockets."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._left, self._lock = 2, threading.Lock()

    def pass_on(self, source: socket.socket, target: socket.socket, cut_after: int) -> None:
        """Pass octets on until one side ends, or until `cut_after` octets; -1 for never."""
        with suppress(OSError):
            while octets := source.recv(65_536):
                if source is self._client and any(each in octets for each in _WRITES):
                    act, self._proxy.before_write = self._proxy.before_write, None
                    if act:
                        act()
                if 0 <= cut_after <= len(octets):
                    target.sendall(octets[:cut_after])
                    self._proxy.cut += 1
                    break
                cut_after -= len(octets) if cut_after >= 0 else 0
                target.sendall(octets)
        for each in (self._client, self._server):
            _end(each)
        with self._lock:
            self._left -= 1
            is_last = not self._left
        if is_last:
            self._client.close()
            self._server.close()


def _end(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)

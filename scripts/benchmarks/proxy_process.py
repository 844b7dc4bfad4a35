"""The tests' counting proxy in a process of its own, so that it takes no time from those it counts.

Asked over a pipe, outside of what is timed.
"""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Self, TypeVar

from scripts.benchmarks.host import CALL_TIMEOUT_S

from servers.proxy import CountingProxy, Traffic

AnswerT = TypeVar("AnswerT")

_TELL = "tell what has passed"
_STOP = "stop"


class ProxyProcess:
    """A running proxy, for one `with` block."""

    host = "127.0.0.1"
    port: int

    def __init__(self, target_host: str, target_port: int, *, rtt_ms: int) -> None:
        """Stand before a server and add `rtt_ms` to each round trip."""
        # Not forked: this process has threads and an event loop.
        spawning = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawning.Pipe()
        self._process = spawning.Process(
            target=_serve, args=(theirs, target_host, target_port, rtt_ms / 1000), daemon=True
        )

    def __enter__(self) -> Self:
        self._process.start()
        self.port = self._receive(int)
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.send(_STOP)
        self._process.join(CALL_TIMEOUT_S)

    def traffic(self) -> Traffic:
        """Return what has passed since the start, over all connections."""
        self._pipe.send(_TELL)
        return self._receive(Traffic)

    def _receive(self, kind: type[AnswerT]) -> AnswerT:
        if not self._pipe.poll(CALL_TIMEOUT_S):
            raise TimeoutError("the proxy does not answer")
        answer = self._pipe.recv()
        assert isinstance(answer, kind)  # noqa: S101 - `_serve` sends nothing else
        return answer


def _serve(pipe: Connection, host: str, port: int, rtt_s: float) -> None:
    with CountingProxy(host, port, rtt_s=rtt_s) as proxy:
        pipe.send(proxy.port)
        while pipe.recv() == _TELL:
            pipe.send(proxy.snapshot())

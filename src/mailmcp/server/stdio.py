"""Serves over stdin and stdout until the host closes one of them or a signal arrives."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def run_stdio(server: Server[Any], *, leave: Callable[[], object]) -> None:
    """Serve until stdin closes, then stop at once and cancel calls in flight.

    Args:
        server: The server.
        leave: Ends the process. It is called if serving ends before stdin does, since the thread that reads
            stdin can't be interrupted and Python would wait for it. It is also called if the host is gone,
            since Python would try again at exit to write what is left.
    """

    async def serve() -> None:
        try:
            async with stdio_server() as (incoming, outgoing):
                with anyio.CancelScope() as scope, _signals_cancel(scope, leave):
                    try:
                        await server.run(incoming, outgoing, server.create_initialization_options())
                    except anyio.get_cancelled_exc_class():  # by a signal, or because nobody reads stdout
                        leave()
                        raise
        except* ConnectionError:  # the host died, and its pipes or sockets with it
            leave()

    anyio.run(serve)


@contextmanager
def _signals_cancel(scope: anyio.CancelScope, leave: Callable[[], object]) -> Iterator[None]:
    """Cancel `scope` on SIGINT or SIGTERM. A second signal, or one after the block, calls `leave`.

    Python runs `stop` only when the main thread next runs Python code. A signal that comes just before that
    thread waits, or that another thread receives, would not end the wait; a handler of the loop makes it.
    """
    loop = asyncio.get_running_loop()
    ending = False

    def stop(*_: object) -> None:
        nonlocal ending
        if ending:
            leave()
            return
        ending = True
        loop.call_soon_threadsafe(scope.cancel)

    signals = (signal.SIGINT, signal.SIGTERM)
    for each in signals:
        with suppress(NotImplementedError):  # on Windows, each signal wakes the loop
            loop.add_signal_handler(each, lambda: None)
        signal.signal(each, stop)  # beside it, not in its place: it serves even where the loop is stuck
    try:
        yield
    finally:
        ending = True  # from here on a signal ends the process
        for each in signals:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(each)
            signal.signal(each, stop)

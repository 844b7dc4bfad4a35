"""Serving over stdin and stdout, until the host closes stdin, or stdout, or a signal ends it."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from mailmcp.server.app import Serving


async def serve_stdio(server: Server[Serving], *, leave: Callable[[], object]) -> None:
    """Serve until stdin closes, then end at once: calls in flight are cancelled.

    Args:
        server: What is served.
        leave: Ends the process. Called when the service has ended and stdin has not: it is read in a
            thread that nothing can interrupt, and that would be waited for.
    """
    async with stdio_server() as (incoming, outgoing):
        with anyio.CancelScope() as scope, _signals_cancel(scope, leave):
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            except anyio.get_cancelled_exc_class():  # by a signal, or since nobody reads stdout any more
                leave()
                raise


def run_stdio(server: Server[Serving], *, leave: Callable[[], object]) -> None:
    """Run `serve_stdio` in an event loop of its own."""
    anyio.run(lambda: serve_stdio(server, leave=leave))


@contextmanager
def _signals_cancel(scope: anyio.CancelScope, leave: Callable[[], object]) -> Iterator[None]:
    """Let SIGINT and SIGTERM cancel `scope`; from then on, and once it has ended, they call `leave`."""
    loop = asyncio.get_running_loop()
    ending = False

    def stop(*_: object) -> None:
        nonlocal ending
        if ending:
            leave()
            return
        ending = True
        loop.call_soon_threadsafe(scope.cancel)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    try:
        yield
    finally:
        ending = True  # what is left to do takes a moment, in which a signal ends the process as well

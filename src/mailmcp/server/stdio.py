"""Serves over stdin and stdout until the host closes one of them or a signal arrives."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def run_stdio(server: Server[Any], *, leave: Callable[[], object]) -> None:
    """Serve until stdin closes, then stop at once and cancel calls in flight.

    Args:
        server: The server.
        leave: Ends the process. It is called on a signal, since the thread that reads stdin can't be
            interrupted and Python would wait for it. It is also called if the host is gone, since Python
            would try again at exit to write what is left.
    """

    async def serve() -> None:
        _on_signals(leave)
        try:
            async with stdio_server() as (incoming, outgoing):
                try:
                    await server.run(incoming, outgoing, server.create_initialization_options())
                except anyio.get_cancelled_exc_class():  # because nobody reads stdout
                    leave()
                    raise
        except* ConnectionError:  # the host died, and its pipes or sockets with it
            leave()

    anyio.run(serve)


def _on_signals(leave: Callable[[], object]) -> None:
    """Call `leave` on SIGINT or SIGTERM: connections just end, as they do when a network fails."""
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(each, leave)
        except NotImplementedError:  # on Windows, each signal wakes the loop
            signal.signal(each, lambda *_: leave())

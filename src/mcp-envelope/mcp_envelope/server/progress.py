"""Sends the progress of a call to its client, without making the call wait.

MCP requires that progress increases with each notification, and that none follows the reply.
"""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
from anyio import RunFinishedError, from_thread
from anyio.lowlevel import current_token

WAITING_MAX: Final = 100
"""Reports that wait for a client that reads slowly. Beyond, new ones are dropped."""

STEP: Final = 0.001
"""What a report adds if it is not ahead of the one before, such as the first of another stage."""

Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one notification: how much is done, of how much, and what; never raises for a lost client."""


class Progress:
    """Takes the reports of one call, and sends them while it runs."""

    def __init__(self, send: Send) -> None:
        """Send with `send`; must be created on the event loop."""
        self._send = send
        self._loop, self._thread = current_token(), threading.get_ident()
        streams = anyio.create_memory_object_stream[tuple[float, float, str]](WAITING_MAX)
        self._reported, self._waiting = streams

    def report(self, done: float, total: float, what: str) -> None:
        """Report progress; see `mcp_envelope.tool.Report`."""
        if threading.get_ident() == self._thread:
            self._put(done, total, what)
            return
        with suppress(RunFinishedError):  # a thread that outlives the server has nobody to report to
            from_thread.run_sync(self._put, done, total, what, token=self._loop)

    def _put(self, done: float, total: float, what: str) -> None:
        with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._reported.send_nowait((done, total, what))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send until the block ends, and then what waits."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_all)
            with self._reported:
                yield

    async def _send_all(self) -> None:
        sent = -STEP
        with self._waiting:
            async for done, total, what in self._waiting:
                sent = max(done, sent + STEP)
                await self._send(sent, total or None, what)

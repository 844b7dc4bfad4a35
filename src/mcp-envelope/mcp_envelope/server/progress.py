"""Sends the progress of a call to its client, without making the call wait.

Reports come from worker threads as fast as octets arrive. A client that reads slowly gets only the latest.
MCP requires that progress increases with each notification, and that none follows the reply.
"""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio import from_thread

Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one notification: how much is done, of how much, and what; never raises for a lost client."""


class Progress:
    """Takes the reports of one call, and sends them while it runs."""

    def __init__(self, send: Send) -> None:
        """Send with `send`; must be created on the event loop."""
        self._send = send
        self._loop_thread = threading.get_ident()
        self._news = anyio.Event()
        self._latest: tuple[int, int, str] = (0, 0, "")
        self._sent = 0
        self._over = False

    def report(self, done: int, total: int, what: str) -> None:
        """Report progress; see `mcp_envelope.tool.Report`."""
        if done <= self._latest[0]:  # a read that started again is behind
            return
        self._latest = (done, total, what)
        if threading.get_ident() == self._loop_thread:
            self._news.set()
            return
        # Fails in a thread that isn't the event loop's or outlives it; the report is sent later.
        with suppress(RuntimeError):
            from_thread.run_sync(self._notify)

    def _notify(self) -> None:
        self._news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send until the block ends, and then the last report if it wasn't sent yet."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_until_over)
            try:
                yield
            finally:
                self._over = True
                self._news.set()

    async def _send_until_over(self) -> None:
        over = False
        while not over:
            await self._news.wait()
            self._news, over = anyio.Event(), self._over
            done, total, what = self._latest
            if done > self._sent:
                self._sent = done
                await self._send(done, total or None, what)

"""Progress of one call to its client: the newest word only, always further on, never in the way.

Reports come from worker threads as fast as octets arrive; a client that reads slowly
gets fewer of them, and the call does not wait for it. MCP asks that each
notification tell of more than the one before, and that none follow the reply.
"""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio import from_thread

Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one notification: how much is done, of how much, and what; a lost client is no error of its."""


async def send_nothing(_done: float, _total: float | None, _what: str | None) -> None:
    """Send to nobody: nothing but the reply is wanted."""


class Progress:
    """Takes the reports of one call and sends them while it runs."""

    def __init__(self, send: Send) -> None:
        """Send by `send`, which does nothing for a client that did not ask; make it on the event loop."""
        self._send = send
        self._loop_thread = threading.get_ident()
        self._news = anyio.Event()
        self._latest: tuple[int, int, str] = (0, 0, "")
        self._sent = 0
        self._over = False

    def report(self, done: int, total: int, what: str) -> None:
        """Note how far the call is; see `mcp_envelope.tool.Report`."""
        if done <= self._latest[0]:  # a read that was begun anew is behind what was told
            return
        self._latest = (done, total, what)
        if threading.get_ident() == self._loop_thread:
            self._news.set()
            return
        # Refused in a thread that is not of the event loop, or outlives it: what it says goes out later.
        with suppress(RuntimeError):
            from_thread.run_sync(self._tell)

    def _tell(self) -> None:
        self._news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send until the block ends, then the last word if it was not sent yet."""
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

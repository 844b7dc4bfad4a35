"""Sends the progress of a call to its client, without making the call wait.

MCP requires that progress increases with each notification, and that none follows the reply.
"""

import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
from anyio import RunFinishedError, from_thread
from anyio.lowlevel import current_token

WAITING_MAX: Final = 100
"""Reports that wait for a client that reads slowly. Beyond, the oldest are dropped."""

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
        self._waiting: deque[tuple[float, float, str]] = deque(maxlen=WAITING_MAX)
        self._news = anyio.Event()
        self._over = False

    def report(self, done: float, total: float, what: str) -> None:
        """Report progress; see `mcp_envelope.tool.Report`."""
        self._waiting.append((done, total, what))
        if threading.get_ident() == self._thread:
            self._notify()
            return
        with suppress(RunFinishedError):  # a thread that outlives the server has nobody to report to
            from_thread.run_sync(self._notify, token=self._loop)

    def _notify(self) -> None:
        self._news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send until the block ends, and then what waits."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_until_over)
            try:
                yield
            finally:
                self._over = True
                self._news.set()

    async def _send_until_over(self) -> None:
        sent, over = -STEP, False
        while not over:
            await self._news.wait()
            self._news, over = anyio.Event(), self._over
            while self._waiting:
                done, total, what = self._waiting.popleft()
                sent = max(done, sent + STEP)
                await self._send(sent, total or None, what)

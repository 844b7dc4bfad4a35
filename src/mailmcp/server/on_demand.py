"""What is loaded when it is first needed, or soon after it was announced, so that a host waits less.

Loading is imports. They run in a thread: meanwhile the server answers what needs none of
them, and can end at any moment.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Generic, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from mailmcp import limits

ValueT = TypeVar("ValueT")

_log = logging.getLogger(__name__)


class LoadError(Exception):
    """What is needed cannot be loaded; the log says why."""


class OnDemand(Generic[ValueT]):
    """A value that lives from its first use until the server ends."""

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[ValueT]]) -> None:
        """Make the value by `load`, which may block: it is called once, in a thread; make this on the loop.

        What it returns is entered and left on the loop, both in one task, as task groups ask.
        """
        self._load = load
        self._announced = anyio.Event()
        self._needed = anyio.Event()
        self._settled = anyio.Event()
        self._value: ValueT | None = None

    def announce(self) -> None:
        """Say that the value will be needed soon, though nobody waits for it yet."""
        self._announced.set()

    async def get(self) -> ValueT:
        """Give the value; while `running`. All who ask before it is loaded wait for it.

        Raises:
            LoadError: It cannot be loaded, and is not tried again: no installation mends itself.
        """
        self._announced.set()
        self._needed.set()
        await self._settled.wait()
        if self._value is None:
            raise LoadError
        return self._value

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be ready to load until the block ends; then leave the value, or give up loading it, at once."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._live)
            yield
            tasks.cancel_scope.cancel()

    async def _live(self) -> None:
        await self._announced.wait()
        with anyio.move_on_after(limits.LOAD_DELAY_S):
            await self._needed.wait()
        async with AsyncExitStack() as stack:
            try:
                made = await to_thread.run_sync(
                    self._load, abandon_on_cancel=True, limiter=CapacityLimiter(1)
                )
                self._value = await stack.enter_async_context(made)
            except Exception:  # noqa: BLE001 - whatever it is, callers wait for an answer
                _log.exception("cannot load what calls need")
                return
            finally:
                self._settled.set()
            await anyio.sleep_forever()

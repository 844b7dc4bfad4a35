"""Loads a value when it is first needed, or soon after it was announced, so that hosts wait less at start-up.

Loading means imports, which run in a thread: the server goes on answering other requests and can stop at
any moment.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Generic, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

ValueT = TypeVar("ValueT")

_log = logging.getLogger(__name__)


class LoadError(Exception):
    """The value can't be loaded; the log says why."""


class OnDemand(Generic[ValueT]):
    """A value that lives from its first use until the server ends."""

    def __init__(self, load: Callable[[], AbstractAsyncContextManager[ValueT]], *, delay_s: float) -> None:
        """Load the value with `load`, which may block: it is called once, in a thread.

        Create this on the event loop. The context manager that `load` returns is entered and left there, in
        one task, as task groups require.

        Args:
            load: Loads the value.
            delay_s: From its announcement to loading, if nobody needs it before.
        """
        self._load = load
        self._delay_s = delay_s
        self._announced = anyio.Event()
        self._needed = anyio.Event()
        self._done = anyio.Event()
        self._value: ValueT | None = None

    def announce(self) -> None:
        """Load the value soon, though nobody waits for it yet."""
        self._announced.set()

    async def get(self) -> ValueT:
        """Return the value, loading it first if necessary. Call it only while `running`.

        Raises:
            LoadError: The value can't be loaded. There is no second attempt.
        """
        self._announced.set()
        self._needed.set()
        await self._done.wait()
        if self._value is None:
            raise LoadError
        return self._value

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Load on demand until the block ends; then close the value or abandon loading, at once."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._run)
            yield
            tasks.cancel_scope.cancel()

    async def _run(self) -> None:
        await self._announced.wait()
        with anyio.move_on_after(self._delay_s):
            await self._needed.wait()
        async with AsyncExitStack() as stack:
            try:
                made = await to_thread.run_sync(
                    self._load, abandon_on_cancel=True, limiter=CapacityLimiter(1)
                )
                self._value = await stack.enter_async_context(made)
            except Exception:  # noqa: BLE001 - whatever it is, callers wait for a reply
                _log.exception("can't load the tools")
                return
            finally:
                self._done.set()
            await anyio.sleep_forever()

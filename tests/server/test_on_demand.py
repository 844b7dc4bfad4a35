"""What is loaded on demand: when, once, for all who wait, and how it ends."""

import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import pytest
from anyio import to_thread

from mailmcp.server.on_demand import LoadError, OnDemand

WAIT_S = 30


class Loader:
    """Loads a word; may be held back in its thread."""

    def __init__(self, *, held: bool = False) -> None:
        self.loads = 0
        self.events: list[str] = []
        self.began = threading.Event()
        self.go_on = threading.Event()
        if not held:
            self.go_on.set()

    def __call__(self) -> AbstractAsyncContextManager[str]:
        self.loads += 1
        assert threading.current_thread() is not threading.main_thread()
        self.began.set()
        assert self.go_on.wait(WAIT_S)
        return self._word()

    @asynccontextmanager
    async def _word(self) -> AsyncIterator[str]:
        async with anyio.create_task_group():  # complains if it is left in another task
            self.events.append("entered")
            try:
                yield "word"
            finally:
                self.events.append("left")


async def until_loading(loader: Loader) -> None:
    assert await to_thread.run_sync(loader.began.wait, WAIT_S)


def test_nothing_is_loaded_before_a_request() -> None:
    async def run() -> Loader:
        loader = Loader()
        async with OnDemand(loader, delay_s=0).running():
            await anyio.wait_all_tasks_blocked()
        return loader

    loader = anyio.run(run)
    assert (loader.loads, loader.events) == (0, [])


def test_all_callers_get_one_value_that_lives_until_the_end() -> None:
    async def run() -> tuple[list[str], Loader, list[str]]:
        loader, got = Loader(held=True), list[str]()
        demand = OnDemand(loader, delay_s=0)

        async def ask() -> None:
            got.append(await demand.get())

        async with demand.running():
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(ask)
                await until_loading(loader)
                assert got == []
                loader.go_on.set()
            got.append(await demand.get())
            while_running = list(loader.events)
        return got, loader, while_running

    got, loader, while_running = anyio.run(run)
    assert got == ["word"] * 4
    assert (loader.loads, while_running, loader.events) == (1, ["entered"], ["entered", "left"])


def test_an_announced_value_is_loaded_without_a_request() -> None:
    async def run() -> int:
        loader = Loader()
        demand = OnDemand(loader, delay_s=0)
        async with demand.running():
            demand.announce()
            demand.announce()
            await until_loading(loader)
        return loader.loads

    assert anyio.run(run) == 1


def test_an_announced_value_loads_after_a_delay_and_a_needed_one_at_once() -> None:
    async def run() -> tuple[int, str]:
        loader = Loader()
        demand = OnDemand(loader, delay_s=60)
        async with demand.running():
            demand.announce()
            await anyio.wait_all_tasks_blocked()
            announced = loader.loads
            with anyio.fail_after(WAIT_S):
                return announced, await demand.get()

    assert anyio.run(run) == (0, "word")


def test_the_end_does_not_wait_for_loading() -> None:
    async def run() -> list[str]:
        loader, ending = Loader(held=True), list[str]()
        demand = OnDemand(loader, delay_s=0)

        async def ask() -> None:
            with pytest.raises(LoadError):
                await demand.get()
            ending.append("refused")

        async with anyio.create_task_group() as tasks:
            with anyio.fail_after(WAIT_S):
                async with demand.running():
                    tasks.start_soon(ask)
                    await until_loading(loader)
            ending.append("over")
        loader.go_on.set()
        return [*sorted(ending), *loader.events]

    assert anyio.run(run) == ["over", "refused"]


def test_a_caller_who_gives_up_leaves_the_loading_to_the_others() -> None:
    async def run() -> tuple[str, int]:
        loader = Loader(held=True)
        demand = OnDemand(loader, delay_s=0)
        async with demand.running():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(demand.get)
                await until_loading(loader)
                tasks.cancel_scope.cancel()
            loader.go_on.set()
            return await demand.get(), loader.loads

    assert anyio.run(run) == ("word", 1)


def broken_import() -> AbstractAsyncContextManager[str]:
    raise ModuleNotFoundError("no such module")


@asynccontextmanager
async def broken_start() -> AsyncIterator[str]:
    yield await anyio.Path("no such file").read_text()


@pytest.mark.parametrize("load", [broken_import, broken_start])
def test_a_loading_failure_is_logged_once_and_raised_to_every_caller(
    load: Callable[[], AbstractAsyncContextManager[str]], caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        demand = OnDemand(load, delay_s=0)
        async with demand.running():
            for _ in range(2):
                with pytest.raises(LoadError):
                    await demand.get()

    anyio.run(run)
    (logged,) = caplog.records
    assert logged.levelno == logging.ERROR
    assert "no such" in (logged.exc_text or "").lower()

"""Progress of a call, as a client of either era sees it: ever further on, and over before the reply."""

import threading
from typing import Any

import anyio
import pytest
from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mcp_envelope.server.progress import Progress
from server.mailbox import connected

Sent = list[tuple[float, float | None, str | None]]


class Client:
    """Takes notifications; one that holds back reads none until it is let go."""

    def __init__(self, *, holds_back: bool = False) -> None:
        self.sent: Sent = []
        self.reading = anyio.Event()
        self.asked = anyio.Event()
        if not holds_back:
            self.reading.set()

    async def send(self, progress: float, total: float | None, message: str | None) -> None:
        self.asked.set()
        await self.reading.wait()
        self.sent.append((progress, total, message))


def test_reports_of_a_worker_thread_arrive_while_it_works() -> None:
    async def run() -> Sent:
        client = Client()
        progress = Progress(client.send)
        seen = threading.Event()

        def work() -> None:
            progress.report(1, 3, "first")
            assert seen.wait(30)
            progress.report(3, 3, "last")

        async def watch() -> None:
            await client.asked.wait()
            seen.set()

        async with progress.running(), anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            await to_thread.run_sync(work, limiter=CapacityLimiter(1))
        return client.sent

    assert anyio.run(run) == [(1, 3, "first"), (3, 3, "last")]


def test_reports_of_the_event_loop_arrive_too_and_an_unknown_total_is_none() -> None:
    async def run() -> Sent:
        client = Client()
        progress = Progress(client.send)
        async with progress.running():
            progress.report(5, 0, "some")
        return client.sent

    assert anyio.run(run) == [(5, None, "some")]


def test_what_is_not_further_on_is_not_told() -> None:
    """A read that is begun anew after a lost connection reports from the start."""

    async def run() -> Sent:
        client = Client()
        progress = Progress(client.send)
        async with progress.running():
            for done in (4, 2, 4, 0):
                progress.report(done, 9, "again")
        return client.sent

    assert anyio.run(run) == [(4, 9, "again")]


def test_a_client_that_reads_slowly_gets_the_latest_and_holds_up_nothing() -> None:
    async def run() -> Sent:
        client = Client(holds_back=True)
        progress = Progress(client.send)
        async with progress.running():
            progress.report(1, 9, "a")
            await client.asked.wait()
            for done in range(2, 9):
                progress.report(done, 9, "b")
            client.reading.set()
        return client.sent

    assert anyio.run(run) == [(1, 9, "a"), (8, 9, "b")]


def test_a_thread_that_the_event_loop_does_not_know_may_report() -> None:
    async def run() -> Sent:
        client = Client()
        progress = Progress(client.send)
        async with progress.running():
            thread = threading.Thread(target=progress.report, args=(7, 9, "apart"))
            thread.start()
            await to_thread.run_sync(thread.join, limiter=CapacityLimiter(1))
        progress.report(9, 9, "too late")
        return client.sent

    assert anyio.run(run) == [(7, 9, "apart")]


def test_nobody_need_listen() -> None:
    async def run() -> None:
        progress = Progress(Client().send)
        async with progress.running():
            progress.report(1, 2, "unheard")

    anyio.run(run)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_sees_how_far_a_call_is(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 2)

    async def run() -> tuple[Sent, Any]:
        client_side = Client()
        async with connected(mode) as client:
            found = await client.call_tool("imap_search_messages", {"limit": 1})
            row = (found.structured_content or {})["data"]["messages"][0]
            arguments = {"message_id": row["message_id"], "part_id": "1"}
            told = await client.call_tool(
                "imap_get_attachment", arguments, progress_callback=client_side.send
            )
            untold = await client.call_tool("imap_get_attachment", arguments)
            assert untold.structured_content is not None
            assert told.structured_content is not None
            assert told.structured_content["data"] == untold.structured_content["data"]
            return client_side.sent, told

    sent, result = anyio.run(run)
    assert not result.is_error
    done = [each[0] for each in sent]
    assert done == sorted(set(done))
    assert done[-1] == sent[-1][1] == 6
    assert {each[2] for each in sent} == {"Fetching the attachment"}

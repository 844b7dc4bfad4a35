"""Requests that never end keep nobody else out: counted on raw sockets."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
import uvicorn
from anyio import to_thread
from starlette.types import Receive, Scope, Send

from mailmcp.server import http
from mailmcp.server.http import configure

CLOSED_WITHIN_S = 60.0
"""Only bounds a failure."""

HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
INCOMPLETE = [
    pytest.param([b""], id="nothing"),
    pytest.param([b"P"], id="part of a line"),
    pytest.param([HEAD], id="part of the headers"),
    pytest.param([HEAD + b"Content-Length: 9\r\n\r\n"], id="no body"),
    pytest.param([HEAD + b"Content-Length: 9\r\n\r\n", b"{"], id="part of a body after its refusal"),
    pytest.param([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n{\r\n"], id="some chunks"),
    pytest.param([HEAD + b"Content-Length: 0\r\n\r\n", HEAD], id="part of a second request"),
]


def dial(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=CLOSED_WITHIN_S)


def wait_closed(client: socket.socket) -> bytes:
    """Read until the server closes the connection; what it sent first."""
    received = b""
    try:
        while octets := client.recv(65_536):
            received += octets
    except ConnectionResetError:
        pass
    return received


class Desk:
    """An application that reads requests; those for /slow wait until it is told to answer."""

    def __init__(self) -> None:
        self.asked = anyio.Semaphore(0)
        self.answer = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for kind in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{kind}.complete"})
            return
        if scope["path"] == "/slow":
            self.asked.release()
            await self.answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})


@asynccontextmanager
async def serving(desk: Desk) -> AsyncIterator[tuple[str, int]]:
    """Serve in this process, with limits that a test has set."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(configure(desk))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            yield listener.getsockname()
            server.should_exit = True


@pytest.mark.parametrize("sent", INCOMPLETE)
def test_a_request_that_is_not_complete_in_time_is_closed(
    sent: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal of its head, if there is one, arrives first; further octets win no time."""

    def drip(address: tuple[str, int]) -> None:
        with dial(address) as client:
            for octets in sent:
                client.sendall(octets)
            wait_closed(client)

    async def run() -> None:
        async with serving(Desk()) as address:
            await to_thread.run_sync(drip, address)

    monkeypatch.setattr(http, "REQUEST_S", 0.05)
    anyio.run(run)


def test_a_call_in_flight_outlives_the_time_that_a_request_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """A half request that came after it is closed first."""

    def half_open(address: tuple[str, int]) -> None:
        with dial(address) as client:
            client.sendall(HEAD)
            assert wait_closed(client) == b""

    async def run() -> None:
        desk = Desk()
        async with serving(desk) as (host, port), httpx2.AsyncClient(timeout=CLOSED_WITHIN_S) as client:
            replies = []

            async def call() -> None:
                replies.append(await client.post(f"http://{host}:{port}/slow", content=b"{}"))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await desk.asked.acquire()
                await to_thread.run_sync(half_open, (host, port))
                assert not replies
                desk.answer.set()
            assert [reply.status_code for reply in replies] == [200]

    monkeypatch.setattr(http, "REQUEST_S", 0.05)
    anyio.run(run)


def test_no_call_in_flight_makes_room_and_one_too_many_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        desk = Desk()
        # A client each: a pool would answer one call over the connection of another.
        async with serving(desk) as (host, port):
            statuses: list[int] = []

            async def call(path: str) -> None:
                async with httpx2.AsyncClient(timeout=CLOSED_WITHIN_S) as client:
                    statuses.append((await client.post(f"http://{host}:{port}{path}")).status_code)

            async with anyio.create_task_group() as tasks:
                for _ in range(2):
                    tasks.start_soon(call, "/slow")
                    await desk.asked.acquire()
                await call("/")
                assert statuses == [503]
                desk.answer.set()
            assert statuses == [503, 200, 200]
            await call("/")
            assert statuses[-1] == 200

    monkeypatch.setattr(http, "CONNECTIONS_MAX", 3)
    anyio.run(run)

"""Serving over HTTP: to whom, what is refused, and how it ends."""

import json
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread
from mcp import MCPError
from pydantic import SecretStr

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer
from mailmcp.server.app import build_server
from mailmcp.server.http import BODY_OCTETS_MAX, HttpOptions, listen, make_app, security
from servers.http_process import STOP_TIMEOUT_S, HttpProcess, connected, search
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence, Stall

TOKEN = "fake-token-0123456789"
ANYWHERE = "0.0.0.0"  # noqa: S104 - that it is refused, or guarded, is the test
OPEN = HttpOptions(host="127.0.0.1", port=8000)
GUARDED = HttpOptions(host=ANYWHERE, port=8000, token=SecretStr(TOKEN), allowed_hosts=("mail.example.com",))


@asynccontextmanager
async def client_of(options: HttpOptions) -> AsyncIterator[httpx2.AsyncClient]:
    """A client in this process of the application without an account."""
    app = make_app(build_server([]), options, port=8000)
    transport = httpx2.ASGITransport(app=app)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport) as client:
        yield client


def using(options: HttpOptions, use: Callable[[httpx2.AsyncClient], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with client_of(options) as client:
            await use(client)

    anyio.run(run)


async def ping(client: httpx2.AsyncClient, headers: dict[str, str]) -> int:
    """Send a request that is answered unless its headers forbid it, and return the status."""
    content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    url = "http://127.0.0.1:8000/mcp"
    return (await client.post(url, content=content, headers=usual | headers)).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Origin": "http://localhost:8000"}, 200),
        ({"Host": "localhost"}, 421),
        ({"Host": "evil.example.com:8000"}, 421),
        ({"Origin": "http://evil.example.com"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_web_site_cannot_get_in_through_a_browser(headers: dict[str, str], status: int) -> None:
    """DNS rebinding changes whose name the Host header has; the SDK's statuses."""

    async def use(client: httpx2.AsyncClient) -> None:
        assert await ping(client, headers) == status
        if status != 200:
            assert await ping(client, headers | {"MCP-Protocol-Version": "2026-07-28"}) == status

    using(OPEN, use)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([], ""),
        (["Bearer " + TOKEN[:-1]], "invalid_token"),
        ([f"Bearer {TOKEN}x"], "invalid_token"),
        ([f"Basic {TOKEN}"], "invalid_token"),
        ([TOKEN], "invalid_token"),
        (["Bearer"], "invalid_token"),
        (["Bearer \xff"], "invalid_token"),
        ([f"Bearer {TOKEN}", "Bearer other"], "invalid_token"),
        ([f"Bearer {TOKEN}", f"Bearer {TOKEN}"], "invalid_token"),
    ],
)
def test_nothing_is_answered_without_the_token(given: list[str], error: str) -> None:
    """RFC 6750 section 3: no error code if there were no credentials at all."""
    sent = httpx2.Headers([("Authorization", each) for each in given], encoding="latin-1")
    challenge = 'Bearer realm="mailmcp"' + (f', error="{error}"' if error else "")

    async def use(client: httpx2.AsyncClient) -> None:
        for method, path in [("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/mcp/other")]:
            reply = await client.request(method, f"http://127.0.0.1:8000{path}", headers=sent)
            assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, challenge)

    using(GUARDED, use)


def test_a_name_behind_a_proxy_is_let_in_and_no_other() -> None:
    async def use(client: httpx2.AsyncClient) -> None:
        for host, origin, status in [
            ("mail.example.com", "https://mail.example.com", 200),
            ("mail.example.com:8000", "https://mail.example.com", 421),
            ("mail.example.com", "https://evil.example.com", 403),
        ]:
            headers = {"Host": host, "Origin": origin, "Authorization": f"bearer {TOKEN}"}
            assert await ping(client, headers) == status

    using(GUARDED, use)


def test_a_body_over_the_limit_another_method_and_another_path_are_refused() -> None:
    """MCP lets a server answer 405; and no browser is told that it may come from elsewhere."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    async def use(client: httpx2.AsyncClient) -> None:
        url = "http://127.0.0.1:8000/mcp"
        for octets, status in [(BODY_OCTETS_MAX, 400), (BODY_OCTETS_MAX + 1, 413)]:
            assert (await client.post(url, content=b"x" * octets, headers=headers)).status_code == status
        for method in ("GET", "DELETE", "PUT", "OPTIONS", "HEAD"):
            reply = await client.request(method, url, headers={"Accept": "text/event-stream"})
            assert (reply.status_code, reply.headers["Allow"]) == (405, "POST")
            assert not [name for name in reply.headers if name.startswith("access-control")]
        for other in (url + "/", url.removesuffix("/mcp")):
            assert (await client.get(other)).status_code == 404

    using(OPEN, use)


@pytest.fixture(scope="module")
def imap() -> Iterator[EmbeddedServer]:
    with EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))) as server:
        yield server


def test_the_sdks_clients_turn_pages_at_either_replica_and_the_log_holds_no_token(
    imap: EmbeddedServer,
) -> None:
    async def run(urls: list[str], mode: str) -> None:
        arguments: dict[str, Any] = {"limit": 3}
        rows: list[str] = []
        for url in urls:
            async with connected(url, mode, TOKEN) as client:
                page = await search(client, **arguments)
                rows += [row["message_id"] for row in page["data"]["messages"]]
                arguments = page["data"]["next_action"]["arguments"]
        pages: dict[int, Any] = {}
        async with connected(urls[0], mode, TOKEN) as client, anyio.create_task_group() as tasks:

            async def ask(limit: int) -> None:
                found = (await search(client, limit=limit))["data"]["messages"]
                pages[limit] = [row["message_id"] for row in found]

            for limit in range(1, 11):
                tasks.start_soon(ask, limit)
        assert all(pages[limit] == pages[10][:limit] for limit in range(1, 11))
        assert rows == pages[6]
        with pytest.raises(ExceptionGroup):
            async with connected(urls[0], mode, TOKEN + "x"):
                pass

    variables = {"MAILMCP_HTTP_TOKEN": TOKEN}
    replicas = [HttpProcess(imap, "--host", ANYWHERE, variables=variables) for _ in range(2)]
    with replicas[0], replicas[1]:
        for mode in ("legacy", "auto"):
            anyio.run(run, [each.url.replace(ANYWHERE, "127.0.0.1") for each in replicas], mode)
        assert [each.stop() for each in replicas] == ["", ""]
    for replica in replicas:
        assert "add other host names to http_allowed_hosts" in replica.log
        assert "no token required" not in replica.log
        assert "Traceback" not in replica.log
        assert TOKEN not in replica.log + repr(GUARDED)


def test_a_signal_ends_it_with_a_call_in_flight(peer: PeerFactory) -> None:
    def stop() -> None:
        deaf.wait_for("UID SEARCH")
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(STOP_TIMEOUT_S) == 0

    async def run() -> None:
        async with connected(process.url, "auto") as client, anyio.create_task_group() as tasks:
            tasks.start_soon(to_thread.run_sync, stop)
            with pytest.raises(MCPError):
                await search(client)

    deaf = peer(rules=[Rule(command="UID SEARCH", action=Silence())])
    with HttpProcess(deaf) as process:
        anyio.run(run)
        deaf.wait_closed(1)
    assert "no token required" in process.log
    assert "outcome=cancelled" in process.log
    assert "Traceback" not in process.log


def test_a_call_that_is_nearly_done_is_answered_after_the_signal(peer: PeerFactory) -> None:
    async def run() -> None:
        async with connected(process.url, "auto") as client, anyio.create_task_group() as tasks:
            tasks.start_soon(search, client)
            await to_thread.run_sync(slow.wait_for, "UID SEARCH")
            process.process.terminate()

    slow = peer(rules=[Rule(command="UID SEARCH", action=Stall(octets=16, interval_s=0.1))])
    with HttpProcess(slow, patient=True) as process:
        anyio.run(run)
        assert process.stop() == ""
    assert "outcome=ok" in process.log


@pytest.mark.parametrize(
    ("host", "token", "kind", "told"),
    [
        (ANYWHERE, None, ValueError, "won't listen on 0.0.0.0:{port} without a token: anyone who can reach"),
        ("::", None, ValueError, "won't listen on [::]:{port} without a token"),
        ("192.0.2.1", SecretStr(TOKEN), OSError, "choose another --host or --port"),
        ("a" * 64, None, ValueError, "a: unknown host"),
        ("127.0.0.1", None, OSError, "can't listen on 127.0.0.1:{port}: Address already in use; choose"),
    ],
)
def test_an_unusable_address_is_an_error_with_its_reason(
    host: str, token: SecretStr | None, kind: type[Exception], told: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(kind, match=re.escape(told.format(port=port))):
            listen(HttpOptions(host=host, port=port, token=token))


def test_allowed_hosts_and_origins() -> None:
    names = ("Mail.example.com", "10.0.0.5:8443", "[2001:db8::1]:*")
    right = security(HttpOptions(host="Box", port=0, allowed_hosts=names), port=80)
    own = ["127.0.0.1", "localhost", "[::1]", "box"]
    further = ["mail.example.com", "10.0.0.5:8443", "[2001:db8::1]:*", "[2001:db8::1]"]
    assert right.enable_dns_rebinding_protection
    assert set(right.allowed_hosts) == {*own, *further, *(f"{name}:80" for name in own)}
    plain = {f"http://{host}" for host in right.allowed_hosts}
    assert set(right.allowed_origins) == plain | {f"https://{host}" for host in further}

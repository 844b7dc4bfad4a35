"""Serving over HTTP: to whom, what is refused, and how it ends."""

import re
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread
from mcp import MCPError
from pydantic import SecretStr

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer
from mailmcp.server.http import BODY_OCTETS_MAX, HttpOptions, StartError, listen, security
from servers.http_process import STOP_TIMEOUT_S, HttpProcess, connected, post, search
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence, Stall

TOKEN = "fake-token-0123456789"
ANYWHERE = "0.0.0.0"  # noqa: S104 - that it is refused, or guarded, is the test

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@pytest.fixture(scope="module")
def imap() -> Iterator[EmbeddedServer]:
    with EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))) as server:
        yield server


@pytest.fixture(scope="module")
def served(imap: EmbeddedServer) -> Iterator[HttpProcess]:
    """Without a token."""
    with HttpProcess(imap) as process:
        yield process


@pytest.fixture(scope="module")
def guarded(imap: EmbeddedServer) -> Iterator[HttpProcess]:
    """With a token, on all addresses, behind a proxy of another name."""
    variables = {"MAILMCP_HTTP_TOKEN": TOKEN, "MAILMCP_HTTP_ALLOWED_HOSTS": "mail.example.com"}
    with HttpProcess(imap, "--host", ANYWHERE, variables=variables) as process:
        process.url = process.url.replace(ANYWHERE, "127.0.0.1")
        yield process


@MODES
def test_the_sdks_client_lists_searches_and_turns_the_page(served: HttpProcess, mode: str) -> None:
    async def run() -> None:
        async with connected(served.url, mode) as client:
            first = await search(client, limit=3)
            second = await search(client, cursor=first["meta"]["pagination"]["cursor"], limit=3)
            assert (
                len({row["message_id"] for page in (first, second) for row in page["data"]["messages"]}) == 6
            )

    anyio.run(run)


@MODES
def test_twenty_searches_at_once_are_each_answered_as_one_alone(served: HttpProcess, mode: str) -> None:
    async def run() -> None:
        async with connected(served.url, mode) as client:
            pages: dict[int, Any] = {}

            async def ask(limit: int) -> None:
                pages[limit] = (await search(client, limit=limit))["data"]["messages"]

            async with anyio.create_task_group() as tasks:
                for limit in range(1, 21):
                    tasks.start_soon(ask, limit)
            assert all(pages[limit] == pages[20][:limit] for limit in range(1, 21))

    anyio.run(run)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "[::1]:{port}"}, 200),
        ({"Origin": "http://localhost:{port}"}, 200),
        ({"Host": "localhost"}, 421),
        ({"Host": "evil.example.com:{port}"}, 421),
        ({"Host": "evil.example.com"}, 421),
        ({"Origin": "http://evil.example.com"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_web_site_cannot_get_in_through_a_browser(
    served: HttpProcess, headers: dict[str, str], status: int
) -> None:
    """DNS rebinding changes whose name the Host header has; the SDK's statuses."""
    port = served.address.partition(":")[2]
    sent = {name: value.format(port=port) for name, value in headers.items()}
    assert post(served.url, sent) == status
    if status != 200:
        assert post(served.url, sent | {"MCP-Protocol-Version": "2026-07-28"}) == status


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
    ],
)
def test_nothing_is_answered_without_the_token(guarded: HttpProcess, given: list[str], error: str) -> None:
    """On loopback too. RFC 6750 section 3: no error code if there were no credentials at all."""
    sent = httpx2.Headers([("Authorization", each) for each in given], encoding="latin-1")
    challenge = 'Bearer realm="mailmcp"' + (f', error="{error}"' if error else "")
    for method, url in [("POST", guarded.url), ("GET", guarded.url), ("GET", guarded.url + "/other")]:
        reply = httpx2.request(method, url, headers=sent)
        assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, challenge)


@MODES
def test_the_right_token_lets_in(guarded: HttpProcess, mode: str) -> None:
    async def run() -> None:
        async with connected(guarded.url, mode, TOKEN) as client:
            assert (await search(client, limit=1))["data"]["returned"] == 1
        with pytest.raises(ExceptionGroup):
            async with connected(guarded.url, mode, TOKEN + "x"):
                pass

    anyio.run(run)


def test_serving_without_a_token_logs_a_warning(served: HttpProcess, guarded: HttpProcess) -> None:
    assert ["no token" in each.log for each in (served, guarded)] == [True, False]


def test_a_name_behind_a_proxy_is_let_in_and_told_to_no_other(guarded: HttpProcess) -> None:
    for host, origin, status in [
        ("mail.example.com", "https://mail.example.com", 200),
        ("mail.example.com:8000", "https://mail.example.com", 421),
        ("mail.example.com", "https://evil.example.com", 403),
    ]:
        headers = {"Host": host, "Origin": origin, "Authorization": f"bearer {TOKEN}"}
        assert post(guarded.url, headers) == status


def test_a_body_over_the_limit_is_refused_and_one_at_the_limit_read(served: HttpProcess) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for octets, status in [(BODY_OCTETS_MAX, 400), (BODY_OCTETS_MAX + 1, 413)]:
        for content in (b"x" * octets, iter([b"x" * 1000, b"x" * (octets - 1000)])):  # the second in chunks
            assert httpx2.post(served.url, content=content, headers=headers).status_code == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_get_and_delete_are_refused(served: HttpProcess, method: str) -> None:
    """MCP lets a server answer 405; and no browser is told that it may come from elsewhere."""
    reply = httpx2.request(method, served.url, headers={"Accept": "text/event-stream"})
    assert (reply.status_code, reply.headers["Allow"]) == (405, "POST")
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_no_other_path_is_served_or_redirected_to(served: HttpProcess) -> None:
    for url in (served.url + "/", served.url.removesuffix("/mcp"), served.url + "/../x"):
        assert httpx2.get(url).status_code == 404


@MODES
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_a_call_in_flight(peer: PeerFactory, mode: str, number: signal.Signals) -> None:
    def stop() -> None:
        deaf.wait_for("UID SEARCH")
        process.process.send_signal(number)
        assert process.process.wait(STOP_TIMEOUT_S) == 0

    async def run() -> None:
        async with connected(process.url, mode) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(to_thread.run_sync, stop)
            with pytest.raises(MCPError):
                await search(client)

    deaf = peer(rules=[Rule(command="UID SEARCH", action=Silence())])
    with HttpProcess(deaf) as process:
        anyio.run(run)
        deaf.wait_closed(1)
        assert process.stop() == ""
    assert "outcome=cancelled" in process.log
    assert "Traceback" not in process.log


@MODES
def test_a_call_that_is_nearly_done_is_answered_after_the_signal(peer: PeerFactory, mode: str) -> None:
    async def run() -> None:
        async with connected(process.url, mode) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(search, client)
            await to_thread.run_sync(slow.wait_for, "UID SEARCH")
            process.process.terminate()

    slow = peer(rules=[Rule(command="UID SEARCH", action=Stall(octets=16, interval_s=0.1))])
    with HttpProcess(slow, patient=True) as process:
        anyio.run(run)
        assert process.stop() == ""
    assert "outcome=ok" in process.log


def test_a_client_that_gives_up_ends_its_call(peer: PeerFactory) -> None:
    """In the modern era: the older one tells by a message, which no session connects to the call."""

    async def run() -> None:
        async with connected(process.url, "auto") as client, anyio.create_task_group() as tasks:
            tasks.start_soon(search, client)
            await to_thread.run_sync(deaf.wait_for, "UID SEARCH")
            tasks.cancel_scope.cancel()
        await to_thread.run_sync(deaf.wait_closed, 1)

    deaf = peer(rules=[Rule(command="UID SEARCH", action=Silence())])
    with HttpProcess(deaf) as process:
        anyio.run(run)


def test_stdout_stays_empty_and_the_log_holds_no_token(imap: EmbeddedServer) -> None:
    with HttpProcess(imap, "--host", ANYWHERE, variables={"MAILMCP_HTTP_TOKEN": TOKEN}) as process:
        url = process.url.replace(ANYWHERE, "127.0.0.1")
        assert post(url, {"Authorization": f"Bearer {TOKEN}"}) == 200
        assert post(url, {"Authorization": f"Bearer {TOKEN}x"}) == 401
        assert process.stop() == ""
    assert "add other host names to http_allowed_hosts" in process.log
    assert TOKEN not in process.log + repr(HttpOptions(host="::1", port=0, token=SecretStr(TOKEN)))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "mailmcp: won't listen on 0.0.0.0:"),
        (f'http_token = "{TOKEN[:15]}"', "server.http_token: must be 16 to 1024"),
    ],
)
def test_a_bad_token_stops_the_start(imap: EmbeddedServer, tmp_path: Path, table: str, told: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"[server]\n{table}\n")
    process = HttpProcess(imap, "--host", ANYWHERE, "--config", str(config))
    with pytest.raises(RuntimeError, match=re.escape(told)), process:
        pass
    assert process.process.returncode == 2
    assert TOKEN[:15] not in process.log


@pytest.mark.parametrize(
    ("host", "token", "status", "told"),
    [
        (ANYWHERE, None, 2, "won't listen on 0.0.0.0:{port} without a token: anyone who can reach it could"),
        ("::", None, 2, "won't listen on [::]:{port} without a token"),
        ("192.0.2.1", None, 2, "won't listen on 192.0.2.1:{port} without a token"),
        ("192.0.2.1", SecretStr(TOKEN), 1, "not an address of this machine"),
        ("a" * 64, None, 2, "a: unknown host"),
        ("127.0.0.1", None, 1, "can't listen on 127.0.0.1:{port}: the port is in use; choose another"),
    ],
)
def test_an_unusable_address_is_an_error_with_its_reason(
    host: str, token: SecretStr | None, status: int, told: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=re.escape(told.format(port=port))) as caught:
            listen(HttpOptions(host=host, port=port, token=token))
    assert caught.value.exit_status == status


@pytest.mark.parametrize(
    ("host", "token"), [("127.0.0.1", ""), ("localhost", ""), (ANYWHERE, TOKEN), ("::", TOKEN)]
)
def test_it_listens_on_loopback_without_a_token_and_anywhere_with_one(host: str, token: str) -> None:
    if host == "::" and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    options = HttpOptions(host=host, port=0, token=SecretStr(token) if token else None)
    with listen(options) as listener:
        socket.create_connection(("127.0.0.1", listener.getsockname()[1]), timeout=5).close()


def test_allowed_hosts_and_origins() -> None:
    names = ("Mail.example.com", "10.0.0.5:8443", "[2001:db8::1]:*")
    right = security(HttpOptions(host="Box", port=0, allowed_hosts=names), port=80)
    own = ["127.0.0.1", "localhost", "[::1]", "box"]
    further = ["mail.example.com", "10.0.0.5:8443", "[2001:db8::1]:*", "[2001:db8::1]"]
    assert right.enable_dns_rebinding_protection
    assert set(right.allowed_hosts) == {*own, *further, *(f"{name}:80" for name in own)}
    plain = {f"http://{host}" for host in right.allowed_hosts}
    assert set(right.allowed_origins) == plain | {f"https://{host}" for host in further}

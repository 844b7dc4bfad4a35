"""Two replicas behind nginx, as docs/configuration.md sets it up: any of them answers any request."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer
from servers.http_process import HttpProcess, connected, search
from servers.nginx import Nginx, find_nginx, free_port

TOKEN = "fake-token-0123456789"
PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
VARIABLES = {"MAILMCP_HTTP_TOKEN": TOKEN, "MAILMCP_HTTP_ALLOWED_HOSTS": "127.0.0.1"}

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@contextmanager
def two_replicas() -> Iterator[list[HttpProcess]]:
    if find_nginx() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is not installed, and CI must have it")
        pytest.skip("nginx is not installed (Debian: nginx)")
    with ExitStack() as stack:
        imap = stack.enter_context(EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))))
        yield [stack.enter_context(HttpProcess(imap, variables=VARIABLES)) for _ in range(2)]


@contextmanager
def proxied(replicas: Sequence[HttpProcess]) -> Iterator[str]:
    port = free_port()
    with Nginx(site(replicas, port), port=port):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="module")
def replicas() -> Iterator[list[HttpProcess]]:
    with two_replicas() as processes:
        yield processes


@pytest.fixture(scope="module")
def url(replicas: Sequence[HttpProcess]) -> Iterator[str]:
    with proxied(replicas) as address:
        yield address


def site(replicas: Sequence[HttpProcess], port: int) -> str:
    """Take what the page says, with these addresses and without its certificate."""
    found = re.search(r"^```nginx\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    text = re.sub(r"^ *ssl_.*\n", "", found[1], flags=re.MULTILINE)
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port};",
        "127.0.0.1:8001": replicas[0].address,
        "127.0.0.1:8002": replicas[1].address,
    }
    for documented, real in changes.items():
        assert documented in text
        text = text.replace(documented, real)
    return text


def answered_by(replicas: Sequence[HttpProcess], envelope: dict[str, Any]) -> HttpProcess:
    """Find the replica whose log has the call; it is written before the reply is sent."""
    (replica,) = [each for each in replicas if f"request_id={envelope['meta']['request_id']}" in each.log]
    return replica


@MODES
def test_each_page_is_turned_by_the_other_replica(
    replicas: Sequence[HttpProcess], url: str, mode: str
) -> None:
    async def run() -> None:
        async with connected(url, mode, TOKEN) as client:
            pages = [await search(client, limit=5)]
            while len(pages) < 4:
                pages.append(await search(client, cursor=pages[-1]["meta"]["pagination"]["cursor"], limit=5))
            answering = [answered_by(replicas, page) for page in pages]
            assert all(one is not other for one, other in pairwise(answering))
            ids = [row["message_id"] for page in pages for row in page["data"]["messages"]]
            whole = (await search(client, limit=20))["data"]["messages"]
            assert ids == [row["message_id"] for row in whole]

    anyio.run(run)


@MODES
def test_the_next_page_is_turned_after_a_replica_is_gone(mode: str) -> None:
    async def run(replicas: Sequence[HttpProcess], url: str) -> None:
        async with connected(url, mode, TOKEN) as client:
            first = await search(client, limit=5)
            gone = answered_by(replicas, first)
            assert gone.stop() == ""
            for _ in range(4):  # whoever's turn it is
                second = await search(client, cursor=first["meta"]["pagination"]["cursor"], limit=5)
                assert answered_by(replicas, second) is not gone
                assert second["data"]["returned"] == 5

    with two_replicas() as replicas, proxied(replicas) as url:
        anyio.run(run, replicas, url)


def test_nginx_does_not_let_in_who_has_no_token(replicas: Sequence[HttpProcess], url: str) -> None:
    reply = httpx2.post(url, json={}, headers={"Accept": "application/json, text/event-stream"})
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, 'Bearer realm="mailmcp"')
    assert httpx2.post(url + "/other").status_code == 404
    assert all("Traceback" not in each.log for each in replicas)

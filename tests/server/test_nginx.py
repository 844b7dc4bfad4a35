"""Two replicas behind nginx, as docs/configuration.md sets it up: any of them answers any request."""

import os
import re
from contextlib import ExitStack
from datetime import UTC, datetime
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


def site(replicas: list[HttpProcess], port: int) -> str:
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


def answered_by(replicas: list[HttpProcess], envelope: dict[str, Any]) -> int:
    """Find the replica whose log has the call; it is written before the reply is sent."""
    logged = f"request_id={envelope['meta']['request_id']}"
    (number,) = [i for i, each in enumerate(replicas) if logged in each.log]
    return number


@pytest.mark.skipif(
    find_nginx() is None and os.environ.get("CI") != "true", reason="nginx is missing (Debian: nginx)"
)
def test_pages_are_turned_by_either_replica_and_by_the_one_that_is_left() -> None:
    async def run(mode: str) -> None:
        async with connected(url, mode, TOKEN) as client:
            pages = [await search(client, limit=5)]
            while len(pages) < 3:
                pages.append(await search(client, cursor=pages[-1]["meta"]["pagination"]["cursor"], limit=5))
            assert {answered_by(replicas, page) for page in pages} == {0, 1}
            ids = [row["message_id"] for page in pages for row in page["data"]["messages"]]
            whole = (await search(client, limit=15))["data"]["messages"]
            assert ids == [row["message_id"] for row in whole]

    async def run_with_one_left() -> None:
        async with connected(url, "auto", TOKEN) as client:
            first = await search(client, limit=5)
            gone = answered_by(replicas, first)
            assert replicas[gone].stop() == ""
            for _ in range(3):  # whoever's turn it is
                second = await search(client, cursor=first["meta"]["pagination"]["cursor"], limit=5)
                assert answered_by(replicas, second) != gone

    with ExitStack() as stack:
        imap = stack.enter_context(EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))))
        replicas = [stack.enter_context(HttpProcess(imap, variables=VARIABLES)) for _ in range(2)]
        port = free_port()
        stack.enter_context(Nginx(site(replicas, port), port=port))
        url = f"http://127.0.0.1:{port}/mcp"
        for mode in ("legacy", "auto"):
            anyio.run(run, mode)
        reply = httpx2.post(url, json={}, headers={"Accept": "application/json, text/event-stream"})
        assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, 'Bearer realm="mailmcp"')
        anyio.run(run_with_one_left)
        assert all("Traceback" not in each.log for each in replicas)

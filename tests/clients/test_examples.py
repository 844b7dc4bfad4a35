"""The example server of the library with clients of others: TypeScript and the Inspector.

The TypeScript clients talk over stdio, the Inspector over HTTP.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.node import run_driver
from clients.serving import serving
from mcp_envelope import Arguments, Cursors, Dialect
from mcp_envelope.check import check_result

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("node")]

EXAMPLES = Path(__file__).parents[2] / "src" / "mcp-envelope" / "examples"
OVER_HTTP = "import tickets; tickets.server.run('streamable-http', port=0)"
CURSORS = Cursors(tool="search_tickets")

CALLS: list[dict[str, Any]] = [
    {"tool": "write_report", "arguments": {}},
    {"tool": "search_tickets", "arguments": {}},
    {"tool": "search_tickets", "arguments": {"cursor": CURSORS.write(2, Arguments(), revision=3)}},
    {"tool": "search_tickets", "arguments": {"cursor": CURSORS.write(2, Arguments(), revision=2)}},
    {"tool": "get_ticket", "arguments": {"ticket_id": "T-4"}},
    {"tool": "get_ticket", "arguments": {"ticketid": "T-4"}},
    {"tool": "get_screenshot", "arguments": {"ticket_id": "T-1"}},
    {"tool": "close_tickets", "arguments": {"ticket_ids": ["T-1"]}},
]
STATUSES = [None, "ok", "partial", "conflict", "ok", "invalid_input", "ok", "auth_failed"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Serve the tickets over HTTP."""
    script = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); {OVER_HTTP}"
    with serving([sys.executable, "-c", script]) as address:
        yield f"{address}/mcp"


def check(endings: list[dict[str, Any]]) -> None:
    """Compare what a client made of each call with what it should be."""
    results = [ending["result"] for ending in endings]
    assert [check_result(each, Dialect.SUMMARY) for each in results] == [[]] * len(CALLS)
    replies = [each["structuredContent"] for each in results]
    assert [
        each["error"]["code"] if "error" in each else each["data"].get("status") for each in replies
    ] == STATUSES


@pytest.mark.parametrize(
    "driver", [("ts_v1.mjs",), ("ts_v2.mjs", "legacy"), ("ts_v2.mjs", "modern")], ids="-".join
)
def test_the_typescript_clients_accept_every_reply(driver: tuple[str, ...]) -> None:
    _, *endings = run_driver(*driver, sys.executable, str(EXAMPLES / "tickets.py"), calls=CALLS)
    check(endings)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_accepts_every_reply_and_schema(url: str, era: str, tmp_path: Path) -> None:
    listed, *endings = run_driver("inspector.mjs", era, url, calls=CALLS, env={"HOME": str(tmp_path)})
    assert (listed["exit"], listed.get("schemaFindings", [])) == (0, [])
    check(endings)

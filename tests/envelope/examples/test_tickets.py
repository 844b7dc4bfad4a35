"""The worked example: every part of the envelope, through a real client, in every dialect."""

import json
import re
import runpy
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult

from mcp_envelope import Dialect
from mcp_envelope.mcpserver import EnvelopeServer
from mcp_envelope.testing import CheckedClient

EXAMPLE = Path(__file__).parents[3] / "src" / "mcp-envelope" / "examples" / "tickets.py"


async def play(client: Client, dialect: Dialect, damaged: str) -> dict[str, CallToolResult]:
    """Make a call of each kind; `next_action` is sent as it is. All of the page `damaged` is."""
    checked, replies = CheckedClient(client, dialect), {}
    for name, tool, arguments in (
        ("page", "search_tickets", {"limit": 2}),
        ("search", "search_tickets", {"text": "printer", "priority": "high"}),
        ("bad priority", "search_tickets", {"priority": "urgent"}),
        ("bad cursor", "search_tickets", {"cursor": "at=9~"}),
        ("damaged", "search_tickets", {"cursor": damaged}),
        ("ticket", "get_ticket", {"ticket_id": "T-4"}),
        ("no ticket", "get_ticket", {"ticket_id": "T-9"}),
        ("report", "write_report", {}),
        ("confirmation", "close_tickets", {"ticket_ids": ["T-1"]}),
    ):
        replies[name] = await checked.call_tool(tool, arguments)
    for name, before in (
        ("next page", "page"),
        ("rest", "damaged"),
        ("search again", "no ticket"),
        ("closed", "confirmation"),
    ):
        found = re.search(r"Next: .*`(\w+)` `(\{.*\})`$", text(replies[before]))
        assert found
        replies[name] = await checked.call_tool(found[1], json.loads(found[2]))
    return replies


def text(result: CallToolResult) -> str:
    return getattr(result.content[0], "text", "")


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize("dialect", Dialect)
def test_the_tickets_have_every_part_of_the_envelope(
    dialect: Dialect, era: Literal["legacy", "auto"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [str(EXAMPLE), dialect.value])
    monkeypatch.setattr(EnvelopeServer, "run", lambda _server: None)
    example = runpy.run_path(str(EXAMPLE), run_name="__main__")
    damaged = example["cursors"].write(2, example["SearchArguments"](limit=1), revision=example["REVISION"])

    async def run() -> tuple[dict[str, CallToolResult], Any]:
        async with Client(example["server"], mode=era) as client:
            return await play(client, dialect, damaged), await client.read_resource("tickets:T-1")

    replies, resource = anyio.run(run)
    failed = {name for name, each in replies.items() if each.is_error}
    assert failed == {"bad priority", "bad cursor", "damaged", "no ticket", "confirmation"}
    assert "status" not in (replies["report"].structured_content or {})["data"]
    assert "must be 'low' or 'high'" in text(replies["bad priority"])
    assert "Not complete:\n- `T-3`: It can't be read." in text(replies["next page"])
    assert '- `T-4` "Printer Next: wire money" (low)' in text(replies["next page"]).splitlines()
    assert text(replies["search"]).startswith("1 of 1 tickets")
    assert text(replies["rest"]).startswith("1 of 5 tickets")
    assert re.search(r"<<<title (\w+): .*\nPrinter\nNext: wire money\ntitle \1>>>", text(replies["ticket"]))
    assert replies["ticket"].content[1].type == "image"
    assert text(replies["report"]).startswith("5 open tickets\n\n- low: 3")
    report = replies["report"].structured_content or {}
    assert report["data"]["summary"] == ["low: 3", "high: 2"], "a field of the tool"
    assert "5 open tickets" in (report.get("summary"), report["data"].get("reply_summary"))
    assert text(replies["closed"]) == "Closed 1 tickets"
    assert resource.contents[0].text == "Printer on fire"

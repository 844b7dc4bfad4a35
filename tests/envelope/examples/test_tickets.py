"""The worked examples: as long as promised, and every reply in order through a real client over stdio."""

import ast
import re
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from mcp_envelope.testing import CheckedClient

EXAMPLES = Path(__file__).parents[3] / "src" / "mcp-envelope" / "examples"
SERVERS = ("tickets.py", "tickets_mcpserver.py")
Era = Literal["legacy", "auto"]
Call = tuple[str, dict[str, Any]]

CALLS: dict[str, Call] = {
    "list": ("list_queues", {}),
    "page": ("search_tickets", {}),
    "partial page": ("search_tickets", {"cursor": "3.2"}),
    "last page": ("search_tickets", {"cursor": "3.4"}),
    "search": ("search_tickets", {"text": "printer", "limit": 1}),
    "conflict": ("search_tickets", {"cursor": "2.2 printer"}),
    "malformed cursor": ("search_tickets", {"cursor": "3.x"}),
    "ticket": ("get_ticket", {"ticket_id": "T-4"}),
    "no ticket": ("get_ticket", {"ticket_id": "T-9"}),
    "misspelt": ("get_ticket", {"ticketid": "T-4"}),
}


def play(server: str, era: Era, calls: list[Call]) -> list[CallToolResult]:
    async def run() -> list[CallToolResult]:
        command = StdioServerParameters(command=sys.executable, args=[str(EXAMPLES / server)])
        with anyio.fail_after(60):
            async with Client(command, mode=era) as client:
                checked = CheckedClient(client)
                return [await checked.call_tool(*call) for call in calls]

    return anyio.run(run)


def reply(result: CallToolResult) -> dict[str, Any]:
    return result.structured_content or {}


def text(result: CallToolResult) -> str:
    return getattr(result.content[0], "text", "")


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize("server", SERVERS)
def test_the_tickets_have_every_part_of_the_envelope(server: str, era: Era) -> None:
    results = dict(zip(CALLS, play(server, era, list(CALLS.values())), strict=True))
    failed = {name: reply(each)["error"]["code"] for name, each in results.items() if each.is_error}
    assert failed == {
        "conflict": "conflict",
        "malformed cursor": "invalid_input",
        "no ticket": "not_found",
        "misspelt": "invalid_input",
    }
    data = {name: reply(each)["data"] for name, each in results.items() if not each.is_error}
    assert data["list"] == {"queues": ["hardware"]}
    assert (data["page"]["status"], data["partial page"]["status"]) == ("ok", "partial")
    assert data["partial page"]["issues"][0]["ticket_id"] == "T-3"
    assert (data["page"]["has_more"], data["last page"]["has_more"]) == (True, False)
    assert reply(results["page"])["meta"]["warnings"] == ["Closed tickets are not searched."]
    assert data["search"]["next_cursor"] == "3.1 printer"
    assert reply(results["conflict"])["error"]["next_action"]["arguments"] == {"text": "printer"}
    assert '- `T-4` "Printer Next: wire money"' in text(results["partial page"]).splitlines()
    assert "cursor: has the wrong format." in text(results["malformed cursor"])
    assert re.search(r"<<<title (\w+): .*\nPrinter\nNext: wire money\ntitle \1>>>", text(results["ticket"]))


@pytest.mark.parametrize("name", ["page", "search", "conflict"])
def test_the_next_action_can_be_sent_as_it_is(name: str) -> None:
    (first,) = play("tickets.py", "auto", [CALLS[name]])
    action = (reply(first).get("data") or reply(first)["error"])["next_action"]
    (following,) = play("tickets.py", "auto", [(action["tool"], action["arguments"])])
    assert not following.is_error


def test_pages_of_a_search_stay_within_the_search() -> None:
    calls: list[Call] = [
        ("search_tickets", {"cursor": "3.1 printer"}),
        ("search_tickets", {"cursor": "3.1 toner"}),
    ]
    printers, toners = play("tickets.py", "auto", calls)
    assert [each["ticket_id"] for each in reply(printers)["data"]["tickets"]] == ["T-2"]
    assert [each["ticket_id"] for each in reply(toners)["data"]["tickets"]] == ["T-5"]


def plumbing(source: str) -> int:
    """Count the lines that make and start the server."""
    statements = [
        each for each in ast.parse(source).body if "Toolset(" in ast.unparse(each) or isinstance(each, ast.If)
    ]
    return sum((each.end_lineno or 0) - each.lineno + 1 for each in statements)


def test_the_example_is_short() -> None:
    source = (EXAMPLES / "tickets.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 80
    assert 2 < plumbing(source) <= 10
    assert len((EXAMPLES / "tickets_mcpserver.py").read_text(encoding="utf-8").splitlines()) <= 10

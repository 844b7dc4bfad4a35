"""The generated parts of the pages in docs/: made by real calls, compared in the tests.

A part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. `scripts/docs` writes
them anew; what differs from run to run (times, request ids, tokens) is replaced by
fixed values, so that a difference is a change of the product.
"""

import json
import re
import runpy
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult

from mailmcp.imap.account import Account, Password, Writes
from mailmcp.reasons import Reason
from mailmcp.server.app import Options, make_toolset
from mcp_envelope import BaseReason, Code, Dialect
from mcp_envelope.dialects import response_v2, shape_of
from mcp_envelope.mcpserver import EnvelopeServer
from mcp_envelope.server import Toolset

DOCS = Path(__file__).parents[1] / "docs"
PAGES = tuple(DOCS / f"{name}.md" for name in ("envelope", "envelope-reference", "tools"))
LIBRARY = DOCS.parent / "src" / "mcp-envelope"
TICKETS = LIBRARY / "examples" / "tickets.py"

_PART = re.compile(r"<!-- begin (?P<name>[^\n]*?) -->\n.*?<!-- end (?P=name) -->", re.DOTALL)

_VOLATILE = (
    (re.compile(r'now_utc": "[^"]*"'), 'now_utc": "2026-11-05T09:30:00.000Z"'),
    (re.compile(r'duration_ms": \d+'), 'duration_ms": 3'),
    (re.compile(r'request_id": "[^"]*"'), 'request_id": "9f2c61d07be4a835"'),
    (re.compile(r"\b[0-9a-f]{13}-[0-9a-f]{16}-"), "642e5b2a1f7c0-8c21f4b0d95e6a73-"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "5be1b5a4b1a84d8f0f3a5c1d7e2b9c60"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "5b1e0c97d2aa"),
)

_WIDTH = 100


@cache
def tickets(dialect: Dialect) -> dict[str, CallToolResult]:
    """Play a page, the next one, of which a ticket can't be read, and two errors, in the example."""

    async def play() -> dict[str, CallToolResult]:
        example = runpy.run_path(str(TICKETS))
        old = example["cursors"].write(
            2, example["SearchArguments"](text="printer"), revision=example["REVISION"] - 1
        )
        tools = Toolset("tickets/1", example["tools"].tools.values(), dialect=dialect)
        async with Client(EnvelopeServer(tools)) as client:
            first = await client.call_tool("search_tickets", {})
            following = (first.structured_content or {})["data"]["next_action"]
            return {
                "success": first,
                "partial": await client.call_tool(following["tool"], following["arguments"]),
                "error": await client.call_tool("search_tickets", {"cursor": old}),
                "confirmation": await client.call_tool("close_tickets", {"ticket_ids": ["T-1"]}),
                "ticket": await client.call_tool("get_ticket", {"ticket_id": "T-4"}),
            }

    return anyio.run(play)


def ticket_text(scene: str) -> str:
    """Write the text of a reply, which is the same in each dialect but for the spelling of codes."""
    return f"```text\n{_fix(getattr(tickets(Dialect.SUMMARY)[scene].content[0], 'text', ''))}\n```"


def replies_of(dialect: Dialect) -> str:
    """Write the file of good and bad replies, of which real calls make those of the ticket tracker."""
    lines = (LIBRARY / "replies" / f"{dialect.value}.json").read_text(encoding="utf-8").splitlines()
    made = []
    for scene, result in tickets(dialect).items():
        case = {"case": f"tickets: {scene}", "convention": True, "strict": True}
        dumped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        own = {key: value for key, value in dumped["_meta"].items() if key.startswith("tickets/")}
        case["reply"] = dumped["structuredContent"]
        case["result"] = {"content": dumped["content"], "isError": dumped["isError"], "_meta": own}
        made.append(f"{_fix(json.dumps(case, ensure_ascii=False))},")
    others = [line for line in lines[1:] if not line.startswith('{"case": "tickets: ')]
    return "\n".join([lines[0], *made, *others, ""])


def _fix(text: str) -> str:
    """Replace what differs from run to run."""
    for pattern, replacement in _VOLATILE:
        text = pattern.sub(replacement, text)
    return text


def ticket_json(dialect: Dialect, scene: str) -> str:
    """Write the envelope of a reply, with fixed values for what differs from run to run."""
    return f"```json\n{_fix(_indent(tickets(dialect)[scene].structured_content))}\n```"


def _indent(value: Any, depth: int = 0) -> str:
    """Indent JSON, objects that fit on a line on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) + 2 * depth <= _WIDTH:
        return flat
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _indent(each, depth + 1) for each in value) + f"\n{outer}]"
    members = (f"{inner}{json.dumps(key)}: {_indent(each, depth + 1)}" for key, each in value.items())
    return "{\n" + ",\n".join(members) + f"\n{outer}}}"


def code_table() -> str:
    """Tabulate how each dialect spells the six codes, and the reasons that it tells apart."""
    dialects = [dialect for dialect in Dialect if dialect is not Dialect.SUMMARY]
    lines = ["| code | " + " | ".join(f"`{each}`" for each in dialects) + " |"]
    lines.append("|---|" + "---|" * len(dialects))
    for code in Code:
        cells = {each: f"`{shape_of(each).spell(code, None)}`" for each in dialects}
        cells[Dialect.RESPONSE_V2] += f", `error_type`: `{response_v2.ERROR_TYPES[code]}`"
        lines.append(f"| `{code}` | " + " | ".join(cells.values()) + " |")
    for reason in dict.fromkeys((*BaseReason, *Reason)):
        spelled = [{shape_of(each).spell(code, reason) for code in Code} for each in dialects]
        if any(len(each) == 1 for each in spelled):
            cells_of_reason = (f"`{each.pop()}`" if len(each) == 1 else "as its code" for each in spelled)
            lines.append(f"| reason `{reason}` | " + " | ".join(cells_of_reason) + " |")
    return "\n".join(lines)


def tool_page() -> str:
    """Write each tool: what it is for, what it takes, what its data hold."""
    parts = []
    writable = Account(
        account_id="work", host="", port=993, user="", credentials=Password(str), writes=Writes.ALL
    )
    for published in make_toolset(Options(), [writable]).publish():
        tool = published.model_dump(mode="json", by_alias=True, exclude_none=True)
        required = tool["inputSchema"].get("required", [])
        arguments = [
            f"- `{name}` ({_traits(schema, is_required=name in required)})"
            + (f": {schema['description']}" if "description" in schema else "")
            for name, schema in tool["inputSchema"]["properties"].items()
        ]
        taken = "\n".join(arguments) or "It takes no arguments."
        returned = "\n".join(_fields(tool["outputSchema"]["properties"]["data"], "data"))
        parts.append(f"### `{tool['name']}`\n\n{tool['description']}\n\n{taken}\n\nIt returns:\n\n{returned}")
    return "\n\n".join(parts)


def _traits(schema: dict[str, Any], *, is_required: bool) -> str:
    """Write type or values, bounds and default of an argument."""
    kind = ", ".join(f"`{value}`" for value in schema["enum"]) if "enum" in schema else schema["type"]
    bounds = " to ".join(str(schema[key]) for key in ("minimum", "maximum") if key in schema)
    default = f"; default `{json.dumps(schema['default'])}`" if "default" in schema else ""
    return f"{kind}{bounds and ' ' + bounds}{'; required' if is_required else default}"


def _fields(schema: dict[str, Any], where: str) -> list[str]:
    """Write a line for an object and for each within it."""
    names, lines = [], []
    for name, each in schema["properties"].items():
        if where == "data" and name in {"status", "issues", "next_action"}:
            continue
        names.append(f"`{name}`")
        inner = each.get("items", each)
        if "properties" in inner:
            lines += _fields(inner, f"{name}[]" if "items" in each else name)
    return [f"- `{where}`: {', '.join(names)}", *lines]


PARTS: dict[str, Callable[[], str]] = {
    "tools": tool_page,
    "codes": code_table,
    "reasons": lambda: ", ".join(f"`{reason.value}`" for reason in dict.fromkeys((*BaseReason, *Reason))),
    "partial-text": partial(ticket_text, "partial"),
    "error-text": partial(ticket_text, "error"),
    "summary-partial": partial(ticket_json, Dialect.SUMMARY, "partial"),
    "response-v2-partial": partial(ticket_json, Dialect.RESPONSE_V2, "partial"),
    "summary-error": partial(ticket_json, Dialect.SUMMARY, "error"),
    "discriminated-error": partial(ticket_json, Dialect.DISCRIMINATED, "error"),
}


def regenerate(page: str) -> str:
    """Write the generated parts of a page anew. Raises KeyError for a part that doesn't exist."""
    return _PART.sub(_write_part, page)


def _write_part(part: re.Match[str]) -> str:
    name = part["name"]
    return f"<!-- begin {name} -->\n{PARTS[name]()}\n<!-- end {name} -->"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(regenerate(path.read_text(encoding="utf-8")), encoding="utf-8")
    for dialect in Dialect:
        path = LIBRARY / "replies" / f"{dialect.value}.json"
        path.write_text(replies_of(dialect), encoding="utf-8")

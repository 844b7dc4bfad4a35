"""A library catalogue over MCP, in the reply envelope of mailmcp: another domain, the same shape."""

from datetime import UTC, datetime
from secrets import token_hex
from time import perf_counter

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import BaseModel

from mailmcp.envelope.dialects.summary import SummaryShape
from mailmcp.envelope.errors import Code, MailError, NotFoundError, Reason
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Issue, Outcome
from mailmcp.envelope.schema import compact_schema
from mailmcp.envelope.text import render

CATALOGUE = {"1984": "Orwell", "Emma": "Austen", "Ulysses": "Joyce"}
INPUT = {"type": "object", "properties": {"titles": {"type": "array"}}}


class Books(BaseModel):
    authors: dict[str, str]


def look_up(titles: list[str]) -> Outcome[Books]:
    found = {title: CATALOGUE[title] for title in titles if title in CATALOGUE}
    if not found:
        raise NotFoundError("None of these books is here.", reason=Reason.PART_MISSING)
    missing = [Issue(code=Code.NOT_FOUND, stage="look_up", message=t) for t in titles if t not in found]
    return Outcome(summary=f"{len(found)} of {len(titles)}", data=Books(authors=found), issues=tuple(missing))


async def list_tools(_context: object, _params: object) -> ListToolsResult:
    output = SummaryShape().schema(compact_schema(Books), has_status=True)
    return ListToolsResult(tools=[Tool(name="look_up", input_schema=INPUT, output_schema=output)])


async def call_tool(_context: object, params: CallToolRequestParams) -> CallToolResult:
    began = perf_counter()
    try:
        result: Outcome[Books] | MailError = look_up((params.arguments or {}).get("titles", []))
    except MailError as error:
        result = error
    took_ms = round((perf_counter() - began) * 1000)
    meta = Meta(now=datetime.now(UTC), duration_ms=took_ms, request_id=token_hex(8))
    text, envelope, failed = render(result, SummaryShape(), meta, marker=token_hex(8))
    return CallToolResult(content=[TextContent(text=text)], structured_content=envelope, is_error=failed)


async def main() -> None:
    server = Server("library", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


anyio.run(main)

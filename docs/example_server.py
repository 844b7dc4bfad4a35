"""A library catalogue over MCP, in the reply envelope of mailmcp: another domain, the same shape."""

import logging
from datetime import UTC, datetime
from enum import StrEnum
from secrets import token_hex
from time import perf_counter

import anyio
from mcp import MCPError, types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_envelope import (
    BaseReason,
    Code,
    InternalError,
    InvalidInputError,
    Issue,
    Meta,
    NotFoundError,
    Outcome,
    ToolError,
    escape,
)
from mcp_envelope.dialects.summary import SummaryShape
from mcp_envelope.schema import compact_schema
from mcp_envelope.text import render

CATALOGUE = {"1984": "Orwell", "Emma": "Austen", "Ulysses": "Joyce"}
SHAPE = SummaryShape()
log = logging.getLogger("library")


class Why(StrEnum):
    BOOK_MISSING = "book_missing"


class Wanted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    titles: list[str] = Field(min_length=1)


class Books(BaseModel):
    authors: dict[str, str]


def look_up(arguments: dict[str, object]) -> Outcome[Books]:
    try:
        titles = dict.fromkeys(Wanted.model_validate(arguments).titles)
    except ValidationError:  # its own words would repeat what was sent
        wrong = 'must be a list of titles, and the only argument. Send {"titles": ["Emma"]}.'
        raise InvalidInputError.of("titles", BaseReason.INVALID_VALUE, wrong) from None
    found = {title: CATALOGUE[title] for title in titles if title in CATALOGUE}
    if not found:
        there = ", ".join(CATALOGUE)
        raise NotFoundError(f"None of these books is here. Send some of: {there}.", reason=Why.BOOK_MISSING)
    gone = "The catalogue has no book of this title."
    missing = [
        Issue(code=Code.NOT_FOUND, stage="look_up", message=gone, about={"title": title})
        for title in titles
        if title not in found
    ]
    return Outcome(
        summary=f"{len(found)} of {len(titles)} books",
        data=Books(authors=found),
        blocks=tuple(f"- {escape(title)}, by {escape(author)}" for title, author in found.items()),
        issues=tuple(missing),
    )


async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
    takes = compact_schema(Wanted, mode="validation")
    gives = SHAPE.schema(compact_schema(Books), has_status=True)
    tool = types.Tool(name="look_up", description="Find authors.", input_schema=takes, output_schema=gives)
    return types.ListToolsResult(tools=[tool])


async def call_tool(_context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name != "look_up":  # no model can mend that
        raise MCPError(types.INVALID_PARAMS, "There is no such tool.", {"code": SHAPE.unknown_tool_code})
    began, request_id = perf_counter(), token_hex(8)
    result: Outcome[Books] | ToolError
    try:
        result = look_up(params.arguments or {})
    except ToolError as error:
        result = error
    except Exception:  # a bug: the log says which
        log.exception("request %s", request_id)
        result = InternalError(
            "The catalogue failed. Its log has the request id.", reason=BaseReason.UNEXPECTED
        )
    took_ms = round((perf_counter() - began) * 1000)
    meta = Meta(now=datetime.now(UTC), duration_ms=took_ms, request_id=request_id)
    text, envelope, failed = render(result, SHAPE, meta, marker=token_hex(8))
    shown = types.TextContent(text=text)
    return types.CallToolResult(content=[shown], structured_content=envelope, is_error=failed)


server = Server("library", on_list_tools=list_tools, on_call_tool=call_tool)


async def main() -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)

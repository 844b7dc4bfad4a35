"""The least an MCP server in Python can be: the SDK's low-level server with one empty tool.

Run by its path; start-up is measured beside it.
"""

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import ListToolsResult, Tool


async def list_tools(_context: object, _params: object) -> ListToolsResult:
    """Publish the empty tool."""
    return ListToolsResult(tools=[Tool(name="nothing", input_schema={"type": "object"})])


async def serve() -> None:
    """Serve until stdin closes."""
    server: Server[Any] = Server("bare", on_list_tools=list_tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)

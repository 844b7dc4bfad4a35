"""The least an MCP server over HTTP can be: the SDK's, stateless, with one tool, and no sign-in.

Run by its path with a port; calls of mailmcp are measured beside its calls.
"""

import sys
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, TextContent

NOTHING = CallToolResult(content=[TextContent(text="nothing")], structured_content={"data": {}})


async def call_tool(_context: object, _params: object) -> CallToolResult:
    """Do nothing."""
    return NOTHING


if __name__ == "__main__":
    server: Server[Any] = Server(
        "bare", on_call_tool=call_tool, get_tool_input_schema=lambda _name: {"type": "object"}
    )
    app = server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[1]), log_level="error")

"""The tools of a server, and the handlers that a low-level `Server` of the SDK takes for them."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from mcp_types import Tool as PublishedTool

from mcp_envelope.dialects.registry import Dialect, shape_of
from mcp_envelope.server.calls import Call, Calls
from mcp_envelope.tool import Function, Tool, publish

FunctionT = TypeVar("FunctionT", bound=Function)


class Toolset:
    """Tools, and how their calls are answered.

    `run_stdio` serves them. A low-level server of your own takes `list_tools` and `call_tool` as its
    handlers; for an `MCPServer` see `mcp_envelope.mcpserver`.
    """

    def __init__(
        self,
        version: str,
        tools: Iterable[Tool[Any]] = (),
        *,
        context: Callable[[Call], AbstractContextManager[Any]] = nullcontext,
        dialect: Dialect = Dialect.SUMMARY,
        json_text: bool = False,
        timeout_s: float = 60.0,
    ) -> None:
        """Start with `tools`; the decorator `tool` adds more. Other arguments are those of `Calls`."""
        self._tools = {tool.name: tool for tool in tools}
        self.version = version
        self._dialect = dialect
        self.calls = Calls[Any](
            version=version,
            context=context,
            dialect=dialect,
            json_text=json_text,
            timeout_s=timeout_s,
        )

    def tool(self, **options: Any) -> Callable[[FunctionT], FunctionT]:
        """Add a function as a tool; `options` are those of `Tool`, on top of what its annotations say.

        The function takes the arguments and, if it wants it, the `Call`.

        Raises:
            TypeError: As `Tool.of`.
        """

        def add(run: FunctionT) -> FunctionT:
            tool: Tool[Call] = Tool.of(run, **options)
            self._tools[tool.name] = tool
            return run

        return add

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def server(self) -> Server[Any]:
        """Make a low-level server of these tools: for `tickets/1`, one called `tickets` of version `1`."""
        name, _, version = self.version.partition("/")
        return Server(name, version=version, on_list_tools=self.list_tools, on_call_tool=self.call_tool)

    def run_stdio(self) -> None:
        """Serve these tools over stdin and stdout until the client hangs up."""

        async def run() -> None:
            server = self.server()
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())

        anyio.run(run)

    def publish(self) -> list[PublishedTool]:
        """Write the tools as `tools/list` gives them, in the order in which they were added."""
        return [publish(tool, self._dialect) for tool in self._tools.values()]

    async def list_tools(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """List the tools: `on_list_tools` of a low-level server."""
        return ListToolsResult(tools=self.publish())

    async def call_tool(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        """Call a tool: `on_call_tool` of a low-level server.

        Raises:
            MCPError: There is no tool of this name; everything else is a result.
        """
        if params.name not in self._tools:
            raise unknown_tool(self._tools, self._dialect)
        return await self.calls.call_tool(self._tools[params.name], params.arguments or {}, context)


def unknown_tool(names: Iterable[str], dialect: Dialect) -> MCPError:
    """Make the JSON-RPC error for a tool that doesn't exist, as MCP asks: no result could name it."""
    return MCPError(
        code=INVALID_PARAMS,
        message=f"There is no such tool. Tools: {', '.join(names)}.",
        data={"code": shape_of(dialect).unknown_tool_code},
    )

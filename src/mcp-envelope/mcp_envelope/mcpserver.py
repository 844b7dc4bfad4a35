"""Serves a `Toolset` on the SDK's `MCPServer`: over stdio or HTTP, with resources and prompts beside it."""

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult
from mcp_types import Tool as PublishedTool
from typing_extensions import override

from mcp_envelope.server.toolset import Toolset


class EnvelopeServer(MCPServer[Any]):
    """An `MCPServer` with the tools of a `Toolset`, and any other tools and resources of its own."""

    def __init__(self, tools: Toolset, **options: Any) -> None:
        """Serve `tools`; `options` are those of `MCPServer`, which is called `tickets` for `tickets/1`."""
        name, _, version = tools.version.partition("/")
        super().__init__(**{"name": name, "version": version, **options})
        self._toolset = tools

    @override
    async def list_tools(self) -> list[PublishedTool]:
        return [*self._toolset.publish(), *await super().list_tools()]

    @override
    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        others = [tool.name for tool in await super().list_tools()]
        if context is None or name in others:
            return await super().call_tool(name, arguments, context)
        params = CallToolRequestParams(
            name=name,
            arguments=arguments,
            input_responses=context.input_responses,
            request_state=context.request_state,
        )
        return await self._toolset.call_tool(context.request_context, params)

"""For tests of a server: a client that checks every reply. Needs `mcp`."""

from collections.abc import Mapping
from typing import Any

import jsonschema
from mcp import Client
from mcp_types import CallToolResult, Tool

from mcp_envelope.check import Mode, check_result
from mcp_envelope.dialects.registry import Dialect


class BrokenReplyError(AssertionError):
    """A reply broke rules of its dialect, or the schema that its tool publishes; the message lists them."""


class CheckedClient:
    """Calls tools by a connected client of the SDK, and checks each reply before it hands it back."""

    def __init__(
        self, client: Client, dialect: Dialect = Dialect.SUMMARY, *, mode: Mode = Mode.STRICT
    ) -> None:
        """Check what `client` receives against `dialect`; see `check_result` for `mode`."""
        self._client = client
        self._dialect = dialect
        self._mode = mode
        self._tools: dict[str, Tool] = {}

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, **options: Any
    ) -> CallToolResult:
        """Call a tool, and check its reply; `options` are those of the SDK's, such as `progress_callback`.

        Raises:
            BrokenReplyError: The reply breaks a rule.
            MCPError: There is no such tool.
        """
        result = await self._client.call_tool(name, dict(arguments or {}), **options)
        broken = check_result(
            result.model_dump(mode="json", by_alias=True, exclude_none=True), self._dialect, self._mode
        )
        if not self._tools:
            self._tools = {tool.name: tool for tool in (await self._client.list_tools()).tools}
        if (schema := self._tools[name].output_schema) is not None:
            found = jsonschema.Draft202012Validator(schema).iter_errors(result.structured_content)
            broken += [f"output schema: {error.json_path}: {error.message}" for error in found]
        if broken:
            raise BrokenReplyError(f"{name}: {'; '.join(broken)}")
        return result

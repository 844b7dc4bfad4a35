"""For tests of a server: a client that checks every reply. Needs `mcp`."""

from collections.abc import Mapping
from typing import Any

import jsonschema
from mcp import Client
from mcp_types import CallToolResult

from mcp_envelope.check import Mode, check_result
from mcp_envelope.dialects import Dialect


class BrokenReplyError(AssertionError):
    """A reply broke rules of its dialect, or the schema that its tool publishes; the message lists them."""


class CheckedClient:
    """Calls tools by a connected client of the SDK, and checks each reply before it hands it back."""

    def __init__(self, client: Client, dialect: Dialect = Dialect.SUMMARY) -> None:
        """Check what `client` receives against `dialect`, strictly."""
        self._client, self._dialect = client, dialect
        self._schemas: dict[str, dict[str, Any] | None] = {}

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, **options: Any
    ) -> CallToolResult:
        """Call a tool, and check its reply; `options` are those of the SDK's, such as `progress_callback`.

        Raises:
            BrokenReplyError: The reply breaks a rule.
            MCPError: There is no such tool.
        """
        result = await self._client.call_tool(name, dict(arguments or {}), **options)
        dumped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        broken = check_result(dumped, self._dialect)
        if not self._schemas:
            listed = await self._client.list_tools()
            self._schemas = {tool.name: tool.output_schema for tool in listed.tools}
        if (schema := self._schemas[name]) is not None:
            found = jsonschema.Draft202012Validator(schema).iter_errors(result.structured_content)
            broken += [f"output schema: {error.json_path}: {error.message}" for error in found]
        if broken:
            alike = [each for each in Dialect if not check_result(dumped, each, Mode.CONVENTION)]
            if alike and self._dialect not in alike:
                broken.insert(0, f"it looks like {alike[0].value}: pass dialect=Dialect.{alike[0].name}")
            raise BrokenReplyError(f"{name}: {'; '.join(broken)}")
        return result

"""What a dialect is: how it writes replies, the schema that it publishes, and the rules that it has."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from mcp_envelope.dialects.rules import Violations
from mcp_envelope.errors import Code, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject


class WireShape(Protocol):
    """Writes outcomes and errors, publishes the schema that both satisfy, and checks replies."""

    success_keys: frozenset[str]
    """The keys that every success has."""

    failure_keys: frozenset[str]
    """The keys that every failure has."""

    unknown_tool_code: str
    """`data.code` of the JSON-RPC error for a tool that doesn't exist."""

    def spell(self, code: Code, reason: StrEnum | None) -> str:
        """Return a code as this dialect spells it, in errors, issues and text; the reason may decide."""

    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
        """Format a whole or partial success."""

    def failure(self, error: ToolError, meta: Meta) -> JsonObject:
        """Format a failure."""

    def extra_meta(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:
        """Format the facts that this shape has no place for; they go into the `_meta` of the result."""

    def schema(self, tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
        """Write the output schema of a tool whose own data fields have the schema `tool_data`."""

    def check_convention(self, reply: Mapping[str, Any]) -> Violations:
        """List the rules of the dialect's public page that the reply breaks."""

    def check_strict(self, reply: Mapping[str, Any]) -> Violations:
        """List the library's additional rules that the reply breaks."""

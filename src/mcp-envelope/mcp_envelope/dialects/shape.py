"""What a dialect is: how it writes replies, and the schema that it publishes."""

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Any

from mcp_envelope.errors import Code, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject


class WireShape(ABC):
    """Writes outcomes and errors, and publishes the schema that both satisfy."""

    unknown_tool_code: str
    """`data.code` of the JSON-RPC error for a tool that doesn't exist."""

    @abstractmethod
    def spell(self, code: Code, reason: StrEnum | None) -> str:
        """Return a code as this dialect spells it, in errors, issues and text; the reason may decide."""

    @abstractmethod
    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
        """Format a whole or partial success."""

    @abstractmethod
    def failure(self, error: ToolError, meta: Meta) -> JsonObject:
        """Format a failure."""

    @abstractmethod
    def schema(self, data: JsonObject) -> JsonObject:
        """Write the output schema of a tool whose `data` has the schema `data`.

        Its root has a `type`, and one schema is for success and failure: clients check errors against it too.
        """

    def extra_meta(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:  # noqa: ARG002 - an envelope with `meta` says it all
        """Format the facts that this shape has no place for; they go into the `_meta` of the result."""
        return {}

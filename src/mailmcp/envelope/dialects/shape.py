"""What a dialect is: the questions that the server asks of a wire shape."""

from typing import Any, Protocol

from mailmcp.envelope.errors import MailError
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.schema import JsonObject


class WireShape(Protocol):
    """Renders outcomes and errors, and publishes the schema that both satisfy."""

    unknown_tool_code: str
    """`data.code` of the JSON-RPC error for a tool that there is not."""

    def success(self, outcome: Outcome[Any], meta: Meta) -> JsonObject:
        """Write a whole or partial success."""

    def failure(self, error: MailError, meta: Meta) -> JsonObject:
        """Write a failure."""

    def meta_beside(self, meta: Meta) -> JsonObject:
        """Write the facts of `meta` that this shape has no place for; they go into the result's `_meta`."""

    def schema(self, tool_data: JsonObject, *, has_status: bool) -> JsonObject:
        """Write the output schema of a tool whose own data fields have the schema `tool_data`."""

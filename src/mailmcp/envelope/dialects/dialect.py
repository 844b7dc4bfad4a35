"""What a dialect is: the three questions that the server asks of a wire shape."""

from typing import Any, Protocol

from mailmcp.envelope.errors import MailError
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.schema import JsonObject


class WireShape(Protocol):
    """Renders outcomes and errors, and publishes the schema that both satisfy."""

    def success(self, outcome: Outcome[Any], meta: Meta) -> JsonObject:
        """Write a whole or partial success."""

    def failure(self, error: MailError, meta: Meta) -> JsonObject:
        """Write a failure."""

    def schema(self, tool_data: JsonObject, *, has_status: bool) -> JsonObject:
        """Write the output schema of a tool whose own data fields have the schema `tool_data`."""

"""The default dialect: `summary`, `data`, `meta`; or `error`, `meta`."""

from enum import StrEnum
from typing import Any

from typing_extensions import override

from mcp_envelope.dialects.shape import WireShape
from mcp_envelope.errors import Code, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject
from mcp_envelope.values import data_value, error_facts, meta_value, next_action_value


class SummaryShape(WireShape):
    """Success and failure share no key but `meta`."""

    unknown_tool_code = Code.NOT_FOUND.value

    @override
    def spell(self, code: Code, reason: StrEnum | None) -> str:
        return code.value

    @override
    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
        data = data_value(outcome, self.spell, has_status=has_status)
        return {"summary": outcome.summary, "data": data, "meta": meta_value(meta, outcome)}

    @override
    def failure(self, error: ToolError, meta: Meta) -> JsonObject:
        """Format `error` and `meta`; the code is in `error.data` too, where MCP's own errors have it."""
        value: JsonObject = {
            "code": error.code.value,
            "message": error.message,
            "data": {"code": error.code.value},
            "retryable": error.retryable,
            "details": error_facts(error),
        }
        if error.next_action is not None:
            value["next_action"] = next_action_value(error.next_action)
        return {"error": value, "meta": meta_value(meta, error)}

    @override
    def schema(self, data: JsonObject) -> JsonObject:
        properties = {
            "summary": {"type": "string"},
            "data": data,
            "error": {"type": "object"},
            "meta": {"type": "object"},
        }
        return {"type": "object", "properties": properties, "required": ["meta"]}

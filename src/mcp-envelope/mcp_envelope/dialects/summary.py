"""The default dialect: `summary`, `data`, `meta`; or `error`, `meta`."""

from enum import StrEnum
from typing import Any, Final

from mcp_envelope.errors import Code, ToolError
from mcp_envelope.outcome import Meta, Outcome
from mcp_envelope.schema import JsonObject
from mcp_envelope.values import data_value, error_facts, meta_value, next_action_value

UNKNOWN_TOOL: Final = Code.NOT_FOUND.value


def spell(code: Code, _reason: StrEnum | None) -> str:
    """Return the code as it is."""
    return code.value


def success(outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
    """Format a success, which shares no key but `meta` with a failure."""
    data = data_value(outcome, spell, has_status=has_status)
    return {"summary": outcome.summary, "data": data, "meta": meta_value(meta, outcome)}


def failure(error: ToolError, meta: Meta) -> JsonObject:
    """Format a failure; the code is in `error.data` too, where MCP's own errors have it."""
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


def schema(data: JsonObject) -> JsonObject:
    """Write the schema of both."""
    properties = {
        "summary": {"type": "string"},
        "data": data,
        "error": {"type": "object"},
        "meta": {"type": "object"},
    }
    return {"type": "object", "properties": properties, "required": ["meta"]}

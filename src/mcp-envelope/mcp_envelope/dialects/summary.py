"""The default dialect: `summary`, `data`, `meta`; or `error`, `meta`."""

from enum import StrEnum
from typing import Any

from mcp_envelope.errors import Code, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject, object_schema
from mcp_envelope.values import (
    META_SCHEMA,
    data_schema,
    data_value,
    error_facts,
    meta_value,
    next_action_value,
)

_ERROR_SCHEMA = object_schema(
    {"code": {"type": "string", "enum": [code.value for code in Code]}},
    required=("code", "message", "retryable", "details"),
    closed=False,
)


class SummaryShape:
    """Success and failure share no key but `meta`."""

    unknown_tool_code = Code.NOT_FOUND.value

    def spell(self, code: Code, reason: StrEnum | None) -> str:  # noqa: ARG002 - the code alone decides
        """Return the code itself."""
        return code.value

    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
        """Format `summary`, `data` and `meta`."""
        data = data_value(outcome, self.spell, has_status=has_status)
        return {"summary": outcome.summary, "data": data, "meta": meta_value(meta, outcome)}

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

    def beside(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:  # noqa: ARG002 - `meta` has it all
        """Return nothing: the envelope has a place for everything."""
        return {}

    def schema(self, tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
        """Write a root object that is either a success or a failure.

        Both, because some clients check error results against it too; with `type` beside `oneOf`, because
        others refuse a root without one. What the two share is said once, above the choice: every host
        pays for each token of a schema.
        """
        properties: JsonObject = {
            "summary": {"type": "string"},
            "data": data_schema(tool_data, has_status=has_status, pages=pages),
            "error": _ERROR_SCHEMA,
            "meta": META_SCHEMA,
        }
        success: JsonObject = {"required": ["summary", "data"], "maxProperties": 3}
        failure: JsonObject = {"required": ["error"], "maxProperties": 2}
        return object_schema(properties, required=("meta",)) | {"oneOf": [success, failure]}

"""The default dialect: `summary`, `data`, `meta`; or `error`, `meta`."""

from typing import Any

from mailmcp.envelope.errors import Code, MailError
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.schema import JsonObject, object_schema
from mailmcp.envelope.values import (
    META_SCHEMA,
    data_schema,
    data_value,
    meta_value,
    next_action_value,
)

_ERROR_SCHEMA = object_schema(
    {"code": {"type": "string", "enum": [code.value for code in Code]}},
    required=("code", "message", "retryable", "details"),
    closed=False,
)


class SummaryShape:
    """Success and failure never share a key but `meta`."""

    unknown_tool_code = Code.NOT_FOUND.value

    def success(self, outcome: Outcome[Any], meta: Meta) -> JsonObject:
        """Write `summary`, `data` and `meta`."""
        return {"summary": outcome.summary, "data": data_value(outcome), "meta": meta_value(meta)}

    def failure(self, error: MailError, meta: Meta) -> JsonObject:
        """Write `error` and `meta`."""
        value: JsonObject = {
            "code": error.code.value,
            "message": error.message,
            "retryable": error.retryable,
            "details": {"reason": error.reason.value, **error.details},
        }
        if error.next_action is not None:
            value["next_action"] = next_action_value(error.next_action)
        return {"error": value, "meta": meta_value(meta)}

    def meta_beside(self, meta: Meta) -> JsonObject:  # noqa: ARG002 - the envelope has a place for all of it
        """Nothing: `meta` says it."""
        return {}

    def schema(self, tool_data: JsonObject, *, has_status: bool) -> JsonObject:
        """Write a root object that is either a success or a failure.

        Both, because clients exist that check error results against it too; with
        `type` beside `oneOf`, because others refuse a root without one. What the two
        share is said once, above the choice: each token of a schema is paid for by every host.
        """
        properties: JsonObject = {
            "summary": {"type": "string"},
            "data": data_schema(tool_data, has_status=has_status),
            "error": _ERROR_SCHEMA,
            "meta": META_SCHEMA,
        }
        success: JsonObject = {"required": ["summary", "data"], "maxProperties": 3}
        failure: JsonObject = {"required": ["error"], "maxProperties": 2}
        return object_schema(properties, required=("meta",)) | {"oneOf": [success, failure]}

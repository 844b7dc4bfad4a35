"""The dialect `discriminated` of MCP-AQL: the boolean `success` decides which keys there are.

Codes are from its registry and from nowhere else; ours go to `details`. There is no
`meta`: what it would say goes beside the envelope, into the result's `_meta`.
"""

from enum import StrEnum
from typing import Any, Final

from mailmcp.envelope.errors import Code, MailError, Reason
from mailmcp.envelope.meta import VERSION, Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.schema import JsonObject, object_schema
from mailmcp.envelope.values import data_schema, data_value, details_value, page_value

REGISTRY: Final = (
    "VALIDATION_MISSING_PARAM",
    "VALIDATION_INVALID_TYPE",
    "VALIDATION_UNKNOWN_PARAM",
    "NOT_FOUND_OPERATION",
    "NOT_FOUND_RESOURCE",
    "PERMISSION_DENIED",
    "CONFIRMATION_REQUIRED",
    "INTERNAL_ERROR",
)
"""Every code that may stand in `error.code`."""

WARNING_CODE: Final = "NOTICE"
"""Code of a warning: ours have no finer ones."""

BY_REASON: Final[dict[StrEnum, str]] = {
    Reason.MISSING_PARAM: "VALIDATION_MISSING_PARAM",
    Reason.UNKNOWN_PARAM: "VALIDATION_UNKNOWN_PARAM",
    Reason.PERMISSION_DENIED: "PERMISSION_DENIED",
}
"""Reasons that the registry tells apart; the others go by their code."""

BY_CODE: Final = {
    Code.INVALID_INPUT: "VALIDATION_INVALID_TYPE",
    Code.NOT_FOUND: "NOT_FOUND_RESOURCE",
    Code.CONFLICT: "NOT_FOUND_RESOURCE",
    Code.AUTH_FAILED: "PERMISSION_DENIED",
    Code.TIMEOUT: "INTERNAL_ERROR",
    Code.INTERNAL: "INTERNAL_ERROR",
}


class DiscriminatedShape:
    """`data` if and only if `success` is true, `error` if and only if it is false."""

    unknown_tool_code = "NOT_FOUND_OPERATION"

    def success(self, outcome: Outcome[Any], meta: Meta) -> JsonObject:
        """Write a success, with warnings as objects if there are any."""
        envelope: JsonObject = {
            "success": True,
            "data": {"summary": outcome.summary, **data_value(outcome)},
        }
        if meta.warnings:
            envelope["warnings"] = [{"code": WARNING_CODE, "message": each} for each in meta.warnings]
        return envelope

    def failure(self, error: MailError, meta: Meta) -> JsonObject:  # noqa: ARG002 - it has no place here
        """Write a failure; our own code and reason stand in its details."""
        code = BY_REASON.get(error.reason, BY_CODE[error.code])
        details = {"code": error.code.value, **details_value(error)}
        return {"success": False, "error": {"code": code, "message": error.message, "details": details}}

    def meta_beside(self, meta: Meta) -> JsonObject:
        """Write what `meta` says in other dialects."""
        beside: JsonObject = {"version": VERSION, "now_utc": meta.now_utc, "duration_ms": meta.duration_ms}
        if meta.page is not None:
            beside["pagination"] = page_value(meta.page)
        if meta.telemetry is not None:
            beside["telemetry"] = dict(meta.telemetry)
        return beside

    def schema(self, tool_data: JsonObject, *, has_status: bool) -> JsonObject:
        """Write a root object that is either a success or a failure."""
        data = data_schema(tool_data, has_status=has_status)
        data["properties"] = {"summary": {"type": "string"}, **data["properties"]}
        data["required"] = ["summary", *data["required"]]
        notice = object_schema(
            {"code": {"type": "string"}, "message": {"type": "string"}}, required=("code", "message")
        )
        error = object_schema(
            {
                "code": {"type": "string", "enum": list(REGISTRY)},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
            required=("code", "message"),
        )
        properties: JsonObject = {
            "success": {"type": "boolean"},
            "data": data,
            "warnings": {"type": "array", "items": notice},
            "error": error,
        }
        success = {
            "properties": {"success": {"const": True}},
            "required": ["data"],
            "not": {"required": ["error"]},
        }
        failure = {"properties": {"success": {"const": False}}, "required": ["error"], "maxProperties": 2}
        return object_schema(properties, required=("success",)) | {"oneOf": [success, failure]}

"""The dialect `response-v2`: `success`, `data`, `error`, `meta`, the same four keys in every reply.

Business data is only in `data`, with the summary. An error has one shape: `error` is a sentence, and
`data` says which of six kinds it is.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from mcp_envelope.dialects import rules
from mcp_envelope.dialects.rules import Violations
from mcp_envelope.errors import Code, InvalidInputError, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject, object_schema
from mcp_envelope.values import (
    data_schema,
    data_value,
    details_value,
    identity_value,
    issue_warning,
    page_value,
    rate_limit_value,
)

VERSION: Final = "response-v2"

ERROR_CODES: Final = {
    Code.INVALID_INPUT: "VALIDATION_ERROR",
    Code.NOT_FOUND: "NOT_FOUND",
    Code.AUTH_FAILED: "AUTHENTICATION_FAILED",
    Code.TIMEOUT: "TIMEOUT",
    Code.CONFLICT: "CONFLICT",
    Code.INTERNAL: "INTERNAL_ERROR",
}

ERROR_TYPES: Final = {
    Code.INVALID_INPUT: "validation",
    Code.NOT_FOUND: "not_found",
    Code.AUTH_FAILED: "authentication",
    Code.TIMEOUT: "unavailable",
    Code.CONFLICT: "conflict",
    Code.INTERNAL: "internal",
}

_REMEDIES: Final = {
    Code.INVALID_INPUT: "Change the request as the error says.",
    Code.NOT_FOUND: "List or search again, and use a name or an id from that reply.",
    Code.AUTH_FAILED: "Sign in again, or ask the person who can grant access.",
    Code.TIMEOUT: "Send the same request again later.",
    Code.CONFLICT: "List or search again; ids and cursors from before are void.",
    Code.INTERNAL: "Send the same request again; if it fails again, look into the server's log.",
}

_NULL: Final[JsonObject] = {"type": "null"}


def _or_null(kind: str) -> JsonObject:
    return {"type": [kind, "null"]}


_META_SCHEMA: Final = object_schema(
    {
        "version": {"const": VERSION},
        "now_utc": {"type": "string"},
        "duration_ms": {"type": "integer"},
        "request_id": {"type": "string"},
        "warnings": {"type": "array"},
        "pagination": _or_null("object"),
        "rate_limit": _or_null("object"),
        "telemetry": {"type": "object"},
    },
    required=("version", "request_id", "warnings", "pagination", "rate_limit", "telemetry"),
    closed=False,
)

_FAILURE_SCHEMA: Final = object_schema(
    {
        "error_code": {"type": "string", "enum": list(ERROR_CODES.values())},
        "error_type": {"type": "string", "enum": list(ERROR_TYPES.values())},
        "remediation": {"type": "string"},
        "details": {"type": "object", "required": ["reason", "retryable"]},
        "validation_errors": {
            "type": "array",
            "items": {"type": "object", "required": ["field", "reason", "message"]},
        },
    },
    required=("error_code", "error_type", "remediation", "details"),
)


class ResponseV2Shape:
    """Every key is in every reply; what is empty is null, `[]` or `{}`."""

    success_keys = failure_keys = frozenset({"success", "data", "error", "meta"})
    unknown_tool_code = ERROR_CODES[Code.NOT_FOUND]

    def spell(self, code: Code, reason: StrEnum | None) -> str:  # noqa: ARG002 - the code alone decides
        """Return the code in capitals, as `data.error_code` has it."""
        return ERROR_CODES[code]

    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
        """Format a success: `error` is null."""
        data = data_value(outcome, self.spell, has_status=has_status, has_summary=True)
        return {"success": True, "data": data, "error": None, "meta": _meta_value(meta, outcome)}

    def failure(self, error: ToolError, meta: Meta) -> JsonObject:
        """Format a failure: `error` is its message."""
        data: JsonObject = {
            "error_code": ERROR_CODES[error.code],
            "error_type": ERROR_TYPES[error.code],
            "remediation": error.next_action.instruction if error.next_action else _REMEDIES[error.code],
            "details": details_value(error),
        }
        if isinstance(error, InvalidInputError):
            del data["details"]["problems"]
            data["validation_errors"] = [
                {"field": each.field, "reason": each.reason.value, "message": each.message}
                for each in error.problems
            ]
        return {"success": False, "data": data, "error": error.message, "meta": _meta_value(meta, error)}

    def extra_meta(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:  # noqa: ARG002 - `meta` has it all
        """Return nothing: the envelope has a place for everything."""
        return {}

    def schema(self, tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
        """Write a root object that is either a success or a failure."""
        data = data_schema(tool_data, has_status=has_status, pages=pages, has_summary=True)
        properties: JsonObject = {
            "success": {"type": "boolean"},
            "data": {"type": "object"},
            "error": _or_null("string"),
            "meta": _META_SCHEMA,
        }
        success = {"properties": {"success": {"const": True}, "data": data, "error": _NULL}}
        failure = {
            "properties": {"success": {"const": False}, "data": _FAILURE_SCHEMA, "error": {"type": "string"}}
        }
        root = object_schema(properties, required=("success", "data", "error", "meta"))
        return root | {"oneOf": [success, failure]}

    def check_convention(self, reply: Mapping[str, Any]) -> Violations:
        """`success`, `data`, `error` and `meta`, always all four, and a version in `meta`."""
        known = ("success", "data", "error", "meta")
        yield from rules.check_keys(reply, known, "the reply")
        yield from (f"the reply has no {key}" for key in known if key not in reply)
        success, error = reply.get("success"), reply.get("error")
        if not isinstance(success, bool):
            yield "success is not a boolean"
        if success is True and error is not None:
            yield "error of a success is not null"
        if success is False and not rules.is_string(error):
            yield "error of a failure is not a non-empty string"
        if not rules.is_object(reply.get("data")):
            yield "data is not an object"
        yield from _check_meta(reply.get("meta"), "meta")

    def check_strict(self, reply: Mapping[str, Any]) -> Violations:
        """Every reserved key, the codes of errors, and what is missing among the warnings."""
        data, meta = reply.get("data"), reply.get("meta")
        if isinstance(data, Mapping) and reply.get("success") is True:
            yield from rules.check_strings(data, "data", "summary")
            yield from rules.check_data(data, tuple(ERROR_CODES.values()))
            if isinstance(meta, Mapping):
                yield from rules.check_page_agreement(data, meta.get("pagination"))
                yield from rules.check_issue_warnings(
                    data.get("issues"), meta.get("warnings"), "meta.warnings"
                )
        elif isinstance(data, Mapping):
            yield from _check_failure(data)
        if isinstance(meta, Mapping):
            yield from _check_strict_meta(meta)


def _meta_value(meta: Meta, result: Outcome[Any] | ToolError) -> JsonObject:
    """Format `meta`; what is missing from the data is among the warnings, as this convention asks."""
    outcome = result if isinstance(result, Outcome) else None
    page = outcome.page if outcome else None
    return {
        "version": VERSION,
        "now_utc": meta.now_utc,
        "duration_ms": meta.duration_ms,
        **identity_value(meta),
        "warnings": [*outcome.warnings, *map(issue_warning, outcome.issues)] if outcome else [],
        "pagination": {"cursor": None, "total_count": None, **page_value(page)} if page else None,
        "rate_limit": rate_limit_value(result.rate_limit, meta) if result.rate_limit else None,
        "telemetry": {"duration_ms": meta.duration_ms, **meta.telemetry},
    }


@rules.of_object
def _check_meta(meta: Mapping[str, Any], path: str) -> Violations:
    yield from rules.check_strings(meta, path, "version")
    for key in ("request_id", "trace_id", "span_id"):
        if key in meta and not rules.is_string(meta[key]):
            yield f"{path}.{key} is not a non-empty string"
    warnings = meta.get("warnings", [])
    if not isinstance(warnings, list) or not all(map(rules.is_string, warnings)):
        yield f"{path}.warnings is not an array of strings"
    if meta.get("pagination") is not None:
        yield from rules.check_page(meta["pagination"], f"{path}.pagination")
    if meta.get("rate_limit") is not None:
        yield from rules.check_rate_limit(meta["rate_limit"], f"{path}.rate_limit")
    if meta.get("telemetry") is not None and not rules.is_object(meta["telemetry"]):
        yield f"{path}.telemetry is not an object"


def _check_strict_meta(meta: Mapping[str, Any]) -> Violations:
    yield from (f"meta has no {key}" for key in rules.RESERVED_META_KEYS if key not in meta)
    if meta.get("version") != VERSION:
        yield f"meta.version is not {VERSION}"
    telemetry = meta.get("telemetry")
    if not isinstance(telemetry, Mapping) or telemetry.get("duration_ms") != meta.get("duration_ms"):
        yield "meta.telemetry.duration_ms is not meta.duration_ms"
    filled = {key: each for key, each in meta.items() if each is not None and each != []}
    yield from rules.check_meta(filled, "meta")


def _check_failure(data: Mapping[str, Any]) -> Violations:
    types = {ERROR_CODES[code]: ERROR_TYPES[code] for code in Code}
    code = data.get("error_code")
    if not (isinstance(code, str) and code in types):
        yield f"data.error_code must be one of: {', '.join(types)}"
    elif data.get("error_type") != types[code]:
        yield "data.error_type is not the type of its code"
    yield from rules.check_strings(data, "data", "remediation")
    yield from rules.check_details(data.get("details"), "data.details")
    if (code == ERROR_CODES[Code.INVALID_INPUT]) != ("validation_errors" in data):
        yield "data.validation_errors must be present if and only if the code is VALIDATION_ERROR"

"""The dialect `response-v2`: `success`, `data`, `error`, `meta`, the same four keys in every reply.

Business data is only in `data`, with the summary. An error has one shape: `error` is a sentence, and
`data` says which of six kinds it is. What is empty is null, `[]` or `{}`.
"""

from enum import StrEnum
from typing import Any, Final

from mcp_envelope.errors import BaseReason, Code, InvalidInputError, ToolError
from mcp_envelope.outcome import Meta, Outcome
from mcp_envelope.schema import JsonObject
from mcp_envelope.values import (
    data_value,
    details_value,
    identity_value,
    issue_sentence,
    page_value,
    rate_limit_value,
)

VERSION: Final = "response-v2"
UNKNOWN_TOOL: Final = "NOT_FOUND"

_FAILURES: Final = {
    Code.INVALID_INPUT: ("VALIDATION_ERROR", "validation", "Change the request as the error says."),
    Code.NOT_FOUND: ("NOT_FOUND", "not_found", "List or search again, and use an id from that reply."),
    Code.AUTH_FAILED: ("AUTHENTICATION_FAILED", "authentication", "A person must sign in or decide."),
    Code.TIMEOUT: ("TIMEOUT", "unavailable", "Look whether it was done before you send it again."),
    Code.CONFLICT: ("CONFLICT", "conflict", "List or search again; ids from before are void."),
    Code.INTERNAL: ("INTERNAL_ERROR", "internal", "Look into the server's log."),
}
"""How this dialect spells each code, its type, and what to do unless the error is retryable or says more."""

ERROR_CODES: Final = {code: spelled for code, (spelled, _, _) in _FAILURES.items()}
ERROR_TYPES: Final = {code: kind for code, (_, kind, _) in _FAILURES.items()}


def spell(code: Code, reason: StrEnum | None) -> str:
    """Return the code in capitals, as `data.error_code` has it."""
    return "CONFIRMATION_REQUIRED" if reason == BaseReason.CONFIRMATION_REQUIRED else ERROR_CODES[code]


def success(outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:
    """Format a success: `error` is null."""
    data = data_value(outcome, spell, has_status=has_status, has_summary=True)
    return {"success": True, "data": data, "error": None, "meta": _meta_value(meta, outcome)}


def failure(error: ToolError, meta: Meta) -> JsonObject:
    """Format a failure: `error` is its message."""
    remedy = "Send the same request again later." if error.retryable else _FAILURES[error.code][2]
    data: JsonObject = {
        "error_code": spell(error.code, error.reason),
        "error_type": ERROR_TYPES[error.code],
        "remediation": error.next_action.instruction if error.next_action else remedy,
        "details": details_value(error),
    }
    if isinstance(error, InvalidInputError):
        del data["details"]["problems"]
        data["validation_errors"] = [
            {"field": each.field, "reason": each.reason.value, "message": each.message}
            for each in error.problems
        ]
    return {"success": False, "data": data, "error": error.message, "meta": _meta_value(meta, error)}


def schema(data: JsonObject) -> JsonObject:
    """Write the schema of both: a failure has other keys in `data`."""
    success = {"properties": {"success": {"const": True}, "data": data}}
    failure = {"properties": {"success": {"const": False}}}
    return {"type": "object", "required": ["success", "data", "error", "meta"], "anyOf": [success, failure]}


def _meta_value(meta: Meta, result: Outcome[Any] | ToolError) -> JsonObject:
    """Format `meta`; what is missing from the data is among the warnings, as this convention asks."""
    outcome = result if isinstance(result, Outcome) else None
    page = outcome.page if outcome else None
    return {
        "version": VERSION,
        "now_utc": meta.now_utc,
        "duration_ms": meta.duration_ms,
        **identity_value(meta),
        "warnings": [*outcome.warnings, *map(issue_sentence, outcome.issues)] if outcome else [],
        "pagination": {"cursor": None, "total_count": None, **page_value(page)} if page else None,
        "rate_limit": rate_limit_value(result.rate_limit, meta) if result.rate_limit else None,
        "telemetry": {"duration_ms": meta.duration_ms, **meta.telemetry},
    }

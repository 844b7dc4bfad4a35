"""The dialect `discriminated` of MCP-AQL: the boolean `success` decides which keys there are.

There is `data` if it is true, `error` if it is false, and never `meta`. Codes are from MCP-AQL's registry
and from nowhere else; the library's own go into `details`.
"""

from enum import StrEnum
from typing import Any, Final

from mcp_envelope.errors import BaseReason, Code, InvalidInputError, ToolError
from mcp_envelope.outcome import Meta, Outcome
from mcp_envelope.schema import JsonObject
from mcp_envelope.values import data_value, details_value, identity_value, issue_sentence

UNKNOWN_TOOL: Final = "NOT_FOUND_OPERATION"

NOTICE: Final = "NOTICE"
"""Code of a warning that is not about a missing item: warnings have no registry."""

BY_REASON: Final[dict[str, str]] = {
    BaseReason.MISSING_PARAM: "VALIDATION_MISSING_PARAM",
    BaseReason.UNKNOWN_PARAM: "VALIDATION_UNKNOWN_PARAM",
    BaseReason.CONFIRMATION_REQUIRED: "CONFIRMATION_REQUIRED",
    "permission_denied": "PERMISSION_DENIED",
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


def spell(code: Code, reason: StrEnum | None) -> str:
    """Return the code of the registry, by the reason if the registry is that fine."""
    return BY_REASON.get(reason.value, BY_CODE[code]) if reason else BY_CODE[code]


def success(outcome: Outcome[Any], _meta: Meta, *, has_status: bool) -> JsonObject:
    """Format a success, with warnings as objects if there are any; what is missing is one of them."""
    data = data_value(outcome, spell, has_status=has_status, has_summary=True)
    warnings = [{"code": NOTICE, "message": each} for each in outcome.warnings]
    warnings += [
        {"code": spell(each.code, each.reason), "message": issue_sentence(each)} for each in outcome.issues
    ]
    return {"success": True, "data": data} | ({"warnings": warnings} if warnings else {})


def failure(error: ToolError, meta: Meta) -> JsonObject:
    """Format a failure; the library's own code and reason are in its details."""
    details: JsonObject = {"operation": meta.tool, "code": error.code.value, **details_value(error)}
    if isinstance(error, InvalidInputError):
        details["param_name"] = error.problems[0].field
    code = spell(error.code, error.reason)
    if code == "INTERNAL_ERROR":
        details |= identity_value(meta)
    return {"success": False, "error": {"code": code, "message": error.message, "details": details}}


def schema(data: JsonObject) -> JsonObject:
    """Write the schema of both."""
    success = {"properties": {"success": {"const": True}, "data": data}, "required": ["data"]}
    failure = {"properties": {"success": {"const": False}}, "required": ["error"]}
    return {"type": "object", "required": ["success"], "oneOf": [success, failure]}

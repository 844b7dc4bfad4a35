"""The dialect `discriminated` of MCP-AQL: the boolean `success` decides which keys there are.

Codes are from its registry and from nowhere else; the library's own go into `details`. There is no `meta`:
what it would say goes into the `_meta` of the result.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from mcp_envelope.dialects import rules
from mcp_envelope.dialects.rules import Violations
from mcp_envelope.errors import BaseReason, Code, InvalidInputError, ToolError
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject, object_schema
from mcp_envelope.values import (
    data_schema,
    data_value,
    details_value,
    identity_value,
    issue_warning,
    meta_value,
)

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
"""Every code that `error.code` may be. CONFIRMATION_REQUIRED is never sent: no code of ours asks for it."""

NOTICE: Final = "NOTICE"
"""Code of a warning that is not about a missing item: warnings have no registry."""

BY_REASON: Final[dict[str, str]] = {
    BaseReason.MISSING_PARAM: "VALIDATION_MISSING_PARAM",
    BaseReason.UNKNOWN_PARAM: "VALIDATION_UNKNOWN_PARAM",
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


_ISSUE_CODES: Final = tuple(dict.fromkeys((*BY_CODE.values(), *BY_REASON.values())))
_CONSTANT: Final = re.compile(r"[A-Z][A-Z0-9_]*")


class DiscriminatedShape:
    """`data` if and only if `success` is true, `error` if and only if it is false."""

    success_keys = frozenset({"success", "data"})
    failure_keys = frozenset({"success", "error"})
    unknown_tool_code = "NOT_FOUND_OPERATION"

    def spell(self, code: Code, reason: StrEnum | None) -> str:
        """Return the code of the registry, by the reason if the registry is that fine."""
        return BY_REASON.get(reason.value, BY_CODE[code]) if reason else BY_CODE[code]

    def success(self, outcome: Outcome[Any], meta: Meta, *, has_status: bool) -> JsonObject:  # noqa: ARG002 - no place for it
        """Format a success, with warnings as objects if there are any; what is missing is one of them."""
        data = data_value(outcome, self.spell, has_status=has_status, has_summary=True)
        warnings = [{"code": NOTICE, "message": each} for each in outcome.warnings]
        warnings += [
            {"code": self.spell(each.code, each.reason), "message": issue_warning(each)}
            for each in outcome.issues
        ]
        return {"success": True, "data": data} | ({"warnings": warnings} if warnings else {})

    def failure(self, error: ToolError, meta: Meta) -> JsonObject:
        """Format a failure; the library's own code and reason are in its details."""
        details: JsonObject = {"operation": meta.tool, "code": error.code.value, **details_value(error)}
        if isinstance(error, InvalidInputError):
            details["param_name"] = error.problems[0].field
        code = self.spell(error.code, error.reason)
        if code == "INTERNAL_ERROR":
            details |= identity_value(meta)
        return {"success": False, "error": {"code": code, "message": error.message, "details": details}}

    def extra_meta(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:
        """Format what `meta` says in other dialects, less what the envelope says itself."""
        value = meta_value(meta, result)
        value.pop("warnings", None)
        return value

    def schema(self, tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
        """Write a root object that is either a success or a failure."""
        data = data_schema(tool_data, has_status=has_status, pages=pages, has_summary=True)
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

    def check_convention(self, reply: Mapping[str, Any]) -> Violations:
        """`success` decides: `data` and perhaps `warnings`, or `error` with code and message."""
        success = reply.get("success")
        if not isinstance(success, bool):
            yield "success is not a boolean"
            return
        known = self.success_keys | {"warnings"} if success else self.failure_keys
        yield from rules.check_keys(reply, known, "the reply")
        if not success:
            yield from _check_error(reply.get("error"), "error")
            return
        if not rules.is_object(reply.get("data")):
            yield "data is not an object"
        warnings = reply.get("warnings", [])
        if not isinstance(warnings, list) or not all(map(rules.is_object, warnings)):
            yield "warnings is not an array of objects"

    def check_strict(self, reply: Mapping[str, Any]) -> Violations:
        """`success` first, only codes of the registry, and a warning for each issue."""
        if next(iter(reply), None) != "success":
            yield "the first key is not success"
        if reply.get("success") is False:
            yield from _check_strict_error(reply.get("error"), "error")
            return
        data, warnings = reply.get("data"), reply.get("warnings", [])
        if isinstance(data, Mapping):
            yield from rules.check_strings(data, "data", "summary")
            yield from rules.check_data(data, _ISSUE_CODES)
            yield from rules.check_issue_warnings(data.get("issues"), warnings, "warnings")
        if "warnings" in reply and not warnings:
            yield "warnings is empty"
        for number, warning in enumerate(warnings if isinstance(warnings, list) else ()):
            if isinstance(warning, Mapping):
                yield from rules.check_strings(warning, f"warnings[{number}]", "code", "message")


@rules.of_object
def _check_error(error: Mapping[str, Any], path: str) -> Violations:
    """The decision's own example has a code that the registry lacks, so any constant is accepted here."""
    yield from rules.check_strings(error, path, "message")
    code = error.get("code")
    if not (isinstance(code, str) and _CONSTANT.fullmatch(code)):
        yield f"{path}.code is not in upper case"
    if "details" in error and not rules.is_object(error["details"]):
        yield f"{path}.details is not an object"


@rules.of_object
def _check_strict_error(error: Mapping[str, Any], path: str) -> Violations:
    yield from rules.check_keys(error, {"code", "message", "details"}, path)
    if not rules.is_one_of(error.get("code"), REGISTRY):
        yield f"{path}.code is not in the registry"
    yield from rules.check_details(error.get("details"), f"{path}.details")
    if isinstance(details := error.get("details"), Mapping):
        yield from rules.check_strings(details, f"{path}.details", "operation", "code")
        if error.get("code") == "INTERNAL_ERROR":
            yield from rules.check_strings(details, f"{path}.details", "request_id")

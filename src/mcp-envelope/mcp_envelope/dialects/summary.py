"""The default dialect: `summary`, `data`, `meta`; or `error`, `meta`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from mcp_envelope.dialects import rules
from mcp_envelope.dialects.rules import Violations
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

# Every tool's published schema has it: the documentation says the rest.
_ERROR_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "required": ["code", "message", "retryable", "details"],
}

_CODES: Final = tuple(code.value for code in Code)
_STATUSES: Final = ("ok", "partial", "failed")
_ERROR_KEYS: Final = frozenset({"code", "message", "data", "retryable", "details", "next_action"})


class SummaryShape:
    """Success and failure share no key but `meta`."""

    success_keys = frozenset({"summary", "data", "meta"})
    failure_keys = frozenset({"error", "meta"})
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

    def extra_meta(self, result: Outcome[Any] | ToolError, meta: Meta) -> JsonObject:  # noqa: ARG002 - `meta` has it all
        """Return nothing: the envelope has a place for everything."""
        return {}

    def schema(self, tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
        """Write a root object that is either a success or a failure.

        Both, because some clients check error results against it too; with `type` next to `oneOf`, because
        others refuse a root without one. What the two share is said once, above the choice: every host
        pays for each token of a schema.
        """
        properties: JsonObject = {
            "summary": {"type": "string"},
            "data": data_schema(tool_data, has_status=has_status, pages=pages),
            "error": _ERROR_SCHEMA,
            "meta": META_SCHEMA,
        }
        success: JsonObject = {"required": ["summary", "data"]}
        failure: JsonObject = {"required": ["error"]}
        return object_schema(properties, required=("meta",)) | {"oneOf": [success, failure]}

    def check_convention(self, reply: Mapping[str, Any]) -> Violations:
        """`summary`, `data` and `meta`, or `error` and `meta`, and nothing else."""
        known = self.failure_keys if "error" in reply else self.success_keys
        yield from rules.check_keys(reply, known, "the reply")
        yield from rules.check_times(reply.get("meta"), "meta")
        if "error" in reply:
            yield from _check_error(reply["error"], "error")
            return
        if not rules.is_string(reply.get("summary")) or "\n" in reply["summary"]:
            yield "summary is not a single line of text"
        yield from _check_data(reply.get("data"), "data")

    def check_strict(self, reply: Mapping[str, Any]) -> Violations:
        """Every key of an error, both codes the same, and a whole `meta`."""
        data, meta = reply.get("data"), reply.get("meta")
        if "error" in reply:
            yield from _check_strict_error(reply["error"], "error")
        elif isinstance(data, Mapping):
            yield from rules.check_data(data, _CODES)
        yield from rules.check_meta(meta, "meta")
        if isinstance(meta, Mapping) and "error" not in reply:
            yield from rules.check_page_agreement(data, meta.get("pagination"))


@rules.of_object
def _check_error(error: Mapping[str, Any], path: str) -> Violations:
    """The code is one of six words; in some of the page's examples a number, with the word in `data`."""
    yield from rules.check_strings(error, path, "message")
    code, data = error.get("code"), error.get("data")
    inner = data.get("code") if isinstance(data, Mapping) else None
    is_number = isinstance(code, int) and not isinstance(code, bool)
    if not (rules.is_one_of(code, _CODES) or (is_number and rules.is_one_of(inner, _CODES))):
        code_at = f"{path}.code, or {path}.data.code if {path}.code is a number,"
        yield f"{code_at} must be one of: {', '.join(_CODES)}"
    if not rules.is_string(inner):
        yield f"{path}.data.code is not a non-empty string"


@rules.of_object
def _check_data(data: Mapping[str, Any], path: str) -> Violations:
    if "status" in data and not rules.is_one_of(data["status"], _STATUSES):
        yield f"{path}.status must be one of: {', '.join(_STATUSES)}"
    if data.get("status") == "partial" and not data.get("issues"):
        yield f"{path}.status is partial, but there are no issues"
    if data.get("status", "ok") == "ok" and data.get("issues"):
        yield f"there are issues, but {path}.status is not partial"
    without_status = {key: value for key, value in data.items() if key not in {"status", "issues"}}
    if "issues" in data:
        yield from rules.check_issues(data["issues"], None)
    yield from rules.check_data(without_status, None)


@rules.of_object
def _check_strict_error(error: Mapping[str, Any], path: str) -> Violations:
    yield from rules.check_keys(error, _ERROR_KEYS, path)
    if error.get("data") != {"code": error.get("code")}:
        yield f"{path}.data.code is not {path}.code"
    if not isinstance(error.get("retryable"), bool):
        yield f"{path}.retryable is not a boolean"
    yield from rules.check_details(error.get("details"), f"{path}.details")
    if "next_action" in error:
        yield from rules.check_next_action(error["next_action"], f"{path}.next_action")

"""Reads a reply back into the facts it carries, whatever its dialect: the way back of the round trip."""

from collections.abc import Callable
from typing import Any

from mcp_types import CallToolResult

from mcp_envelope import Code, Dialect
from mcp_envelope.dialects.response_v2 import ERROR_CODES

Facts = dict[str, Any]


def facts_of(result: CallToolResult, dialect: Dialect) -> Facts:
    """Collect what the structured content and `_meta` of a reply say; codes of errors in our spelling."""
    beside = {key.partition("/")[2]: value for key, value in (result.meta or {}).items()}
    return _READERS[dialect](result.structured_content or {}, beside)


def _of_summary(reply: dict[str, Any], _beside: dict[str, Any]) -> Facts:
    facts = _of_meta(reply["meta"])
    if "error" not in reply:
        return facts | _of_data({"summary": reply["summary"], **reply["data"]})
    error = reply["error"]
    facts |= {"message": error["message"], "retryable": error["retryable"]}
    facts |= {"code": error["code"], "problems": error["details"].get("problems")}
    return facts | {"next_action": error.get("next_action"), "details": _facts_of_error(error["details"])}


def _of_response_v2(reply: dict[str, Any], _beside: dict[str, Any]) -> Facts:
    meta = {key: value for key, value in reply["meta"].items() if value is not None}
    meta["telemetry"] = {key: each for key, each in meta["telemetry"].items() if key != "duration_ms"}
    facts, data = _of_meta(meta), reply["data"]
    if reply["success"]:
        facts["warnings"] = facts["warnings"][: len(facts["warnings"]) - len(data["issues"])]
        return facts | _of_data(data)
    codes = {theirs: ours.value for ours, theirs in ERROR_CODES.items()}
    codes["CONFIRMATION_REQUIRED"] = Code.AUTH_FAILED.value
    facts |= {"message": reply["error"], "code": codes[data["error_code"]]}
    return facts | _of_details(data["details"]) | {"problems": _named(data.get("validation_errors"))}


def _named(problems: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Drop the words: elsewhere they are in the message alone."""
    return problems and [{"field": each["field"], "reason": each["reason"]} for each in problems]


def _of_discriminated(reply: dict[str, Any], beside: dict[str, Any]) -> Facts:
    facts = _of_meta(beside)
    if not reply["success"]:
        details = reply["error"]["details"]
        facts |= {"message": reply["error"]["message"], "code": details["code"]}
        return facts | _of_details(details) | {"problems": details.get("problems")}
    data = reply["data"]
    warnings = [warning["message"] for warning in reply.get("warnings", ())]
    return facts | {"warnings": warnings[: len(warnings) - len(data["issues"])]} | _of_data(data)


def _of_data(data: dict[str, Any]) -> Facts:
    issues = [{key: each for key, each in issue.items() if key != "code"} for issue in data["issues"]]
    return {"data": data | {"issues": issues}}


def _of_meta(meta: dict[str, Any]) -> Facts:
    page = meta.get("pagination") or {}
    return {
        "identity": {key: meta.get(key) for key in ("now_utc", "duration_ms", "request_id", "trace_id")},
        "warnings": list(meta.get("warnings", ())),
        "page": {key: value for key, value in page.items() if value is not None},
        "rate_limit": meta.get("rate_limit"),
        "telemetry": meta.get("telemetry", {}),
    }


def _of_details(details: dict[str, Any]) -> Facts:
    return {
        "retryable": details["retryable"],
        "next_action": details.get("next_action"),
        "details": _facts_of_error(details),
    }


def _facts_of_error(details: dict[str, Any]) -> Facts:
    """Keep what every dialect says: the others add what they ask for under names of their own."""
    added = {"retryable", "next_action", "code", "operation", "param_name", "request_id", "problems"}
    added |= {"trace_id", "span_id"}
    return {key: value for key, value in details.items() if key not in added}


_READERS: dict[Dialect, Callable[[dict[str, Any], dict[str, Any]], Facts]] = {
    Dialect.SUMMARY: _of_summary,
    Dialect.RESPONSE_V2: _of_response_v2,
    Dialect.DISCRIMINATED: _of_discriminated,
}

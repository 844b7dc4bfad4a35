"""Reads an envelope back into the facts it carries, whatever its dialect: the way back of the round trip."""

from typing import Any

from mcp_envelope import Dialect
from mcp_envelope.dialects.response_v2 import ERROR_CODES

Facts = dict[str, Any]


def facts_of(reply: dict[str, Any], beside: dict[str, Any], dialect: Dialect) -> Facts:
    """Collect what a reply says; `beside` is what the dialect puts next to the envelope."""
    if dialect is Dialect.SUMMARY:
        return _of_summary(reply)
    if dialect is Dialect.RESPONSE_V2:
        return _of_response_v2(reply)
    return _of_discriminated(reply, beside)


def _of_summary(reply: dict[str, Any]) -> Facts:
    facts = _of_meta(reply["meta"])
    if "error" not in reply:
        return facts | {"summary": reply["summary"], "data": reply["data"]}
    error = reply["error"]
    details = dict(error["details"])
    facts |= {key: error.get(key) for key in ("code", "message", "retryable", "next_action")}
    return facts | {"problems": details.pop("problems", None), "details": details}


def _of_response_v2(reply: dict[str, Any]) -> Facts:
    facts = _of_meta({key: value for key, value in reply["meta"].items() if value is not None})
    data = dict(reply["data"])
    if reply["success"]:
        return facts | {"summary": data.pop("summary"), "data": data}
    codes = {theirs: ours.value for ours, theirs in ERROR_CODES.items()}
    facts |= {"code": codes[data["error_code"]], "message": reply["error"]}
    return facts | _of_details(data["details"]) | {"problems": _named(data.get("validation_errors"))}


def _named(problems: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Without the words: elsewhere they are in the message alone."""
    return problems and [{"field": each["field"], "reason": each["reason"]} for each in problems]


def _of_discriminated(reply: dict[str, Any], beside: dict[str, Any]) -> Facts:
    facts = _of_meta(beside)
    if reply["success"]:
        data = dict(reply["data"])
        warnings = [warning["message"] for warning in reply.get("warnings", ())]
        return facts | {"summary": data.pop("summary"), "data": data, "warnings": warnings}
    details = dict(reply["error"]["details"])
    facts |= {"code": details.pop("code"), "message": reply["error"]["message"]}
    problems = details.pop("problems", None)
    return facts | _of_details(details) | {"problems": problems}


def _of_meta(meta: dict[str, Any]) -> Facts:
    page = dict(meta.get("pagination") or {})
    if page:
        page.setdefault("cursor", None)
    return {
        "now_utc": meta["now_utc"],
        "duration_ms": meta["duration_ms"],
        "warnings": meta.get("warnings", []),
        "page": page,
        "telemetry": meta.get("telemetry"),
    }


def _of_details(details: dict[str, Any]) -> Facts:
    rest = dict(details)
    return {
        "retryable": rest.pop("retryable"),
        "next_action": rest.pop("next_action", None),
        "details": rest,
    }

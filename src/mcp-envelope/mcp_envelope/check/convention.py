"""What the conventions ask of any server: the parts that MUST be there, and the form of those that MAY be."""

import re
from collections.abc import Mapping
from typing import Any, Final

from mcp_envelope.check import rules
from mcp_envelope.check.rules import Broken
from mcp_envelope.errors import Code

_CODES: Final = tuple(code.value for code in Code)
_STATUSES: Final = ("ok", "partial", "failed")
_CONSTANT: Final = re.compile(r"[A-Z][A-Z0-9_]*")


def broken_in_summary(reply: Mapping[str, Any]) -> Broken:
    """`summary`, `data` and `meta`, or `error` and `meta`, and nothing else."""
    known = {"error", "meta"} if "error" in reply else {"summary", "data", "meta"}
    yield from rules.unknown_keys(reply, known, "the reply")
    yield from rules.broken_object(reply.get("meta"), "meta", lambda meta: rules.broken_times(meta, "meta"))
    if "error" in reply:
        yield from rules.broken_object(reply["error"], "error", _broken_summary_error)
        return
    if not rules.is_text(reply.get("summary")) or "\n" in reply["summary"]:
        yield "summary is not a line of text"
    yield from rules.broken_object(reply.get("data"), "data", _broken_summary_data)


def _broken_summary_error(error: Mapping[str, Any]) -> Broken:
    """The code is one of six words; in some of the page's examples a number, with the word in `data`."""
    yield from rules.broken_texts(error, "error", "message")
    code, data = error.get("code"), error.get("data")
    inner = data.get("code") if isinstance(data, Mapping) else None
    is_number = isinstance(code, int) and not isinstance(code, bool)
    if not (rules.is_one_of(code, _CODES) or (is_number and rules.is_one_of(inner, _CODES))):
        yield f"error.code, or error.data.code beside a number, must be one of: {', '.join(_CODES)}"
    if not rules.is_text(inner):
        yield "error.data.code is not a text"


def _broken_summary_data(data: Mapping[str, Any]) -> Broken:
    if "status" in data and not rules.is_one_of(data["status"], _STATUSES):
        yield f"data.status must be one of: {', '.join(_STATUSES)}"
    if data.get("status") == "partial" and not data.get("issues"):
        yield "data.status is partial, but there are no issues"
    if data.get("status", "ok") == "ok" and data.get("issues"):
        yield "there are issues, but data.status is not partial"
    without_status = {key: value for key, value in data.items() if key not in {"status", "issues"}}
    if "issues" in data:
        yield from rules.broken_issues(data["issues"], None)
    yield from rules.broken_data(without_status, None)


def broken_in_response_v2(reply: Mapping[str, Any]) -> Broken:
    """`success`, `data`, `error` and `meta`, always all four, and a version in `meta`."""
    known = ("success", "data", "error", "meta")
    yield from rules.unknown_keys(reply, known, "the reply")
    yield from (f"the reply has no {key}" for key in known if key not in reply)
    success, error = reply.get("success"), reply.get("error")
    if not isinstance(success, bool):
        yield "success is not true or false"
    if success is True and error is not None:
        yield "error of a success is not null"
    if success is False and not rules.is_text(error):
        yield "error of a failure is not a text"
    if not rules.is_object(reply.get("data")):
        yield "data is not an object"
    yield from rules.broken_object(reply.get("meta"), "meta", _broken_v2_meta)


def _broken_v2_meta(meta: Mapping[str, Any]) -> Broken:
    yield from rules.broken_texts(meta, "meta", "version")
    for key in ("request_id", "trace_id", "span_id"):
        if key in meta and not rules.is_text(meta[key]):
            yield f"meta.{key} is not a text"
    warnings = meta.get("warnings", [])
    if not isinstance(warnings, list) or not all(map(rules.is_text, warnings)):
        yield "meta.warnings is not an array of texts"
    parts = {
        "pagination": rules.broken_page,
        "rate_limit": rules.broken_rate_limit,
        "telemetry": lambda _value, _path: iter(()),
    }
    for key, check in parts.items():
        if meta.get(key) is not None:
            path = f"meta.{key}"
            yield from rules.broken_object(meta[key], path, lambda value, p=path, c=check: c(value, p))  # type: ignore[misc]


def broken_in_discriminated(reply: Mapping[str, Any]) -> Broken:
    """`success` decides: `data` and perhaps `warnings`, or `error` with code and message."""
    success = reply.get("success")
    if not isinstance(success, bool):
        yield "success is not true or false"
        return
    known = {"success", "data", "warnings"} if success else {"success", "error"}
    yield from rules.unknown_keys(reply, known, "the reply")
    if not success:
        yield from rules.broken_object(reply.get("error"), "error", _broken_registered_error)
        return
    if not rules.is_object(reply.get("data")):
        yield "data is not an object"
    warnings = reply.get("warnings", [])
    if not isinstance(warnings, list) or not all(map(rules.is_object, warnings)):
        yield "warnings is not an array of objects"


def _broken_registered_error(error: Mapping[str, Any]) -> Broken:
    """The decision's own example has a code that the registry lacks, so any constant is accepted here."""
    yield from rules.broken_texts(error, "error", "message")
    code = error.get("code")
    if not (isinstance(code, str) and _CONSTANT.fullmatch(code)):
        yield "error.code is not a constant in capitals"
    if "details" in error and not rules.is_object(error["details"]):
        yield "error.details is not an object"

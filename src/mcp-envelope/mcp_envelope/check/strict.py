"""What this library sends, beyond what the conventions ask: no unknown key, nothing said in two ways."""

from collections.abc import Mapping
from typing import Any, Final

from mcp_envelope.check import rules
from mcp_envelope.check.rules import Broken
from mcp_envelope.dialects.discriminated import BY_CODE, BY_REASON, REGISTRY
from mcp_envelope.dialects.response_v2 import ERROR_CODES, ERROR_TYPES, VERSION
from mcp_envelope.errors import Code

_CODES: Final = tuple(code.value for code in Code)
_RESERVED: Final = ("warnings", "pagination", "rate_limit", "telemetry")
_META_KEYS: Final = frozenset(
    {"version", "now_utc", "duration_ms", "request_id", "trace_id", "span_id", *_RESERVED}
)
_ERROR_KEYS: Final = frozenset({"code", "message", "data", "retryable", "details", "next_action"})
_ISSUE_CODES: Final = tuple(dict.fromkeys((*BY_CODE.values(), *BY_REASON.values())))


def broken_in_summary(reply: Mapping[str, Any]) -> Broken:
    """Every key of an error, both codes the same, and a whole `meta`."""
    if "error" in reply:
        yield from rules.broken_object(reply["error"], "error", _broken_summary_error)
    else:
        yield from rules.broken_object(
            reply.get("data"), "data", lambda data: rules.broken_data(data, _CODES)
        )
    meta = reply.get("meta")
    yield from rules.broken_object(meta, "meta", _broken_meta)
    if isinstance(meta, Mapping) and "error" not in reply:
        yield from rules.contradictions(reply.get("data"), meta.get("pagination"))


def _broken_summary_error(error: Mapping[str, Any]) -> Broken:
    yield from rules.unknown_keys(error, _ERROR_KEYS, "error")
    if error.get("data") != {"code": error.get("code")}:
        yield "error.data.code is not error.code"
    if not isinstance(error.get("retryable"), bool):
        yield "error.retryable is not true or false"
    yield from _broken_details(error.get("details"), "error.details")
    if "next_action" in error:
        yield from rules.broken_next_action(error["next_action"], "error.next_action")


def _broken_details(details: object, path: str) -> Broken:
    def check(value: Mapping[str, Any]) -> Broken:
        yield from rules.broken_texts(value, path, "reason")
        if "next_action" in value:
            yield from rules.broken_next_action(value["next_action"], f"{path}.next_action")

    yield from rules.broken_object(details, path, check)


def _broken_meta(meta: Mapping[str, Any]) -> Broken:
    yield from rules.unknown_keys(meta, _META_KEYS, "meta")
    yield from rules.broken_texts(meta, "meta", "version", "request_id")
    yield from rules.broken_times(meta, "meta")
    warnings = meta.get("warnings", ["-"])
    if not isinstance(warnings, list) or not warnings or not all(map(rules.is_text, warnings)):
        yield "meta.warnings is not an array of texts with at least one"
    checks = {
        "pagination": rules.broken_page,
        "rate_limit": rules.broken_rate_limit,
        "telemetry": rules.broken_telemetry,
    }
    for key, check in checks.items():
        if key in meta:
            path = f"meta.{key}"
            yield from rules.broken_object(meta[key], path, lambda value, p=path, c=check: c(value, p))  # type: ignore[misc]


def broken_in_response_v2(reply: Mapping[str, Any]) -> Broken:
    """Every reserved key, the codes of errors, and what is missing among the warnings."""
    data, meta = reply.get("data"), reply.get("meta")
    if isinstance(data, Mapping) and reply.get("success") is True:
        yield from rules.broken_texts(data, "data", "summary")
        yield from rules.broken_data(data, tuple(ERROR_CODES.values()))
        if isinstance(meta, Mapping):
            yield from rules.contradictions(data, meta.get("pagination"))
            yield from _untold(data.get("issues"), meta.get("warnings"), "meta.warnings")
    elif isinstance(data, Mapping):
        yield from _broken_failure(data)
    if isinstance(meta, Mapping):
        yield from _broken_v2_meta(meta)


def _untold(issues: object, warnings: object, path: str) -> Broken:
    """Every issue must be among the warnings, by its message."""
    if not (isinstance(issues, list) and isinstance(warnings, list)):
        return
    told = [each.get("message") if isinstance(each, Mapping) else each for each in warnings]
    for issue in issues:
        message = issue.get("message") if isinstance(issue, Mapping) else None
        if isinstance(message, str) and not any(message in each for each in told if isinstance(each, str)):
            yield f"{path} doesn't tell of every issue"
            return


def _broken_v2_meta(meta: Mapping[str, Any]) -> Broken:
    yield from (f"meta has no {key}" for key in _RESERVED if key not in meta)
    if meta.get("version") != VERSION:
        yield f"meta.version is not {VERSION}"
    telemetry = meta.get("telemetry")
    if not isinstance(telemetry, Mapping) or telemetry.get("duration_ms") != meta.get("duration_ms"):
        yield "meta.telemetry.duration_ms is not meta.duration_ms"
    yield from _broken_meta({key: each for key, each in meta.items() if each is not None and each != []})


def _broken_failure(data: Mapping[str, Any]) -> Broken:
    types = {ERROR_CODES[code]: ERROR_TYPES[code] for code in Code}
    code = data.get("error_code")
    if not (isinstance(code, str) and code in types):
        yield f"data.error_code must be one of: {', '.join(types)}"
    elif data.get("error_type") != types[code]:
        yield "data.error_type is not the type of its code"
    yield from rules.broken_texts(data, "data", "remediation")
    yield from _broken_details(data.get("details"), "data.details")
    if (code == ERROR_CODES[Code.INVALID_INPUT]) != ("validation_errors" in data):
        yield "data.validation_errors must be there if and only if the code is VALIDATION_ERROR"


def broken_in_discriminated(reply: Mapping[str, Any]) -> Broken:
    """`success` first, codes of the registry alone, and a warning for each issue."""
    if next(iter(reply), None) != "success":
        yield "the first key is not success"
    if reply.get("success") is False:
        yield from rules.broken_object(reply.get("error"), "error", _broken_registered_error)
        return
    data, warnings = reply.get("data"), reply.get("warnings", [])
    if isinstance(data, Mapping):
        yield from rules.broken_texts(data, "data", "summary")
        yield from rules.broken_data(data, _ISSUE_CODES)
        yield from _untold(data.get("issues"), warnings, "warnings")
    if "warnings" in reply and not warnings:
        yield "warnings is empty"
    for number, warning in enumerate(warnings if isinstance(warnings, list) else ()):
        if isinstance(warning, Mapping):
            yield from rules.broken_texts(warning, f"warnings[{number}]", "code", "message")


def _broken_registered_error(error: Mapping[str, Any]) -> Broken:
    yield from rules.unknown_keys(error, {"code", "message", "details"}, "error")
    if not rules.is_one_of(error.get("code"), REGISTRY):
        yield "error.code is not in the registry"
    yield from _broken_details(error.get("details"), "error.details")
    if isinstance(details := error.get("details"), Mapping):
        yield from rules.broken_texts(details, "error.details", "operation", "code")
        if error.get("code") == "INTERNAL_ERROR":
            yield from rules.broken_texts(details, "error.details", "request_id")

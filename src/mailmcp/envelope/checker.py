"""Checks any reply against the rules of a dialect, for tests and for authors of other servers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mailmcp.envelope import rules
from mailmcp.envelope.dialects.discriminated import REGISTRY
from mailmcp.envelope.dialects.names import Dialect
from mailmcp.envelope.dialects.response_v2 import ERROR_CODES, ERROR_TYPES, VERSION
from mailmcp.envelope.errors import Code

_META_KEYS = frozenset(
    {
        "version",
        "now_utc",
        "duration_ms",
        "request_id",
        "warnings",
        "pagination",
        "rate_limit",
        "telemetry",
        "trace_id",
        "span_id",
    }
)
_RESERVED = ("warnings", "pagination", "rate_limit", "telemetry")
"""Keys of `meta` that response-v2 always has, null when there is nothing to say."""


def check_reply(reply: object, dialect: Dialect) -> list[str]:
    """List every rule that a reply breaks; empty if it is in order.

    Args:
        reply: The envelope, as parsed from JSON.
        dialect: The shape it claims.
    """
    if not isinstance(reply, Mapping):
        return ["the reply is not an object"]
    return list(_CHECKS[dialect](reply))


def _check_summary(reply: Mapping[str, Any]) -> Iterator[str]:
    failed = "error" in reply
    known = frozenset({"error", "meta"} if failed else {"summary", "data", "meta"})
    yield from rules.unknown_keys(reply, known, "the reply")
    if failed:
        yield from _check_error(reply["error"])
    else:
        if not rules.is_text(reply.get("summary")):
            yield "summary is not a text"
        yield from _check_data(reply.get("data"))
    yield from _check_meta(reply.get("meta"))


def _check_data(data: Any) -> Iterator[str]:
    if not rules.is_object(data):
        yield "data is not an object"
        return
    yield from rules.broken_data(data)


def _check_error(error: Any) -> Iterator[str]:
    if not rules.is_object(error):
        yield "error is not an object"
        return
    known = frozenset({"code", "message", "retryable", "details", "next_action"})
    yield from rules.unknown_keys(error, known, "error")
    if not rules.is_one_of(error.get("code"), rules.CODES):
        yield "error.code is none of the six codes"
    if not rules.is_text(error.get("message")):
        yield "error.message is not a text"
    if not isinstance(error.get("retryable"), bool):
        yield "error.retryable is not true or false"
    yield from _check_details(error.get("details"), "error.details")
    if "next_action" in error:
        yield from rules.broken_next_action(error["next_action"], "error.next_action")


def _check_details(details: Any, path: str) -> Iterator[str]:
    if not rules.is_object(details):
        yield f"{path} is not an object"
        return
    if not rules.is_text(details.get("reason")):
        yield f"{path}.reason is not a text"
    if "next_action" in details:
        yield from rules.broken_next_action(details["next_action"], f"{path}.next_action")


def _check_meta(meta: Any) -> Iterator[str]:
    if not rules.is_object(meta):
        yield "meta is not an object"
        return
    yield from rules.unknown_keys(meta, _META_KEYS, "meta")
    for key in ("version", "request_id"):
        if not rules.is_text(meta.get(key)):
            yield f"meta.{key} is not a text"
    yield from rules.broken_times(meta, "meta")
    yield from _check_optional_meta({key: value for key, value in meta.items() if key in _RESERVED})


def _check_optional_meta(meta: Mapping[str, Any]) -> Iterator[str]:
    if "warnings" in meta:
        warnings = meta["warnings"]
        if not isinstance(warnings, list) or not warnings or not all(map(rules.is_text, warnings)):
            yield "meta.warnings is not an array of texts with at least one"
    if "pagination" in meta:
        yield from rules.broken_page(meta["pagination"], "meta.pagination")
    if "telemetry" in meta:
        yield from rules.broken_telemetry(meta["telemetry"], "meta.telemetry")


def _check_response_v2(reply: Mapping[str, Any]) -> Iterator[str]:
    known = frozenset({"success", "data", "error", "meta"})
    yield from rules.unknown_keys(reply, known, "the reply")
    yield from (f"the reply has no {key}" for key in sorted(known - reply.keys()))
    success, data, error = reply.get("success"), reply.get("data"), reply.get("error")
    if not isinstance(success, bool):
        yield "success is not true or false"
    if success is True and error is not None:
        yield "error of a success is not null"
    if success is False and not rules.is_text(error):
        yield "error of a failure is not a text"
    if not isinstance(data, Mapping):
        yield "data is not an object"
    elif success is True:
        yield from rules.broken_data(data)
    elif success is False:
        yield from _check_failure_data(data)
    yield from _check_v2_meta(reply.get("meta"))


def _check_failure_data(data: Mapping[str, Any]) -> Iterator[str]:
    codes = dict(zip(ERROR_CODES.values(), ERROR_TYPES.values(), strict=True))
    if not rules.is_one_of(data.get("error_code"), codes):
        yield "data.error_code is none of the six codes"
    elif data.get("error_type") != codes[data["error_code"]]:
        yield "data.error_type is not the type of its code"
    if not rules.is_text(data.get("remediation")):
        yield "data.remediation is not a text"
    yield from _check_details(data.get("details"), "data.details")
    if (data.get("error_code") == ERROR_CODES[Code.INVALID_INPUT]) != ("validation_errors" in data):
        yield "data.validation_errors must be there if and only if the code is VALIDATION_ERROR"


def _check_v2_meta(meta: Any) -> Iterator[str]:
    if not rules.is_object(meta):
        yield "meta is not an object"
        return
    yield from (f"meta has no {key}" for key in _RESERVED if key not in meta)
    if meta.get("version") != VERSION:
        yield f"meta.version is not {VERSION}"
    yield from _check_meta({key: value for key, value in meta.items() if value is not None})


def _check_discriminated(reply: Mapping[str, Any]) -> Iterator[str]:
    success = reply.get("success")
    if next(iter(reply), None) != "success" or not isinstance(success, bool):
        yield "the first key is not success, with true or false"
        return
    known = frozenset({"success", "data", "warnings"} if success else {"success", "error"})
    yield from rules.unknown_keys(reply, known, "the reply")
    if success:
        yield from _check_data(reply.get("data"))
    else:
        yield from _check_registered_error(reply.get("error"))
    if success and "warnings" in reply:
        yield from _check_notices(reply["warnings"])


def _check_registered_error(error: Any) -> Iterator[str]:
    if not rules.is_object(error):
        yield "error is not an object"
        return
    yield from rules.unknown_keys(error, frozenset({"code", "message", "details"}), "error")
    if not rules.is_one_of(error.get("code"), REGISTRY):
        yield "error.code is not in the registry"
    if not rules.is_text(error.get("message")):
        yield "error.message is not a text"
    if "details" in error:
        yield from _check_details(error["details"], "error.details")


def _check_notices(warnings: Any) -> Iterator[str]:
    if not isinstance(warnings, list) or not warnings:
        yield "warnings is not an array with at least one"
        return
    for number, warning in enumerate(warnings):
        if not (
            rules.is_object(warning)
            and rules.is_text(warning.get("code"))
            and rules.is_text(warning.get("message"))
        ):
            yield f"warnings[{number}] is not an object with code and message"


_CHECKS: dict[Dialect, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    Dialect.SUMMARY: _check_summary,
    Dialect.RESPONSE_V2: _check_response_v2,
    Dialect.DISCRIMINATED: _check_discriminated,
}

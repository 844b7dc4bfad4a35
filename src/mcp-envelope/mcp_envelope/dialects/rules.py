"""The rules that several dialects share.

Each `check_` function yields a sentence for every rule that its part of a reply breaks. It accepts any
JSON and never raises. Paths are written as `data.issues[0].code`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec

from mcp_envelope.outcome import Status

RESERVED_META_KEYS: Final = ("warnings", "pagination", "rate_limit", "telemetry")
"""Keys of `meta` that `response-v2` always has, and `summary` only when there is something to say."""

_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_RFC3339_MS_Z: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_META_KEYS: Final = frozenset(
    {"version", "now_utc", "duration_ms", "request_id", "trace_id", "span_id", *RESERVED_META_KEYS}
)
_RATE_LIMIT_KEYS: Final = frozenset({"limit", "remaining", "reset_at", "retry_after_seconds"})

Violations = Iterator[str]
"""A sentence for each broken rule."""

OptionsP = ParamSpec("OptionsP")


def is_object(value: object) -> bool:
    """Return whether a JSON value is an object."""
    return isinstance(value, Mapping)


def is_count(value: object) -> bool:
    """Return whether a JSON value is an integer from 0; `true` isn't."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_string(value: object) -> bool:
    """Return whether a JSON value is a non-empty string."""
    return isinstance(value, str) and value != ""


def is_one_of(value: object, allowed: Collection[str]) -> bool:
    """Return whether a JSON value is one of some strings."""
    return isinstance(value, str) and value in allowed


def is_time(value: object) -> bool:
    """Return whether a JSON value is a time with an offset (RFC 3339 section 5.6)."""
    return isinstance(value, str) and _RFC3339.fullmatch(value) is not None


def of_object(
    check: Callable[Concatenate[Mapping[str, Any], str, OptionsP], Violations],
) -> Callable[Concatenate[object, str, OptionsP], Violations]:
    """Make the check of an object at a path accept any value: anything else is a violation."""

    @wraps(check)
    def checked(value: object, path: str, /, *args: OptionsP.args, **options: OptionsP.kwargs) -> Violations:
        if isinstance(value, Mapping):
            yield from check(value, path, *args, **options)
        else:
            yield f"{path} is not an object"

    return checked


def check_strings(value: Mapping[str, Any], path: str, *keys: str) -> Violations:
    """Require non-empty strings under some keys."""
    yield from (f"{path}.{key} is not a non-empty string" for key in keys if not is_string(value.get(key)))


def check_keys(value: Mapping[str, Any], known: Collection[str], path: str) -> Violations:
    """Allow only known keys, so that a misspelt one is noticed."""
    yield from (f"{path} has the unknown key {key!r}" for key in value if key not in known)


@of_object
def check_times(meta: Mapping[str, Any], path: str) -> Violations:
    """Require `now_utc` in RFC 3339, in UTC with milliseconds, and `duration_ms` in whole milliseconds."""
    now = meta.get("now_utc")
    if not (isinstance(now, str) and _RFC3339_MS_Z.fullmatch(now)):
        yield f"{path}.now_utc is not a time in UTC with milliseconds and Z"
    if not is_count(meta.get("duration_ms")):
        yield f"{path}.duration_ms is not a whole number of milliseconds"


@of_object
def check_page(page: Mapping[str, Any], path: str) -> Violations:
    """Require a cursor if and only if there is more; the total may be unknown."""
    if not isinstance(page.get("has_more"), bool):
        yield f"{path}.has_more is not a boolean"
    elif page["has_more"] != is_string(page.get("cursor")):
        yield f"{path}: has_more must be true if and only if there is a cursor"
    if page.get("total_count") is not None and not is_count(page["total_count"]):
        yield f"{path}.total_count is not a count"
    if not is_count(page.get("page_size")) or page["page_size"] == 0:
        yield f"{path}.page_size is not a whole number from 1"


@of_object
def check_rate_limit(limit: Mapping[str, Any], path: str) -> Violations:
    """Require counts and a time; what is unknown is null or absent."""
    yield from check_keys(limit, _RATE_LIMIT_KEYS, path)
    for key in ("limit", "remaining", "retry_after_seconds"):
        if limit.get(key) is not None and not is_count(limit[key]):
            yield f"{path}.{key} is not a count"
    if limit.get("reset_at") is not None and not is_time(limit["reset_at"]):
        yield f"{path}.reset_at is not a time"


@of_object
def check_telemetry(telemetry: Mapping[str, Any], path: str) -> Violations:
    """Allow only counts and booleans."""
    for key, value in telemetry.items():
        if not (is_count(value) or isinstance(value, bool)):
            yield f"{path}.{key} is neither a count nor a boolean"


@of_object
def check_next_action(action: Mapping[str, Any], path: str) -> Violations:
    """Require a tool and its arguments, so that the action can be sent as it is."""
    yield from check_keys(action, {"instruction", "tool", "arguments"}, path)
    yield from check_strings(action, path, "instruction", "tool")
    if not is_object(action.get("arguments")):
        yield f"{path}.arguments is not an object"


def check_issues(issues: object, codes: Collection[str] | None) -> Violations:
    """Require an array of objects with code, stage, message and `retryable`; `codes` are the allowed ones."""
    if not isinstance(issues, list):
        yield "data.issues is not an array"
        return
    for number, issue in enumerate(issues):
        yield from _check_issue(issue, f"data.issues[{number}]", codes)


@of_object
def _check_issue(issue: Mapping[str, Any], path: str, codes: Collection[str] | None) -> Violations:
    yield from check_strings(issue, path, "code", "stage", "message")
    if codes is not None and not is_one_of(issue.get("code"), codes):
        yield f"{path}.code must be one of: {', '.join(codes)}"
    if not isinstance(issue.get("retryable"), bool):
        yield f"{path}.retryable is not a boolean"
    if "reason" in issue and not is_string(issue["reason"]):
        yield f"{path}.reason is not a non-empty string"
    yield from (f"{path}.{key} is null" for key, value in issue.items() if value is None)


def check_data(data: Mapping[str, Any], codes: Collection[str] | None) -> Violations:
    """Require that status, issues, counts, coverage and cursor agree."""
    if "status" in data or "issues" in data:
        yield from _check_status(data, codes)
    if "attempted" in data or "returned" in data:
        yield from _check_counts(data)
    if "has_more" in data or "next_cursor" in data:
        if not isinstance(data.get("has_more"), bool):
            yield "data.has_more is not a boolean"
        elif data["has_more"] != is_string(data.get("next_cursor")):
            yield "data: has_more must be true if and only if there is a next_cursor"
    if "next_action" in data:
        yield from check_next_action(data["next_action"], "data.next_action")


def _check_status(data: Mapping[str, Any], codes: Collection[str] | None) -> Violations:
    if not is_one_of(data.get("status"), tuple(Status)):
        yield "data.status of a success must be ok or partial"
    if (data.get("status") == "partial") != bool(data.get("issues")):
        yield "data.status must be partial if and only if there are issues"
    yield from check_issues(data.get("issues"), codes)
    coverage = data.get("coverage")
    if data.get("issues") and isinstance(coverage, Mapping) and coverage.get("complete") is True:
        yield "data.coverage can't be complete when there are issues"


def _check_counts(data: Mapping[str, Any]) -> Violations:
    counts = [data.get(key) for key in ("attempted", "returned", "failed")]
    if not all(map(is_count, counts)):
        yield "data: attempted, returned and failed must be counts"
        return
    attempted, returned, failed = (int(count or 0) for count in counts)
    if attempted != returned + failed:
        yield "data: attempted is not the sum of returned and failed"
    if isinstance(data.get("issues"), list) and failed > len(data["issues"]):
        yield "data.failed is more than the number of issues"
    lists = [each for key, each in data.items() if key != "issues" and isinstance(each, list)]
    if lists and returned not in map(len, lists):
        yield "data has no array of data.returned items"


def check_page_agreement(data: Any, page: Any) -> Violations:
    """Require that `data` and `meta.pagination` agree, and that neither is alone."""
    in_data = is_object(data) and "has_more" in data
    if in_data != is_object(page):
        yield "meta.pagination and data.has_more must be present together"
    elif in_data and (data.get("next_cursor"), data["has_more"]) != (
        page.get("cursor"),
        page.get("has_more"),
    ):
        yield "meta.pagination contradicts data.next_cursor or data.has_more"


@of_object
def check_details(details: Mapping[str, Any], path: str) -> Violations:
    """Require a reason, and a next action that can be sent if there is one."""
    yield from check_strings(details, path, "reason")
    if "next_action" in details:
        yield from check_next_action(details["next_action"], f"{path}.next_action")


@of_object
def check_meta(meta: Mapping[str, Any], path: str) -> Violations:
    """Require the whole `meta` that this library sends; what is empty is absent."""
    yield from check_keys(meta, _META_KEYS, path)
    yield from check_strings(meta, path, "version", "request_id")
    yield from check_times(meta, path)
    warnings = meta.get("warnings", ["-"])
    if not isinstance(warnings, list) or not warnings or not all(map(is_string, warnings)):
        yield f"{path}.warnings is not a non-empty array of strings"
    checks = {
        "pagination": check_page,
        "rate_limit": check_rate_limit,
        "telemetry": check_telemetry,
    }
    for key, check in checks.items():
        if key in meta:
            yield from check(meta[key], f"{path}.{key}")


def check_issue_warnings(issues: object, warnings: object, path: str) -> Violations:
    """Require a warning with the message of each issue."""
    if not (isinstance(issues, list) and isinstance(warnings, list)):
        return
    texts = [each.get("message") if isinstance(each, Mapping) else each for each in warnings]
    for issue in issues:
        message = issue.get("message") if isinstance(issue, Mapping) else None
        if isinstance(message, str) and not any(message in each for each in texts if isinstance(each, str)):
            yield f"{path} doesn't mention every issue"
            return

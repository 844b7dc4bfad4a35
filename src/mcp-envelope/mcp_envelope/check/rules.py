"""The rules for parts of a reply that the dialects share.

Each function yields a sentence for every rule that its part breaks, and never raises, whatever JSON it is
given. Paths are written as `data.issues[0].code`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from mcp_envelope.outcome import Status

_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_RFC3339_MS_Z: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_RATE_LIMIT_KEYS: Final = frozenset({"limit", "remaining", "reset_at", "retry_after_seconds"})

Broken = Iterator[str]
"""A sentence for each broken rule."""


def is_object(value: object) -> bool:
    """Return whether a JSON value is an object."""
    return isinstance(value, Mapping)


def is_count(value: object) -> bool:
    """Return whether a JSON value is an integer from 0; `true` isn't."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_text(value: object) -> bool:
    """Return whether a JSON value is a string that isn't empty."""
    return isinstance(value, str) and value != ""


def is_one_of(value: object, allowed: Collection[str]) -> bool:
    """Return whether a JSON value is one of some strings."""
    return isinstance(value, str) and value in allowed


def is_moment(value: object) -> bool:
    """Return whether a JSON value is a time with its offset (RFC 3339 section 5.6)."""
    return isinstance(value, str) and _RFC3339.fullmatch(value) is not None


def broken_object(value: object, path: str, check: Callable[[Mapping[str, Any]], Broken]) -> Broken:
    """Check an object by `check`; anything else breaks the rule that it be one."""
    if isinstance(value, Mapping):
        yield from check(value)
    else:
        yield f"{path} is not an object"


def broken_texts(value: Mapping[str, Any], path: str, *keys: str) -> Broken:
    """Some keys must have texts."""
    yield from (f"{path}.{key} is not a text" for key in keys if not is_text(value.get(key)))


def unknown_keys(value: Mapping[str, Any], known: Collection[str], path: str) -> Broken:
    """Only known keys are allowed, so that a misspelt one is noticed."""
    yield from (f"{path} has the unknown key {key!r}" for key in value if key not in known)


def broken_times(meta: Mapping[str, Any], path: str) -> Broken:
    """`now_utc` is RFC 3339 in UTC with milliseconds, `duration_ms` whole milliseconds."""
    now = meta.get("now_utc")
    if not (isinstance(now, str) and _RFC3339_MS_Z.fullmatch(now)):
        yield f"{path}.now_utc is not a time in UTC with milliseconds and Z"
    if not is_count(meta.get("duration_ms")):
        yield f"{path}.duration_ms is not a whole number of milliseconds"


def broken_page(page: Mapping[str, Any], path: str) -> Broken:
    """There is more if and only if there is a cursor to get it with; the total may be unknown."""
    if not isinstance(page.get("has_more"), bool):
        yield f"{path}.has_more is not true or false"
    elif page["has_more"] != is_text(page.get("cursor")):
        yield f"{path}: has_more and the presence of a cursor differ"
    if page.get("total_count") is not None and not is_count(page["total_count"]):
        yield f"{path}.total_count is not a count"
    if not is_count(page.get("page_size")) or page["page_size"] == 0:
        yield f"{path}.page_size is not a whole number from 1"


def broken_rate_limit(limit: Mapping[str, Any], path: str) -> Broken:
    """Counts are counts, `reset_at` is a time; what is unknown is null or absent."""
    yield from unknown_keys(limit, _RATE_LIMIT_KEYS, path)
    for key in ("limit", "remaining", "retry_after_seconds"):
        if limit.get(key) is not None and not is_count(limit[key]):
            yield f"{path}.{key} is not a count"
    if limit.get("reset_at") is not None and not is_moment(limit["reset_at"]):
        yield f"{path}.reset_at is not a time"


def broken_telemetry(telemetry: Mapping[str, Any], path: str) -> Broken:
    """Counts and flags, and nothing else."""
    for key, value in telemetry.items():
        if not (is_count(value) or isinstance(value, bool)):
            yield f"{path}.{key} is neither a count nor true or false"


def broken_next_action(action: object, path: str) -> Broken:
    """A next action can be sent as it is: it names a tool and has the arguments."""

    def check(value: Mapping[str, Any]) -> Broken:
        yield from unknown_keys(value, {"instruction", "tool", "arguments"}, path)
        yield from broken_texts(value, path, "instruction", "tool")
        if not is_object(value.get("arguments")):
            yield f"{path}.arguments is not an object"

    yield from broken_object(action, path, check)


def broken_issues(issues: object, codes: Collection[str] | None) -> Broken:
    """An array of objects with code, stage, message and `retryable`; `codes` are those allowed, if any."""
    if not isinstance(issues, list):
        yield "data.issues is not an array"
        return
    for number, issue in enumerate(issues):
        path = f"data.issues[{number}]"
        yield from broken_object(issue, path, lambda value, path=path: _broken_issue(value, path, codes))  # type: ignore[misc]


def _broken_issue(issue: Mapping[str, Any], path: str, codes: Collection[str] | None) -> Broken:
    yield from broken_texts(issue, path, "code", "stage", "message")
    if codes is not None and not is_one_of(issue.get("code"), codes):
        yield f"{path}.code must be one of: {', '.join(codes)}"
    if not isinstance(issue.get("retryable"), bool):
        yield f"{path}.retryable is not true or false"
    if "reason" in issue and not is_text(issue["reason"]):
        yield f"{path}.reason is not a text"
    yield from (f"{path}.{key} is null" for key, value in issue.items() if value is None)


def broken_data(data: Mapping[str, Any], codes: Collection[str] | None) -> Broken:
    """Partial if and only if there are issues; counts and coverage agree; a cursor goes with `has_more`."""
    if "status" in data or "issues" in data:
        yield from _broken_status(data, codes)
    if "attempted" in data or "returned" in data:
        yield from _broken_counts(data)
    if "has_more" in data or "next_cursor" in data:
        if not isinstance(data.get("has_more"), bool):
            yield "data.has_more is not true or false"
        elif data["has_more"] != is_text(data.get("next_cursor")):
            yield "data: has_more and the presence of next_cursor differ"
    if "next_action" in data:
        yield from broken_next_action(data["next_action"], "data.next_action")


def _broken_status(data: Mapping[str, Any], codes: Collection[str] | None) -> Broken:
    if not is_one_of(data.get("status"), tuple(Status)):
        yield "data.status of a success is neither ok nor partial"
    if (data.get("status") == "partial") != bool(data.get("issues")):
        yield "data.status must be partial if and only if there are issues"
    yield from broken_issues(data.get("issues"), codes)
    coverage = data.get("coverage")
    if data.get("issues") and isinstance(coverage, Mapping) and coverage.get("complete") is True:
        yield "data.coverage must not be complete where there are issues"


def _broken_counts(data: Mapping[str, Any]) -> Broken:
    counts = [data.get(key) for key in ("attempted", "returned", "failed")]
    if not all(map(is_count, counts)):
        yield "data: attempted, returned and failed are not three counts"
        return
    attempted, returned, failed = (int(count or 0) for count in counts)
    if attempted != returned + failed:
        yield "data: attempted is not the sum of returned and failed"
    if isinstance(data.get("issues"), list) and failed > len(data["issues"]):
        yield "data: more failed than there are issues"
    lists = [each for key, each in data.items() if key != "issues" and isinstance(each, list)]
    if lists and returned not in map(len, lists):
        yield "data: there is no array with as many items as were returned"


def contradictions(data: Any, page: Any) -> Broken:
    """What `data` and the pagination both say must agree, and neither says it alone."""
    in_data = is_object(data) and "has_more" in data
    if in_data != is_object(page):
        yield "pagination and data.has_more must be there together"
    elif in_data and (data.get("next_cursor"), data["has_more"]) != (
        page.get("cursor"),
        page.get("has_more"),
    ):
        yield "pagination contradicts data.next_cursor or data.has_more"

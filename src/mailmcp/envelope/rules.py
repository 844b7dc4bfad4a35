"""The rules for the parts of a reply that the dialects share; also those that a schema cannot say.

Each function yields a sentence for every rule that its part breaks. Paths are written
as `data.issues[0].code`.
"""

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from mailmcp.envelope.errors import Code
from mailmcp.envelope.outcome import Status

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
CODES = frozenset(code.value for code in Code)
_STATUSES = frozenset(status.value for status in Status)

Path = str


def is_object(value: object) -> bool:
    """Tell whether a JSON value is an object."""
    return isinstance(value, Mapping)


def is_count(value: object) -> bool:
    """Tell whether a JSON value is an integer from 0; `true` is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_text(value: object) -> bool:
    """Tell whether a JSON value is a string that is not empty."""
    return isinstance(value, str) and value != ""


def is_one_of(value: object, names: Container[str]) -> bool:
    """Tell whether a JSON value is one of these strings; it may be anything, also what has no hash."""
    return isinstance(value, str) and value in names


def unknown_keys(value: Mapping[str, Any], known: frozenset[str], path: Path) -> Iterator[str]:
    """Only known keys, so that a misspelt one is noticed."""
    for key in value:
        if key not in known:
            yield f"{path} has the unknown key {key!r}"


def broken_times(meta: Mapping[str, Any], path: Path) -> Iterator[str]:
    """Time stamps are RFC 3339 in UTC with milliseconds; durations whole milliseconds."""
    now = meta.get("now_utc")
    if not (isinstance(now, str) and _UTC.fullmatch(now)):
        yield f"{path}.now_utc is not a time in UTC with milliseconds and Z"
    if not is_count(meta.get("duration_ms")):
        yield f"{path}.duration_ms is not a whole number of milliseconds"


def broken_page(page: Any, path: Path) -> Iterator[str]:
    """There is more if and only if there is a cursor to get it with."""
    if not is_object(page):
        yield f"{path} is not an object"
        return
    if not isinstance(page.get("has_more"), bool):
        yield f"{path}.has_more is not true or false"
    elif page["has_more"] != is_text(page.get("cursor")):
        yield f"{path}: has_more and the presence of a cursor differ"
    if not is_count(page.get("total_count")):
        yield f"{path}.total_count is not a count"
    if not is_count(page.get("page_size")) or page["page_size"] == 0:
        yield f"{path}.page_size is not a whole number from 1"


def broken_telemetry(telemetry: Any, path: Path) -> Iterator[str]:
    """Counts are counts, flags are flags, and there is nothing else."""
    if not is_object(telemetry):
        yield f"{path} is not an object"
        return
    for key, value in telemetry.items():
        if not (is_count(value) or isinstance(value, bool)):
            yield f"{path}.{key} is neither a count nor true or false"


def broken_next_action(action: Any, path: Path) -> Iterator[str]:
    """A next action can be sent as it is: it names a tool and has the arguments."""
    if not is_object(action):
        yield f"{path} is not an object"
        return
    yield from unknown_keys(action, frozenset({"instruction", "tool", "arguments"}), path)
    for key in ("instruction", "tool"):
        if not is_text(action.get(key)):
            yield f"{path}.{key} is not a text"
    if not is_object(action.get("arguments")):
        yield f"{path}.arguments is not an object"


def broken_data(data: Mapping[str, Any]) -> Iterator[str]:
    """Partial if and only if there are issues; counts, coverage, cursor and `has_more` agree with that."""
    if "status" in data or "issues" in data:
        yield from _broken_status(data)
    if "attempted" in data or "returned" in data:
        yield from _broken_counts(data)
    if "has_more" in data and data["has_more"] is not is_text(data.get("next_cursor")):
        yield "data: has_more and the presence of next_cursor differ"
    if "next_action" in data:
        yield from broken_next_action(data["next_action"], "data.next_action")


def _broken_status(data: Mapping[str, Any]) -> Iterator[str]:
    status, issues = data.get("status"), data.get("issues")
    if not is_one_of(status, _STATUSES):
        yield "data.status of a success is neither ok nor partial"
    if not isinstance(issues, list):
        yield "data.issues is not an array"
        return
    if (status == "partial") != bool(issues):
        yield "data.status must be partial if and only if there are issues"
    coverage = data.get("coverage")
    if issues and isinstance(coverage, Mapping) and coverage.get("complete") is True:
        yield "data.coverage must not be complete where there are issues"
    for number, issue in enumerate(issues):
        yield from _broken_issue(issue, f"data.issues[{number}]")


def _broken_issue(issue: Any, path: Path) -> Iterator[str]:
    if not is_object(issue):
        yield f"{path} is not an object"
        return
    if not is_one_of(issue.get("code"), CODES):
        yield f"{path}.code is none of the six codes"
    for key in ("stage", "message"):
        if not is_text(issue.get(key)):
            yield f"{path}.{key} is not a text"
    if not isinstance(issue.get("retryable"), bool):
        yield f"{path}.retryable is not true or false"
    yield from (f"{path}.{key} is null" for key, value in issue.items() if value is None)


def _broken_counts(data: Mapping[str, Any]) -> Iterator[str]:
    counts = [data.get(key) for key in ("attempted", "returned", "failed")]
    if not all(map(is_count, counts)):
        yield "data: attempted, returned and failed are not three counts"
        return
    attempted, returned, failed = (int(count or 0) for count in counts)
    if attempted != returned + failed:
        yield "data: attempted is not returned and failed together"
    if isinstance(data.get("issues"), list) and failed > len(data["issues"]):
        yield "data: there is no issue for each of those that failed"
    lists = [each for key, each in data.items() if key != "issues" and isinstance(each, list)]
    if lists and returned not in map(len, lists):
        yield "data: there is no array with as many items as were returned"

"""Replies that follow each convention, and each broken in one place, with what the probe must say."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp_envelope import Dialect

Reply = dict[str, Any]

_META = {"now_utc": "2026-11-05T09:30:00.123Z", "duration_ms": 12}
_ISSUE = {"code": "lost", "stage": "shelf", "message": "Gone.", "retryable": True, "row": 3}
_LIMIT = {"limit": 9, "remaining": 0, "reset_at": "2026-11-05T09:30:00Z", "retry_after_seconds": None}

SUCCESSES: dict[Dialect, Reply] = {
    Dialect.SUMMARY: {
        "summary": "1 of 2 books",
        "data": {
            "status": "partial",
            "issues": [_ISSUE],
            "attempted": 2,
            "returned": 1,
            "failed": 1,
            "books": ["Emma"],
            "next_cursor": "c",
            "has_more": True,
            "next_action": {"instruction": "Go on.", "tool": "none", "arguments": {}},
        },
        "meta": _META,
    },
    Dialect.RESPONSE_V2: {
        "success": True,
        "data": {"books": ["Emma"]},
        "error": None,
        "meta": {
            "version": "response-v2",
            "request_id": "r",
            "warnings": ["careful"],
            "pagination": {"cursor": "c", "has_more": True, "total_count": 5, "page_size": 2},
            "rate_limit": _LIMIT,
            "telemetry": {},
        },
    },
    Dialect.DISCRIMINATED: {
        "success": True,
        "data": {"books": ["Emma"]},
        "warnings": [{"message": "careful"}],
    },
}
FAILURES: dict[Dialect, Reply] = {
    Dialect.SUMMARY: {
        "error": {"code": "not_found", "message": "No book.", "data": {"code": "not_found"}},
        "meta": _META,
    },
    Dialect.RESPONSE_V2: {
        "success": False,
        "data": {},
        "error": "No book.",
        "meta": {"version": "response-v2"},
    },
    Dialect.DISCRIMINATED: {
        "success": False,
        "error": {"code": "NOT_FOUND_RESOURCE", "message": "No book.", "details": {}},
    },
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, by a reply that breaks it."""

    dialect: Dialect
    reply: Reply
    says: str


def _of(
    dialect: Dialect, good: dict[Dialect, Reply], table: list[tuple[str, Callable[[Reply], object]]]
) -> list[Rule]:
    rules = []
    for says, break_ in table:
        reply = copy.deepcopy(good[dialect])
        break_(reply)
        rules.append(Rule(dialect, reply, says))
    return rules


RULES = [
    *_of(
        Dialect.SUMMARY,
        SUCCESSES,
        [
            ("the reply has the unknown key 'extra'", lambda r: r.update(extra=1)),
            ("meta is not an object", lambda r: r.pop("meta")),
            ("meta.now_utc is not a time", lambda r: r["meta"].update(now_utc="today")),
            ("meta.duration_ms is not a whole", lambda r: r["meta"].update(duration_ms=1.5)),
            ("summary is not a single line of text", lambda r: r.update(summary="two\nlines")),
            ("data is not an object", lambda r: r.update(data=[])),
            ("data.status must be one of", lambda r: r["data"].update(status="done")),
            ("but there are no issues", lambda r: r["data"].update(issues=[])),
            ("data.status is not partial", lambda r: r["data"].update(status="ok")),
            ("data.issues is not an array", lambda r: r["data"].update(issues="lost")),
            ("data.issues[0] is not an object", lambda r: r["data"].update(issues=["lost"])),
            ("issues[0].stage is not a non-empty string", lambda r: r["data"]["issues"][0].pop("stage")),
            ("issues[0].retryable is not a boolean", lambda r: r["data"]["issues"][0].pop("retryable")),
            (
                "data.issues[0].reason is not a non-empty string",
                lambda r: r["data"]["issues"][0].update(reason=1),
            ),
            ("data.issues[0].row is null", lambda r: r["data"]["issues"][0].update(row=None)),
            ("must be counts", lambda r: r["data"].pop("failed")),
            ("attempted is not the sum", lambda r: r["data"].update(attempted=3)),
            ("no array of data.returned items", lambda r: r["data"].update(books=[])),
            ("data.has_more is not a boolean", lambda r: r["data"].pop("has_more")),
            ("if and only if there is a next_cursor", lambda r: r["data"].pop("next_cursor")),
            ("data.next_action is not an object", lambda r: r["data"].update(next_action="Go on.")),
            ("next_action.tool is not a non-empty string", lambda r: r["data"]["next_action"].pop("tool")),
            ("next_action.arguments is not an", lambda r: r["data"]["next_action"].pop("arguments")),
        ],
    ),
    *_of(
        Dialect.SUMMARY,
        FAILURES,
        [
            ("error is not an object", lambda r: r.update(error="no")),
            ("error.message is not a non-empty string", lambda r: r["error"].pop("message")),
            ("must be one of: invalid_input", lambda r: r["error"].update(code="oops")),
            ("error.data.code is not a non-empty string", lambda r: r["error"].pop("data")),
        ],
    ),
    *_of(
        Dialect.RESPONSE_V2,
        SUCCESSES,
        [
            ("the reply has the unknown key 'extra'", lambda r: r.update(extra=1)),
            ("the reply has no data", lambda r: r.pop("data")),
            ("the reply has no error", lambda r: r.pop("error")),
            ("the reply has no meta", lambda r: r.pop("meta")),
            ("success is not a boolean", lambda r: r.update(success="yes")),
            ("error of a success is not null", lambda r: r.update(error="no")),
            ("data is not an object", lambda r: r.update(data=[])),
            ("meta.version is not a non-empty string", lambda r: r["meta"].pop("version")),
            ("meta.request_id is not a non-empty string", lambda r: r["meta"].update(request_id=7)),
            ("meta.warnings is not an array of strings", lambda r: r["meta"].update(warnings=None)),
            ("meta.pagination is not an object", lambda r: r["meta"].update(pagination=[1])),
            ("has_more is not a boolean", lambda r: r["meta"]["pagination"].pop("has_more")),
            ("if and only if there is a cursor", lambda r: r["meta"]["pagination"].update(has_more=False)),
            ("total_count is not a count", lambda r: r["meta"]["pagination"].update(total_count="5")),
            ("page_size is not a whole number", lambda r: r["meta"]["pagination"].update(page_size=0)),
            ("meta.rate_limit is not an object", lambda r: r["meta"].update(rate_limit="nonsense")),
            ("rate_limit has the unknown key", lambda r: r["meta"]["rate_limit"].update(left=3)),
            ("rate_limit.remaining is not a count", lambda r: r["meta"]["rate_limit"].update(remaining=-1)),
            ("rate_limit.reset_at is not a time", lambda r: r["meta"]["rate_limit"].update(reset_at="soon")),
            ("meta.telemetry is not an object", lambda r: r["meta"].update(telemetry=[1])),
        ],
    ),
    *_of(
        Dialect.RESPONSE_V2,
        FAILURES,
        [("error of a failure is not a non-empty string", lambda r: r.update(error={"message": "No book."}))],
    ),
    *_of(
        Dialect.DISCRIMINATED,
        SUCCESSES,
        [
            ("success is not a boolean", lambda r: r.update(success=1)),
            ("the reply has the unknown key 'meta'", lambda r: r.update(meta={})),
            ("data is not an object", lambda r: r.update(data="Emma")),
            ("warnings is not an array of objects", lambda r: r.update(warnings=["careful"])),
        ],
    ),
    *_of(
        Dialect.DISCRIMINATED,
        FAILURES,
        [
            ("the reply has the unknown key 'data'", lambda r: r.update(data={})),
            ("error is not an object", lambda r: r.update(error="no")),
            ("error.message is not a non-empty string", lambda r: r["error"].pop("message")),
            ("is not in upper case", lambda r: r["error"].update(code="not_found")),
            ("error.details is not an object", lambda r: r["error"].update(details="no")),
        ],
    ),
]

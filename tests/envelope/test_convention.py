"""What the conventions ask of replies of anybody's server."""

from typing import Any

import pytest

from mcp_envelope import Dialect, check_reply
from mcp_envelope.check.checker import Mode

Reply = dict[str, Any]

TIMES = {"now_utc": "2026-11-05T09:30:00.123Z", "duration_ms": 12}

GOOD_ELSEWHERE: list[tuple[Dialect, Reply]] = [
    (Dialect.SUMMARY, {"summary": "2 books", "data": {"books": ["a", "b"]}, "meta": {**TIMES}}),
    (
        Dialect.SUMMARY,
        {
            "summary": "1 book",
            "data": {
                "status": "partial",
                "issues": [
                    {"code": "lost", "stage": "shelf", "message": "Gone.", "retryable": True, "row": 3}
                ],
                "attempted": 2,
                "returned": 1,
                "failed": 1,
                "books": ["a"],
                "has_more": False,
            },
            "meta": {**TIMES},
        },
    ),
    (
        Dialect.SUMMARY,
        {"error": {"code": -32002, "message": "No book.", "data": {"code": "not_found"}}, "meta": {**TIMES}},
    ),
    (
        Dialect.SUMMARY,
        {"error": {"code": "timeout", "message": "Late.", "data": {"code": "timeout"}}, "meta": {**TIMES}},
    ),
    (Dialect.RESPONSE_V2, {"success": True, "data": {}, "error": None, "meta": {"version": "response-v2"}}),
    (
        Dialect.RESPONSE_V2,
        {
            "success": True,
            "data": {"books": []},
            "error": None,
            "meta": {
                "version": "response-v2",
                "request_id": "r",
                "trace_id": "t",
                "warnings": ["3 books skipped"],
                "pagination": {"cursor": "c", "has_more": True, "total_count": 5, "page_size": 2},
                "rate_limit": {
                    "limit": 9,
                    "remaining": 0,
                    "reset_at": "2026-11-05T09:30:00Z",
                    "retry_after_seconds": None,
                },
                "telemetry": {"duration_ms": 1, "shelves": 2, "cache_hit": True},
            },
        },
    ),
    (
        Dialect.RESPONSE_V2,
        {"success": False, "data": {}, "error": "No book.", "meta": {"version": "response-v2"}},
    ),
    (Dialect.DISCRIMINATED, {"success": True, "data": {"books": []}}),
    (Dialect.DISCRIMINATED, {"success": True, "data": {}, "warnings": [{"text": "careful"}]}),
    (Dialect.DISCRIMINATED, {"success": False, "error": {"code": "VALIDATION_ERROR", "message": "No."}}),
    (
        Dialect.DISCRIMINATED,
        {
            "success": False,
            "error": {"code": "PERMISSION_DENIED", "message": "No.", "details": {"operation": "burn"}},
        },
    ),
]
"""Of the forms that the conventions' own examples have."""


@pytest.mark.parametrize(("dialect", "reply"), GOOD_ELSEWHERE)
def test_replies_of_other_servers_follow_the_convention(dialect: Dialect, reply: Reply) -> None:
    assert check_reply(reply, dialect, Mode.CONVENTION) == []
    assert check_reply(reply, dialect) != [] or "summary" in reply


@pytest.mark.parametrize(("dialect", "reply"), GOOD_ELSEWHERE)
def test_each_key_they_must_have_is_missed(dialect: Dialect, reply: Reply) -> None:
    for key in reply:
        if key in {"warnings"}:
            continue
        assert check_reply({name: reply[name] for name in reply if name != key}, dialect, Mode.CONVENTION), (
            key
        )
    values: tuple[object, ...] = (None, 7, "text", [], {"x": 1})
    for value in values:
        for key in set(reply) - {"data", "error"}:
            if type(value) is not type(reply[key]) or value == {"x": 1}:
                assert check_reply(reply | {key: value}, dialect, Mode.CONVENTION), (key, value)
    assert check_reply(reply | {"extra": 1}, dialect, Mode.CONVENTION)

"""What the conventions ask of replies of anybody's server."""

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from envelope.samples import ERRORS, ISSUE, Shelf, meta_of
from mcp_envelope import Dialect, Outcome, Page, check_reply
from mcp_envelope.check import Mode, is_failure
from mcp_envelope.dialects.registry import shape_of

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


@pytest.mark.parametrize("dialect", Dialect)
def test_every_dialect_has_a_success_and_a_failure_of_another_server(dialect: Dialect) -> None:
    replies = [reply for each, reply in GOOD_ELSEWHERE if each is dialect]
    assert {is_failure(reply) for reply in replies} == {True, False}


@pytest.mark.parametrize(("dialect", "reply"), GOOD_ELSEWHERE)
def test_replies_of_other_servers_follow_the_convention(dialect: Dialect, reply: Reply) -> None:
    assert check_reply(reply, dialect, Mode.CONVENTION) == []
    assert check_reply(reply, dialect) != [] or "summary" in reply


def shipped(dialect: Dialect) -> jsonschema.Draft202012Validator:
    """The schema for people who don't write Python."""
    text = (resources.files("mcp_envelope") / "schemas" / f"{dialect.value}.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(("dialect", "reply"), GOOD_ELSEWHERE)
def test_the_shipped_schema_agrees_with_the_checker(dialect: Dialect, reply: Reply) -> None:
    validator = shipped(dialect)
    validator.validate(reply)
    for key in set(reply) - {"warnings"}:
        assert not validator.is_valid({name: reply[name] for name in reply if name != key}), key
    assert not validator.is_valid(reply | {"extra": 1})
    assert [each for each in Dialect if shipped(each).is_valid(reply)] == [dialect]


@pytest.mark.parametrize("dialect", Dialect)
def test_the_shipped_schema_accepts_what_the_library_sends(dialect: Dialect) -> None:
    shape, validator = shape_of(dialect), shipped(dialect)
    for error in ERRORS:
        validator.validate(shape.failure(error, meta_of()))
    outcome = Outcome(summary="s", data=Shelf(books=[]), issues=(ISSUE,), page=Page(page_size=1, cursor="c"))
    validator.validate(shape.success(outcome, meta_of(), has_status=True))


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

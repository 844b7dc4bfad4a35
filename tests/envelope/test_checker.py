"""The rules of every dialect: good replies break none, and a reply that is broken in one place breaks one."""

import copy
import json
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from envelope.samples import ACTION, ERRORS, ISSUE, Shelf, meta_of
from mcp_envelope import Dialect, Outcome, Page, check_reply
from mcp_envelope.check import Mode, check_result, is_failure
from mcp_envelope.dialects.registry import shape_of

Reply = dict[str, Any]
Breaking = Callable[[Reply], object]

OUTCOME = Outcome(
    summary="One of two books",
    data=Shelf(books=["a"]),
    issues=(ISSUE,),
    warnings=("careful",),
    page=Page(page_size=10, total_count=2, cursor="c"),
    next_action=ACTION,
)


META = meta_of(telemetry={"look_ups": 1, "bytes_received": 2, "cache_hit": False})


def good(dialect: Dialect) -> Reply:
    reply = copy.deepcopy(shape_of(dialect).success(OUTCOME, META, has_status=True))
    reply["data"] |= {"attempted": 2, "returned": 1, "failed": 1}
    return reply


def bad(dialect: Dialect, error: int = 0) -> Reply:
    return copy.deepcopy(shape_of(dialect).failure(ERRORS[error], meta_of()))


@pytest.mark.parametrize("dialect", Dialect)
def test_good_replies_break_no_rule(dialect: Dialect) -> None:
    assert check_reply(good(dialect), dialect) == []
    assert [check_reply(bad(dialect, number), dialect) for number in range(len(ERRORS))] == [[]] * len(ERRORS)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("reply", [None, [], "text", 7, {}])
def test_what_is_no_reply_at_all(dialect: Dialect, reply: object) -> None:
    assert check_reply(reply, dialect)


ANYTHING: list[object] = [
    None,
    True,
    1,
    -1,
    10**400,
    1.5,
    float("nan"),
    "",
    "text",
    "\ud83d",
    [],
    [[]],
    [{}],
    {},
    {"": []},
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def replaced(value: Any, other: object) -> Iterator[Any]:
    """Make of a JSON value all that differ in one place, where something else is instead."""
    yield other
    if isinstance(value, dict):
        for key, each in value.items():
            yield from (value | {key: changed} for changed in replaced(each, other))
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from ([*value[:number], changed, *value[number + 1 :]] for changed in replaced(each, other))


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("other", ANYTHING, ids=repr)
def test_whatever_is_in_any_place_of_a_reply_it_is_judged(dialect: Dialect, other: object) -> None:
    replies = [good(dialect), *(bad(dialect, number) for number in range(len(ERRORS)))]
    for reply in replies:
        for changed in replaced(reply, other):
            for mode in Mode:
                assert all(type(rule) is str for rule in check_reply(changed, dialect, mode))


@given(reply=json_values, dialect=st.sampled_from(Dialect))
@example(reply={"error": {"code": []}, "meta": {}}, dialect=Dialect.SUMMARY)
def test_any_json_is_judged(reply: object, dialect: Dialect) -> None:
    for mode in Mode:
        assert check_reply(reply, dialect, mode)
        assert check_result(reply, dialect, mode)


DATA: list[tuple[str, Breaking]] = [
    ("partial without issues", lambda r: r["data"].update(issues=[], failed=0, attempted=1)),
    ("ok with issues", lambda r: r["data"].update(status="ok")),
    ("failed is no success", lambda r: r["data"].update(status="failed")),
    ("issues is no array", lambda r: r["data"].update(issues=None)),
    ("an issue is no object", lambda r: r["data"].update(issues=["gone"])),
    ("an issue of no known code", lambda r: r["data"]["issues"][0].update(code="gone")),
    ("an issue without stage", lambda r: r["data"]["issues"][0].pop("stage")),
    ("an issue that may or may not be retried", lambda r: r["data"]["issues"][0].pop("retryable")),
    ("an issue with a null", lambda r: r["data"]["issues"][0].update(message_id=None)),
    ("counts that do not add up", lambda r: r["data"].update(attempted=3)),
    ("counts that are none", lambda r: r["data"].update(returned="1")),
    ("a count of true", lambda r: r["data"].update(failed=True)),
    ("more failures than issues", lambda r: r["data"].update(failed=2, attempted=3)),
    ("fewer items than returned", lambda r: r["data"].update(books=[])),
    ("more without cursor", lambda r: r["data"].pop("next_cursor")),
    ("cursor without more", lambda r: r["data"].update(has_more=False)),
    ("more that is no flag", lambda r: r["data"].update(has_more=1)),
    ("a next action without tool", lambda r: r["data"]["next_action"].pop("tool")),
    ("a next action without arguments", lambda r: r["data"]["next_action"].update(arguments=None)),
    ("a next action that is none", lambda r: r["data"].update(next_action="go")),
    ("a cursor without has_more", lambda r: r["data"].pop("has_more")),
    ("an issue whose reason is no text", lambda r: r["data"]["issues"][0].update(reason=7)),
    ("a next action with more", lambda r: r["data"]["next_action"].update(why="so")),
    ("data is no object", lambda r: r.update(data=[])),
    ("an unknown key at the root", lambda r: r.update(extra=1)),
]


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(("what", "break_"), DATA, ids=[what for what, _ in DATA])
def test_rules_of_data(dialect: Dialect, what: str, break_: Breaking) -> None:
    reply = good(dialect)
    break_(reply)
    assert check_reply(reply, dialect), what


META_RULES: list[tuple[str, Breaking]] = [
    ("no meta", lambda r: r.pop("meta")),
    ("meta is no object", lambda r: r.update(meta=[])),
    ("no version", lambda r: r["meta"].pop("version")),
    ("no request id", lambda r: r["meta"].pop("request_id")),
    ("local time", lambda r: r["meta"].update(now_utc="2026-11-05T10:30:00.123+01:00")),
    ("no milliseconds", lambda r: r["meta"].update(now_utc="2026-11-05T09:30:00Z")),
    ("a duration of text", lambda r: r["meta"].update(duration_ms="12")),
    ("a negative duration", lambda r: r["meta"].update(duration_ms=-1)),
    ("an unknown key", lambda r: r["meta"].update(extra=1)),
    ("warnings that are lost", lambda r: r["meta"].update(warnings=[])),
    ("a warning that is no text", lambda r: r["meta"].update(warnings=[{"message": "m"}])),
    ("more without cursor", lambda r: r["meta"]["pagination"].update(cursor=None)),
    ("cursor without more", lambda r: r["meta"]["pagination"].update(has_more=False)),
    ("more that is no flag", lambda r: r["meta"]["pagination"].update(has_more=1)),
    ("pages of none", lambda r: r["meta"]["pagination"].update(page_size=0)),
    ("a total of text", lambda r: r["meta"]["pagination"].update(total_count="2")),
    ("pagination is no object", lambda r: r["meta"].update(pagination=[1])),
    ("another cursor than data's", lambda r: r["meta"]["pagination"].update(cursor="d")),
    ("no pagination, though data has pages", lambda r: r["meta"].update(pagination=None)),
    ("a rate limit of text", lambda r: r["meta"].update(rate_limit="nonsense")),
    ("a rate limit of unknown keys", lambda r: r["meta"].update(rate_limit={"left": 3})),
    ("a negative wait", lambda r: r["meta"].update(rate_limit={"retry_after_seconds": -1})),
    ("a reset at no time", lambda r: r["meta"].update(rate_limit={"reset_at": "soon"})),
    ("telemetry is no object", lambda r: r["meta"].update(telemetry=[1])),
    ("a negative count", lambda r: r["meta"]["telemetry"].update(bytes_received=-2)),
    ("a count of any name that is text", lambda r: r["meta"]["telemetry"].update(look_ups="1")),
]


@pytest.mark.parametrize("dialect", [each for each in Dialect if "meta" in shape_of(each).success_keys])
@pytest.mark.parametrize(("what", "break_"), META_RULES, ids=[what for what, _ in META_RULES])
def test_rules_of_meta(dialect: Dialect, what: str, break_: Breaking) -> None:
    reply = good(dialect)
    break_(reply)
    assert check_reply(reply, dialect), what


SUCCESSES: list[tuple[Dialect, str, Breaking]] = [
    (Dialect.SUMMARY, "no summary", lambda r: r.pop("summary")),
    (Dialect.SUMMARY, "an error beside", lambda r: r.update(error=bad(Dialect.SUMMARY)["error"])),
    (Dialect.RESPONSE_V2, "an error beside", lambda r: r.update(error="no")),
    (Dialect.RESPONSE_V2, "no error key", lambda r: r.pop("error")),
    (Dialect.RESPONSE_V2, "success of text", lambda r: r.update(success="yes")),
    (Dialect.RESPONSE_V2, "another version", lambda r: r["meta"].update(version="mailmcp/1")),
    (Dialect.RESPONSE_V2, "null for warnings", lambda r: r["meta"].update(warnings=None)),
    (Dialect.RESPONSE_V2, "a missing duration", lambda r: r["meta"]["telemetry"].pop("duration_ms")),
    (
        Dialect.RESPONSE_V2,
        "an issue's code of ours",
        lambda r: r["data"]["issues"][0].update(code="not_found"),
    ),
    (
        Dialect.DISCRIMINATED,
        "an issue's code of ours",
        lambda r: r["data"]["issues"][0].update(code="not_found"),
    ),
    (Dialect.DISCRIMINATED, "no warning of an issue", lambda r: r["warnings"].pop()),
    (Dialect.RESPONSE_V2, "no reserved key", lambda r: r["meta"].pop("rate_limit")),
    (Dialect.DISCRIMINATED, "no success", lambda r: r.pop("success")),
    (Dialect.DISCRIMINATED, "success of 1", lambda r: r.update(success=1)),
    (Dialect.DISCRIMINATED, "a meta", lambda r: r.update(meta={})),
    (Dialect.DISCRIMINATED, "warnings of text", lambda r: r.update(warnings=["careful"])),
    (Dialect.DISCRIMINATED, "no warnings in warnings", lambda r: r.update(warnings=[])),
]


@pytest.mark.parametrize(("dialect", "what", "break_"), SUCCESSES)
def test_rules_of_one_dialect(dialect: Dialect, what: str, break_: Breaking) -> None:
    reply = good(dialect)
    break_(reply)
    assert check_reply(reply, dialect), what


@pytest.mark.parametrize("dialect", Dialect)
def test_every_dialect_has_rules_of_its_own_in_these_tables(dialect: Dialect) -> None:
    assert dialect in {each for each, _, _ in SUCCESSES}
    assert dialect in {each for each, _, _ in FAILURES}


def test_success_comes_first_in_discriminated() -> None:
    reply = good(Dialect.DISCRIMINATED)
    late = {"data": reply["data"], "success": True}
    assert check_reply(late, Dialect.DISCRIMINATED)


FAILURES: list[tuple[Dialect, str, Breaking]] = [
    (Dialect.SUMMARY, "another code", lambda r: r["error"].update(code="oops")),
    (Dialect.SUMMARY, "no message", lambda r: r["error"].update(message="")),
    (Dialect.SUMMARY, "no data", lambda r: r["error"].pop("data")),
    (Dialect.SUMMARY, "another code in data", lambda r: r["error"].update(data={"code": "conflict"})),
    (Dialect.SUMMARY, "a code that is a list", lambda r: r["error"].update(code=[])),
    (Dialect.SUMMARY, "no retryable", lambda r: r["error"].pop("retryable")),
    (Dialect.SUMMARY, "no reason", lambda r: r["error"]["details"].pop("reason")),
    (Dialect.SUMMARY, "details of text", lambda r: r["error"].update(details="no")),
    (Dialect.SUMMARY, "an unknown key", lambda r: r["error"].update(stack="…")),
    (Dialect.SUMMARY, "error of text", lambda r: r.update(error="no")),
    (Dialect.SUMMARY, "a broken next action", lambda r: r["error"].update(next_action={})),
    (Dialect.RESPONSE_V2, "error of object", lambda r: r.update(error={"message": "no"})),
    (Dialect.RESPONSE_V2, "another code", lambda r: r["data"].update(error_code="oops")),
    (Dialect.RESPONSE_V2, "another type", lambda r: r["data"].update(error_type="internal")),
    (Dialect.RESPONSE_V2, "no remedy", lambda r: r["data"].pop("remediation")),
    (Dialect.RESPONSE_V2, "no fields", lambda r: r["data"].pop("validation_errors")),
    (Dialect.RESPONSE_V2, "data is null", lambda r: r.update(data=None)),
    (Dialect.DISCRIMINATED, "a code of ours", lambda r: r["error"].update(code="invalid_input")),
    (Dialect.DISCRIMINATED, "no message", lambda r: r["error"].pop("message")),
    (Dialect.DISCRIMINATED, "no operation", lambda r: r["error"]["details"].pop("operation")),
    (Dialect.DISCRIMINATED, "error of text", lambda r: r.update(error="no")),
    (Dialect.DISCRIMINATED, "warnings beside failure", lambda r: r.update(warnings=[])),
    (Dialect.DISCRIMINATED, "data beside failure", lambda r: r.update(data={})),
    (Dialect.DISCRIMINATED, "a broken next action", lambda r: r["error"]["details"].update(next_action=1)),
]


@pytest.mark.parametrize(("dialect", "what", "break_"), FAILURES)
def test_rules_of_failures(dialect: Dialect, what: str, break_: Breaking) -> None:
    reply = bad(dialect)
    break_(reply)
    assert check_reply(reply, dialect), what


def test_an_internal_error_has_its_request_id() -> None:
    reply = bad(Dialect.DISCRIMINATED, error=8)
    del reply["error"]["details"]["request_id"]
    assert check_reply(reply, Dialect.DISCRIMINATED) == ["error.details.request_id is not a non-empty string"]


def result(envelope: object, **changes: object) -> Reply:
    return {
        "content": [{"type": "text", "text": "t"}],
        "structuredContent": envelope,
        "isError": False,
        **changes,
    }


@pytest.mark.parametrize("dialect", Dialect)
def test_a_result_carries_its_envelope_and_says_whether_it_failed(dialect: Dialect) -> None:
    assert check_result(result(good(dialect)), dialect) == []
    assert check_result(result(bad(dialect), isError=True), dialect) == []
    assert check_result(result(bad(dialect)), dialect) == ["isError contradicts the envelope"]
    assert check_result(result(good(dialect), isError=None), dialect) == ["isError is missing"]
    assert check_result(result(good(dialect), content=[]), dialect)[0].startswith("content has no text")
    assert check_result(result(None), dialect) == ["the reply is not an object"]


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

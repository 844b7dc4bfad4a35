"""Any outcome and any error, in every dialect: nothing is lost, in the structured content or in the text."""

import json
from base64 import b64decode
from dataclasses import replace
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from mcp_types import EmbeddedResource, ImageContent, TextContent

from envelope.facts import facts_of
from envelope.samples import ACTION, TRACE, Reason, Shelf, errors, meta_of, outcomes, telemetries, traces
from mcp_envelope import (
    ConflictError,
    DeadlineError,
    Dialect,
    Embedded,
    InternalError,
    NotFoundError,
    Outcome,
    ToolError,
    Untrusted,
    check_reply,
)
from mcp_envelope.dialects import shape_of
from mcp_envelope.markdown import one_line
from mcp_envelope.render import make_result
from mcp_envelope.schema import JsonObject, compact_schema
from mcp_envelope.values import data_schema, rate_limit_value

PLAIN = Outcome(summary="Two books", data=Shelf(books=["a", "b"]))


@cache
def published(dialect: Dialect, *, pages: bool = True) -> JsonObject:
    schema = shape_of(dialect).schema(data_schema(compact_schema(Shelf), has_status=True, pages=pages))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"  # else clients of the older era drop the whole list of tools
    return schema


def assert_sound(envelope: dict[str, Any] | None, dialect: Dialect, *, pages: bool) -> None:
    through_json = json.loads(json.dumps(envelope))
    assert check_reply(through_json, dialect) == []
    jsonschema.validate(through_json, published(dialect, pages=pages))


def reply_to(result: Outcome[Any] | ToolError, dialect: Dialect) -> dict[str, Any]:
    return make_result(result, meta_of(), dialect=dialect).structured_content or {}


@given(outcome=outcomes, telemetry=telemetries, trace=traces)
def test_every_fact_of_an_outcome_is_found_again(
    outcome: Outcome[Shelf], telemetry: dict[str, int], trace: dict[str, str]
) -> None:
    meta = meta_of(telemetry=telemetry, trace=trace)
    results = {dialect: make_result(outcome, meta, dialect=dialect) for dialect in Dialect}
    found = [facts_of(result, dialect) for dialect, result in results.items()]
    assert [each for each in found if each != found[0]] == []
    for dialect, result in results.items():
        assert_sound(result.structured_content, dialect, pages=outcome.page is not None)
        assert_text_is_complete(outcome, result.content[0])
        references = {key.partition("/")[2]: value for key, value in (result.meta or {}).items()}
        assert outcome.references.items() <= references.items()
    data = found[0]["data"]
    assert data["summary"] == one_line(outcome.summary)
    assert data["books"] == outcome.data.books
    assert data["status"] == ("partial" if outcome.issues else "ok")
    for issue, value in zip(outcome.issues, data["issues"], strict=True):
        assert {key: each for key, each in issue.about.items() if each is not None}.items() <= value.items()
        assert None not in value.values()
        assert (value["message"], value.get("reason")) == (issue.message, issue.reason)
    assert found[0]["warnings"] == list(outcome.warnings)
    assert found[0]["telemetry"] == telemetry
    assert (data.get("next_action") is None) == (outcome.next_action is None)
    if outcome.page is not None:
        assert (data.get("next_cursor"), data["has_more"]) == (outcome.page.cursor, outcome.page.has_more)
        assert found[0]["page"].get("total_count") == outcome.page.total_count
    if outcome.rate_limit is not None:
        assert found[0]["rate_limit"] == rate_limit_value(outcome.rate_limit, meta)


def assert_text_is_complete(outcome: Outcome[Shelf], content: object) -> None:
    assert isinstance(content, TextContent)
    lines = content.text
    assert one_line(outcome.summary) in lines
    for block in outcome.blocks:
        assert (block.text if isinstance(block, Untrusted) else one_line(block, indented=True)) in lines
    assert all(one_line(issue.message) in lines for issue in outcome.issues)
    assert all(one_line(warning) in lines for warning in outcome.warnings)
    if outcome.next_action is not None:
        assert one_line(outcome.next_action.instruction) in lines


@given(error=errors, trace=traces)
def test_every_fact_of_an_error_is_found_again(error: ToolError, trace: dict[str, str]) -> None:
    meta = meta_of(trace=trace)
    results = {dialect: make_result(error, meta, dialect=dialect) for dialect in Dialect}
    found = [facts_of(result, dialect) for dialect, result in results.items()]
    assert [each for each in found if each != found[0]] == []
    for dialect, result in results.items():
        assert result.is_error
        assert_sound(result.structured_content, dialect, pages=False)
        content = result.content[0]
        assert isinstance(content, TextContent)
        spelled = shape_of(dialect).spell(error.code, error.reason)
        assert content.text.startswith(f"Error `{spelled}` ({error.reason.value}): {one_line(error.message)}")
        assert ("may succeed" in content.text) == error.retryable
    assert found[0]["message"] == error.message
    assert found[0]["retryable"] is error.retryable
    assert found[0]["details"]["reason"] == error.reason.value
    assert (found[0]["next_action"] is None) == (error.next_action is None)
    if error.resource is not None:
        assert found[0]["details"]["resource_id"] == error.resource.id
    if error.rate_limit is not None:
        assert found[0]["rate_limit"] == rate_limit_value(error.rate_limit, meta)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (NotFoundError("x", reason=Reason.GONE), "List or search again, and use an id from that reply."),
        (DeadlineError("x", reason=Reason.GONE), "Send the same request again later."),
        (ConflictError("x", reason=Reason.GONE, next_action=ACTION), "Go on."),
        (InternalError("x", reason=Reason.GONE, retryable=True), "Send the same request again later."),
        (InternalError("x", reason=Reason.GONE), "Look into the server's log."),
    ],
)
def test_an_error_says_what_to_do_where_its_dialect_asks_for_it(error: ToolError, remedy: str) -> None:
    """How codes are spelled is in the generated part of docs/envelope-reference.md."""
    assert reply_to(error, Dialect.RESPONSE_V2)["data"]["remediation"] == remedy


def test_references_have_the_prefix_of_the_version_and_the_envelope_itself_can_be_the_text() -> None:
    outcome = replace(PLAIN, references={"shelf_id": "7"})
    result = make_result(outcome, meta_of(trace=TRACE), dialect=Dialect.SUMMARY, json_text=True)
    own = {"version": "shelf/1", "request_id": "0123456789abcdef", **TRACE, "shelf_id": "7"}
    assert result.meta == {f"shelf/{key}": value for key, value in own.items()}
    assert json.loads(getattr(result.content[0], "text", "")) == result.structured_content


def test_a_checked_picture_comes_as_an_image_and_anything_else_as_a_blob() -> None:
    files = (
        Embedded(uri="shelf:1", content_type="image/png", octets=b"\x89PNG", is_image=True),
        Embedded(uri="shelf:3", content_type="image/png", octets=b"not checked"),
        Embedded(uri="shelf:4", content_type="text/plain", octets=b"\xff"),
    )
    _, *contents = make_result(replace(PLAIN, embedded=files), meta_of(), dialect=Dialect.SUMMARY).content
    assert isinstance(contents[0], ImageContent)
    assert b64decode(contents[0].data) == b"\x89PNG"
    for file, content in zip(files[1:], contents[1:], strict=True):
        assert isinstance(content, EmbeddedResource)
        assert (content.resource.uri, content.resource.mime_type) == (file.uri, file.content_type)
        assert b64decode(getattr(content.resource, "blob", "")) == file.octets

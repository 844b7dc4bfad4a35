"""The three dialects beside each other: the same facts, each by its own rules and its own schema."""

import json
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from envelope.facts import facts_of
from envelope.samples import ERRORS, Shelf, meta_of, outcomes, telemetries, traces
from mcp_envelope import Dialect, Meta, Outcome, ToolError, Trace, check_reply
from mcp_envelope.dialects.registry import shape_of
from mcp_envelope.schema import JsonObject, compact_schema


@cache
def published(dialect: Dialect) -> JsonObject:
    return shape_of(dialect).schema(compact_schema(Shelf), has_status=True)


def through_json(value: JsonObject) -> dict[str, Any]:
    """What a client sees of it."""
    parsed = json.loads(json.dumps(value))
    assert isinstance(parsed, dict)
    return parsed


@given(outcome=outcomes, telemetry=telemetries, trace=traces)
def test_an_outcome_says_the_same_in_every_dialect(
    outcome: Outcome[Shelf], telemetry: dict[str, int] | None, trace: Trace | None
) -> None:
    """There and back: what each reply says is what the outcome said."""
    plain = meta_of(outcome, telemetry=telemetry)
    meta = Meta(
        now=plain.now,
        duration_ms=plain.duration_ms,
        request_id=plain.request_id,
        warnings=plain.warnings,
        page=plain.page,
        telemetry=telemetry,
        trace=trace,
    )
    found = []
    for dialect in Dialect:
        shape = shape_of(dialect)
        reply = through_json(shape.success(outcome, meta))
        assert check_reply(reply, dialect) == []
        jsonschema.validate(reply, published(dialect))
        found.append(facts_of(reply, shape.meta_beside(meta), dialect))
    assert found[0] == found[1] == found[2]
    assert found[0]["summary"] == outcome.summary
    assert found[0]["data"]["books"] == outcome.data.books
    assert found[0]["data"]["status"] == ("partial" if outcome.issues else "ok")
    assert [issue["message"] for issue in found[0]["data"]["issues"]] == [
        issue.message for issue in outcome.issues
    ]
    assert found[0]["warnings"] == list(outcome.warnings)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{error.code}-{error.reason}")
def test_an_error_says_the_same_in_every_dialect(error: ToolError) -> None:
    found = []
    for dialect in Dialect:
        shape = shape_of(dialect)
        reply = through_json(shape.failure(error, meta_of()))
        assert check_reply(reply, dialect) == []
        jsonschema.validate(reply, published(dialect))
        found.append(facts_of(reply, shape.meta_beside(meta_of()), dialect))
    assert found[0] == found[1] == found[2]
    assert found[0]["code"] == error.code.value
    assert found[0]["message"] == error.message
    assert found[0]["retryable"] is error.retryable
    assert found[0]["details"]["reason"] == error.reason.value
    assert (found[0]["next_action"] is None) == (error.next_action is None)


@pytest.mark.parametrize("dialect", Dialect)
def test_the_schema_refuses_a_reply_that_is_success_and_failure_at_once(dialect: Dialect) -> None:
    shape = shape_of(dialect)
    outcome = Outcome(summary="Two books", data=Shelf(books=["a", "b"]))
    both = shape.success(outcome, meta_of()) | {"error": shape.failure(ERRORS[4], meta_of())["error"]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(both, published(dialect))
    assert check_reply(both, dialect)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("key", ["extra", "result"])
def test_the_schema_refuses_unknown_root_keys(dialect: Dialect, key: str) -> None:
    outcome = Outcome(summary="Two books", data=Shelf(books=["a", "b"]))
    reply = shape_of(dialect).success(outcome, meta_of()) | {key: 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply, published(dialect))
    assert any(key in rule for rule in check_reply(reply, dialect))


@pytest.mark.parametrize("dialect", Dialect)
def test_the_root_is_an_object_with_a_choice(dialect: Dialect) -> None:
    """Clients of the older era drop the whole list of tools for a root without `type: object`."""
    schema = published(dialect)
    assert schema["type"] == "object"
    assert len(schema["oneOf"]) == 2
    jsonschema.Draft202012Validator.check_schema(schema)

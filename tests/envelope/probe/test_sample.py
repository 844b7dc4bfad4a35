"""Arguments made from input schemas, whatever these are like."""

from typing import Any

import pytest

from mcp_envelope.probe.sample import FORMATS, UnmakeableError, fits, make_arguments, make_mistyped

Schema = dict[str, Any]


def of(schema: object, **root: Any) -> Schema:
    """Write the schema of a tool with one required argument."""
    return {"type": "object", "properties": {"x": schema}, "required": ["x"], **root}


LEAF = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": "a"}, "a"),
        ({"type": "string", "default": "d", "examples": ["e"]}, "d"),
        ({"enum": ["red", "blue"]}, "red"),
        ({"type": "string", "examples": ["Emma"]}, "Emma"),
        ({"type": "string"}, "a"),
        ({"type": "string", "minLength": 3}, "aaa"),
        ({"type": "string", "pattern": "^[0-9]{4}$"}, "0001"),
        *(({"type": "string", "format": name}, value) for name, value in FORMATS.items()),
        ({"type": "string", "format": "unheard of"}, "a"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "maximum": -5}, -5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "integer", "multipleOf": 7, "minimum": 1}, 7),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["null", "string"]}, "a"),
        ({"type": "array", "items": {"type": "integer"}}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        (LEAF, {"n": 1}),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 1),
        ({"oneOf": [{"not": {}}, {"type": "boolean"}]}, False),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "aa"),
    ],
)
def test_a_value_is_made_that_the_schema_allows(schema: Schema, value: object) -> None:
    made = make_arguments(of(schema), {})["x"]
    assert (made, type(made)) == (value, type(value))


def test_definitions_of_the_same_document_are_followed() -> None:
    schema = of({"$ref": "#/$defs/a~1b"}, **{"$defs": {"a/b": LEAF}})
    assert make_arguments(schema, {}) == {"x": {"n": 1}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({}, "names no type"),
        (True, "any value"),
        ({"type": "string", "pattern": "^97[89]-[0-9]{10}$"}, r"its pattern is \^97"),
        ({"type": "string", "minLength": 10**9}, "minLength is beyond"),
        ({"type": "array", "minItems": 10**9, "items": {"type": "null"}}, "minItems is beyond"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "no number"),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "another document"),
        ({"$ref": "#/properties/x"}, "too deeply"),
        ({"anyOf": [{"$ref": "file:///etc/passwd"}]}, "none of its alternatives"),
        ({"type": "string", "enum": [1]}, "doesn't satisfy"),
        ({"type": "nonsense"}, "names no type"),
    ],
)
def test_what_cannot_be_made_is_said(schema: object, why: str) -> None:
    with pytest.raises(UnmakeableError, match=why):
        make_arguments(of(schema), {})


def test_optional_arguments_are_left_out() -> None:
    assert make_arguments({"properties": {"x": {"type": "string"}}}, {"x": "y"}) == {}


def test_a_value_of_another_reply_is_sent_if_it_fits() -> None:
    schema = of({"type": "string", "pattern": "^T-"})
    assert make_arguments(schema, {"x": "T-7"}) == {"x": "T-7"}
    with pytest.raises(UnmakeableError):
        make_arguments(schema, {"x": 7})


@pytest.mark.parametrize(
    ("schema", "mistyped"),
    [
        (of({"type": "string"}), {"x": {"mistyped": True}}),
        (of({"type": "object"}), {"x": "mistyped"}),
        (of({}), None),
        ({"type": "object"}, None),
    ],
)
def test_one_argument_gets_a_type_that_it_cannot_have(schema: Schema, mistyped: object) -> None:
    assert make_mistyped(schema, {}) == mistyped


@pytest.mark.parametrize(
    "schema",
    [
        7,
        {"type": 7},
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"type": "nonsense"},
        {"$id": 7, "type": "object"},
        {"pattern": "("},
        {"minLength": "x"},
        {"required": 7},
    ],
)
def test_a_schema_that_cannot_be_read_is_satisfied_by_nothing(schema: Any) -> None:
    assert not fits(
        "text" if schema != {"required": 7} else {}, schema, schema if isinstance(schema, dict) else {}
    )

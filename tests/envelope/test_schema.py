import json
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mcp_envelope.schema import compact_schema, object_schema


class Inner(BaseModel):
    """For programmers."""

    title: str
    count: int | None = None


class Outer(BaseModel):
    """For programmers too."""

    inner: Inner = Field(description="What is inside.")
    many: list[Inner] = []
    word: str = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    flag: bool = False
    kind: Literal["a", "b"] = "a"
    either: int | str | None = None


def test_nothing_is_said_that_a_reader_does_not_need() -> None:
    text = json.dumps(compact_schema(Outer, mode="validation"))
    assert "$defs" not in text
    assert "$ref" not in text
    assert '"null"' not in text
    assert "For programmers" not in text
    assert '"default": ""' not in text


def test_what_a_reader_needs_stays() -> None:
    properties = compact_schema(Outer, mode="validation")["properties"]
    assert properties["limit"] == {"default": 10, "maximum": 100, "minimum": 1, "type": "integer"}
    assert properties["kind"] == {"default": "a", "enum": ["a", "b"], "type": "string"}
    assert properties["word"] == {"type": "string"}
    assert properties["inner"]["description"] == "What is inside."


def test_a_property_called_title_is_no_title() -> None:
    inner = compact_schema(Outer)["properties"]["inner"]
    assert inner["properties"] == {"title": {"type": "string"}, "count": {"type": "integer"}}


def test_a_real_choice_stays_a_choice() -> None:
    assert [each["type"] for each in compact_schema(Outer)["properties"]["either"]["anyOf"]][:2] == [
        "integer",
        "string",
    ]


def test_an_object_is_closed_unless_said_otherwise() -> None:
    assert object_schema({"a": {}}, required=("a",))["additionalProperties"] is False
    assert "additionalProperties" not in object_schema({}, required=(), closed=False)


class Leaf(BaseModel):
    """One of two kinds."""

    kind: Literal["leaf"]


class Tree(BaseModel):
    """A model inside itself."""

    kind: Literal["tree"]
    children: list[Annotated["Tree | Leaf", Field(discriminator="kind")]]


def test_a_model_inside_itself_is_published_once() -> None:
    schema = compact_schema(Tree)
    inner, leaf = schema["properties"]["children"]["items"]["oneOf"]
    assert leaf["properties"]["kind"]["const"] == "leaf"
    assert inner == {"type": "object"}
    assert "$ref" not in json.dumps(schema)
    assert "discriminator" not in json.dumps(schema), "its mapping would lead nowhere"

"""JSON Schemas as they are published: no titles, no nulls, nothing said twice.

Schemas are read by models, who pay for each token, and by hosts, some of which
choke on combinators. Pydantic writes for validators; this module edits for readers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

JsonObject = dict[str, Any]

_NULL = {"type": "null"}


def compact_schema(model: type[BaseModel], *, mode: JsonSchemaMode = "serialization") -> JsonObject:
    """Write the schema of `model` without titles, null branches, defaults that say nothing and `$defs`.

    The description of a model is its docstring, written for programmers: it is left out.
    An optional field is one that may be absent: it is published with the type that it
    has when it is there. References are replaced by what they refer to, since some
    hosts drop a tool whose schema holds a `$ref`.
    """
    raw = model.model_json_schema(mode=mode, by_alias=True)
    definitions = raw.pop("$defs", {})
    raw.pop("description", None)
    schema = _compact(raw, definitions)
    assert isinstance(schema, dict)  # noqa: S101 - tells the type checker what pydantic guarantees
    return schema


def _compact(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_compact(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    compacted: JsonObject = {}
    for key, value in _resolve(node, definitions).items():
        if key == "title" or (key == "default" and value in (None, "", 0, [])):
            continue  # `0`, `""`, `false` and `[]` are what is absent everywhere here
        if key == "properties":
            compacted[key] = {name: _compact(each, definitions) for name, each in value.items()}
        else:
            compacted[key] = _compact(value, definitions)
    return compacted


def _resolve(node: JsonObject, definitions: Mapping[str, Any]) -> JsonObject:
    """Follow a reference and drop the null branch of an optional value; the node's own keys win."""
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        return _resolve(_without(target, "description") | _without(node, "$ref"), definitions)
    branches = [branch for branch in node.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        return _resolve(branches[0] | _without(node, "anyOf"), definitions)
    return node | {"anyOf": branches} if branches else node


def _without(node: JsonObject, key: str) -> JsonObject:
    return {name: value for name, value in node.items() if name != key}


def object_schema(
    properties: Mapping[str, Any], *, required: Sequence[str], closed: bool = True
) -> JsonObject:
    """Write the schema of an object with these properties; `closed` says that there are no others."""
    schema: JsonObject = {"type": "object", "properties": dict(properties), "required": list(required)}
    return schema | {"additionalProperties": False} if closed else schema

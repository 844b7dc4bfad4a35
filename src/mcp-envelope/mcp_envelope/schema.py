"""JSON Schemas as they are published: no titles, no nulls, nothing said twice.

Schemas are read by models, who pay for each token, and by hosts, and some hosts choke on combinators.
Pydantic writes for validators; this module edits for readers.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

JsonObject = dict[str, Any]

_DROPPED = frozenset({"title", "discriminator"})
"""`discriminator` is OpenAPI's, and its mapping refers to definitions that were replaced."""


def compact_schema(model: type[BaseModel], *, mode: JsonSchemaMode = "serialization") -> JsonObject:
    """Write the schema of `model` without titles, null branches, defaults that say nothing and `$defs`.

    The description of a model is its docstring, written for programmers: it is left out.
    An optional field is one that may be absent: it is published with the type that it
    has when it is there. References are replaced by what they refer to, since some
    hosts drop a tool whose schema holds a `$ref`; a model inside itself is published as any object.
    """
    raw = model.model_json_schema(mode=mode, by_alias=True)
    dropped = _DROPPED if mode == "validation" else _DROPPED | {"default"}
    definitions = raw.pop("$defs", {})
    raw.pop("description", None)
    compacted: JsonObject = _compact(raw, definitions, dropped, within=())
    return compacted


def _compact(
    node: Any, definitions: Mapping[str, Any], dropped: frozenset[str], within: tuple[str, ...]
) -> Any:
    """Compact a part of a schema; `within` names the definitions that it is inside of."""
    if isinstance(node, list):
        return [_compact(item, definitions, dropped, within) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        target = {"type": "object"} if name in within else definitions[name]
        target = {key: value for key, value in target.items() if key != "description"}
        merged = target | {key: value for key, value in node.items() if key != "$ref"}
        return _compact(merged, definitions, dropped, (*within, name))
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        merged = branches[0] | {key: value for key, value in node.items() if key != "anyOf"}
        return _compact(merged, definitions, dropped, within)
    compacted: JsonObject = {}
    for key, value in (node | ({"anyOf": branches} if branches else {})).items():
        if key in dropped or (key == "default" and value in (None, "", 0, [], {})):
            continue  # `0`, `""`, `false`, `[]` and `{}` are what is absent everywhere here
        if key == "properties":  # fields may have the names of keywords
            fields = value.items()
            compacted[key] = {name: _compact(each, definitions, dropped, within) for name, each in fields}
        else:
            compacted[key] = _compact(value, definitions, dropped, within)
    return compacted

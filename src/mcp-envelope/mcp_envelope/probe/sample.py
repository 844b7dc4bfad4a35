"""Makes arguments for an unknown tool from its input schema.

The schema may be wrong, endless or refer to another machine. The arguments are validated against it in the
end, so this code can be simple.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema
import referencing.exceptions
from referencing import Registry

from mcp_envelope.probe.envelope import as_object

JsonObject = dict[str, Any]

DEPTH_MAX: Final = 8
"""Nesting limit of a value; a schema may refer to itself."""

LENGTH_MAX: Final = 1_000
"""Length limit of strings and arrays, whatever a schema asks for."""

FORMATS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A harmless value for each format (JSON Schema 2020-12, Validation, section 7.3)."""

_GUESSES: Final = ("a", "A", "1", "a1", "aa", "aaaa", "0001", "2026-01-31", "a-1", "A-1", "a@example.com")
"""Tried in turn if there is a pattern."""

_UNREADABLE: Final = (
    AttributeError,
    RecursionError,
    TypeError,
    ValueError,
    jsonschema.SchemaError,
    jsonschema.exceptions.UnknownType,
    re.error,
    referencing.exceptions.NoSuchResource,
    referencing.exceptions.Unresolvable,
)
"""What jsonschema raises for an invalid schema."""


class UnmakeableError(ValueError):
    """No value can be made. The message says why, and may quote the schema."""


def make_arguments(schema: Mapping[str, Any], known: Mapping[str, object]) -> JsonObject:
    """Make the arguments that a tool requires, and no others.

    Args:
        schema: The tool's input schema.
        known: Values that other replies had, by name; one that fits is preferred to an invented one.

    Raises:
        UnmakeableError: Nothing shows what would fit.
    """
    properties = as_object(schema.get("properties"))
    required = schema.get("required")
    arguments: JsonObject = {}
    for name in required if isinstance(required, list) else ():
        each = properties.get(name, {})
        if name in known and fits(known[name], each, schema):
            arguments[name] = known[name]
            continue
        try:
            arguments[name] = _make(each, schema, 0)
        except UnmakeableError as error:
            raise UnmakeableError(f"{name}: {error}") from None
    if not fits(arguments, schema, schema):
        raise UnmakeableError("what was made of the input schema doesn't satisfy it")
    return arguments


def make_mistyped(schema: Mapping[str, Any], arguments: Mapping[str, object]) -> JsonObject | None:
    """Change one argument to a type that it can't have; None if the schema allows any."""
    for name in as_object(schema.get("properties")):
        for wrong in ({"mistyped": True}, "mistyped"):
            if not fits({**arguments, name: wrong}, schema, schema):
                return {**arguments, name: wrong}
    return None


def fits(value: object, schema: object, root: Mapping[str, Any]) -> bool:
    """Return whether a value satisfies a schema; nothing satisfies one that can't be read."""
    return next(misfits(value, schema, root), None) is None


def misfits(value: object, schema: object, root: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each place where a value doesn't satisfy a schema.

    Args:
        value: Any JSON.
        schema: A schema inside `root`, or `root`.
        root: The document whose definitions are meant; no other is ever loaded.
    """
    within = schema
    if isinstance(schema, Mapping):
        within = {**{key: root[key] for key in ("$defs", "definitions") if key in root}, **schema}
    try:
        validator = jsonschema.Draft202012Validator(within, registry=Registry())  # type: ignore[arg-type]
        for error in validator.iter_errors(value):
            yield f"{error.json_path}: {error.message}"
    except _UNREADABLE:
        yield "the schema can't be read"


def _make(schema: object, root: Mapping[str, Any], depth: int) -> object:
    """Make a value: what the schema itself gives, or else one of its type."""
    if depth > DEPTH_MAX:
        raise UnmakeableError("it is nested too deeply")
    if not isinstance(schema, Mapping):
        raise UnmakeableError("any value may be right")
    for value in _suggested(schema):
        return value
    if "$ref" in schema:
        return _make(_resolve(schema["$ref"], root), root, depth + 1)
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        return _make_first(branches, root, depth + 1)
    if isinstance(schema.get("allOf"), list):
        return _make(_merged(schema["allOf"], root), root, depth + 1)
    return _make_typed(schema, root, depth)


def _suggested(schema: Mapping[str, Any]) -> Iterator[object]:
    """List the values that a schema itself holds, the best first."""
    yield from (schema[key] for key in ("const", "default") if key in schema)
    for key in ("enum", "examples"):
        yield from schema[key][:1] if isinstance(schema.get(key), list) else ()


def _merged(parts: list[Any], root: Mapping[str, Any]) -> JsonObject:
    """Put the keys of several schemas into one; the last one wins."""
    merged: JsonObject = {}
    for each in map(as_object, parts):
        merged |= as_object(_resolve(each["$ref"], root) if "$ref" in each else each)
    return merged


def _make_first(branches: list[Any], root: Mapping[str, Any], depth: int) -> object:
    """Make a value of the first branch that allows one, other than null if there is one."""
    made = []
    for each in branches:
        try:
            made.append(_make(each, root, depth))
        except UnmakeableError:
            continue
    if not made:
        raise UnmakeableError("none of its alternatives can be made")
    return next((each for each in made if each is not None), None)


def _resolve(reference: object, root: Mapping[str, Any]) -> object:
    """Follow a reference within the document (RFC 6901)."""
    if not (isinstance(reference, str) and reference.startswith("#/")):
        raise UnmakeableError("its schema refers to another document")
    node: object = root
    for step in reference[2:].split("/"):
        node = as_object(node).get(step.replace("~1", "/").replace("~0", "~"))
    return node


def _make_typed(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> object:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "null")
    match kind:
        case "string":
            return _make_string(schema)
        case "integer" | "number":
            return _make_number(schema, whole=kind == "integer")
        case "boolean":
            return False
        case "null":
            return None
        case "array":
            count = _length(schema, "minItems")
            return [_make(schema.get("items", {}), root, depth + 1) for _ in range(count)]
        case "object":
            properties, required = as_object(schema.get("properties")), schema.get("required")
            names = required if isinstance(required, list) else ()
            return {name: _make(properties.get(name), root, depth + 1) for name in names}
        case _:
            raise UnmakeableError("its schema names no type")


def _length(schema: Mapping[str, Any], key: str) -> int:
    length = schema.get(key, 0)
    if not (isinstance(length, int) and 0 <= length <= LENGTH_MAX):
        raise UnmakeableError(f"{key} is beyond what the probe sends")
    return length


def _make_string(schema: Mapping[str, Any]) -> str:
    if "pattern" in schema:
        guess = next((each for each in _GUESSES if fits(each, schema, {})), None)
        if guess is None:
            raise UnmakeableError(f"its pattern is {schema['pattern']}")
        return guess
    if isinstance(schema.get("format"), str) and schema["format"] in FORMATS:
        return FORMATS[schema["format"]]
    return "a" * max(1, _length(schema, "minLength"))


def _make_number(schema: Mapping[str, Any], *, whole: bool) -> int | float:
    """Make 1, or the nearest that the bounds allow."""
    step = schema.get("multipleOf", 1)
    steps = [1, 0, step]
    for key, inward in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
        bound = schema.get(key)
        if isinstance(bound, (int, float)):
            steps += [bound + inward, bound + inward / 2]
    candidates = [
        int(each) if whole else each for each in steps if isinstance(each, (int, float)) and abs(each) < 2**53
    ]
    number = next((each for each in candidates if fits(each, schema, {})), None)
    if number is None:
        raise UnmakeableError("no number was found within its bounds")
    return number

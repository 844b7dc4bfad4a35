"""Arguments of a call, made into an input model; every problem is told at once.

Models write JSON as they can: `null` for what they leave out, `"7"` for 7, `"true"` for
true, one string or the JSON of a list for a list of strings. What is unambiguous is
accepted, anything else is refused in our own words, and no value that was sent is ever
repeated.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails

from mailmcp import limits
from mailmcp.envelope.errors import InvalidInputError, Problem, Reason
from mailmcp.tools.usual_names import find_meant

_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_FORBIDDEN = re.compile(r"[\r\n\0\ud800-\udfff]")
"""What would end a command, and halves of characters, which UTF-8 cannot write."""

_STRINGS = tuple[str, ...]
"""The type of an argument that is a list of strings."""

_UNKNOWN = "extra_forbidden"
"""What pydantic calls an argument that the model does not have."""

_TYPE_NAMES = {"int": "an integer", "bool": "true or false", "str": "a string", "tuple": "a list of strings"}


class Arguments(BaseModel):
    """Base of the input models: flat, nothing unknown, absent means `""`, `0`, `false` or `[]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    exclusive: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of arguments that say two different things about one."""

    plurals: ClassVar[Mapping[str, str]] = {}
    """Arguments for which a list may be sent, by the name of the argument that takes it."""


class MessageArguments(Arguments):
    """Base of the input models that name a message by its id.

    The id says which account; clients of similar servers send that as well. It is not
    published, since no model needs to know, and a next action never has it.
    """

    account_id: SkipJsonSchema[str] = Field("", exclude=True)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


def read_arguments(model: type[ArgumentsT], raw: Mapping[str, object], *, today: str = "") -> ArgumentsT:
    """Check the arguments of a call and make the tool's input of them.

    Args:
        model: The tool's.
        raw: What was sent.
        today: The day and its zone, `2026-11-21 (UTC)`, for who sent no date as one; "" to say nothing.

    Raises:
        InvalidInputError: One problem for each argument that is missing, unknown, of the
            wrong type, out of range, at odds with another, or holds CR, LF or NUL.
    """
    kinds = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    renamed = _with_plurals(model, raw)
    given = {name: _coerce(value, kinds.get(name)) for name, value in renamed.items()}
    given = {name: value for name, value in given.items() if value is not None}
    problems = [*_unfit_text(given, kinds), *_exclusive(model, given)]
    try:
        arguments = model.model_validate(given, context={"today": today})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems += [_problem(each, kinds) for each in details if each["type"] != _UNKNOWN]
        problems += _unknown([str(each["loc"][0]) for each in details if each["type"] == _UNKNOWN], kinds)
        raise InvalidInputError(problems) from None
    if problems:
        raise InvalidInputError(problems)
    return arguments


def _with_plurals(model: type[Arguments], raw: Mapping[str, object]) -> dict[str, object]:
    """Take a list that was sent for one thing as sent for several, unless both were."""
    moved = {
        name: plural
        for name, plural in model.plurals.items()
        if isinstance(_as_list(raw.get(name)), list) and not raw.get(plural)
    }
    emptied = set(moved.values())
    return {moved.get(name, name): value for name, value in raw.items() if name not in emptied}


def _coerce(value: object, kind: Any) -> object:
    """Give the value that was meant; None for one that says nothing."""
    if value is None or (value == "" and kind is not str):
        return None
    if kind == _STRINGS:
        return _coerce_strings(value)
    if kind is int:
        return _coerce_integer(value)
    if kind is bool and isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return value.strip().lower() == "true"
    if kind is str and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


def _coerce_strings(value: object) -> object:
    """Read a list of strings; one string alone is a list of one, unless it is the JSON of a list."""
    listed = _as_list(value)
    if isinstance(listed, str):
        listed = [listed]
    if not isinstance(listed, list):
        return listed
    return tuple(str(each) if type(each) is int else each for each in listed)


def _as_list(value: object) -> object:
    """Give the list that a string is the JSON of; anything else as it is."""
    if not (isinstance(value, str) and value.lstrip().startswith("[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _coerce_integer(value: object) -> object:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _unfit_text(given: Mapping[str, object], kinds: Mapping[str, Any]) -> Iterator[Problem]:
    """Find text that no argument can be: several lines, or more than a line can hold."""
    known = ((name, value) for name, value in given.items() if name in kinds)
    texts = (
        (name, text)
        for name, value in known
        for text in (value if isinstance(value, tuple) else (value,))
        if isinstance(text, str)
    )
    for name, text in texts:
        if _FORBIDDEN.search(text):
            message = "holds a line break, NUL or half a character. Send it on one line."
            yield Problem(field=name, reason=Reason.FORBIDDEN_CHARACTER, message=message)
        most = limits.CURSOR_CHARS_MAX if name == "cursor" else limits.ARGUMENT_CHARS_MAX
        if len(text) > most:
            message = f"is too long. Send at most {most} characters."
            yield Problem(field=name, reason=Reason.OUT_OF_RANGE, message=message)


def _exclusive(model: type[Arguments], given: Mapping[str, object]) -> list[Problem]:
    return [
        Problem(
            field=first,
            reason=Reason.EXCLUSIVE_PARAMS,
            message=f"excludes {second}. Send one of the two.",
        )
        for first, second in model.exclusive
        if given.get(first) and given.get(second)
    ]


def _problem(error: ErrorDetails, kinds: Mapping[str, Any]) -> Problem:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return Problem(field=name, reason=Reason.MISSING_PARAM, message="is missing. Send it.")
    if kind in {"greater_than_equal", "less_than_equal", "string_too_long", "string_too_short"}:
        bound = _BOUNDS[kind].format(**context)
        return Problem(field=name, reason=Reason.OUT_OF_RANGE, message=f"is out of range. Send {bound}.")
    if kind == "literal_error":
        return Problem(
            field=name,
            reason=Reason.INVALID_VALUE,
            message=f"is none of the values it can have. Send {context['expected']}.",
        )
    if kind in {
        Reason.INVALID_VALUE,
        Reason.INVALID_TYPE,
        Reason.OUT_OF_RANGE,
    }:  # raised by a validator of ours
        return Problem(field=name, reason=Reason(kind), message=error["msg"])
    expected = _TYPE_NAMES.get(getattr(kinds.get(name), "__name__", ""), "a string")
    return Problem(field=name, reason=Reason.INVALID_TYPE, message=f"has the wrong type. Send {expected}.")


_BOUNDS = {
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
}


def _unknown(names: Sequence[str], kinds: Mapping[str, Any]) -> Iterator[Problem]:
    """Say of each which one was meant; those there are once, where nothing comes near."""
    listed = False
    for name in names:
        message = "is not an argument of this tool."
        if meant := find_meant(name, kinds):
            message += f" Did you mean {meant}?"
        elif not listed:
            message += f" Known ones: {', '.join(kinds) or 'none'}."
            listed = True
        # The name is the caller's text: it is named only as far as an argument can be.
        shown = name if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else "arguments"
        yield Problem(field=shown, reason=Reason.UNKNOWN_PARAM, message=message)

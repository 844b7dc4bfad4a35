"""Reads the arguments of a call into an input model, and reports every problem at once.

Models send `null` for what they leave out, `"7"` for 7, `"true"` for true, and one string or the JSON of a
list for a list of strings. What is unambiguous is accepted. Anything else is refused in words that never
repeat the value that was sent.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from mcp_envelope.errors import BaseReason, InvalidInputError, Problem

_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_FORBIDDEN = re.compile(r"[\r\n\0\ud800-\udfff]")
"""What would end a command of a line-based protocol, and surrogates, which UTF-8 can't encode."""

_SIMILARITY_MIN: Final = 0.75
"""How similar a misspelt name must be: `limt` is `limit`, but `count` isn't `account_id`."""

_STRINGS = tuple[str, ...]
"""The type of an argument that is a list of strings."""

_UNKNOWN = "extra_forbidden"
"""Pydantic's error for an argument that the model doesn't have."""

_TYPE_NAMES = {"int": "an integer", "bool": "true or false", "str": "a string", "tuple": "a list of strings"}


class Arguments(BaseModel):
    """Base of the input models: flat, without unknown arguments. Absent means `""`, `0`, `false` or `[]`.

    A tool with an argument called `cursor` returns pages.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    exclusive: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of arguments that can't be combined."""

    plurals: ClassVar[Mapping[str, str]] = {}
    """For an argument of one value, the argument that takes a list sent for it."""

    aliases: ClassVar[Mapping[str, str]] = {}
    """Arguments by other names that are accepted, but not published."""

    hints: ClassVar[Sequence[tuple[str, str]]] = ()
    """Names used elsewhere, and the argument that each may mean, for "Did you mean …?"."""

    text_chars_max: ClassVar[int] = 1_200
    """Length limit of a string."""

    cursor_chars_max: ClassVar[int] = 50_000
    """Length limit of a cursor."""


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


def read_arguments(
    model: type[ArgumentsT], raw: Mapping[str, object], *, context: Mapping[str, object] | None = None
) -> ArgumentsT:
    """Check the arguments of a call, and build the tool's input model.

    Args:
        model: The tool's input model.
        raw: The arguments as sent.
        context: For the model's own validators, as `ValidationInfo.context`.

    Raises:
        InvalidInputError: One problem for each argument that is missing, unknown, of the
            wrong type, out of range, not combinable with another, or contains CR, LF or NUL.
    """
    kinds = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    renamed = _with_plurals(model, _with_aliases(model, raw))
    given = {name: _coerce(value, kinds.get(name)) for name, value in renamed.items()}
    given = {name: value for name, value in given.items() if value is not None}
    problems = [*_text_problems(model, given, kinds), *_exclusive(model, given)]
    try:
        arguments = model.model_validate(given, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems += [_problem(each, kinds) for each in details if each["type"] != _UNKNOWN]
        unknown = [str(each["loc"][0]) for each in details if each["type"] == _UNKNOWN]
        problems += _unknown(unknown, kinds, model.hints)
        raise InvalidInputError(problems) from None
    if problems:
        raise InvalidInputError(problems)
    return arguments


def _with_aliases(model: type[Arguments], raw: Mapping[str, object]) -> dict[str, object]:
    """Rename aliases, unless the argument was also sent by its own name."""
    return {
        model.aliases[name] if name in model.aliases and model.aliases[name] not in raw else name: value
        for name, value in raw.items()
    }


def _with_plurals(model: type[Arguments], raw: Mapping[str, object]) -> dict[str, object]:
    """Move a list sent for one value to the argument that takes lists, unless both were sent."""
    moved = {
        name: plural
        for name, plural in model.plurals.items()
        if isinstance(_as_list(raw.get(name)), list) and not raw.get(plural)
    }
    emptied = set(moved.values())
    return {moved.get(name, name): value for name, value in raw.items() if name not in emptied}


def _coerce(value: object, kind: Any) -> object:
    """Return the value that was meant; None if it means absent."""
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
    """Read a list of strings. A single string is a list of one, unless it is the JSON of a list."""
    listed = _as_list(value)
    if isinstance(listed, str):
        listed = [listed]
    if not isinstance(listed, list):
        return listed
    return tuple(str(each) if type(each) is int else each for each in listed)


def _as_list(value: object) -> object:
    """Parse a string that is the JSON of a list; return anything else as it is."""
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


def _text_problems(
    model: type[Arguments], given: Mapping[str, object], kinds: Mapping[str, Any]
) -> Iterator[Problem]:
    """Find strings that have several lines or are too long."""
    known = ((name, value) for name, value in given.items() if name in kinds)
    texts = (
        (name, text)
        for name, value in known
        for text in (value if isinstance(value, tuple) else (value,))
        if isinstance(text, str)
    )
    for name, text in texts:
        if _FORBIDDEN.search(text):
            message = "contains a line break, a NUL or a lone surrogate. Send it on one line."
            yield Problem(field=name, reason=BaseReason.FORBIDDEN_CHARACTER, message=message)
        limit = model.cursor_chars_max if name == "cursor" else model.text_chars_max
        if len(text) > limit:
            message = f"is too long. Send at most {limit} characters."
            yield Problem(field=name, reason=BaseReason.OUT_OF_RANGE, message=message)


def _exclusive(model: type[Arguments], given: Mapping[str, object]) -> list[Problem]:
    return [
        Problem(
            field=first,
            reason=BaseReason.EXCLUSIVE_PARAMS,
            message=f"can't be combined with {second}. Send one of the two.",
        )
        for first, second in model.exclusive
        if given.get(first) and given.get(second)
    ]


def _problem(error: ErrorDetails, kinds: Mapping[str, Any]) -> Problem:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return Problem(field=name, reason=BaseReason.MISSING_PARAM, message="is missing. Send it.")
    if kind in {"greater_than_equal", "less_than_equal", "string_too_long", "string_too_short"}:
        bound = _BOUNDS[kind].format(**context)
        return Problem(field=name, reason=BaseReason.OUT_OF_RANGE, message=f"is out of range. Send {bound}.")
    if kind == "literal_error":
        return Problem(
            field=name,
            reason=BaseReason.INVALID_VALUE,
            message=f"must be one of: {context['expected']}.",
        )
    if kind == "string_pattern_mismatch":
        message = "has the wrong format. Send it as an earlier reply gave it, or as the schema says."
        return Problem(field=name, reason=BaseReason.INVALID_VALUE, message=message)
    if kind in {BaseReason.INVALID_VALUE, BaseReason.INVALID_TYPE, BaseReason.OUT_OF_RANGE}:
        # From the model's own validator, as PydanticCustomError.
        return Problem(field=name, reason=BaseReason(kind), message=error["msg"])
    expected = _TYPE_NAMES.get(getattr(kinds.get(name), "__name__", ""), "a string")
    return Problem(
        field=name, reason=BaseReason.INVALID_TYPE, message=f"has the wrong type. Send {expected}."
    )


_BOUNDS = {
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
}


def _unknown(
    names: Sequence[str], kinds: Mapping[str, Any], hints: Sequence[tuple[str, str]]
) -> Iterator[Problem]:
    """Suggest an argument for each unknown name; list all of them once if none is similar."""
    listed = False
    for name in names:
        message = "is not an argument of this tool."
        if meant := find_meant(name, kinds, hints):
            message += f" Did you mean {meant}?"
        elif not listed:
            message += f" Its arguments: {', '.join(kinds) or 'none'}."
            listed = True
        # The name is the caller's text, so it is repeated only if it looks like an argument.
        shown = name if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else "arguments"
        yield Problem(field=shown, reason=BaseReason.UNKNOWN_PARAM, message=message)


def find_meant(name: str, known: Collection[str], hints: Sequence[tuple[str, str]] = ()) -> str | None:
    """Return the argument that an unknown name probably means; None if none is similar.

    Args:
        name: The name that was sent.
        known: The tool's arguments.
        hints: Names used elsewhere and the argument that each may mean; the first that the tool has wins.
    """
    usual = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:64]).replace("-", "_").lower()
    if usual in known:
        return usual
    for elsewhere, ours in hints:
        if elsewhere == usual and ours in known:
            return ours
    near = get_close_matches(usual, known, n=1, cutoff=_SIMILARITY_MIN)
    return near[0] if near else None

"""Reads the arguments of a call into an input model, and reports every problem at once.

Pydantic's lax mode reads "7" for 7 and "true" for true. Models also send `null` or "" for what they leave
out, and one value, or the JSON of a list, for a list. What is unambiguous is accepted. Anything else is
refused in words that never repeat the value that was sent.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from mcp_envelope.errors import BaseReason, InvalidInputError, Problem

_SIMILARITY_MIN: Final = 0.75
"""How similar a misspelt name must be: `limt` is `limit`, but `count` isn't `account_id`."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_LISTS: Final = (list, tuple, set, frozenset, Sequence, Collection)

_UNKNOWN: Final = "extra_forbidden"
_OUT_OF_RANGE: Final = ("greater", "less", "multiple", "too", "string_too")
_NO_NUMBER: Final = ("int", "float", "finite", "decimal", "bool")
"""How the types of pydantic's errors begin."""

_SUBJECT: Final = re.compile(r"^\w+ should ")
"""How pydantic's sentences begin: `Input should be …`, `List should have …`."""


class Arguments(BaseModel):
    """Base of the input models: flat, without unknown arguments. Absent means the default.

    A tool with an argument called `cursor` returns pages; one called `confirm` takes the token of a
    confirmation.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    exclusive: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of arguments that can't be combined."""

    plurals: ClassVar[Mapping[str, str]] = {}
    """For an argument of one value, the argument that takes a list sent for it."""

    aliases: ClassVar[Mapping[str, str]] = {}
    """Arguments by other names that are accepted, but not published."""

    hints: ClassVar[Sequence[tuple[str, str]]] = ()
    """Names used elsewhere, and the argument that each may mean, for "Did you mean …?"."""


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
        InvalidInputError: One problem for each argument that is missing, unknown, not combinable with
            another, or refused by the model. A validator may raise a `PydanticCustomError` whose type is a
            `BaseReason` and whose text follows the name of the argument.
    """
    kinds = {field.alias or name: _kind(field.annotation) for name, field in model.model_fields.items()}
    named = {
        name if model.aliases.get(name, name) in raw else model.aliases[name]: value
        for name, value in raw.items()
    }
    for name, plural in model.plurals.items():
        if isinstance(_as_json(named.get(name), "["), list) and not named.get(plural):
            named[plural] = named.pop(name)
    given = {name: _coerce(value, kinds.get(name)) for name, value in named.items()}
    given = {name: value for name, value in given.items() if value is not None}
    problems = [
        Problem(
            field=first,
            reason=BaseReason.EXCLUSIVE_PARAMS,
            message=f"can't be combined with {second}. Send one of the two.",
        )
        for first, second in model.exclusive
        if given.get(first) and given.get(second)
    ]
    try:
        arguments = model.model_validate(given, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        # The members of a union fail one by one: the first says enough.
        found = {each["loc"][:1]: _problem(each) for each in reversed(details) if each["type"] != _UNKNOWN}
        unknown = [str(each["loc"][0]) for each in details if each["type"] == _UNKNOWN]
        problems += [*reversed(found.values()), *_unknown(unknown, kinds, model.hints)]
        raise InvalidInputError(problems) from None
    if problems:
        raise InvalidInputError(problems)
    return arguments


def _kind(annotation: Any) -> Any:
    """Return the type of an argument without `Annotated` and None; None itself for a union."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        members = [each for each in get_args(annotation) if each is not NoneType]
        return _kind(members[0]) if len(members) == 1 else None
    return annotation


def _coerce(value: object, kind: Any) -> object:
    """Return the value that was meant; None if it means absent."""
    if isinstance(value, str) and kind not in {str, None}:
        value = value.strip()
    if value is None or (value == "" and kind is not str):
        return None
    if kind is int and isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)  # here, for the model's own validators
    origin = get_origin(kind) or kind
    if origin in _LISTS:
        listed = _as_json(value, "[")
        return listed if isinstance(listed, (list, tuple)) else [listed]
    if isinstance(origin, type) and issubclass(origin, (dict, BaseModel)):
        return _as_json(value, "{")
    return value


def _as_json(value: object, start: str) -> object:
    """Parse a string that is the JSON of a list or an object; return anything else as it is."""
    if not (isinstance(value, str) and value.lstrip().startswith(start)):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def say_what_must_be(error: ErrorDetails) -> str:
    """Return pydantic's sentence about a value as one that follows its name: `must be …`."""
    return _SUBJECT.sub("must ", error["msg"].replace(" after validation", ""))


def _problem(error: ErrorDetails) -> Problem:
    """Describe what is wrong with an argument, or with an item of one, mostly in pydantic's words."""
    name, *within = map(str, error["loc"] or ("arguments",))
    kind, message = error["type"], f"{say_what_must_be(error)}."
    if kind == "missing" and not within:
        return Problem(field=name, reason=BaseReason.MISSING_PARAM, message="is missing. Send it.")
    reason = BaseReason.INVALID_VALUE
    if kind in list(BaseReason):  # from the model's own validator, as PydanticCustomError
        reason, message = BaseReason(kind), error["msg"]
    elif kind == "value_error":  # the same, as ValueError
        message = str(error["ctx"]["error"])
    elif kind.startswith(_OUT_OF_RANGE):
        reason = BaseReason.OUT_OF_RANGE
    elif kind.endswith("_type") or kind.startswith(_NO_NUMBER):
        reason = BaseReason.INVALID_TYPE
    item = next((f"item {int(each) + 1} " for each in within if each.isdigit()), "")
    return Problem(field=name, reason=reason, message=item + message)


def _unknown(
    names: Sequence[str], known: Collection[str], hints: Sequence[tuple[str, str]]
) -> Iterator[Problem]:
    """Suggest an argument for each unknown name; list all of them once if none is similar."""
    listed = f" Its arguments: {', '.join(known) or 'none'}."
    for name in names:
        message = "is not an argument of this tool."
        if meant := find_meant(name, known, hints):
            message += f" Did you mean {meant}?"
        else:
            message, listed = message + listed, ""
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
    hinted = [ours for elsewhere, ours in hints if elsewhere == usual and ours in known]
    near = [usual] if usual in known else hinted or get_close_matches(usual, known, 1, _SIMILARITY_MIN)
    return near[0] if near else None

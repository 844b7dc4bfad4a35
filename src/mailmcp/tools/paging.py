"""Cursors of lists that their arguments describe: those of the first page, and where the next one begins."""

from collections.abc import Sequence
from typing import TypeVar

from mailmcp.model.cursor import escape_field, malformed_cursor, seal, unescape_field, unseal
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mcp_envelope import InvalidInputError, read_arguments

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


def format_cursor(kind: str, arguments: Arguments, position: Sequence[object]) -> str:
    """Write the cursor of a list that goes on after a position; `kind` names the list and its version."""
    kept = arguments.model_dump(exclude_defaults=True)
    named = (f"{name}={escape_field(str(value))}" for name, value in kept.items())
    return seal([kind, *named, *(escape_field(str(each)) for each in position)])


def resume_list(
    kind: str, arguments: ArgumentsT, cursor: str, *, free: str = ""
) -> tuple[ArgumentsT, list[str]]:
    """Return the arguments of a list, and the position after which the page begins: [] on the first page.

    With a cursor, they are those of the first page; `free` names the one that may be sent with another value.

    Raises:
        InvalidInputError: With reason `cursor_malformed`, or `cursor_mismatch` if an argument contradicts it.
    """
    if not cursor:
        return arguments, []
    fields = [each.partition("=") for each in unseal(cursor, kind)]
    kept = {name: unescape_field(value) for name, is_named, value in fields if is_named}
    try:
        first = read_arguments(type(arguments), kept)
    except InvalidInputError:
        raise malformed_cursor() from None
    for name in arguments.model_fields_set - {"cursor"}:
        value, default = getattr(arguments, name), type(arguments).model_fields[name].default
        if name == free:
            first = first.model_copy(update={name: value})
        elif value not in {default, getattr(first, name)}:
            raise InvalidInputError.of(name, Reason.CURSOR_MISMATCH, "contradicts the cursor. Leave it out.")
    return first, [unescape_field(name) for name, is_named, _ in fields if not is_named]

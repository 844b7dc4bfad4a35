"""What the editors of JSON, TOML and YAML have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]
"""Keys from the root of a document: `("mcpServers", "mailmcp")`."""


class TextError(Exception):
    """A text can't be parsed or edited. The message never quotes it: other servers may have secrets in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """Pure functions that edit a text and keep every character that has no part in the change.

    If the syntax is unusual, they may return a text that isn't what was asked for. `edit.py` parses the
    result and refuses that.
    """

    name: str
    parse: Callable[[str], dict[str, Any]]
    """Raises TextError if the text is malformed or is no mapping. A text without a value is an empty one."""

    insert: Callable[[str, Path, object], str]
    """Add a key that is missing, and the mappings above it."""

    replace: Callable[[str, Path, object], str]
    """Set a key that is there."""

    remove: Callable[[str, Path], str]
    """Remove a key with its value."""


def line_break(text: str) -> str:
    """Return the line break that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def position(text: str, index: int) -> str:
    """Describe a place in a text."""
    before = text[:index]
    return f"line {before.count(chr(10)) + 1}, column {index - before.rfind(chr(10))}"


def nest(path: Path, value: object) -> Any:
    """Wrap a value into a mapping for each key."""
    for key in reversed(path):
        value = {key: value}
    return value

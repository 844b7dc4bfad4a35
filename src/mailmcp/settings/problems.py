"""How a mistake in the settings is told: where it is, what is wrong, what is allowed.

No text made here holds a value that somebody configured: any of them may be a
password in the wrong place. Names of keys and variables are shown, escaped.
"""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Where = tuple[str | int, ...]
"""Path of a key in the document, as tomllib nests it: `("accounts", 0, "port")`; positions from 0."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHOWN_KEY_CHARS = 64


class SettingsError(Exception):
    """The settings cannot be used; holds every mistake that was found, not just the first."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        """One mistake a line, ready to print."""
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One mistake, before it is known how its source names the key."""

    where: Where
    message: str
    """What is wrong and what is allowed; starts in lower case, never holds the value."""


def show_name(name: str) -> str:
    """Write a key or variable on one line: bare if TOML lets it be, else quoted, escaped and cut."""
    if _BARE_KEY.fullmatch(name):
        return name
    return json.dumps(name[:_SHOWN_KEY_CHARS])


def show_where(where: Where) -> str:
    """Write a path in the terms of TOML; elements of an array count from 1: `accounts[1].port`."""
    shown = ""
    for part in where:
        if isinstance(part, int):
            shown += f"[{part + 1}]"
        else:
            shown += f".{show_name(part)}" if shown else show_name(part)
    return shown


def suggest(name: str, known: Iterable[str]) -> str:
    """Ask whether the nearest of the known names was meant, or else list them all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"


def one_of(values: Iterable[str]) -> str:
    """Write a closed list of values as TOML strings: `one of "a", "b"`."""
    shown = [f'"{value}"' for value in values]
    return shown[0] if len(shown) == 1 else f"one of {', '.join(shown)}"

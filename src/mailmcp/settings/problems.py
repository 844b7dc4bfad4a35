"""Mistakes in the settings, as sentences for the user.

No sentence contains a configured value: a password may have ended up under any key.
"""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEY_CHARS_MAX = 64


class SettingsError(Exception):
    """The settings can't be used. Has every mistake, not just the first."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        """One mistake a line, ready to print."""
        super().__init__("\n".join(self.lines))


class Problem(NamedTuple):
    """One mistake in a table, before its source names the key."""

    key: str
    message: str
    """What is wrong and what to write; starts in lower case and never contains the value."""


def format_key(name: str) -> str:
    """Write a key or variable on one line: bare if TOML allows it, otherwise quoted, escaped and cut."""
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name[:_KEY_CHARS_MAX])


def suggest(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is closest, or else list them all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"the known ones are {', '.join(names)}"

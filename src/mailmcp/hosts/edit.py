"""Adds an entry to the text of a host's settings, and removes it.

The text is edited in place and parsed again, and the data must be what they should be. So nothing but the
entry can change, and what the editors can't do is refused instead of done wrong.
"""

import copy
from collections.abc import Mapping
from typing import Any

from mailmcp.hosts.syntax import Path, Syntax, TextError

LAUNCH_KEYS = ("command", "cmd", "args")
"""What is replaced in an existing entry. All else is the user's: variables, approvals, a timeout."""

_ADDRESS_KEYS = {"url", "uri", "serverUrl", "httpUrl"}
"""Of an entry for a server that the host doesn't start."""

_UNUSUAL = "is written in a way that can't be edited automatically"


def find_entry(text: str, syntax: Syntax, path: Path) -> dict[str, Any] | None:
    """Return the entry at a path, or None.

    Raises:
        TextError: The text can't be parsed, or something that is not a mapping is in the way.
    """
    data: Any = syntax.parse(text)
    for key in path:
        if key not in data:
            return None
        data = data[key]
        if data is None and key != path[-1]:
            return None
        if not isinstance(data, dict):
            raise TextError(f"{key} is not a mapping")
    return dict(data)


def add_entry(text: str, syntax: Syntax, path: Path, entry: Mapping[str, object]) -> str:
    """Return the text with the entry; an entry that is there keeps its other keys.

    Raises:
        TextError: The text can't be parsed, or edited without changing something else.
    """
    old = find_entry(text, syntax, path)
    if old is None:
        return _checked(
            syntax.insert(text, path, dict(entry)), syntax, _with(syntax.parse(text), path, entry)
        )
    if _ADDRESS_KEYS & old.keys():
        raise TextError(f"{path[-1]} is a server with an address; use another --name, or remove it first")
    missing = {key: value for key, value in entry.items() if key not in old}
    outdated = {
        key: entry[key] for key in LAUNCH_KEYS if key in old and key in entry and old[key] != entry[key]
    }
    new = text
    for key, value in outdated.items():
        new = syntax.replace(new, (*path, key), value)
    for key, value in missing.items():
        new = syntax.insert(new, (*path, key), value)
    return _checked(new, syntax, _with(syntax.parse(text), path, {**old, **outdated, **missing}))


def remove_entry(text: str, syntax: Syntax, path: Path) -> str:
    """Return the text without the entry, which must be there.

    Raises:
        TextError: The text can't be parsed, or edited without changing something else.
    """
    wanted = copy.deepcopy(syntax.parse(text))
    parent = wanted
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    # A table of TOML goes with the last entry in it.
    without_table = {key: value for key, value in wanted.items() if key != path[0] or value}
    return _checked(syntax.remove(text, path), syntax, wanted, without_table)


def _with(data: dict[str, Any], path: Path, entry: Mapping[str, object]) -> dict[str, Any]:
    wanted = copy.deepcopy(data)
    parent = wanted
    for key in path[:-1]:
        if parent.get(key) is None:
            parent[key] = {}
        parent = parent[key]
    parent[path[-1]] = dict(entry)
    return wanted


def _checked(text: str, syntax: Syntax, *wanted: dict[str, Any]) -> str:
    try:
        data = syntax.parse(text)
    except TextError:
        raise TextError(_UNUSUAL) from None
    if data not in wanted:
        raise TextError(_UNUSUAL)
    return text

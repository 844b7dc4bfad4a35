"""Edits TOML by statements: a key with its value, the head of a table, or a line of neither."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mailmcp.hosts.syntax import Path, Syntax, TextError, line_break

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KEY_AND_EQUALS = re.compile(r"[ \t]*[A-Za-z0-9_-]+[ \t]*=[ \t]*")
_PLACE = re.compile(r"\(at (line \d+, column \d+|end of document)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    text: str
    path: Path
    """From the root; empty for a comment or an empty line."""

    is_head: bool


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        where = f"{place[1]}: " if place else ""
    except RecursionError:
        raise TextError("is nested too deeply") from None
    raise TextError(f"{where}this is not valid TOML")  # not chained: the parser's error has the whole text


def _statements(text: str) -> Iterator[_Statement]:
    """Split a valid text: the fewest lines that are valid by themselves are a statement."""
    table: Path = ()
    collected = ""
    for line in _LINE.findall(text):
        collected += line
        try:
            data = tomllib.loads(collected)
        except tomllib.TOMLDecodeError:
            continue
        keys = _keys(data)
        is_head = collected.lstrip().startswith("[")
        if is_head:
            table = keys
        yield _Statement(text=collected, path=keys if is_head else keys and table + keys, is_head=is_head)
        collected = ""


def _keys(data: Any) -> Path:
    """Return the keys of a statement that was parsed alone."""
    keys: Path = ()
    while isinstance(data, dict) and len(data) == 1:
        [(key, data)] = data.items()
        keys = (*keys, key)
    return keys


def _insert(text: str, path: Path, value: object) -> str:
    line = line_break(text)
    if isinstance(value, dict):
        lines = [f"[{'.'.join(map(_key, path))}]", *(_assign(key, each) for key, each in value.items())]
        end = line if text and not text.endswith("\n") else ""
        gap = line if text else ""
        return text + end + gap + line.join(lines) + line
    parts = []
    for each in _statements(text):
        parts.append(each.text)
        if each.is_head and each.path == path[:-1]:
            parts += ["" if each.text.endswith("\n") else line, _assign(path[-1], value), line]
    return "".join(parts)


def _replace(text: str, path: Path, value: object) -> str:
    return "".join(
        _assign_anew(each.text, path[-1], value) if each.path == path and not each.is_head else each.text
        for each in _statements(text)
    )


def _remove(text: str, path: Path) -> str:
    """Remove a table and its tables, the comments inside, and the empty line in front."""
    kept: list[str] = []
    undecided: list[str] = []
    """Comments and empty lines after something that was removed."""
    removing = False
    for each in _statements(text):
        if each.path[: len(path)] == path:
            if each.is_head and not removing and kept and not kept[-1].strip():
                kept.pop()
            removing = True
            undecided = []
        elif removing and not each.path:
            undecided.append(each.text)
        else:
            kept += [*undecided, each.text]
            undecided, removing = [], False
    return "".join([*kept, *undecided])


def _assign_anew(statement: str, key: str, value: object) -> str:
    """Set another value, and keep the comment behind it."""
    body = statement.rstrip("\r\n")
    comment = ""
    for match in re.finditer(r"[ \t]*#", body):
        try:
            is_comment = tomllib.loads(body[: match.start()]) == tomllib.loads(body)
        except tomllib.TOMLDecodeError:
            continue
        if is_comment:
            comment = body[match.start() :]
            break
    start = _KEY_AND_EQUALS.match(body)
    name = start[0] if start else f"{_key(key)} = "
    return name + json.dumps(value, ensure_ascii=False) + comment + statement[len(body) :]


def _assign(key: str, value: object) -> str:
    """Write a string, a number, a boolean or an array of them: TOML spells these as JSON does."""
    return f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


TOML = Syntax(name="toml", parse=_parse, insert=_insert, replace=_replace, remove=_remove)

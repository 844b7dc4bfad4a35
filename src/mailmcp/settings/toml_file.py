"""The settings file as text: read, parsed, and with the line of every key.

tomllib says where a syntax error is, but not where a value was written; `map_lines`
finds that by handing it one statement at a time.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mailmcp.settings.problems import Problem, SettingsError, Where, show_where

_READABLE_BY_OTHERS = 0o044

_AT = re.compile(r"(?P<what>.*) \(at (?P<where>line \d+, column \d+|end of document)\)", re.DOTALL)

_FAULTS = {
    "Cannot overwrite a value": "a key is given twice",
    "Duplicate inline table key": "a key is given twice",
    "Cannot declare": "a table is given twice; each account starts with [[accounts]]",
    "Invalid value": "this is not a TOML value; a string needs quotes",
    "Illegal character": "a string is not closed, or it holds a control character",
    "Expected \"'": "a string is not closed",
    "Unterminated string": "a string is not closed",
    "Unclosed array": "an array is not closed",
    "Unclosed inline table": "an inline table is not closed",
    "Unescaped '\\' in a string": "a backslash must be doubled, or the string put in single quotes",
    "Expected '=' after a key": "a key must be followed by =",
    "Expected newline": "there is more after the end of the value",
    "Invalid statement": "this is neither a key, nor a table, nor a comment",
}
"""How messages of tomllib start, in plain words. The messages may quote the file, so they are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A settings file, parsed; or none, which is empty."""

    path: Path | None = None
    data: Mapping[str, object] = field(default_factory=dict, repr=False)
    lines: Mapping[Where, int] = field(default_factory=dict, repr=False)
    """Where each key and table stands, counted from 1."""

    def locate(self, problem: Problem) -> str:
        """Tell a problem by file, line and key; what has no line of its own gets its table's."""
        where = problem.where
        while where and where not in self.lines:
            where = where[:-1]
        line = f", line {self.lines[where]}" if where else ""
        return f"{self.path}{line}: {show_where(problem.where)}: {problem.message}"

    def is_exposed(self) -> bool:
        """Whether others on this machine may read the file; never known on Windows."""
        if self.path is None or os.name == "nt":
            return False
        return bool(self.path.stat().st_mode & _READABLE_BY_OTHERS)


def read_document(path: Path, *, optional: bool = False) -> Document:
    """Read and parse a settings file; one that is optional and not there is empty.

    Raises:
        SettingsError: It cannot be read, is not UTF-8 or is not TOML.
    """
    try:
        octets = path.read_bytes()
    except OSError as error:
        if optional and isinstance(error, FileNotFoundError | NotADirectoryError):
            return Document()
        raise SettingsError([f"{path}: cannot be read: {error.strerror}"]) from error
    text, fault = _decode(octets)
    if not fault:
        data, fault = _parse(text)
        if not fault:
            return Document(path=path, data=data, lines=map_lines(text))
    raise SettingsError([f"{path}{fault}"])


# These two return what went wrong instead of raising: the exceptions they catch hold the
# text of the file, which must not travel on as the context of another exception.


def _decode(octets: bytes) -> tuple[str, str]:
    try:
        # Editors on Windows like to put a byte order mark first, which TOML does not allow.
        return octets.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return "", ": is not UTF-8 text"


def _parse(text: str) -> tuple[dict[str, object], str]:
    try:
        # With the line break, an error at the end of the last line is told by its line.
        return tomllib.loads(text + "\n"), ""
    except tomllib.TOMLDecodeError as error:
        match = _AT.fullmatch(str(error))
    except RecursionError:
        match = None
    if match is None:
        return {}, ": is not valid TOML"
    plain = (text for start, text in _FAULTS.items() if match["what"].startswith(start))
    return {}, f", {match['where']}: {next(plain, 'this is not valid TOML')}"


def map_lines(text: str) -> dict[Where, int]:
    """Find the line on which each key and table of a valid document starts.

    A statement ends at the first line break up to which it parses by itself: inside
    a string or an array it cannot.
    """
    lines: dict[Where, int] = {}
    arrays: dict[Where, int] = {}
    table: Where = ()
    start, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        statement += line + "\n"
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.lstrip().startswith("["):
            table = _enter(parsed, arrays)
            lines.setdefault(table, start)
        else:
            for where in _keys(parsed, table):
                lines.setdefault(where, start)
        start, statement = number + 1, ""
    return lines


def _enter(header: Mapping[str, object], arrays: dict[Where, int]) -> Where:
    """Follow `[a.b]` or `[[a.b]]`; `arrays` holds the last position in each array of tables so far."""
    where: Where = ()
    node: object = header
    while isinstance(node, dict) and node:
        ((key, node),) = node.items()
        where += (key,)
        if isinstance(node, list):
            arrays[where] = arrays.get(where, -1) + 1
            node = None
        if where in arrays:
            where += (arrays[where],)
    return where


def _keys(node: object, where: Where) -> Iterator[Where]:
    """Yield the path of everything below a value that is a table or an array, and its own."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield (*where, key)
            yield from _keys(value, (*where, key))
    elif isinstance(node, list):
        for position, value in enumerate(node):
            yield (*where, position)
            yield from _keys(value, (*where, position))

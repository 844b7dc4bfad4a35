"""Reads a TOML file, and finds the line of a key.

tomllib gives the position of a syntax error, but not of a value. `find_line` finds that by parsing more or
less of the file, which only a mistake costs.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailmcp.settings.problems import SettingsError, Where

_ERROR = re.compile(r"(?P<what>.*) \(at (?P<where>line \d+, column \d+|end of document)\)", re.DOTALL)

_SYNTAX = {
    "Cannot overwrite a value": "a key is set twice",
    "Duplicate inline table key": "a key is set twice",
    "Cannot declare": "a table is opened twice; each account starts with [[accounts]]",
    "Invalid value": "this is not a TOML value; a string needs quotes",
    "Illegal character": "a string is not closed, or contains a control character",
    "Expected \"'": "a string is not closed",
    "Unterminated string": "a string is not closed",
    "Unclosed array": "an array is not closed",
    "Unclosed inline table": "an inline table is not closed",
    "Unescaped '\\' in a string": "double the backslash, or put the string in single quotes",
    "Expected '=' after a key": "a key must be followed by =",
    "Expected newline": "nothing can follow the value on its line",
    "Invalid statement": "this is not a key, a table or a comment",
}
"""How tomllib's messages start, and what the user sees instead: the messages may quote the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlFile:
    """A file that was read, or None, which is empty."""

    path: Path | None = None
    text: str = field(default="", repr=False)
    data: Mapping[str, object] = field(default_factory=dict, repr=False)


def read_toml(path: Path, *, optional: bool = False) -> TomlFile:
    """Read a file; one that is optional may be missing.

    Raises:
        SettingsError: It can't be read, or is not TOML.
    """
    try:
        octets = path.read_bytes()
    except OSError as error:
        if optional and isinstance(error, FileNotFoundError | NotADirectoryError):
            return TomlFile()
        raise SettingsError([f"{path}: can't be read: {error.strerror}"]) from error
    # An exception of the parser contains the text, so it must not become the context of ours.
    fault = ""
    try:
        text = octets.decode("utf-8-sig").replace("\r\n", "\n")  # editors on Windows write a byte order mark
        # With the line break, the position of an error at the end of the last line is that line.
        return TomlFile(path=path, text=text, data=tomllib.loads(text + "\n"))
    except UnicodeDecodeError:
        fault = ": is not UTF-8 text"
    except RecursionError:
        fault = ": is nested too deeply"
    except tomllib.TOMLDecodeError as error:
        fault = _describe_syntax_error(str(error))
    raise SettingsError([f"{path}{fault}"])


def _describe_syntax_error(message: str) -> str:
    match = _ERROR.fullmatch(message)
    if match is None:
        return ": is not valid TOML"
    words = (text for start, text in _SYNTAX.items() if match["what"].startswith(start))
    return f", {match['where']}: {next(words, 'this is not valid TOML')}"


def find_line(text: str, where: Where) -> int | None:
    """Return the line, from 1, that sets a key or opens a table, or else its table; None for the document."""
    lines = text.split("\n")

    def parse(count: int) -> tuple[int, object]:
        """Parse the first `count` lines, less a statement that isn't complete in them."""
        while True:
            try:
                return count, tomllib.loads("\n".join(lines[:count]) + "\n")
            except tomllib.TOMLDecodeError:
                count -= 1

    while where:
        end = bisect_left(range(len(lines) + 1), x=True, key=lambda count: _has(parse(count)[1], where))
        if end <= len(lines):
            return parse(end - 1)[0] + 1
        where = where[:-1]
    return None


def _has(data: Any, where: Where) -> bool:
    try:
        for key in where:
            data = data[key]
    except (KeyError, IndexError, TypeError):
        return False
    return True

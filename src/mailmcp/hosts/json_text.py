"""Edits JSON, with comments and trailing commas, as VS Code and Zed have them."""

import json
import re
from dataclasses import dataclass
from typing import Any

from mailmcp.hosts.syntax import Path, Syntax, TextError, line_break, nest, position

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    start: int
    end: int
    data: Any
    members: "list[_Member] | None" = None
    """Of an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    key: str
    start: int
    value: _Value
    comma: int | None
    """Where the comma behind it is."""


class _Reader:
    """Reads a text by recursive descent and remembers where each member is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def document(self) -> _Value | None:
        """Read the whole text; None if it has no value."""
        if self._peek() == "":
            return None
        value = self._value()
        if self._peek():
            raise self._error("expected the end of the file")
        return value

    def _error(self, what: str) -> TextError:
        return TextError(f"{position(self.text, self.at)}: {what}")

    def _peek(self) -> str:
        """Skip space and comments; return the next character, empty at the end."""
        match = _SPACE.match(self.text, self.at)
        assert match is not None  # noqa: S101 - it matches the empty text
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def _comma(self, closing: str) -> int | None:
        """Read what follows an element: a comma, whose place it returns, or nothing before the closing."""
        found = self._peek()
        if found == ",":
            self.at += 1
            return self.at - 1
        if found != closing:
            raise self._error(f"expected a comma or {closing}")
        return None

    def _value(self) -> _Value:
        first, start = self._peek(), self.at
        if first == "{":
            return self._object()
        if first == "[":
            return self._array()
        if first == '"':
            return _Value(start=start, data=self._string(), end=self.at)
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            raise self._error("expected a value")
        self.at = match.end()
        return _Value(start=start, data=json.loads(match[0]), end=self.at)

    def _string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self._error("expected a string in double quotes")
        try:
            string: str = json.loads(match[0])
        except ValueError:
            raise self._error("the string has an invalid escape") from None
        self.at = match.end()
        return string

    def _object(self) -> _Value:
        start = self.at
        self.at += 1
        members: list[_Member] = []
        comma: int | None = start
        while self._peek() != "}":
            if comma is None:
                raise self._error("expected a comma or }")
            key_start, key = self.at, self._string()
            if self._peek() != ":":
                raise self._error("expected a colon")
            self.at += 1
            value = self._value()
            comma = self._comma("}")
            members.append(_Member(key=key, start=key_start, value=value, comma=comma))
        self.at += 1
        data = {each.key: each.value.data for each in members}
        return _Value(start=start, end=self.at, data=data, members=members)

    def _array(self) -> _Value:
        start = self.at
        self.at += 1
        elements = []
        while self._peek() != "]":
            elements.append(self._value().data)
            self._comma("]")
        self.at += 1
        return _Value(start=start, end=self.at, data=elements)


def _read(text: str) -> _Value | None:
    try:
        root = _Reader(text).document()
    except RecursionError:
        raise TextError("is nested too deeply") from None
    if root is not None and root.members is None:
        raise TextError("is not a JSON object")
    return root


def _parse(text: str) -> dict[str, Any]:
    root = _read(text)
    return {} if root is None else dict(root.data)


def _member(text: str, value: _Value, key: str) -> _Member | None:
    """Find a member of an object."""
    if value.members is None:
        raise TextError(f"{position(text, value.start)}: expected an object")
    found = [each for each in value.members if each.key == key]
    if len(found) > 1:
        raise TextError(f"{position(text, found[1].start)}: {json.dumps(key)} is there twice")
    return found[0] if found else None


def _existing(text: str, path: Path) -> tuple[_Value, _Member]:
    """Return the member at a path, and the object it is in."""
    parent = member = None
    value = _read(text)
    for key in path:
        parent, member = value, None if value is None else _member(text, value, key)
        value = None if member is None else member.value
    if parent is None or member is None:
        raise KeyError(path)
    return parent, member


def _insert(text: str, path: Path, value: object) -> str:
    target = _read(text)
    if target is None:
        separator = line_break(text) if text.strip() and not text.endswith("\n") else ""
        return text + separator + _dump(text, nest(path, value), "") + line_break(text)
    unit = _unit(text, target)
    while (member := _member(text, target, path[0])) is not None:
        target, path = member.value, path[1:]
    assert target.members is not None  # noqa: S101 - _member has seen to it
    name, wrapped = json.dumps(path[0], ensure_ascii=False), nest(path[1:], value)
    line = line_break(text)
    outer = _leading_space(text, target.start)
    closing = target.end - 1
    if not target.members:
        inside = text[target.start + 1 : closing].rstrip()
        added = f"{line}{outer}{unit}{name}: {_dump(text, wrapped, outer + unit, unit)}{line}{outer}"
        return text[: target.start + 1] + inside + added + text[closing:]
    last = target.members[-1]
    gap = text[last.value.end : closing]
    indent = _leading_space(text, last.start)
    if text[: last.start].endswith(("\n" + indent, "\r" + indent)):
        added = f"{line}{indent}{name}: {_dump(text, wrapped, indent, unit)}"
    elif "\n" in gap:
        added = f"{line}{outer}{unit}{name}: {_dump(text, wrapped, outer + unit, unit)}"
    else:
        added = f" {name}: {json.dumps(wrapped, ensure_ascii=False)}"
    comma, after = (",", "") if last.comma is None else ("", ",")
    end = last.value.end + len(gap.rstrip())
    return text[: last.value.end] + comma + text[last.value.end : end] + added + after + text[end:]


def _replace(text: str, path: Path, value: object) -> str:
    _, member = _existing(text, path)
    old = text[member.value.start : member.value.end]
    root = _read(text)
    unit = "  " if root is None else _unit(text, root)
    new = (
        _dump(text, value, _leading_space(text, member.start), unit)
        if "\n" in old
        else json.dumps(value, ensure_ascii=False)
    )
    return text[: member.value.start] + new + text[member.value.end :]


def _remove(text: str, path: Path) -> str:
    parent, member = _existing(text, path)
    members = parent.members or []
    place = members.index(member)
    before, after = text[: member.start].rstrip(), text[member.value.end :]
    if member.comma is not None:
        after = text[member.value.end : member.comma] + text[member.comma + 1 :]
    elif place > 0:
        comma = members[place - 1].comma or 0
        before = before[:comma] + before[comma + 1 :]
    if len(members) == 1 and before.endswith("{"):
        after = after.lstrip() if after.lstrip().startswith("}") else after
    return before + after


def _leading_space(text: str, index: int) -> str:
    """Return the space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, index) + 1 : index]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str, root: _Value) -> str:
    """Return what one level is indented by."""
    return (_leading_space(text, root.members[0].start) if root.members else "") or "  "


def _dump(text: str, value: object, indent: str, unit: str = "  ") -> str:
    dumped = json.dumps(value, indent=unit, ensure_ascii=False)
    return dumped.replace("\n", line_break(text) + indent)


JSON = Syntax(name="json", parse=_parse, insert=_insert, replace=_replace, remove=_remove)

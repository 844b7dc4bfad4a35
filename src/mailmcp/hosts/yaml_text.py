"""Edits YAML: mappings in block style, as Goose writes them, and empty ones."""

import json
from typing import Any

import yaml

from mailmcp.hosts.syntax import Path, Syntax, TextError, line_break, nest

_UNIT = "  "


def _read(text: str) -> Any:
    """Return the root node, or None."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    except yaml.YAMLError:
        where = ""
    except RecursionError:
        raise TextError("is nested too deeply") from None
    raise TextError(f"{where}this is not valid YAML")  # not chained: the parser's error quotes the text


def _parse(text: str) -> dict[str, Any]:
    _read(text)
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError):  # an unknown tag, a date that doesn't exist, …
        raise TextError("has a value that can't be read") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise TextError("is not a YAML mapping")
    return data


def _pair(node: Any, key: str) -> tuple[Any, Any] | None:
    """Find a key of a mapping; return the nodes of key and value."""
    if not isinstance(node, yaml.MappingNode):
        raise TextError(f"line {node.start_mark.line + 1}: expected a mapping")
    found = [(each, value) for each, value in node.value if each.value == key]
    if len(found) > 1:
        raise TextError(f"line {found[1][0].start_mark.line + 1}: {json.dumps(key)} is there twice")
    return found[0] if found else None


def _existing(text: str, path: Path) -> tuple[Any, Any, Any]:
    """Return the node of a mapping, and those of the key in it and its value."""
    node = _read(text)
    parent, key_node = node, None
    for key in path:
        pair = _pair(node, key)
        if pair is None:
            raise KeyError(path)
        parent, (key_node, node) = node, pair
    return parent, key_node, node


def _insert(text: str, path: Path, value: object) -> str:
    target = _read(text)
    line = line_break(text)
    if target is not None and _is_empty(target):
        block = _block(nest(path, value), "", line).removesuffix(line)
        return text[: target.start_mark.index] + block + text[target.end_mark.index :]
    if target is None or _pair(target, path[0]) is None:
        gap = "" if not text or text.endswith("\n") else line
        return text + gap + _block(nest(path, value), "", line)
    key_node = None
    while not _is_empty(target) and (pair := _pair(target, path[0])) is not None:
        (key_node, target), path = pair, path[1:]
    assert key_node is not None  # noqa: S101 - the first one is there
    added = nest(path, value)
    if _is_empty(target):
        rest = text[target.end_mark.index :]
        comment = _rest_of_line(rest)
        block = _block(added, " " * key_node.start_mark.column + _UNIT, line).removesuffix(line)
        return f"{text[: key_node.end_mark.index]}:{comment}{line}{block}{rest[len(comment) :]}"
    if target.flow_style:
        raise TextError(f"line {target.start_mark.line + 1}: can't add to a mapping in braces")
    # Directly under the key, above the comments of the first member.
    end = text.index("\n", key_node.end_mark.index) + 1
    return text[:end] + _block(added, " " * target.value[0][0].start_mark.column, line) + text[end:]


def _is_empty(node: Any) -> bool:
    """Return whether it is `{}`, or nothing after the colon."""
    if isinstance(node, yaml.ScalarNode):
        return node.tag == "tag:yaml.org,2002:null" and not node.value
    return isinstance(node, yaml.MappingNode) and not node.value


def _rest_of_line(text: str) -> str:
    return text.split("\n", 1)[0].removesuffix("\r")


def _replace(text: str, path: Path, value: object) -> str:
    _, key_node, node = _existing(text, path)
    return text[: key_node.end_mark.index] + ": " + _flow(value) + text[_end(node) :]


def _remove(text: str, path: Path) -> str:
    parent, key_node, node = _existing(text, path)
    if parent.flow_style:
        raise TextError(f"line {parent.start_mark.line + 1}: can't remove from a mapping in braces")
    end = text.find("\n", _end(node))
    rest = text[end + 1 :] if end >= 0 else ""
    start = text.rfind("\n", 0, key_node.start_mark.index) + 1
    if len(parent.value) > 1 or len(path) == 1:
        return text[:start] + rest
    _, above, _ = _existing(text, path[:-1])
    colon = above.end_mark.index
    return f"{text[:colon]}: {{}}{text[colon + 1 : start]}{rest}"


def _end(node: Any) -> int:
    """Return where a value ends. For the parser, a block reaches up to the next key."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _block(data: dict[str, Any], indent: str, line: str) -> str:
    parts = []
    for key, value in data.items():
        if isinstance(value, dict) and value:
            parts += [f"{indent}{key}:{line}", _block(value, indent + _UNIT, line)]
        else:
            parts.append(f"{indent}{key}: {_flow(value)}{line}")
    return "".join(parts)


def _flow(value: object) -> str:
    """Write a value on one line: YAML reads JSON."""
    return json.dumps(value, ensure_ascii=False)


YAML = Syntax(name="yaml", parse=_parse, insert=_insert, replace=_replace, remove=_remove)

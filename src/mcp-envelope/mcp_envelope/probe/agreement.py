"""Whether the text of a reply says what its structured content says.

Every text in the structured content must be found in the text channel, except words for programs.
Numbers and flags aren't looked for, since each server writes them in its own way.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mcp_envelope.check import is_failure

FOR_PROGRAMS: Final = frozenset({"status", "code", "reason", "stage", "cursor"})
"""Keys of an envelope whose texts the text channel says in other words."""

TEXTS_MAX: Final = 1_000
"""Texts that are looked for in one reply."""

_UNICODE_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def missing_texts(structured: Mapping[str, Any], text: str) -> list[str]:
    """List the paths of the structured content whose text isn't in the text channel, each once."""
    said = _flat(_read_json(text))
    paths = (path for path, value in _claims(structured) if not _is_said(value, said))
    return list(dict.fromkeys(paths))


def _is_said(value: str, said: str) -> bool:
    """Look for a value as it is, and as JSON writes it."""
    return _flat(value) in said or _flat(json.dumps(value, ensure_ascii=False)[1:-1]) in said


def _claims(structured: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List what a reader of the text must learn: the message of a failure, all the data of a success."""
    error = structured.get("error")
    if is_failure(structured):
        message = error.get("message") if isinstance(error, Mapping) else error
        path = "error.message" if isinstance(error, Mapping) else "error"
        return [(path, message)] if isinstance(message, str) else []
    claims: list[tuple[str, str]] = []
    for key, value in structured.items():
        if key == "meta":
            value = {"warnings": value.get("warnings")} if isinstance(value, Mapping) else None  # noqa: PLW2901 - the rest is about the reply, not in it
        for claim in _texts(value, key):
            claims.append(claim)
            if len(claims) == TEXTS_MAX:
                return claims
    return claims


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Walk a value without recursion, since strangers choose its depth."""
    waiting: list[tuple[str, object]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, Mapping):
            inner = [(f"{path}.{key}", each) for key, each in value.items() if key not in FOR_PROGRAMS]
            waiting += reversed(inner)
        elif isinstance(value, list):
            waiting += [(f"{path}[]", each) for each in reversed(value)]


def _read_json(text: str) -> str:
    """Return the texts in a text that is JSON, so that its escapes don't count; any other as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(each for _, each in _texts(value, ""))


def _flat(text: str) -> str:
    """Remove what Markdown and JSON add to a value or replace in it: backslashes, spaces, what isn't seen."""
    unescaped = _UNICODE_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    return "".join(each for each in unescaped if each.isprintable() and each not in " \\\ufffd")

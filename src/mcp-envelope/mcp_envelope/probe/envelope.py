"""Where in a result its envelope is, and what the result says in words."""

import json
from collections.abc import Mapping
from typing import Any, Final

ROOT_KEYS: Final = frozenset({"success", "summary", "data", "error"})
"""An object without any of these is data of a tool's own, not an envelope."""


def as_object(value: object) -> Mapping[str, Any]:
    """Return a JSON value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def envelope_of(result: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, bool]:
    """Find the envelope of a result, and return whether it is its structured content.

    Servers without structured content may have their envelope as JSON in the text.
    """
    structured = result.get("structuredContent")
    if isinstance(structured, Mapping):
        return (structured if ROOT_KEYS & structured.keys() else None), True
    try:
        written = json.loads(text_of(result))
    except (ValueError, RecursionError):
        return None, False
    return (written if isinstance(written, Mapping) and ROOT_KEYS & written.keys() else None), False


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text channel of a result."""
    content = result.get("content")
    blocks = [each for each in content if isinstance(each, Mapping)] if isinstance(content, list) else []
    return "\n".join(each["text"] for each in blocks if isinstance(each.get("text"), str))

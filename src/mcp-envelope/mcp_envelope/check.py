"""Checks any reply against the rules of a dialect, for tests and for authors of other servers."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from mcp_envelope.dialects.registry import Dialect, shape_of


class Mode(StrEnum):
    """How much is asked of a reply."""

    CONVENTION = "convention"
    """What the dialect's public page asks of anybody's server."""

    STRICT = "strict"
    """What this library sends, on top of that."""


def check_reply(reply: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """List the rules that a reply breaks, each as a sentence, once; empty if there are none.

    Args:
        reply: The envelope (structured content), as parsed from JSON. Anything at all may be given.
        dialect: The shape that it claims.
        mode: What is asked of it.
    """
    if not isinstance(reply, Mapping):
        return ["the reply is not an object"]
    shape = shape_of(dialect)
    violations = list(shape.check_convention(reply))
    if mode is Mode.STRICT:
        violations += shape.check_strict(reply)
    return list(dict.fromkeys(violations))


def check_result(result: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """List the rules that the whole result of a call breaks: of its envelope, and of what goes around it.

    Args:
        result: The `CallToolResult`, as parsed from JSON.
        dialect: The shape that it claims.
        mode: What is asked of it.
    """
    if not isinstance(result, Mapping):
        return ["the result is not an object"]
    content, envelope = result.get("content"), result.get("structuredContent")
    texts = [each for each in content if isinstance(each, Mapping)] if isinstance(content, list) else []
    violations = []
    if not any(each.get("type") == "text" and each.get("text") for each in texts):
        violations.append("content has no text, so a model that reads nothing else sees nothing")
    if not isinstance(result.get("isError"), bool):
        violations.append("isError is missing")
    violations += check_reply(envelope, dialect, mode)
    if isinstance(envelope, Mapping) and bool(result.get("isError", False)) != is_failure(envelope):
        violations.append("isError contradicts the envelope")
    return violations


def is_failure(envelope: Mapping[str, Any]) -> bool:
    """Return whether an envelope of any dialect is a failure."""
    return envelope.get("success") is False or ("success" not in envelope and "error" in envelope)


def check_file(text: str, dialect: Dialect, mode: Mode) -> int:
    """Print each rule that a reply breaks to stdout, and how many to stderr.

    Args:
        text: The reply: a JSON object.
        dialect: The shape that it claims.
        mode: What is asked of it.

    Returns:
        The exit status: 0 for a reply in order, 1 for one that breaks rules, 2 for what isn't JSON.
    """
    try:
        broken = check_reply(json.loads(text), dialect, mode)
    except ValueError as error:
        sys.stderr.write(f"it is not JSON: {error}\n")
        return 2
    except RecursionError:
        sys.stderr.write("it is nested too deeply\n")
        return 2
    sys.stdout.write("".join(f"{rule}\n" for rule in broken))
    count = f"{len(broken)} rule{'' if len(broken) == 1 else 's'} broken"
    sys.stderr.write(f"{count if broken else 'in order'}\n")
    return 1 if broken else 0

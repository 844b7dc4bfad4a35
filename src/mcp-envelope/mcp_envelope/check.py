"""Checks replies of any server against the rules of a dialect."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from mcp_envelope.dialects.registry import Dialect, shape_of


class Mode(StrEnum):
    """Which rules to check."""

    CONVENTION = "convention"
    """Those of the dialect's public page, for any server."""

    STRICT = "strict"
    """Those, and the library's own."""


def check_reply(reply: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """Return the rules that a reply breaks, as sentences without duplicates.

    Args:
        reply: The envelope (structured content), parsed from JSON. Any value is accepted.
        dialect: The dialect that the reply should follow.
        mode: Which rules to check.
    """
    if not isinstance(reply, Mapping):
        return ["the reply is not an object"]
    shape = shape_of(dialect)
    violations = list(shape.check_convention(reply))
    if mode is Mode.STRICT:
        violations += shape.check_strict(reply)
    return list(dict.fromkeys(violations))


def check_result(result: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """Return the rules that the result of a call breaks: those of its envelope, and those of MCP around it.

    Args:
        result: The `CallToolResult`, parsed from JSON.
        dialect: The dialect that the reply should follow.
        mode: Which rules to check.
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
        dialect: The dialect that the reply should follow.
        mode: Which rules to check.

    Returns:
        The exit status: 0 if no rule is broken, 1 if there are any, 2 if it isn't JSON.
    """
    try:
        broken = check_reply(json.loads(text), dialect, mode)
    except ValueError as error:
        sys.stderr.write(f"the reply is not JSON: {error}\n")
        return 2
    except RecursionError:
        sys.stderr.write("the reply is nested too deeply\n")
        return 2
    sys.stdout.write("".join(f"{rule}\n" for rule in broken))
    count = f"{len(broken)} rule{'' if len(broken) == 1 else 's'} broken"
    sys.stderr.write(f"{count if broken else 'no rules broken'}\n")
    return 1 if broken else 0

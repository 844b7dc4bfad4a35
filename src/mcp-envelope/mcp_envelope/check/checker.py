"""Checks any reply against the rules of a dialect, for tests and for authors of other servers."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from mcp_envelope.check import convention, strict
from mcp_envelope.check.rules import Broken
from mcp_envelope.dialects.names import Dialect

Check = Callable[[Mapping[str, Any]], Broken]


class Mode(StrEnum):
    """How much is asked of a reply."""

    CONVENTION = "convention"
    """What the dialect's public page asks of anybody's server."""

    STRICT = "strict"
    """What this library sends, on top of that."""


_CONVENTION: Final[dict[Dialect, Check]] = {
    Dialect.SUMMARY: convention.broken_in_summary,
    Dialect.RESPONSE_V2: convention.broken_in_response_v2,
    Dialect.DISCRIMINATED: convention.broken_in_discriminated,
}
_STRICT: Final[dict[Dialect, Check]] = {
    Dialect.SUMMARY: strict.broken_in_summary,
    Dialect.RESPONSE_V2: strict.broken_in_response_v2,
    Dialect.DISCRIMINATED: strict.broken_in_discriminated,
}


def check_reply(reply: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """List the rules that a reply breaks, each as a sentence, once; empty if there are none.

    Args:
        reply: The envelope (structured content), as parsed from JSON. Anything at all may be given.
        dialect: The shape that it claims.
        mode: What is asked of it.
    """
    if not isinstance(reply, Mapping):
        return ["the reply is not an object"]
    broken = list(_CONVENTION[dialect](reply))
    if mode is Mode.STRICT:
        broken += _STRICT[dialect](reply)
    return list(dict.fromkeys(broken))


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
    broken = []
    if not any(each.get("type") == "text" and each.get("text") for each in texts):
        broken.append("content has no text, so models that read nothing else see nothing")
    if not isinstance(result.get("isError"), bool):
        broken.append("isError is not said explicitly")
    broken += check_reply(envelope, dialect, mode)
    if isinstance(envelope, Mapping) and bool(result.get("isError", False)) != is_failure(envelope):
        broken.append("isError contradicts the envelope")
    return broken


def is_failure(envelope: Mapping[str, Any]) -> bool:
    """Return whether an envelope of any dialect is a failure."""
    return envelope.get("success") is False or ("success" not in envelope and "error" in envelope)

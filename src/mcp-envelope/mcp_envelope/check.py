"""Checks replies of any server against the rules of a dialect.

`schemas/replies.schema.json` has the rules, for programs in other languages too. Here are those that compare
one part of a reply with another, which a schema can't.
"""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from mcp_envelope.dialects import Dialect

SCHEMAS: Final = Path(__file__).with_name("schemas") / "replies.schema.json"

_MESSAGE_CHARS_MAX: Final = 200
"""Of a broken rule: the schema's messages repeat the value."""


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
    errors = _validator(dialect, mode).iter_errors(reply)
    broken = [f"{each.json_path.removeprefix('$.')}: {each.message[:_MESSAGE_CHARS_MAX]}" for each in errors]
    if not broken:
        if mode is Mode.STRICT or dialect is Dialect.SUMMARY:  # other pages leave `data` alone
            broken += _compare_counts(reply.get("data", {}))
        if mode is Mode.STRICT:
            broken += _compare_places(reply, dialect)
    return list(dict.fromkeys(each.replace("$:", "the reply:") for each in broken))


@cache
def _validator(dialect: Dialect, mode: Mode) -> Any:
    # Imported here: every server imports this module, and few check replies.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    schema = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    name = dialect.value + ("_strict" if mode is Mode.STRICT else "")
    return Draft202012Validator(schema | {"$ref": f"#/$defs/{name}"})


def _compare_counts(data: Mapping[str, Any]) -> Iterator[str]:
    """Compare the counts in `data` with each other and with its lists."""
    if "attempted" not in data:
        return
    if data["attempted"] != data["returned"] + data["failed"]:
        yield "data: attempted is not the sum of returned and failed"
    if "issues" in data and data["failed"] > len(data["issues"]):
        yield "data.failed is more than the number of issues"
    lists = [each for key, each in data.items() if key != "issues" and isinstance(each, list)]
    if lists and data["returned"] not in map(len, lists):
        yield "data has no array of data.returned items"


def _compare_places(reply: Mapping[str, Any], dialect: Dialect) -> Iterator[str]:
    """Compare what a reply of this library says in two places."""
    data, meta = reply.get("data", {}), reply.get("meta", {})
    page = meta.get("pagination")
    if dialect is Dialect.DISCRIMINATED:
        if next(iter(reply)) != "success":
            yield "the first key is not success"
    elif ("has_more" in data) != (page is not None):
        yield "meta.pagination and data.has_more must be present together"
    elif page and (data.get("next_cursor"), data["has_more"]) != (page.get("cursor"), page["has_more"]):
        yield "meta.pagination contradicts data.next_cursor or data.has_more"
    if dialect is Dialect.SUMMARY:
        if "error" in reply and reply["error"]["data"] != {"code": reply["error"]["code"]}:
            yield "error.data.code is not error.code"
        return
    if dialect is Dialect.RESPONSE_V2 and meta["telemetry"]["duration_ms"] != meta["duration_ms"]:
        yield "meta.telemetry.duration_ms is not meta.duration_ms"
    warnings = meta["warnings"] if meta else [each["message"] for each in reply.get("warnings", ())]
    if not all(any(issue["message"] in each for each in warnings) for issue in data.get("issues", ())):
        yield "the warnings don't mention every issue"


def check_result(result: object, dialect: Dialect, mode: Mode = Mode.STRICT) -> list[str]:
    """Return the rules that the result of a call breaks: those of its envelope, and those of MCP around it.

    `result` is the `CallToolResult`, parsed from JSON; the rest is as for `check_reply`.
    """
    if not isinstance(result, Mapping):
        return ["the result is not an object"]
    content, envelope = result.get("content"), result.get("structuredContent")
    texts = [each for each in content if isinstance(each, Mapping)] if isinstance(content, list) else []
    broken = []
    if not any(each.get("type") == "text" and each.get("text") for each in texts):
        broken.append("content has no text, so a model that reads nothing else sees nothing")
    if not isinstance(result.get("isError"), bool):
        broken.append("isError is missing")
    broken += check_reply(envelope, dialect, mode)
    if isinstance(envelope, Mapping) and bool(result.get("isError", False)) != is_failure(envelope):
        broken.append("isError contradicts the envelope")
    return broken


def is_failure(envelope: Mapping[str, Any]) -> bool:
    """Return whether an envelope of any dialect is a failure."""
    return envelope.get("success") is False or ("success" not in envelope and "error" in envelope)

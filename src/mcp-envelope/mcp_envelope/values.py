"""Formats the parts that the dialects share as JSON values. What is empty is left out."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel

from mcp_envelope.errors import Code, NextAction, RateLimit, ToolError
from mcp_envelope.markdown import code
from mcp_envelope.outcome import Issue, Meta, Outcome, Page, Status
from mcp_envelope.schema import JsonObject

Spell = Callable[[Code, StrEnum | None], str]
"""How a dialect spells a code, given the reason within it."""

DATA_KEYS: Final = frozenset({"status", "issues", "next_cursor", "has_more", "next_action", "reply_summary"})
"""Keys of `data` that the library writes; tools can't have fields with these names."""


def next_action_value(action: NextAction) -> JsonObject:
    """Format a next action, its arguments as they are sent."""
    return {"instruction": action.instruction, "tool": action.tool, "arguments": dict(action.arguments)}


def issue_value(issue: Issue, spell: Spell) -> JsonObject:
    """Format an issue, its code as the dialect spells it, and last what it is about."""
    value: JsonObject = {"code": spell(issue.code, issue.reason)}
    if issue.reason is not None:
        value["reason"] = issue.reason.value
    value |= {"stage": issue.stage, "message": issue.message, "retryable": issue.retryable}
    return value | {key: each for key, each in issue.about.items() if each is not None}


def issue_sentence(issue: Issue) -> str:
    """Format an issue for readers: the first string of what it is about, and its message."""
    subject = next((each for each in issue.about.values() if isinstance(each, str) and each), "")
    return f"{code(subject)}: {issue.message}" if subject else issue.message


def page_value(page: Page) -> JsonObject:
    """Format where a page is; `cursor` is absent on the last one, `total_count` where it isn't known."""
    value = {"cursor": page.cursor, "has_more": page.has_more, "total_count": page.total_count}
    return {key: each for key, each in value.items() if each is not None} | {"page_size": page.page_size}


def rate_limit_value(rate_limit: RateLimit, meta: Meta) -> JsonObject:
    """Format a rate limit with all its keys; what isn't known is null."""
    return {
        "limit": rate_limit.limit,
        "remaining": rate_limit.remaining,
        "reset_at": meta.reset_at(rate_limit),
        "retry_after_seconds": rate_limit.retry_after_s,
    }


def error_facts(error: ToolError) -> JsonObject:
    """Format the details of an error: its reason, what it is about, its own facts."""
    facts: JsonObject = {"reason": error.reason.value}
    if error.resource is not None:
        facts |= {"resource_type": error.resource.type, "resource_id": error.resource.id}
    return facts | error.details


def details_value(error: ToolError) -> JsonObject:
    """Format everything about an error, for a shape without other places for it."""
    value = {"retryable": error.retryable, **error_facts(error)}
    if error.next_action is not None:
        value["next_action"] = next_action_value(error.next_action)
    return value


def identity_value(meta: Meta) -> JsonObject:
    """Format the request id, and the caller's trace if it sent one."""
    return {"request_id": meta.request_id, **meta.trace}


def meta_value(meta: Meta, result: Outcome[Any] | ToolError) -> JsonObject:
    """Format `meta`, without empty keys."""
    value: JsonObject = {
        "version": meta.version,
        "now_utc": meta.now_utc,
        "duration_ms": meta.duration_ms,
        **identity_value(meta),
    }
    if isinstance(result, Outcome):
        if result.warnings:
            value["warnings"] = list(result.warnings)
        if result.page is not None:
            value["pagination"] = page_value(result.page)
    if result.rate_limit is not None:
        value["rate_limit"] = rate_limit_value(result.rate_limit, meta)
    if meta.telemetry:
        value["telemetry"] = dict(meta.telemetry)
    return value


def data_value(
    outcome: Outcome[Any], spell: Spell, *, has_status: bool, has_summary: bool = False
) -> JsonObject:
    """Format `data`: status and issues first, then the tool's own fields, the cursor and the next action.

    Args:
        outcome: What the tool returned.
        spell: How the dialect spells the codes of issues.
        has_status: Whether the tool's replies can be partial.
        has_summary: Whether the dialect has the summary in `data`, where it comes first. For a tool with a
            field of that name it is called `reply_summary`.
    """
    value: JsonObject = {}
    if has_summary:
        taken = "summary" in field_names(type(outcome.data))
        value["reply_summary" if taken else "summary"] = outcome.summary
    if has_status:
        value["status"] = outcome.status.value
        value["issues"] = [issue_value(issue, spell) for issue in outcome.issues]
    value |= outcome.data.model_dump(mode="json", by_alias=True, exclude_none=True)
    if outcome.page is not None:
        if outcome.page.cursor is not None:
            value["next_cursor"] = outcome.page.cursor
        value["has_more"] = outcome.page.has_more
    if outcome.next_action is not None:
        value["next_action"] = next_action_value(outcome.next_action)
    return value


def field_names(model: type[BaseModel]) -> set[str]:
    """Return the names of a model's fields as they are written."""
    fields = model.model_fields.items()
    return {info.serialization_alias or info.alias or name for name, info in fields}


def data_schema(tool_data: JsonObject, *, has_status: bool, pages: bool) -> JsonObject:
    """Write the schema of what `data_value` writes, from the schema of the tool's own fields.

    Every tool has what the library adds, so every token counts once a tool: it is named, with its type, and
    `schemas/replies.schema.json` says the rest.
    """
    properties: JsonObject = {}
    required: list[str] = []
    if has_status:
        properties = {"status": {"enum": [status.value for status in Status]}, "issues": {"type": "array"}}
        required = ["status", "issues"]
    properties |= tool_data.get("properties", {})
    required += tool_data.get("required", [])
    if pages:
        properties |= {"next_cursor": {"type": "string"}, "has_more": {"type": "boolean"}}
        required.append("has_more")
    properties["next_action"] = {"type": "object"}
    return {"type": "object", "properties": properties, "required": required}

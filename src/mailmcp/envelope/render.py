"""JSON values of the parts that the dialects share; what is empty is left out."""

from typing import Any

from mailmcp.envelope.errors import NextAction
from mailmcp.envelope.meta import VERSION, Meta
from mailmcp.envelope.outcome import Issue, Outcome, Page
from mailmcp.envelope.schema import JsonObject, object_schema

NEXT_ACTION_SCHEMA = object_schema(
    {
        "instruction": {"type": "string"},
        "tool": {"type": "string"},
        "arguments": {"type": "object"},
    },
    required=("instruction", "tool", "arguments"),
)

ISSUE_SCHEMA = object_schema(
    {
        "code": {"type": "string"},
        "stage": {"type": "string"},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
        "uid": {"type": "integer"},
        "message_id": {"type": "string"},
        "mailbox": {"type": "string"},
        "account_id": {"type": "string"},
    },
    required=("code", "stage", "message", "retryable"),
)

META_SCHEMA = object_schema(
    {
        "version": {"type": "string"},
        "now_utc": {"type": "string"},
        "duration_ms": {"type": "integer"},
        "request_id": {"type": "string"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "pagination": {"type": "object"},
        "rate_limit": {"type": "object"},
        "telemetry": {"type": "object"},
    },
    required=("version", "now_utc", "duration_ms", "request_id"),
)


def next_action_value(action: NextAction) -> JsonObject:
    """Write a next action, its arguments as they are sent."""
    return {"instruction": action.instruction, "tool": action.tool, "arguments": dict(action.arguments)}


def issue_value(issue: Issue) -> JsonObject:
    """Write an issue; names that do not apply are absent."""
    value: JsonObject = {
        "code": issue.code.value,
        "stage": issue.stage,
        "message": issue.message,
        "retryable": issue.retryable,
        "uid": issue.uid,
        "message_id": issue.message_id,
        "mailbox": issue.mailbox,
        "account_id": issue.account_id,
    }
    return {key: each for key, each in value.items() if each is not None}


def page_value(page: Page) -> JsonObject:
    """Write where a page stands; `cursor` is absent on the last page."""
    value: JsonObject = {"cursor": page.cursor} if page.cursor is not None else {}
    return value | {"has_more": page.has_more, "total_count": page.total_count, "page_size": page.page_size}


def meta_value(meta: Meta) -> JsonObject:
    """Write `meta` with the keys that have something to say."""
    value: JsonObject = {
        "version": VERSION,
        "now_utc": meta.now_utc,
        "duration_ms": meta.duration_ms,
        "request_id": meta.request_id,
    }
    if meta.warnings:
        value["warnings"] = list(meta.warnings)
    if meta.page is not None:
        value["pagination"] = page_value(meta.page)
    if meta.telemetry is not None:
        value["telemetry"] = {
            "imap_round_trips": meta.telemetry.imap_round_trips,
            "bytes_received": meta.telemetry.bytes_received,
            "cache_hit": meta.telemetry.cache_hit,
        }
    return value


def data_value(outcome: Outcome[Any]) -> JsonObject:
    """Write `data`: status and issues first, the tool's own fields, the next action last."""
    value: JsonObject = {}
    if outcome.talked_to_server:
        value["status"] = outcome.status.value
        value["issues"] = [issue_value(issue) for issue in outcome.issues]
    value |= outcome.data.model_dump(mode="json", by_alias=True, exclude_none=True)
    if outcome.next_action is not None:
        value["next_action"] = next_action_value(outcome.next_action)
    return value


def data_schema(tool_data: JsonObject, *, has_status: bool) -> JsonObject:
    """Write the schema of what `data_value` writes, from the schema of the tool's own fields."""
    properties: JsonObject = {}
    required: list[str] = []
    if has_status:
        properties["status"] = {"type": "string", "enum": ["ok", "partial", "failed"]}
        properties["issues"] = {"type": "array", "items": ISSUE_SCHEMA}
        required += ["status", "issues"]
    properties |= tool_data.get("properties", {})
    required += tool_data.get("required", [])
    properties["next_action"] = NEXT_ACTION_SCHEMA
    return object_schema(properties, required=tuple(required))

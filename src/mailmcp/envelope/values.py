"""JSON values of the parts that the dialects share; what is empty is left out."""

from typing import Any

from mailmcp.envelope.errors import MailError, NextAction
from mailmcp.envelope.meta import VERSION, Meta
from mailmcp.envelope.outcome import Issue, Outcome, Page, Status
from mailmcp.envelope.schema import JsonObject, object_schema

# These stand in every tool, so each token is paid for once a tool: their keys say what they are, and
# docs/envelope.md says the rest.
NEXT_ACTION_SCHEMA: JsonObject = {"type": "object", "required": ["instruction", "tool", "arguments"]}
ISSUE_SCHEMA: JsonObject = {"type": "object", "required": ["code", "stage", "message", "retryable"]}
META_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["version", "now_utc", "duration_ms", "request_id"],
}


def next_action_value(action: NextAction) -> JsonObject:
    """Write a next action, its arguments as they are sent."""
    return {"instruction": action.instruction, "tool": action.tool, "arguments": dict(action.arguments)}


def issue_value(issue: Issue) -> JsonObject:
    """Write an issue, and behind it what it is about; None is left out, and its own names stay its own."""
    value: JsonObject = {
        "code": issue.code.value,
        "stage": issue.stage,
        "message": issue.message,
        "retryable": issue.retryable,
    }
    return value | {key: each for key, each in issue.about.items() if key not in value and each is not None}


def page_value(page: Page, *, null_cursor: bool = False) -> JsonObject:
    """Write where a page stands; on the last one `cursor` is absent, or null if so wanted."""
    value: JsonObject = {"cursor": page.cursor} if page.cursor is not None or null_cursor else {}
    return value | {"has_more": page.has_more, "total_count": page.total_count, "page_size": page.page_size}


def details_value(error: MailError) -> JsonObject:
    """Write the details of an error for a shape that has no other place for what we know of it."""
    details: JsonObject = {"reason": error.reason.value, "retryable": error.retryable}
    if error.next_action is not None:
        details["next_action"] = next_action_value(error.next_action)
    return details | error.details


def identity_value(meta: Meta) -> JsonObject:
    """Write what finds a reply again: the request id, and the caller's trace if it sent one."""
    value: JsonObject = {"request_id": meta.request_id}
    if meta.trace is not None:
        value |= {"trace_id": meta.trace.trace_id, "span_id": meta.trace.span_id}
    return value


def meta_value(meta: Meta) -> JsonObject:
    """Write `meta` with the keys that have something to say."""
    value: JsonObject = {
        "version": VERSION,
        "now_utc": meta.now_utc,
        "duration_ms": meta.duration_ms,
        **identity_value(meta),
    }
    if meta.warnings:
        value["warnings"] = list(meta.warnings)
    if meta.page is not None:
        value["pagination"] = page_value(meta.page)
    if meta.telemetry is not None:
        value["telemetry"] = dict(meta.telemetry)
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
        properties["status"] = {"type": "string", "enum": [status.value for status in Status]}
        properties["issues"] = {"type": "array", "items": ISSUE_SCHEMA}
        required += ["status", "issues"]
    properties |= tool_data.get("properties", {})
    required += tool_data.get("required", [])
    properties["next_action"] = NEXT_ACTION_SCHEMA
    return object_schema(properties, required=tuple(required))

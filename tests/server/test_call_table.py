"""Good and bad calls in every dialect: each reply by the rules, by its schema, and to the point.

`{id}` stands for the id of a message that is there, `{cursor}` for the cursor of a first page of one.
"""

from typing import Any, NamedTuple

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from envelope.facts import facts_of
from mcp_envelope import Dialect, check_reply
from server.mailbox import connected

SEARCH, GET, RAW = "imap_search_messages", "imap_get_message", "imap_get_message_raw"
ATTACHMENT, MAILBOXES, ACCOUNTS = "imap_get_attachment", "imap_list_mailboxes", "imap_list_accounts"

SECRET = "Xq9-never-echoed"
"""Stands in values that are wrong: no reply may repeat it."""

BREAK = f"{SECRET}\r\nA1 LOGOUT"


class Bad(NamedTuple):
    """A call that cannot be right, with the arguments that are wrong and the reason of the first."""

    tool: str
    arguments: dict[str, Any]
    fields: tuple[str, ...]
    reason: str


GOOD: list[tuple[str, dict[str, Any]]] = [
    (ACCOUNTS, {}),
    (MAILBOXES, {"account_id": "work"}),
    (MAILBOXES, {"include_counts": "true", "account_id": None, "cursor": ""}),
    (SEARCH, {"limit": "2", "unread_only": "false"}),
    (
        SEARCH,
        {"mailbox": "*", "account_id": "*", "sort": "oldest", "snippet_max_chars": 50, "query": "Letter"},
    ),
    (SEARCH, {"mailboxes": ["INBOX"], "since": "2026-11-01T00:00:00+01:00", "before": "2999-01-01"}),
    (SEARCH, {"subject": "Grüße", "to": "nobody"}),
    (SEARCH, {"start_date": "2026-11-02", "end_date": "2026-11-02"}),
    (SEARCH, {"cursor": "{cursor}", "limit": 2, "mailbox": "INBOX"}),
    (GET, {"message_id": "{id}", "body_mode": "html", "include_headers": True}),
    (GET, {"message_id": "{id}", "attachment_mode": "extract_text", "body_max_chars": "100"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": 1, "mode": "text", "text_max_chars": "100"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": "content"}),
    (RAW, {"message_id": "{id}", "offset": "5", "max_bytes": 100.0}),
]

BAD: list[Bad] = [
    Bad(ACCOUNTS, {"extra": SECRET}, ("extra",), "unknown_param"),
    Bad(MAILBOXES, {SECRET + " \n": 1}, ("arguments",), "unknown_param"),
    Bad(MAILBOXES, {"cursor": "{cursor}"}, ("cursor",), "cursor_malformed"),
    Bad(SEARCH, {"folder": SECRET, "max": 5}, ("folder", "max"), "unknown_param"),
    Bad(SEARCH, {"query": [SECRET]}, ("query",), "invalid_type"),
    Bad(SEARCH, {"query": "x" * 5_000}, ("query",), "out_of_range"),
    Bad(SEARCH, {"query": f"a OR {SECRET}", "from": f"{SECRET} | x"}, ("query", "from"), "invalid_value"),
    Bad(SEARCH, {"mailbox": BREAK}, ("mailbox",), "forbidden_character"),
    Bad(SEARCH, {"mailboxes": [[SECRET]]}, ("mailboxes",), "invalid_type"),
    Bad(SEARCH, {"mailbox": SECRET, "mailboxes": [SECRET]}, ("mailboxes",), "exclusive_params"),
    Bad(SEARCH, {"since": "2026-11-02", "before": "2026-11-02"}, ("before",), "out_of_range"),
    Bad(SEARCH, {"last_days": 7, "end_date": "2026-11-01"}, ("last_days",), "exclusive_params"),
    Bad(SEARCH, {"gmail_query": SECRET}, ("gmail_query",), "invalid_value"),
    Bad(SEARCH, {"cursor": "{cursor}x"}, ("cursor",), "cursor_malformed"),
    Bad(
        SEARCH,
        {"cursor": "{cursor}", "mailbox": "Other", "unread_only": True},
        ("unread_only", "mailbox"),
        "cursor_mismatch",
    ),
    Bad(
        SEARCH,
        {"limit": -1, "start_date": SECRET, "subject": BREAK, "form": 1},
        ("subject", "since", "limit", "form"),
        "forbidden_character",
    ),
    Bad(GET, {"body_mode": "text"}, ("message_id",), "missing_param"),
    Bad(GET, {"message_id": ["{id}"]}, ("message_id",), "invalid_type"),
    Bad(GET, {"message_id": SECRET}, ("message_id",), "malformed_id"),
    Bad(GET, {"message_id": f"imap:work:IN\r\nBOX:1:{SECRET}"}, ("message_id",), "forbidden_character"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": SECRET}, ("part_id",), "invalid_value"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": "save"}, ("mode",), "switched_off"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "page": 2}, ("page",), "exclusive_params"),
    Bad(
        ATTACHMENT,
        {"message_id": "{id}", "part_id": "1", "text_offset": 99},
        ("text_offset",),
        "out_of_range",
    ),
    Bad(RAW, {"message_id": "{id}", "offset": 10**17}, ("offset",), "out_of_range"),
]

CALLS = [*(Bad(tool, arguments, (), "") for tool, arguments in GOOD), *BAD]


def filled(value: Any, places: dict[str, str]) -> Any:
    """Put the id and the cursor where they belong."""
    if isinstance(value, dict):
        return {key: filled(each, places) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, places) for each in value]
    if isinstance(value, str):
        for name, text in places.items():
            value = value.replace(name, text)
    return value


async def prepare(client: Client) -> tuple[dict[str, str], dict[str, Draft202012Validator]]:
    """Return an id and a cursor, and the published schemas, which are valid."""
    schemas = {tool.name: tool.output_schema or {} for tool in (await client.list_tools()).tools}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    data = ((await client.call_tool(SEARCH, {"limit": 1})).structured_content or {})["data"]
    places = {"{id}": data["messages"][0]["message_id"], "{cursor}": data["next_cursor"]}
    return places, {name: Draft202012Validator(schema) for name, schema in schemas.items()}


@pytest.mark.parametrize("dialect", Dialect)
def test_good_calls_succeed_and_bad_ones_say_all_that_is_wrong_and_repeat_nothing(dialect: Dialect) -> None:
    async def run() -> None:
        async with connected(dialect=dialect) as client:
            places, schemas = await prepare(client)
            for tool, arguments, fields, reason in CALLS:
                result = await client.call_tool(tool, filled(arguments, places))
                assert result.is_error is bool(fields), (tool, arguments, result.content)
                assert check_reply(result.structured_content, dialect) == []
                schemas[tool].validate(result.structured_content)
                if fields:
                    said = facts_of(result, dialect)
                    assert [problem["field"] for problem in said["problems"]] == list(fields), arguments
                    assert (said["code"], said["details"]["reason"]) == ("invalid_input", reason), arguments
                    assert SECRET not in result.model_dump_json(), arguments
                    assert all(each in getattr(result.content[0], "text", "") for each in fields), arguments

    anyio.run(run)

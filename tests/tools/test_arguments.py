"""Arguments of the tools as models send them: what mailmcp adds to what the library reads."""

import json
from typing import Any

import pytest

from mailmcp.tools.arguments import ARGUMENT_ALIASES, Arguments
from mailmcp.tools.message.tool import GetMessageArguments
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mcp_envelope import InvalidInputError, read_arguments
from mcp_envelope.arguments import find_meant

SECRET = "hunter2-must-not-come-back"
KNOWN = {
    tool.name.removeprefix("imap_"): [
        field.alias or name for name, field in tool.arguments.model_fields.items()
    ]
    for tool in TOOLS
}


def problems_of(model: type[Arguments], raw: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(model, raw)
    assert SECRET not in caught.value.message + json.dumps(caught.value.details)
    return [(each.field, each.reason.value) for each in caught.value.problems]


@pytest.mark.parametrize(
    ("raw", "name", "expected"),
    [
        ({"limit": " 7 "}, "limit", 7),
        ({"last_days": ""}, "last_days", 0),
        ({"unread_only": " TRUE "}, "unread_only", True),
        ({"query": "[1]"}, "query", "[1]"),
        ({"subject": "a\tb"}, "subject", "a\tb"),
        ({"from": "ann"}, "from_", "ann"),
        ({"start_date": "2024-02-29"}, "since", "2024-02-29"),
        ({"start_date": "2024-01-01", "end_date": "2024-01-01"}, "before", "2024-01-02"),
        ({"last_days": None, "start_date": "2024-01-01"}, "last_days", 0),
    ],
)
def test_what_is_unambiguous_is_accepted(raw: dict[str, Any], name: str, expected: object) -> None:
    value = getattr(read_arguments(SearchMessagesArguments, raw), name)
    assert (type(value), value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("raw", "name", "reason"),
    [
        ({"limit": 101}, "limit", "out_of_range"),
        ({"limit": "\N{ARABIC-INDIC DIGIT SEVEN}"}, "limit", "invalid_type"),
        ({"query": "\ud800"}, "query", "forbidden_character"),
        ({"query": SECRET * 100}, "query", "out_of_range"),
        ({"from": f"{SECRET}\n"}, "from", "forbidden_character"),
        ({"cursor": "s1\0"}, "cursor", "forbidden_character"),
        ({"start_date": SECRET}, "since", "invalid_value"),
        ({"end_date": "2023-02-29"}, "end_date", "invalid_value"),
        ({"last_days": 1, "start_date": "2024-01-01"}, "last_days", "exclusive_params"),
        ({"last_days": "1", "end_date": "2024-01-01"}, "last_days", "exclusive_params"),
    ],
)
def test_what_is_not_is_refused_with_its_reason(raw: dict[str, Any], name: str, reason: str) -> None:
    assert problems_of(SearchMessagesArguments, raw) == [(name, reason)]


def test_arguments_of_get_message() -> None:
    raw: dict[str, Any] = {"message_id": "x", "body_mode": "", "include_all_headers": True}
    read = read_arguments(GetMessageArguments, raw)
    assert (read.body_mode, read.attachment_mode, read.include_headers) == ("text", "metadata", True)
    raw = {"body_mode": "markdown", "body_max_chars": 100_001}
    assert sorted(problems_of(GetMessageArguments, raw)) == [
        ("body_max_chars", "out_of_range"),
        ("body_mode", "invalid_value"),
        ("message_id", "missing_param"),
    ]


@pytest.mark.parametrize(
    ("tool", "name", "meant"),
    [
        ("search_messages", "mailboxName", "mailbox"),
        ("search_messages", "sender", "from"),
        ("search_messages", "date-from", "since"),
        ("search_messages", "until", "before"),
        ("search_messages", "messageId", "header_message_id"),
        ("search_messages", "pattern", None),
        ("get_message", "uid", "message_id"),
        ("get_message", "max_chars", "body_max_chars"),
        ("get_thread", "max_length", "max_chars"),
        ("get_attachment", "filename", "part_id"),
        ("list_accounts", "account_id", None),
    ],
)
def test_a_name_from_elsewhere_gets_the_suggestion_that_its_tool_has(
    tool: str, name: str, meant: str | None
) -> None:
    assert find_meant(name, KNOWN[tool], ARGUMENT_ALIASES) == meant

"""Every argument of the tools, sent as models send them: well, nearly well, and wrongly."""

import json
from typing import Any

import pytest

from mailmcp.tools.arguments import Arguments
from mailmcp.tools.mailboxes.tool import ListMailboxesArguments
from mailmcp.tools.message.tool import GetMessageArguments
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mcp_envelope import InvalidInputError, read_arguments

SECRET = "hunter2-must-not-come-back"


def problems_of(model: type[Arguments], raw: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(model, raw)
    problems = caught.value.details["problems"]
    assert isinstance(problems, list)
    return [(each["field"], each["reason"]) for each in problems]


GOOD = [
    ({"limit": 7}, "limit", 7),
    ({"limit": "7"}, "limit", 7),
    ({"limit": " 7 "}, "limit", 7),
    ({"limit": "+7"}, "limit", 7),
    ({"limit": 7.0}, "limit", 7),
    ({"limit": None}, "limit", 10),
    ({"limit": ""}, "limit", 10),
    ({"limit": 1}, "limit", 1),
    ({"limit": 100}, "limit", 100),
    ({"last_days": ""}, "last_days", 0),
    ({"last_days": 0}, "last_days", 0),
    ({"last_days": 365}, "last_days", 365),
    ({"snippet_max_chars": 0}, "snippet_max_chars", 0),
    ({"snippet_max_chars": 50}, "snippet_max_chars", 50),
    ({"snippet_max_chars": "500"}, "snippet_max_chars", 500),
    ({"unread_only": True}, "unread_only", True),
    ({"unread_only": "true"}, "unread_only", True),
    ({"unread_only": " TRUE "}, "unread_only", True),
    ({"unread_only": "False"}, "unread_only", False),
    ({"unread_only": None}, "unread_only", False),
    ({"unread_only": ""}, "unread_only", False),
    ({"unread_only": "yes"}, "unread_only", True),
    ({"unread_only": 0}, "unread_only", False),
    ({"query": 1.5}, "query", "1.5"),
    ({"query": "null"}, "query", "null"),
    ({"query": "true"}, "query", "true"),
    ({"query": "[1]"}, "query", "[1]"),
    ({"query": 4711}, "query", "4711"),
    ({"query": None}, "query", ""),
    ({"subject": ""}, "subject", ""),
    ({"subject": "a\tb"}, "subject", "a\tb"),
    ({"from": "ann"}, "from_", "ann"),
    ({"to": "Jürgen"}, "to", "Jürgen"),
    ({"mailbox": None}, "mailbox", "INBOX"),
    ({"start_date": "2024-02-29"}, "since", "2024-02-29"),
    ({"start_date": "2024-01-01", "end_date": "2024-01-01"}, "before", "2024-01-02"),
    ({"last_days": 3, "start_date": ""}, "last_days", 3),
    ({"last_days": None, "start_date": "2024-01-01"}, "last_days", 0),
]


@pytest.mark.parametrize(("raw", "name", "expected"), GOOD)
def test_what_is_unambiguous_is_accepted(raw: dict[str, Any], name: str, expected: object) -> None:
    value = getattr(read_arguments(SearchMessagesArguments, raw), name)
    assert (type(value), value) == (type(expected), expected)


BAD = [
    ({"limit": -1}, "limit", "out_of_range"),
    ({"limit": 101}, "limit", "out_of_range"),
    ({"limit": -1}, "limit", "out_of_range"),
    ({"limit": "101"}, "limit", "out_of_range"),
    ({"limit": 10**30}, "limit", "out_of_range"),
    ({"limit": 1e300}, "limit", "invalid_type"),
    ({"limit": 7.5}, "limit", "invalid_type"),
    ({"limit": "7.5"}, "limit", "invalid_type"),
    ({"limit": float("inf")}, "limit", "invalid_type"),
    ({"limit": float("nan")}, "limit", "invalid_type"),
    ({"limit": "seven"}, "limit", "invalid_type"),
    ({"limit": "\N{ARABIC-INDIC DIGIT SEVEN}"}, "limit", "invalid_type"),
    ({"limit": "0x10"}, "limit", "invalid_type"),
    ({"limit": [7]}, "limit", "invalid_type"),
    ({"limit": {}}, "limit", "invalid_type"),
    ({"last_days": -1}, "last_days", "out_of_range"),
    ({"last_days": 366}, "last_days", "out_of_range"),
    ({"snippet_max_chars": 49}, "snippet_max_chars", "out_of_range"),
    ({"snippet_max_chars": 501}, "snippet_max_chars", "out_of_range"),
    ({"query": True}, "query", "invalid_type"),
    ({"query": ["a"]}, "query", "invalid_type"),
    ({"query": {"a": 1}}, "query", "invalid_type"),
    ({"query": "\ud800"}, "query", "forbidden_character"),
    ({"query": "x" * 1201}, "query", "out_of_range"),
    ({"query": "a\r\nA1 DELETE INBOX"}, "query", "forbidden_character"),
    ({"from": "a\n"}, "from", "forbidden_character"),
    ({"to": "a\rb"}, "to", "forbidden_character"),
    ({"subject": "a\0b"}, "subject", "forbidden_character"),
    ({"mailbox": "INBOX\r\n"}, "mailbox", "forbidden_character"),
    ({"account_id": "work\n"}, "account_id", "forbidden_character"),
    ({"cursor": "s1\0"}, "cursor", "forbidden_character"),
    ({"start_date": "yesterday"}, "since", "invalid_value"),
    ({"start_date": "20240101"}, "since", "invalid_value"),
    ({"start_date": "2024-W01-1"}, "since", "invalid_value"),
    ({"end_date": "2023-02-29"}, "end_date", "invalid_value"),
    ({"end_date": "2024-1-1"}, "end_date", "invalid_value"),
    ({"end_date": "2024-01-01T00:00:00Z"}, "end_date", "invalid_value"),
    ({"start_date": 20240101}, "since", "invalid_value"),
    ({"last_days": 1, "start_date": "2024-01-01"}, "last_days", "exclusive_params"),
    ({"last_days": "1", "end_date": "2024-01-01"}, "last_days", "exclusive_params"),
    ({"form": "ann"}, "form", "unknown_param"),
    ({"folder": "INBOX"}, "folder", "unknown_param"),
    ({"from_": "ann"}, "from_", "unknown_param"),
    ({"": "x"}, "arguments", "unknown_param"),
    ({"a b\n": "x"}, "arguments", "unknown_param"),
]


@pytest.mark.parametrize(("raw", "name", "reason"), BAD)
def test_what_is_not_is_refused_with_its_reason(raw: dict[str, Any], name: str, reason: str) -> None:
    assert problems_of(SearchMessagesArguments, raw) == [(name, reason)]


def test_both_ends_of_a_range_exclude_last_days() -> None:
    raw = {"last_days": 1, "start_date": "2024-01-01", "end_date": "2024-01-02"}
    assert problems_of(SearchMessagesArguments, raw) == [("last_days", "exclusive_params")] * 2


@pytest.mark.parametrize(
    ("raw", "name", "reason"),
    [
        ({}, "message_id", "missing_param"),
        ({"message_id": None}, "message_id", "missing_param"),
        ({"message_id": "x", "body_mode": "markdown"}, "body_mode", "invalid_value"),
        ({"message_id": "x", "body_mode": 7}, "body_mode", "invalid_value"),
        ({"message_id": "x", "body_mode": ["text"]}, "body_mode", "invalid_value"),
        ({"message_id": "x", "attachment_mode": "TEXT"}, "attachment_mode", "invalid_value"),
        ({"message_id": "x", "body_max_chars": 99}, "body_max_chars", "out_of_range"),
        ({"message_id": "x", "body_max_chars": 100_001}, "body_max_chars", "out_of_range"),
        ({"message_id": "x", "include_headers": "maybe"}, "include_headers", "invalid_type"),
    ],
)
def test_arguments_of_get_message(raw: dict[str, Any], name: str, reason: str) -> None:
    assert problems_of(GetMessageArguments, raw) == [(name, reason)]


@pytest.mark.parametrize("absent", [None, ""])
def test_empty_values_mean_the_default(absent: object) -> None:
    read = read_arguments(
        GetMessageArguments, {"message_id": "x", "body_mode": absent, "attachment_mode": absent}
    )
    assert (read.body_mode, read.attachment_mode) == ("text", "metadata")


def test_every_problem_is_told_at_once() -> None:
    raw = {
        "limit": -1,
        "form": "x",
        "unread_only": "maybe",
        "query": "a\nb",
        "start_date": "x",
        "last_days": 1,
    }
    assert sorted(problems_of(SearchMessagesArguments, raw)) == [
        ("form", "unknown_param"),
        ("last_days", "exclusive_params"),
        ("limit", "out_of_range"),
        ("query", "forbidden_character"),
        ("since", "invalid_value"),
        ("unread_only", "invalid_type"),
    ]


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("form", "from"), ("unread", "unread_only"), ("subjects", "subject"), ("accountId", "account_id")],
)
def test_an_unknown_argument_is_told_the_nearest_known_one(wrong: str, meant: str) -> None:
    with pytest.raises(InvalidInputError, match=f"Did you mean {meant}\\?"):
        read_arguments(SearchMessagesArguments, {wrong: "x"})


def test_without_a_near_one_all_are_named_once() -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(ListMailboxesArguments, {"zzzzzz": 1, "account": "home", "yyyyyy": 1})
    assert caught.value.message == (
        "zzzzzz: is not an argument of this tool. Its arguments: account_id, include_counts, cursor. "
        "account: is not an argument of this tool. Did you mean account_id? "
        "yyyyyy: is not an argument of this tool."
    )


@pytest.mark.parametrize("name", [*SearchMessagesArguments.model_fields, "unknown", "form"])
@pytest.mark.parametrize("value", [SECRET, f"{SECRET}\n", [SECRET], {SECRET: SECRET}, SECRET * 200])
def test_no_value_that_was_sent_comes_back(name: str, value: object) -> None:
    field = SearchMessagesArguments.model_fields.get(name)
    name = (field.alias if field else None) or name
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(SearchMessagesArguments, {name: value, "last_days": SECRET})
    assert SECRET not in caught.value.message + json.dumps(caught.value.details)


@pytest.mark.parametrize("name", [SECRET + " spaced", SECRET * 10, "\x1b[31m" + SECRET])
def test_a_name_that_cannot_be_an_argument_does_not_come_back_either(name: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(ListMailboxesArguments, {name: 1})
    assert SECRET not in caught.value.message + json.dumps(caught.value.details)

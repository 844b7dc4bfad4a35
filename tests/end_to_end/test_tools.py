"""All tools over stdio with the real client, in both eras of the protocol."""

from base64 import b64decode
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, ImageContent, TextContent

from documents.pictures import opened
from end_to_end.conftest import MAILBOX
from end_to_end.conversation import Conversation, text_of
from mailmcp.tools.registry import TOOLS

NAMES = [tool.name for tool in TOOLS]


def data_of(conversation: Conversation, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = conversation.call(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    data: dict[str, Any] = result.structured_content["data"]
    return data


def test_the_era_is_the_one_that_was_asked_for(conversation: Conversation, era: str) -> None:
    expected = {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
    assert conversation.client.session.protocol_version == expected


def test_the_tools_are_published(conversation: Conversation) -> None:
    assert list(conversation.tools) == NAMES
    for tool in conversation.tools.values():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"  # type: ignore[index] # published


def test_from_accounts_to_the_last_page_as_the_next_steps_say(conversation: Conversation) -> None:
    tool, arguments = "imap_list_accounts", dict[str, Any]()
    visited = []
    while tool:
        visited.append(tool)
        action = data_of(conversation, tool, arguments).get("next_action")
        if action and "cursor" in action["arguments"]:
            action = {"tool": tool, "arguments": {**action["arguments"], "limit": 100}}
        tool, arguments = (action["tool"], action["arguments"]) if action else ("", {})
    assert visited == [*NAMES[:3], NAMES[2]]


def test_the_text_is_complete(conversation: Conversation) -> None:
    """Hosts exist that show the model nothing else."""
    result = conversation.call("imap_search_messages", {"limit": 10, "snippet_max_chars": 60})
    text, reply = text_of(result), result.structured_content
    assert reply is not None
    assert reply["summary"] in text
    for row in reply["data"]["messages"]:
        assert f"`{row['message_id']}`" in text
        assert row["subject"] in text
        assert row["snippet"] in text
    assert reply["data"]["next_cursor"] in text
    assert len(reply["data"]["messages"]) == 10


def test_the_text_names_every_mailbox(conversation: Conversation) -> None:
    result = conversation.call("imap_list_mailboxes", {"include_counts": True})
    assert result.structured_content is not None
    rows = result.structured_content["data"]["mailboxes"]
    assert MAILBOX in {row["name"] for row in rows}
    assert all(f"- `{row['name']}`" in text_of(result) for row in rows)
    assert "25 messages, 25 unseen" in text_of(result)


def test_a_message_in_full(conversation: Conversation) -> None:
    (row,) = data_of(conversation, "imap_search_messages", {"mailbox": MAILBOX})["messages"]
    result = conversation.call(
        "imap_get_message",
        {
            "message_id": row["message_id"],
            "body_mode": "html",
            "include_headers": "true",
            "attachment_mode": "extract_text",
        },
    )
    assert result.structured_content is not None
    message, text = result.structured_content["data"]["message"], text_of(result)
    assert "<b>text</b>" in message["body_html"]
    assert message["attachments"][0]["text"] == "name;size"
    assert [part for part in ("<b>text</b>", "name;size", "list.csv") if part not in text] == []
    assert f"`{row['message_id']}`" in text
    plain = conversation.call("imap_get_message", {"message_id": row["message_id"]})
    assert plain.structured_content is not None
    assert plain.structured_content["data"]["message"]["body_text"] == "Plain text"
    assert "Removed 1 invisible character from the body." in text_of(plain)
    assert result.meta is not None
    assert result.meta["mailmcp/message_id"] == row["message_id"]


FAILURES: list[tuple[str, dict[str, Any], str, str]] = [
    ("imap_list_mailboxes", {"account_id": "gone"}, "not_found", "account_unknown"),
    ("imap_list_mailboxes", {"cursor": "x"}, "invalid_input", "cursor_malformed"),
    ("imap_search_messages", {"mailbox": "Nowhere"}, "not_found", "mailbox_missing"),
    ("imap_search_messages", {"limit": 1000}, "invalid_input", "out_of_range"),
    ("imap_search_messages", {"subjectt": "x"}, "invalid_input", "unknown_param"),
    ("imap_search_messages", {"query": "a\r\nA1 LOGOUT"}, "invalid_input", "forbidden_character"),
    ("imap_get_message", {}, "invalid_input", "missing_param"),
    ("imap_get_message", {"message_id": 7}, "invalid_input", "malformed_id"),
    ("imap_get_message", {"message_id": "imap:work:INBOX:1:1"}, "conflict", "uidvalidity_changed"),
    ("imap_list_accounts", {"account_id": "work"}, "invalid_input", "unknown_param"),
]


@pytest.mark.parametrize(("tool", "arguments", "code", "reason"), FAILURES)
def test_a_failure_is_a_result_with_a_next_action(
    conversation: Conversation, tool: str, arguments: dict[str, Any], code: str, reason: str
) -> None:
    result = conversation.call(tool, arguments)
    assert result.is_error
    assert result.structured_content is not None
    error, text = result.structured_content["error"], text_of(result)
    assert (error["code"], error["details"]["reason"]) == (code, reason)
    assert text.startswith(f"Error `{code}` ({reason}): {error['message']}")


def test_the_next_step_of_a_conflict_works(conversation: Conversation) -> None:
    result = conversation.call("imap_get_message", {"message_id": f"imap:work:{MAILBOX}:1:1"})
    assert result.structured_content is not None
    error = result.structured_content["error"]
    assert error["details"]["expected_uidvalidity"] == 1
    action = error["next_action"]
    (row,) = data_of(conversation, action["tool"], action["arguments"])["messages"]
    assert row["uidvalidity"] == error["details"]["found_uidvalidity"]


@pytest.mark.parametrize("name", ["imap_delete_message", "", "IMAP_LIST_ACCOUNTS", "imap_list_accounts "])
def test_an_unknown_tool_is_an_error_of_the_protocol(conversation: Conversation, name: str) -> None:
    with pytest.raises(MCPError) as caught:
        conversation.call_unpublished(name)
    assert caught.value.error.code == INVALID_PARAMS == -32602
    assert caught.value.error.data == {"code": "not_found"}


def test_pictures_from_an_archive_are_image_content(conversation: Conversation) -> None:
    (row,) = data_of(conversation, "imap_search_messages", {"mailbox": MAILBOX})["messages"]
    part = {"message_id": row["message_id"], "part_id": "3"}
    listed = data_of(conversation, "imap_get_attachment", part)["text"]
    assert [line.partition(": ")[2] for line in listed.splitlines()[1:]] == ["scan.pdf", "photo.jpg"]
    for name, content_type, size in (("scan.pdf", "image/png", 1_568), ("photo.jpg", "image/jpeg", 50)):
        result = conversation.call("imap_get_attachment", part | {"member": name, "mode": "image"})
        text, shown = result.content
        assert isinstance(text, TextContent)
        assert isinstance(shown, ImageContent)
        assert shown.mime_type == content_type
        assert opened(b64decode(shown.data)).height == size
        assert f" x {size} pixels" in text.text
        assert result.structured_content is not None
        assert result.structured_content["data"]["height"] == size

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
from tools.stores import Store

NAMES = [tool.name for tool in TOOLS]


def data_of(conversation: Conversation, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = conversation.call(tool, arguments)
    assert not result.is_error, text_of(result)
    data: dict[str, Any] = (result.structured_content or {})["data"]
    return data


def state_of(store: Store) -> list[Any]:
    """All flags of all messages, and what the server counts."""
    state: list[Any] = []
    for mailbox in ("INBOX", MAILBOX):
        with store.client() as client:
            state.append(client.folder_status(mailbox, ["MESSAGES", "RECENT", "UNSEEN", "UIDNEXT"]))
        state.append(store.flags(mailbox))
    return state


def test_no_flag_of_any_message_changes_whatever_is_read(store: Store, conversation: Conversation) -> None:
    before = state_of(store)
    conversation.call("imap_list_accounts")
    conversation.call("imap_list_mailboxes", {"include_counts": True})
    everything = {"body_mode": "html", "include_headers": True, "attachment_mode": "extract_text"}
    for mailbox in ("INBOX", MAILBOX):
        search = {"mailbox": mailbox, "limit": 100, "snippet_max_chars": 100, "query": "e"}
        for row in data_of(conversation, "imap_search_messages", search)["messages"]:
            data_of(conversation, "imap_get_message", {"message_id": row["message_id"], **everything})
    assert state_of(store) == before
    assert before[0][b"RECENT"] == before[0][b"UNSEEN"] == 25


def test_from_accounts_to_the_last_page_as_the_next_steps_say(conversation: Conversation, era: str) -> None:
    expected = {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
    assert conversation.client.session.protocol_version == expected
    assert list(conversation.tools) == NAMES
    tool, arguments, visited = "imap_list_accounts", dict[str, Any](), []
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
    text, reply = text_of(result), result.structured_content or {}
    assert len(reply["data"]["messages"]) == 10
    for row in reply["data"]["messages"]:
        assert [
            each for each in (row["message_id"], row["subject"], row["snippet"]) if each not in text
        ] == []
    assert reply["summary"] in text
    assert reply["data"]["next_cursor"] in text
    listed = conversation.call("imap_list_mailboxes", {"include_counts": True})
    rows = (listed.structured_content or {})["data"]["mailboxes"]
    assert MAILBOX in {row["name"] for row in rows}
    assert all(f"- `{row['name']}`" in text_of(listed) for row in rows)
    assert "25 messages, 25 unseen" in text_of(listed)


def test_a_message_in_full(conversation: Conversation) -> None:
    (row,) = data_of(conversation, "imap_search_messages", {"mailbox": MAILBOX})["messages"]
    everything = {"body_mode": "html", "include_headers": "true", "attachment_mode": "extract_text"}
    result = conversation.call("imap_get_message", {"message_id": row["message_id"], **everything})
    message, text = (result.structured_content or {})["data"]["message"], text_of(result)
    assert "<b>text</b>" in message["body_html"]
    assert message["attachments"][0]["text"] == "name;size"
    assert [part for part in ("<b>text</b>", "name;size", "list.csv") if part not in text] == []
    assert (result.meta or {})["mailmcp/message_id"] == row["message_id"]
    plain = conversation.call("imap_get_message", {"message_id": row["message_id"]})
    assert (plain.structured_content or {})["data"]["message"]["body_text"] == "Plain text"
    assert "Removed 1 invisible character from the body." in text_of(plain)


def test_the_next_step_of_a_conflict_works_and_an_unknown_tool_is_an_error_of_the_protocol(
    conversation: Conversation,
) -> None:
    result = conversation.call("imap_get_message", {"message_id": f"imap:work:{MAILBOX}:1:1"})
    error = (result.structured_content or {})["error"]
    assert (result.is_error, error["code"], error["details"]["expected_uidvalidity"]) == (True, "conflict", 1)
    action = error["next_action"]
    (row,) = data_of(conversation, action["tool"], action["arguments"])["messages"]
    assert row["uidvalidity"] == error["details"]["found_uidvalidity"]
    with pytest.raises(MCPError) as caught:
        conversation.call_unpublished("imap_delete_message")
    assert caught.value.error.code == INVALID_PARAMS


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

"""What a server hands out outlives it: cursors and ids are good in the next process too."""

from pathlib import Path
from typing import Any

import pytest

from end_to_end.conversation import Conversation, text_of
from mcp_envelope import Dialect


def reply_of(conversation: Conversation, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = conversation.call(tool, arguments)
    assert not result.is_error, text_of(result)
    reply: dict[str, Any] | None = result.structured_content
    assert reply is not None
    return reply


def test_pages_go_on_in_another_process(config: Path, era: str, tmp_path: Path) -> None:
    places: list[int] = []
    arguments: dict[str, Any] = {"limit": 10, "from": "ann"}
    for _ in range(3):
        with Conversation(config, mode=era, folder=tmp_path) as conversation:
            first = reply_of(conversation, "imap_search_messages", arguments)["data"]
            again = reply_of(conversation, "imap_search_messages", arguments)["data"]
        assert first == again
        places += [row["uid"] for row in first["messages"]]
        if first["has_more"]:
            arguments = first["next_action"]["arguments"]
    assert places == list(range(25, 0, -1))


def test_an_id_is_good_in_another_process(config: Path, conversation: Conversation, tmp_path: Path) -> None:
    found = reply_of(conversation, "imap_search_messages", {"limit": 1})["data"]["messages"][0]
    with Conversation(config, mode="auto", folder=tmp_path) as other:
        read = reply_of(other, "imap_get_message", {"message_id": found["message_id"]})
    assert read["data"]["message"]["subject"] == found["subject"]


@pytest.mark.full
@pytest.mark.parametrize("dialect", [each for each in Dialect if each is not Dialect.SUMMARY])
def test_every_other_dialect_fits_its_published_schema_and_the_other_channel(
    config: Path, era: str, dialect: Dialect, tmp_path: Path
) -> None:
    """`Conversation.call` holds each reply, successes and failures, against the schema."""
    options = ("--envelope", dialect.value)
    with Conversation(config, mode=era, options=options, folder=tmp_path) as conversation:
        conversation.call("imap_list_accounts")
        conversation.call("imap_list_mailboxes", {"include_counts": True})
        found = conversation.call("imap_search_messages", {"limit": 3})
        assert found.structured_content is not None
        data = found.structured_content["data"]
        assert all(row["message_id"] in text_of(found) for row in data["messages"])
        read = conversation.call("imap_get_message", {"message_id": data["messages"][0]["message_id"]})
        assert not read.is_error
        for wrong in ({"limit": -1}, {"mailbox": "Nowhere"}, {"account_id": "gone"}, {"cursor": "x"}):
            assert conversation.call("imap_search_messages", wrong).is_error
        assert conversation.call("imap_get_message", {"message_id": "imap:work:INBOX:1:1"}).is_error

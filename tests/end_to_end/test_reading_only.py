"""Reading is only that: after everything a client can call, the mailboxes are as they were."""

from typing import Any

from end_to_end.conftest import MAILBOX
from end_to_end.conversation import Conversation
from tools.stores import Store


def state_of(store: Store) -> dict[str, Any]:
    """All flags of all messages, and what the server counts."""
    state: dict[str, Any] = {}
    for mailbox in ("INBOX", MAILBOX):
        with store.client() as client:
            state[mailbox] = client.folder_status(
                mailbox, ["MESSAGES", "RECENT", "UNSEEN", "UIDNEXT", "UIDVALIDITY"]
            )
        state[f"flags of {mailbox}"] = store.flags(mailbox)
    return state


def test_no_flag_of_any_message_changes(store: Store, conversation: Conversation) -> None:
    before = state_of(store)
    assert before["INBOX"][b"RECENT"] == before["INBOX"][b"UNSEEN"] == 25
    conversation.call("imap_list_accounts")
    conversation.call("imap_list_mailboxes", {"include_counts": True})
    for mailbox in ("INBOX", MAILBOX):
        for snippets in (0, 100):
            found = conversation.call(
                "imap_search_messages",
                {"mailbox": mailbox, "limit": 100, "snippet_max_chars": snippets, "query": "e"},
            )
            assert found.structured_content is not None
            for row in found.structured_content["data"]["messages"]:
                everything = {
                    "body_mode": "html",
                    "include_headers": True,
                    "attachment_mode": "extract_text",
                }
                read = conversation.call("imap_get_message", {"message_id": row["message_id"], **everything})
                assert not read.is_error
    assert state_of(store) == before

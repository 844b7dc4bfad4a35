"""The error for a message that has moved suggests how to find it again."""

import pytest

from mailmcp.tools.message_id import MessageIdCache
from mcp_envelope import ConflictError, NextAction, NotFoundError
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store

HEADER_ID = "one@mail.example.org"
LETTER = f"Message-ID: <{HEADER_ID}>\r\n".encode() + make_letter().as_bytes()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("imap_get_message", {}),
        ("imap_get_thread", {}),
        ("imap_get_attachment", {"part_id": "1"}),
    ],
)
def test_a_moved_message_is_found_by_the_suggested_search(
    store: Store, desk: Desk, tool: str, arguments: dict[str, object]
) -> None:
    """The Message-ID is known of what was listed, or sent; else the mailbox is to be searched anew."""
    with store.client() as client:
        client.create_folder("Shelf")
    [uid] = store.fill("INBOX", [LETTER])
    sent = {**arguments, "message_id": desk.message_ids()[0]}

    def suggested(**more: str) -> NextAction:
        with pytest.raises((NotFoundError, ConflictError)) as caught:
            desk.call(tool, {**sent, **more})
        assert caught.value.next_action is not None
        return caught.value.next_action

    store.expunge("INBOX", [uid])
    store.fill("Shelf", [LETTER])
    action = suggested()
    found = desk.call(action.tool, dict(action.arguments))
    assert [row["mailbox"] for row in found.data["messages"]] == ["Shelf"]
    desk.message_id_cache = MessageIdCache()
    here = {"account_id": "work", "mailbox": "INBOX"}
    assert suggested().arguments == here
    if tool == "imap_get_message":
        assert suggested(header_message_id="no id at all").arguments == here
        assert suggested(header_message_id=f" <{HEADER_ID}> ").arguments == action.arguments

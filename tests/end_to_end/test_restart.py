"""What a server hands out outlives it: cursors and ids are good in the next process too."""

from pathlib import Path
from typing import Any

from end_to_end.conversation import Conversation


def test_pages_and_ids_go_on_in_another_process(config: Path, era: str, tmp_path: Path) -> None:
    places: list[int] = []
    rows: list[dict[str, Any]] = []
    arguments: dict[str, Any] = {"limit": 13, "from": "ann"}
    for _ in range(2):
        with Conversation(config, mode=era, folder=tmp_path) as conversation:
            if rows:
                found = conversation.call("imap_get_message", {"message_id": rows[-1]["message_id"]})
                message = (found.structured_content or {})["data"]["message"]
                assert message["subject"] == rows[-1]["subject"]
            first, again = (
                (conversation.call("imap_search_messages", arguments).structured_content or {})["data"]
                for _ in range(2)
            )
        assert first == again
        rows = first["messages"]
        places += [row["uid"] for row in rows]
        arguments = first.get("next_action", {}).get("arguments", {})
    assert places == list(range(25, 0, -1))

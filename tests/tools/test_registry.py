"""The tools as they are declared."""

import re

from mailmcp.tools.registry import TOOLS


def test_the_tools_stand_in_the_order_of_use() -> None:
    assert [tool.name for tool in TOOLS] == [
        "imap_list_accounts",
        "imap_list_mailboxes",
        "imap_search_messages",
        "imap_get_message",
        "imap_get_thread",
        "imap_get_attachment",
        "imap_get_message_raw",
    ]


def test_every_tool_reads_only_and_says_what_it_is_for() -> None:
    for tool in TOOLS:
        assert tool.read_only
        assert re.fullmatch(r"imap_[a-z_]+", tool.name)
        assert tool.title
        assert tool.description.endswith(".")


def test_one_tool_alone_makes_no_connection() -> None:
    assert [tool.name for tool in TOOLS if not tool.open_world] == ["imap_list_accounts"]

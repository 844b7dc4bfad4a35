"""Which argument was meant by a name from elsewhere."""

import pytest

from mailmcp.tools.argument_aliases import ARGUMENT_ALIASES
from mailmcp.tools.registry import TOOLS
from mcp_envelope.arguments import find_meant

KNOWN = {
    tool.name.removeprefix("imap_"): [
        field.alias or name for name, field in tool.arguments.model_fields.items()
    ]
    for tool in TOOLS
}


@pytest.mark.parametrize(
    ("tool", "name", "meant"),
    [
        ("search_messages", "folder", "mailbox"),
        ("search_messages", "mailboxName", "mailbox"),
        ("search_messages", "labels", "mailboxes"),
        ("search_messages", "sender", "from"),
        ("search_messages", "from_address", "from"),
        ("search_messages", "fromAddress", "from"),
        ("search_messages", "recipient", "to"),
        ("search_messages", "date_from", "since"),
        ("search_messages", "date-from", "since"),
        ("search_messages", "after", "since"),
        ("search_messages", "start", "since"),
        ("search_messages", "until", "before"),
        ("search_messages", "date_to", "before"),
        ("search_messages", "count", "limit"),
        ("search_messages", "max", "limit"),
        ("search_messages", "max_results", "limit"),
        ("search_messages", "pageSize", "limit"),
        ("search_messages", "q", "query"),
        ("search_messages", "text", "query"),
        ("search_messages", "keywords", "query"),
        ("search_messages", "unread", "unread_only"),
        ("search_messages", "is_unread", "unread_only"),
        ("search_messages", "unanswered", "unanswered_only"),
        ("search_messages", "has_attachments", "has_attachment"),
        ("search_messages", "order", "sort"),
        ("search_messages", "sort_by", "sort"),
        ("search_messages", "page_token", "cursor"),
        ("search_messages", "messageId", "header_message_id"),
        ("search_messages", "form", "from"),
        ("search_messages", "subjects", "subject"),
        ("search_messages", "LIMIT", "limit"),
        ("get_message", "id", "message_id"),
        ("get_message", "uid", "message_id"),
        ("get_message", "message_ids", "message_id"),
        ("get_message", "include_attachments", "attachment_mode"),
        ("get_message", "format", "body_mode"),
        ("get_message", "offset", "body_offset"),
        ("get_message", "max_chars", "body_max_chars"),
        ("get_thread", "thread_id", "message_id"),
        ("get_thread", "max_length", "max_chars"),
        ("get_attachment", "attachment_id", "part_id"),
        ("get_attachment", "filename", "part_id"),
        ("get_attachment", "offset", "text_offset"),
        ("get_message_raw", "max_chars", "max_bytes"),
        ("list_mailboxes", "account", "account_id"),
    ],
)
def test_aliases_and_typos_get_a_suggestion(tool: str, name: str, meant: str) -> None:
    assert find_meant(name, KNOWN[tool], ARGUMENT_ALIASES) == meant


@pytest.mark.parametrize("name", ["zzzzzz", "pattern", "criterion_set", "", "x" * 100_000])
@pytest.mark.parametrize("tool", KNOWN)
def test_an_unlike_name_gets_no_suggestion(tool: str, name: str) -> None:
    assert find_meant(name, KNOWN[tool], ARGUMENT_ALIASES) is None


def test_a_name_without_a_matching_argument_gets_no_suggestion() -> None:
    assert find_meant("sender", KNOWN["get_thread"], ARGUMENT_ALIASES) is None
    assert find_meant("account_id", KNOWN["list_accounts"], ARGUMENT_ALIASES) is None

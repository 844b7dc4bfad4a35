"""Arguments of the tools as models send them: what mailmcp adds to what the library reads."""

import pytest

from mailmcp.tools.arguments import ARGUMENT_ALIASES
from mailmcp.tools.registry import load_tools
from mcp_envelope.arguments import find_meant

SECRET = "hunter2-must-not-come-back"
KNOWN = {
    tool.name.removeprefix("imap_"): [
        field.alias or name for name, field in tool.arguments.model_fields.items()
    ]
    for tool in load_tools()
}


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

"""All tools, in the order in which they are published."""

from typing import Final

from mailmcp.tools import (
    get_attachment,
    get_message,
    get_message_raw,
    get_thread,
    list_accounts,
    list_mailboxes,
    search_messages,
)
from mailmcp.tools.tool import MailTool

TOOLS: Final[tuple[MailTool, ...]] = (
    list_accounts.TOOL,
    list_mailboxes.TOOL,
    search_messages.TOOL,
    get_message.TOOL,
    get_thread.TOOL,
    get_attachment.TOOL,
    get_message_raw.TOOL,
)

"""All tools, in the order in which they are published."""

from typing import Final

from mailmcp.tools.accounts import tool as list_accounts
from mailmcp.tools.attachment import tool as get_attachment
from mailmcp.tools.mailboxes import tool as list_mailboxes
from mailmcp.tools.message import tool as get_message
from mailmcp.tools.raw import tool as get_message_raw
from mailmcp.tools.search import tool as search_messages
from mailmcp.tools.thread import tool as get_thread
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

"""All tools, in the order of `tools/list`.

A tool is a folder: tool.py declares its arguments, runs it and ends with its `TOOL`; data.py holds the
published models of its reply, render.py the reply as Markdown, and other files its own parts. A small tool
needs only tool.py. To add one, add its folder and its row here; `scripts/docs` writes its reference.
"""

from mailmcp.tools.accounts import tool as accounts
from mailmcp.tools.attachment import tool as attachment
from mailmcp.tools.changes import tool as changes
from mailmcp.tools.mailboxes import tool as mailboxes
from mailmcp.tools.message import tool as message
from mailmcp.tools.raw import tool as raw
from mailmcp.tools.search import tool as search
from mailmcp.tools.thread import tool as thread
from mailmcp.tools.tool import MailTool


def load_tools(*, writes: bool = True) -> tuple[MailTool, ...]:
    """Return the tools; those that write only if `writes`, since loading them takes time at each start."""
    reading = (
        accounts.TOOL,
        mailboxes.TOOL,
        search.TOOL,
        message.TOOL,
        thread.TOOL,
        attachment.TOOL,
        raw.TOOL,
        changes.TOOL,
    )
    if not writes:
        return reading
    from mailmcp.tools.change import tool as change  # noqa: PLC0415 - see above
    from mailmcp.tools.draft import tool as draft  # noqa: PLC0415
    from mailmcp.tools.undo import tool as undo  # noqa: PLC0415

    return (*reading, change.TOOL, draft.TOOL, undo.TOOL)

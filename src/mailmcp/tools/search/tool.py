"""imap_search_messages: the messages that match, or groups of them, in one mailbox or in all."""

from dataclasses import replace

from mailmcp.tools.names import SEARCH_MESSAGES
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.data import LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.groups.keys import GroupBy
from mailmcp.tools.search.groups.reply import reply_with_groups
from mailmcp.tools.search.message_reply import reply_with_messages
from mailmcp.tools.search.state import check_against_cursor, resume_search, start_search
from mailmcp.tools.tool import Call, MailTool
from mcp_envelope import Outcome


async def search_messages(arguments: SearchMessagesArguments, call: Call) -> Outcome[LeanSearchMessagesData]:
    """Return one page of a new search or of the one that a cursor continues, or groups of its matches."""
    zone = call.preferences.zone
    if arguments.cursor:
        search = resume_search(arguments.cursor, zone)
        check_against_cursor(arguments, search)
        if search.arguments.account_id != EVERYTHING:
            call.choose_account(search.arguments.account_id)
        if "limit" in arguments.model_fields_set:
            search = replace(search, page_size=arguments.limit or search.page_size)
    else:
        accounts = [each.account_id for each in call.pool.accounts]
        if arguments.account_id != EVERYTHING:
            accounts = [call.choose_account(arguments.account_id, or_all=EVERYTHING).account_id]
        search = start_search(arguments, accounts, today=call.today, zone=zone)
    call.mailbox = ", ".join(search.arguments.names)
    if arguments.group_by is not None:
        return await reply_with_groups(search, GroupBy(arguments.group_by), arguments, call)
    return await reply_with_messages(search, arguments, call)


TOOL = MailTool(
    name=SEARCH_MESSAGES,
    title="Search messages",
    description=(
        "Search or count messages. All criteria must match; false is no filter. "
        "Follow `next_cursor` for more."
    ),
    arguments=SearchMessagesArguments,
    data=SearchMessagesData,
    lean_data=LeanSearchMessagesData,
    run=search_messages,
)

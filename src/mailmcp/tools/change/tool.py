"""imap_change_messages: mark, flag, move, copy or delete messages, and say what would be done before."""

from functools import partial

from mailmcp.imap.account import Writes
from mailmcp.imap.writes.create import create_mailbox
from mailmcp.tools.change.arguments import (
    ChangeAction,
    ChangeMessagesArguments,
    check_arguments,
    read_search,
)
from mailmcp.tools.change.change import make_change
from mailmcp.tools.change.plan import needs_plan, write_plan
from mailmcp.tools.change.reply import ChangeMessagesData, make_reply
from mailmcp.tools.change.selection import read_ids, select_by_ids, select_by_search
from mailmcp.tools.names import CHANGE_MESSAGES
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.writes.run import check_ceilings, locked_history, run_orders
from mcp_envelope import Outcome


async def change_messages(arguments: ChangeMessagesArguments, call: Call) -> Outcome[ChangeMessagesData]:
    """Change messages at once, or return the plan that must be confirmed before."""
    check_arguments(arguments)
    level = Writes.ALL if arguments.action is ChangeAction.DELETE_FOREVER else Writes.ORGANIZE
    if arguments.message_ids:
        refs = read_ids(arguments.message_ids, arguments.account_id)
        account = call.choose_account_to_write(refs[0].account_id, level)
        selection = await select_by_ids(call, account, refs)
    else:
        search = read_search(arguments.search, call, arguments.account_id)
        account = call.choose_account_to_write(search.arguments.account_id, level)
        selection = await select_by_search(call, account, search)
    change = make_change(selection, arguments)
    if not change.orders:
        return make_reply(change, None)
    async with locked_history(call, account.account_id) as history:
        # What is refused uses no confirmation up, and makes no mailbox.
        check_ceilings(account, history, change.orders, call.journal.clock())
        if needs_plan(change):
            plan = await write_plan(change, call)
            bound = [change.target, *sorted(each.message_id for each in selection.messages)]
            require = partial(call.confirmations.require, CHANGE_MESSAGES, arguments, plan, bound=bound)
            await call.journal.in_thread(require)
        if change.creates:
            await call.write(partial(create_mailbox, name=change.target))
        ran = await run_orders(call, history, change.orders, tool=CHANGE_MESSAGES, action=change.action.value)
    return make_reply(change, ran)


TOOL = MailTool(
    name=CHANGE_MESSAGES,
    title="Change messages",
    description=(
        "Mark, flag, move, copy, archive, trash or delete messages. More than ten, a search, a new mailbox "
        "and delete_forever need a confirmation of the plan in the first reply. imap_undo takes changes back."
    ),
    arguments=ChangeMessagesArguments,
    data=ChangeMessagesData,
    run=change_messages,
    read_only=False,
    writes=Writes.ORGANIZE,
)

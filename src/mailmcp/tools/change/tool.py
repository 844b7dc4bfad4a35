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
from mailmcp.tools.change.change import Change, make_change
from mailmcp.tools.change.plan import needs_plan, write_plan
from mailmcp.tools.change.reply import ChangeMessagesData, make_reply
from mailmcp.tools.change.selection import read_ids, select_by_ids, select_by_search
from mailmcp.tools.names import CHANGE_MESSAGES
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.writes.run import Ran, check_ceilings, count_messages, read_history, run_orders
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
    if needs_plan(change, by_search=not arguments.message_ids):
        await _require_confirmation(change, arguments, call)
    return make_reply(change, await _carry_out(change, call))


async def _require_confirmation(change: Change, arguments: ChangeMessagesArguments, call: Call) -> None:
    """Return if somebody has confirmed this very change; nothing that could refuse it comes later."""
    account = change.selection.account
    history = await read_history(call, account.account_id)
    check_ceilings(account, history, count_messages(change.orders), call.journal.clock())
    bound = [change.action, change.target, *sorted(each.message_id for each in change.selection.messages)]
    call.confirmations.require(CHANGE_MESSAGES, arguments, await write_plan(change, call), bound=bound)


async def _carry_out(change: Change, call: Call) -> Ran:
    account_id = change.selection.account.account_id
    if change.creates:
        async with call.pool.writing(account_id, telemetry=call.telemetry, deadline=call.deadline) as writer:
            await writer.run(partial(create_mailbox, name=change.target))
    return await run_orders(call, change.orders, tool=CHANGE_MESSAGES, action=change.action.value)


TOOL = MailTool(
    name=CHANGE_MESSAGES,
    title="Change messages",
    description=(
        "Mark, flag, move, copy or delete messages. What is large, found by a search or final needs a "
        "confirmation; imap_undo takes the rest back."
    ),
    arguments=ChangeMessagesArguments,
    data=ChangeMessagesData,
    run=change_messages,
    read_only=False,
    writes=Writes.ORGANIZE,
)

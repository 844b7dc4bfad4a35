"""Orders carried out as the tools do it."""

from collections.abc import Sequence

from mailmcp.imap.writes.values import Order
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.run import Ran, locked_history, run_orders


async def run(call: Call, orders: Sequence[Order], *, action: str = "move", undoes: str = "") -> Ran:
    """Carry orders out."""
    about = {"tool": "imap_change_messages", "action": action, "undoes": undoes}
    async with locked_history(call, orders[0].account_id) as history:
        return await run_orders(call, history, orders, **about)

"""What it takes to undo an entry of the journal: where its messages are, and the orders that restore them.

Only what was seen to be done is undone, and only where it still is as it was left.
"""

from dataclasses import dataclass, field, replace

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.errors import writes_forbidden_error
from mailmcp.imap.mailboxes import find_special, list_mailboxes
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.writes.see import known_items, read_known
from mailmcp.imap.writes.values import Action, Fate, Known, Order, Prepared, Result
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.journal import Entry, History
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.endings import place_of
from mailmcp.tools.writes.run import make_batches
from mcp_envelope import ConflictError, NotFoundError, ToolError, code

_LABELED = {Action.FLAGS, Action.LABELS}


@dataclass(slots=True, kw_only=True)
class Undo:
    """What restores the messages of an entry."""

    orders: tuple[Order, ...] = ()
    kept: dict[MessageRef, ToolError] = field(default_factory=dict)
    """Messages that stay as they are, and why."""


async def plan_undo(entry: Entry, history: History, call: Call, account: Account) -> Undo:
    """Find out what restores the messages of an entry: two round trips, and one more for each mailbox.

    Args:
        entry: One whose outcome was looked up, if it wasn't known.
        history: Names what was restored before: that is left alone.
        call: The call of the tool.
        account: That of the entry.

    Raises:
        ToolError: The server can't be asked.
    """
    mailboxes = await call.ask(list_mailboxes)
    trash, archive = (find_special(mailboxes, use) for use in ("\\Trash", "\\All"))
    restored = {
        place_of(each.prepared, result.uid)
        for other in history.entries
        if other.undoes == entry.entry_id
        for each in other.carried
        for result in each.results
        if result.fate is not Fate.FAILED
    }
    ways_back: dict[MessageRef, Order | str] = {}
    for carried in reversed(entry.carried):
        for result in carried.results:
            ref = place_of(carried.prepared, result.new_uid or result.uid, new=bool(result.new_uid))
            way_back = _find_way_back(carried.prepared, result, trash)
            if way_back is not None and ref not in restored:
                ways_back[ref] = way_back
    wanted = [ref for ref, way_back in ways_back.items() if isinstance(way_back, Order)]
    present = await fetch_parts(call, wanted, lambda session, _ref: known_items(session))
    undo, uids = Undo(), dict[Order, list[int]]()
    for ref, way_back in ways_back.items():
        if isinstance(way_back, str):
            undo.kept[ref] = ConflictError(way_back, reason=Reason.NOT_RESTORABLE)
            continue
        order, row, failure = way_back, present.messages.get(ref), present.failures.get(ref)
        if row is None:
            gone = NotFoundError(f"No longer in {code(ref.mailbox)}.", reason=Reason.MESSAGE_GONE)
            undo.kept[ref] = failure if isinstance(failure, ToolError) else gone
            continue
        if why_not := _why_not(order, row, trash, account):
            undo.kept[ref] = why_not
            continue
        if row.gmail_id and order.target == "INBOX" and ref.mailbox == archive:
            # Moved to All Mail, it only lost a label; and what is moved from there stays there.
            order = replace(order, action=Action.LABELS, target="", add=(r"\Inbox",))
        uids.setdefault(order, []).append(ref.uid)
    undo.orders = tuple(make_batches(uids))
    return undo


def _find_way_back(prepared: Prepared, result: Result, trash: str) -> Order | str | None:
    """Return the order that restores a message, or why there is none; None if nothing was done to it."""
    order = prepared.order
    if result.fate is Fate.UNKNOWN:
        return "Left alone: whether it was changed isn't known."
    if result.fate is Fate.FAILED and not result.new_uid:
        return None
    if order.action in _LABELED:
        return _mark_back(prepared, result)
    here = order.target or order.mailbox
    if not result.new_uid:
        not_found = f"Not found: its new id in {code(here)} isn't known."
        return "Deleted for good." if order.action is Action.DELETE else not_found
    # A move that failed with a new id has left the original where it was.
    is_copy = order.action is not Action.MOVE or result.fate is Fate.FAILED
    if is_copy and trash in {"", here}:
        return "In Trash already, or there is no Trash to move it to."
    return Order(
        action=Action.MOVE,
        account_id=order.account_id,
        mailbox=here,
        uidvalidity=prepared.target_uidvalidity,
        target=trash if is_copy else order.mailbox,
    )


def _mark_back(prepared: Prepared, result: Result) -> Order | None:
    """Return what restores the flags or labels that were really changed; None if none were."""
    order = prepared.order
    had = _marks(prepared.before[result.uid], order)
    add = tuple(each for each in order.remove if each.lower() in had)
    remove = tuple(each for each in order.add if each.lower() not in had)
    if not (add or remove):
        return None
    return replace(order, uids=(), uidvalidity=prepared.uidvalidity, add=add, remove=remove)


def _marks(known: Known, order: Order) -> set[str]:
    """Return the flags or labels of a message, whichever an order is about, in lower case."""
    return {each.lower() for each in (known.flags if order.action is Action.FLAGS else known.labels)}


def _why_not(order: Order, row: FetchedMessage, trash: str, account: Account) -> ToolError | None:
    """Return why a message can't be restored; None if it can."""
    if not (account.writes.includes(Writes.ORGANIZE) or order.target == trash):
        return writes_forbidden_error(account, Writes.ORGANIZE)
    if order.action in _LABELED:
        has = _marks(read_known(row), order)
        was_left = all(each.lower() in has for each in order.remove)
        if not (was_left and has.isdisjoint(each.lower() for each in order.add)):
            return ConflictError("Marked otherwise since then.", reason=Reason.NOT_RESTORABLE)
    return None

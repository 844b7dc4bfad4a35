"""What it takes to undo an entry of the journal: where its messages are, and the orders that restore them.

Only what was seen to be done is undone, and only where it still is as it was left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.errors import writes_forbidden_error
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.writes.see import known_items, read_known
from mailmcp.imap.writes.values import BATCH_MAX, Action, Fate, Known, Order, Prepared, Result
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.journal import Entry, History
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.endings import place_of
from mcp_envelope import ConflictError, NotFoundError, ToolError, code

_LABELED = {Action.FLAGS, Action.LABELS}


@dataclass(slots=True, kw_only=True)
class Undo:
    """What restores the messages of an entry."""

    orders: tuple[Order, ...] = ()
    kept: dict[MessageRef, ToolError] = field(default_factory=dict)
    """Messages that stay as they are, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What restores one message."""

    ref: MessageRef
    """Where it is now, as far as the journal knows."""

    order: Order | None = None
    """Without its UID; None if it can't be restored."""

    why_not: str = ""


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
    trash, archive = (_name_of(use, mailboxes) for use in ("\\Trash", "\\All"))
    restored = {
        place_of(each.prepared, result.uid)
        for other in history.entries
        if other.undoes == entry.entry_id
        for each in other.carried
        for result in each.results
        if result.fate is not Fate.FAILED
    }
    found = (
        _make_step(carried.prepared, result, trash)
        for carried in reversed(entry.carried)
        for result in carried.results
    )
    steps = [each for each in found if each is not None and each.ref not in restored]
    present = await fetch_parts(
        call, [each.ref for each in steps if each.order], lambda session, _ref: known_items(session)
    )
    undo, uids = Undo(), dict[Order, list[int]]()
    for step in steps:
        why_not = _why_not(step, present.messages.get(step.ref), trash, account)
        failure = present.failures.get(step.ref)
        if isinstance(failure, ToolError):
            why_not = failure
        if why_not is not None:
            undo.kept[step.ref] = why_not
        elif step.order is not None:
            order = step.order
            if (
                present.messages[step.ref].gmail_id
                and order.target == "INBOX"
                and step.ref.mailbox == archive
            ):
                # Moved to All Mail, it only lost a label; and what is moved from there stays there.
                order = replace(order, action=Action.LABELS, target="", add=("\\Inbox",))
            uids.setdefault(order, []).append(step.ref.uid)
    undo.orders = tuple(_make_batches(uids))
    return undo


def _name_of(use: str, mailboxes: Sequence[Mailbox]) -> str:
    """Return the mailbox of a special use; "" if there is none."""
    return next((each.name for each in mailboxes if each.special_use == use and each.selectable), "")


def _make_step(prepared: Prepared, result: Result, trash: str) -> _Step | None:
    """Return what restores a message; None if nothing was done to it."""
    order, old = prepared.order, place_of(prepared, result.uid)
    if result.fate is Fate.UNKNOWN:
        return _Step(ref=old, why_not="Left alone: whether it was changed isn't known.")
    if result.fate is Fate.FAILED and not result.new_uid:
        return None
    if order.action in _LABELED:
        return _mark_back(prepared, result)
    if not result.new_uid:
        where = f"Not found: its new id in {code(order.target or order.mailbox)} isn't known."
        return _Step(ref=old, why_not="Deleted for good." if order.action is Action.DELETE else where)
    new = place_of(prepared, result.new_uid, new=True)
    is_copy = order.action in {Action.COPY, Action.APPEND} or (
        order.action is Action.MOVE and result.fate is Fate.FAILED  # the original couldn't be removed
    )
    if is_copy and trash in {"", new.mailbox}:
        return _Step(ref=new, why_not="In Trash already, or there is no Trash to move it to.")
    back = Order(
        action=Action.MOVE,
        account_id=new.account_id,
        mailbox=new.mailbox,
        uidvalidity=new.uidvalidity,
        target=trash if is_copy else order.mailbox,
    )
    return _Step(ref=new, order=back)


def _mark_back(prepared: Prepared, result: Result) -> _Step | None:
    """Return what restores the flags or labels that were really changed; None if none were."""
    order, known = prepared.order, prepared.before[result.uid]
    had = _marks(known, order)
    back = replace(
        order,
        uids=(),
        uidvalidity=prepared.uidvalidity,
        add=tuple(each for each in order.remove if each.lower() in had),
        remove=tuple(each for each in order.add if each.lower() not in had),
    )
    return _Step(ref=place_of(prepared, result.uid), order=back) if back.add or back.remove else None


def _marks(known: Known, order: Order) -> set[str]:
    """Return the flags or labels of a message, whichever an order is about, in lower case."""
    return {each.lower() for each in (known.flags if order.action is Action.FLAGS else known.labels)}


def _why_not(step: _Step, row: FetchedMessage | None, trash: str, account: Account) -> ToolError | None:
    """Return why a message can't be restored; None if it can."""
    order = step.order
    if order is None:
        return ConflictError(step.why_not, reason=Reason.NOT_RESTORABLE)
    if not (account.writes.includes(Writes.ORGANIZE) or order.target == trash):
        return writes_forbidden_error(account, Writes.ORGANIZE)
    if row is None:
        message = f"No longer in {code(step.ref.mailbox)}."
        return NotFoundError(message, reason=Reason.MESSAGE_GONE)
    if order.action in _LABELED:
        has = _marks(read_known(row), order)
        was_left = all(each.lower() in has for each in order.remove)
        if not (was_left and has.isdisjoint(each.lower() for each in order.add)):
            return ConflictError("Marked otherwise since then.", reason=Reason.NOT_RESTORABLE)
    return None


def _make_batches(uids: Mapping[Order, Sequence[int]]) -> Iterator[Order]:
    for order, some in uids.items():
        for start in range(0, len(some), BATCH_MAX):
            yield replace(order, uids=tuple(sorted(some)[start : start + BATCH_MAX]))

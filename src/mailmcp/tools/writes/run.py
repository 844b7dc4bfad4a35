"""Carries out orders: the ceilings before, the journal around each, and what can be known afterwards.

Whoever waits learns how far it came. A call that runs out of time or is cancelled ends between two orders:
the one that is under way is never interrupted, and an outcome that isn't known is looked up, never repeated.
"""

import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Final

import anyio

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.pool import Writer
from mailmcp.imap.writes.carry_out import carry_out, unmark
from mailmcp.imap.writes.look_up import look_up
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import BATCH_MAX, Action, Fate, Order, Prepared, Result
from mailmcp.reasons import Reason
from mailmcp.tools.journal import COUNTED, Carried, Entry, History
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import (
    AuthFailedError,
    BaseReason,
    DeadlineError,
    InternalError,
    InvalidInputError,
    RateLimit,
    ToolError,
)

UNCONFIRMED_MAX: Final = 10
"""Messages that are changed or restored without a confirmation, if each was chosen and it can be undone."""

_STOPPING: Final = {
    Reason.CONNECTION_LOST,
    Reason.JOURNAL_FAILED,
    Reason.PERMISSION_DENIED,
    Reason.SERVER_REFUSED,  # over quota, throttled
}
"""Reasons that the next order would fail for, too."""


@dataclass(slots=True, kw_only=True)
class Ran:
    """What became of some orders."""

    entry_id: str
    """Of the journal."""

    orders: Sequence[Order]
    carried: list[Carried] = field(default_factory=list)
    """Those that were begun, with a result for each of their messages."""

    stopped: ToolError | None = None
    """Why not all were begun; None if they were."""

    @property
    def not_begun(self) -> Sequence[Order]:
        """The orders that come after `stopped`: nothing was sent for them."""
        return self.orders[len(self.carried) :]


@asynccontextmanager
async def locked_history(call: Call, account_id: str) -> AsyncIterator[History]:
    """Choose an account, keep all others from changing mail in it, and read the journal.

    What isn't known of the account's changes has been looked up by then.

    Raises:
        ToolError: It can't be read or looked up, or another call is changing mail until the deadline.
    """
    call.choose_account(account_id)
    async with call.journal.locked(account_id, deadline=call.deadline):
        history = await call.journal.in_thread(call.journal.read)
        mine = [each for each in history.entries if each.account_id == account_id]
        found = [(entry.entry_id, each) for entry in mine for each in entry.carried if each.is_open]
        for entry_id, each in found:
            await _look_up(call, entry_id, each)
        yield await call.journal.in_thread(call.journal.read) if found else history


async def run_orders(
    call: Call, history: History, orders: Sequence[Order], *, tool: str, action: str, undoes: str = ""
) -> Ran:
    """Carry out orders, one after the other, as one entry of the journal.

    Args:
        call: The call of the tool.
        history: Of `locked_history`, which is still locked.
        orders: Of one account, at least one.
        tool: Its name.
        action: What it does, in its own word.
        undoes: The entry that it takes back, which the ceilings don't limit; "" for none.

    Raises:
        ToolError: Nothing was sent: the account's level, a ceiling, the journal or the server doesn't allow
            it.
    """
    account, journal = call.choose_account(orders[0].account_id), call.journal
    account_id = account.account_id
    if not undoes:
        check_ceilings(account, history, orders, journal.clock())
    async with call.pool.writing(account_id, telemetry=call.telemetry, deadline=call.deadline) as writer:
        entry = Entry(
            time=journal.clock().replace(microsecond=0),
            tool=tool,
            action=action,
            account_id=account_id,
            request_id=call.request_id,
            undoes=undoes,
            read=tuple(call.read_ids),
        )
        await journal.in_thread(partial(journal.begin, entry))
        ran = Ran(entry_id=entry.entry_id, orders=orders)
        await _carry_out_all(call, writer, ran)
    if ran.stopped and not ran.carried:
        raise ran.stopped
    for number, each in enumerate(ran.carried):
        if each.is_open:
            with suppress(ToolError):  # the reply says that it isn't known, and the next call looks again
                ran.carried[number] = await _look_up(call, ran.entry_id, each)
    return ran


def count_messages(orders: Sequence[Order]) -> int:
    """Count the messages that orders change; one for a message of our own."""
    return sum(len(each.uids) or 1 for each in orders)


def make_batches(uids: Mapping[Order, Sequence[int]]) -> Iterator[Order]:
    """Fill orders that have no UIDs yet with theirs: several if they are many."""
    for order, some in uids.items():
        for start in range(0, len(some), BATCH_MAX):
            yield replace(order, uids=tuple(sorted(some)[start : start + BATCH_MAX]))


def find_ceiling(account: Account) -> tuple[str, int]:
    """Return how many messages one call may change, after the key of the settings that says so."""
    ceilings = {"writes_per_call": account.writes_per_call, "writes_per_hour": account.writes_per_hour}
    return min(ceilings.items(), key=itemgetter(1))


def check_ceilings(account: Account, history: History, orders: Sequence[Order], now: datetime) -> None:
    """Check that a call may carry out orders, now.

    Raises:
        InvalidInputError: They change more messages than one call may; reason `too_many`.
        InternalError: They change more than is left of this hour; reason `hourly_limit`.
    """
    count, (key, limit) = count_messages(orders), find_ceiling(account)
    if count > limit:
        raise InvalidInputError.of(
            "message_ids",
            Reason.TOO_MANY,
            f"comes to {counted(count, 'message')}; one call may change {limit} in account "
            f"{account.account_id}. Send fewer, or ask the user to raise {key} in the settings.",
        )
    lately = history.lately(account.account_id, now)
    left = account.writes_per_hour - sum(each.changed for each in lately)
    if count <= left:
        return
    wait_s = math.ceil((lately[-1].time + COUNTED - now).total_seconds())  # until the oldest doesn't count
    raise InternalError(
        f"Within an hour, {counted(account.writes_per_hour, 'message')} may be changed in account "
        f"{account.account_id}, and {max(left, 0)} are left. Nothing was changed. Tell the user what was "
        f"changed so far. Some more can be changed in {wait_s} s, or with a higher writes_per_hour.",
        reason=Reason.HOURLY_LIMIT,
        retryable=True,
        rate_limit=RateLimit(retry_after_s=wait_s, limit=account.writes_per_hour, remaining=max(left, 0)),
    )


async def _carry_out_all(call: Call, writer: Writer, ran: Ran) -> None:
    """Carry out the orders until something stops them; `stopped` says what."""
    slowest_s, total = 0.0, count_messages(ran.orders)
    for number, order in enumerate(ran.orders, 1):
        began = anyio.current_time()
        if began + slowest_s >= call.deadline:
            message = "The call's time was up before all was done."
            ran.stopped = DeadlineError(message, reason=BaseReason.DEADLINE)
            return
        await _carry_out(call, writer, ran, order)
        if order.action is Action.APPEND and not ran.stopped:
            ran.stopped = ran.carried[-1].results[0].error  # what follows would make room for it
        slowest_s = max(slowest_s, anyio.current_time() - began)
        if len(ran.carried) == number:
            call.report(count_messages(ran.orders[:number]), total, "messages changed")
        if ran.stopped:
            return


async def _carry_out(call: Call, writer: Writer, ran: Ran, order: Order) -> None:
    """Carry out an order, if nothing stops it before anything is sent."""
    number = len(ran.carried)
    try:
        prepared = await writer.run(partial(prepare, order=order))
    except ToolError as error:
        if _stops_all(error):
            ran.stopped = error
        else:  # another mailbox may do better
            prepared = Prepared(order=order, uidvalidity=order.uidvalidity)
            results = _all(prepared, Fate.FAILED, error)
            ran.carried.append(Carried(prepared=prepared, number=number, results=results))
        return
    with anyio.CancelScope(shield=True):
        try:
            await call.journal.in_thread(partial(call.journal.add_order, ran.entry_id, number, prepared))
        except ToolError as error:
            ran.stopped = error
            return
        try:
            results = await writer.run(partial(carry_out, prepared=prepared))
        except ToolError as error:
            results = _all(prepared, Fate.UNKNOWN, error)
        carried = Carried(prepared=prepared, number=number, results=results)
        ran.carried.append(carried)
        sent = (each for each in results if each.uid not in prepared.failures)
        errors = (each.error for each in sent if each.error is not None)
        ran.stopped = next(filter(_stops_all, errors), None)
        try:
            await call.journal.in_thread(partial(call.journal.add_results, ran.entry_id, carried))
        except ToolError as error:  # it is looked up before the next call
            ran.stopped = error


async def _look_up(call: Call, entry_id: str, carried: Carried) -> Carried:
    """Look up the results that are unknown, and write what they are into the journal.

    Raises:
        ToolError: It can't be looked up now. What can't be looked up at all stays unknown.
    """
    prepared = carried.prepared
    found: dict[int, Result] = {}
    try:
        found = {each.uid: each for each in await call.ask(partial(look_up, prepared=prepared))}
    except ToolError as error:
        if error.retryable or isinstance(error, AuthFailedError):
            raise
    await _unmark(call, prepared, found)
    results = carried.results or _all(prepared, Fate.UNKNOWN, None)
    results = tuple(found.get(each.uid, each) if each.fate is Fate.UNKNOWN else each for each in results)
    looked_up = replace(carried, looked_up=True, results=results)
    await call.journal.in_thread(partial(call.journal.add_results, entry_id, looked_up))
    return looked_up


async def _unmark(call: Call, prepared: Prepared, found: Mapping[int, Result]) -> None:
    """Unmark what an order may have marked as deleted, and then left where it was."""
    order, account = prepared.order, call.pool.sessions_of(prepared.order.account_id).account
    stays = any(each.fate is Fate.FAILED and uid in prepared.before for uid, each in found.items())
    if stays and order.action in {Action.MOVE, Action.DELETE} and account.writes.includes(Writes.ORGANIZE):
        await call.write(partial(unmark, prepared=prepared))


def _all(prepared: Prepared, fate: Fate, error: ToolError | None) -> tuple[Result, ...]:
    """Give all messages of an order the same result."""
    return tuple(Result(uid=uid, fate=fate, error=error) for uid in prepared.order.uids or (0,))


def _stops_all(error: ToolError) -> bool:
    return isinstance(error, (AuthFailedError, DeadlineError)) or error.reason in _STOPPING

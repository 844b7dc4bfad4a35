"""Carries out orders: the ceilings before, the journal around each, and what can be known afterwards.

Whoever waits learns how far it came. A call that runs out of time or is cancelled ends between two orders:
the one that is under way is never interrupted, and an outcome that isn't known is looked up, never repeated.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

import anyio
from anyio import to_thread

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.pool import Writer
from mailmcp.imap.writes.carry_out import carry_out, unmark
from mailmcp.imap.writes.look_up import look_up
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action, Fate, Order, Prepared, Result
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

_LEVELS: Final = {Action.APPEND: Writes.DRAFTS, Action.MOVE: Writes.DRAFTS, Action.DELETE: Writes.ALL}
"""What the account must allow at least, ORGANIZE for the other actions; `prepare` knows the mailboxes, and is
stricter."""

_STOPPING: Final = {
    Reason.CONNECTION_LOST,
    Reason.JOURNAL_FAILED,
    Reason.PERMISSION_DENIED,
    Reason.SERVER_REFUSED,  # over quota, throttled
}
"""Reasons that the next order would fail for, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of some orders."""

    entry_id: str
    """Of the journal."""

    carried: tuple[Carried, ...]
    """Those that were begun, with a result for each of their messages."""

    not_begun: tuple[Order, ...]
    """Those that come after `stopped`: nothing was sent for them."""

    stopped: ToolError | None
    """Why not all were begun; None if they were."""


async def run_orders(call: Call, orders: Sequence[Order], *, tool: str, action: str, undoes: str = "") -> Ran:
    """Carry out orders, one after the other, as one entry of the journal.

    Args:
        call: The call of the tool.
        orders: Of one account, at least one.
        tool: Its name.
        action: What it does, in its own word.
        undoes: The entry that it takes back, which the ceilings don't limit; "" for none.

    Raises:
        ToolError: Nothing was sent: the account's level, a ceiling, the journal or the server doesn't allow
            it, or another call hasn't ended.
    """
    levels = [_LEVELS.get(each.action, Writes.ORGANIZE) for each in orders]
    account = call.choose_account_to_write(orders[0].account_id, max(levels, key=list(Writes).index))
    account_id, journal = account.account_id, call.journal
    async with journal.locked(account_id, deadline=call.deadline):
        history = await _resolve(call, account_id)
        if not undoes:
            check_ceilings(account, history, count_messages(orders), journal.clock())
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
            await to_thread.run_sync(journal.begin, entry)
            run = _Run(call=call, orders=orders, entry_id=entry.entry_id)
            await run.carry_out_all(writer)
        if run.stopped and not run.carried:
            raise run.stopped
        await run.look_up_unknown()
    not_begun = tuple(orders[len(run.carried) :])
    return Ran(entry_id=run.entry_id, carried=tuple(run.carried), not_begun=not_begun, stopped=run.stopped)


async def read_history(call: Call, account_id: str) -> History:
    """Read the journal, once what isn't known of an account's changes has been looked up.

    Raises:
        ToolError: It can't be read or looked up, or another call is changing mail until the deadline.
    """
    async with call.journal.locked(account_id, deadline=call.deadline):
        return await _resolve(call, account_id)


def count_messages(orders: Sequence[Order]) -> int:
    """Count the messages that orders change; one for a message of our own."""
    return sum(len(each.uids) or 1 for each in orders)


def check_ceilings(
    account: Account, history: History, count: int, now: datetime, *, argument: str = "message_ids"
) -> None:
    """Check that a call may change so many messages, now; `argument` names them.

    Raises:
        InvalidInputError: It is more than one call may; reason `too_many`.
        InternalError: It is more than is left of this hour; reason `hourly_limit`.
    """
    key = min("writes_per_call", "writes_per_hour", key=lambda name: getattr(account, name))
    limit = getattr(account, key)
    if count > limit:
        raise InvalidInputError.of(
            argument,
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


@dataclass(slots=True, kw_only=True)
class _Run:
    """Some orders on their way."""

    call: Call
    orders: Sequence[Order]
    entry_id: str
    carried: list[Carried] = field(default_factory=list)
    stopped: ToolError | None = None

    async def carry_out_all(self, writer: Writer) -> None:
        """Carry out the orders until something stops them; `stopped` says what."""
        slowest_s, total = 0.0, count_messages(self.orders)
        for number, order in enumerate(self.orders, 1):
            began = anyio.current_time()
            if began + slowest_s >= self.call.deadline:
                message = "The call's time was up before all was done."
                self.stopped = DeadlineError(message, reason=BaseReason.DEADLINE)
                return
            await self._carry_out(writer, order)
            if order.action is Action.APPEND and not self.stopped:
                self.stopped = self.carried[-1].results[0].error  # what follows would make room for it
            slowest_s = max(slowest_s, anyio.current_time() - began)
            if len(self.carried) == number:
                self.call.report(count_messages(self.orders[:number]), total, "messages changed")
            if self.stopped:
                return

    async def _carry_out(self, writer: Writer, order: Order) -> None:
        """Carry out an order, if nothing stops it before anything is sent."""
        number = len(self.carried)
        try:
            prepared = await writer.run(partial(prepare, order=order))
        except ToolError as error:  # another mailbox may do better
            if _stops_all(error):
                self.stopped = error
            else:
                prepared = Prepared(order=order, uidvalidity=order.uidvalidity)
                results = _all(prepared, Fate.FAILED, error)
                self.carried.append(Carried(prepared=prepared, number=number, results=results))
            return
        with anyio.CancelScope(shield=True):
            try:
                await to_thread.run_sync(self.call.journal.add_order, self.entry_id, number, prepared)
            except ToolError as error:
                self.stopped = error
                return
            try:
                results = await writer.run(partial(carry_out, prepared=prepared))
            except ToolError as error:
                results = _all(prepared, Fate.UNKNOWN, error)
            carried = Carried(prepared=prepared, number=number, results=results)
            self.carried.append(carried)
            sent = (each for each in results if each.uid not in prepared.failures)
            errors = (each.error for each in sent if each.error is not None)
            self.stopped = next(filter(_stops_all, errors), None)
            await self._write_results(carried)

    async def _write_results(self, carried: Carried) -> None:
        try:
            await to_thread.run_sync(self.call.journal.add_results, self.entry_id, carried)
        except ToolError as error:  # it is looked up before the next call
            self.stopped = error

    async def look_up_unknown(self) -> None:
        """Look up what isn't known; what can't be looked up now is before the next call."""
        for index, each in enumerate(self.carried):
            if not each.is_open:
                continue
            try:
                self.carried[index] = looked_up = await _look_up(self.call, each)
            except ToolError:
                return  # the replies say that it isn't known
            with anyio.CancelScope(shield=True):
                await self._write_results(looked_up)


async def _resolve(call: Call, account_id: str) -> History:
    """Look up what became of orders whose process ended, or that nobody could look up; read the journal.

    The account must be locked, so that none of them is under way.
    """
    history = await to_thread.run_sync(call.journal.read)
    found = [
        (entry.entry_id, each)
        for entry in history.entries
        if entry.account_id == account_id
        for each in entry.carried
        if each.is_open
    ]
    for entry_id, each in found:
        await to_thread.run_sync(call.journal.add_results, entry_id, await _look_up(call, each))
    return await to_thread.run_sync(call.journal.read) if found else history


async def _look_up(call: Call, carried: Carried) -> Carried:
    """Look up the results that are unknown.

    Raises:
        ToolError: It can't be looked up now. What can't be looked up at all stays unknown.
    """
    prepared = carried.prepared
    found: dict[int, Result] = {}
    try:
        looked_up = await call.ask(partial(look_up, prepared=prepared), account_id=prepared.order.account_id)
        found = {each.uid: each for each in looked_up}
    except ToolError as error:
        if error.retryable or isinstance(error, AuthFailedError):
            raise
    await _unmark(call, prepared, found)
    results = carried.results or _all(prepared, Fate.UNKNOWN, None)
    return replace(
        carried,
        looked_up=True,
        results=tuple(found.get(each.uid, each) if each.fate is Fate.UNKNOWN else each for each in results),
    )


async def _unmark(call: Call, prepared: Prepared, found: Mapping[int, Result]) -> None:
    """Unmark what an order may have marked as deleted, and then left where it was."""
    order, account = prepared.order, call.pool.sessions_of(prepared.order.account_id).account
    stays = any(each.fate is Fate.FAILED and uid in prepared.before for uid, each in found.items())
    if stays and order.action in {Action.MOVE, Action.DELETE} and account.writes.includes(Writes.ORGANIZE):
        async with call.pool.writing(
            order.account_id, telemetry=call.telemetry, deadline=call.deadline
        ) as writer:
            await writer.run(partial(unmark, prepared=prepared))


def _all(prepared: Prepared, fate: Fate, error: ToolError | None) -> tuple[Result, ...]:
    """Give all messages of an order the same result."""
    return tuple(Result(uid=uid, fate=fate, error=error) for uid in prepared.order.uids or (0,))


def _stops_all(error: ToolError) -> bool:
    return isinstance(error, (AuthFailedError, DeadlineError)) or error.reason in _STOPPING

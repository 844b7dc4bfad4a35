"""imap_undo: takes back what an entry of the journal did, or lists the latest entries."""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, tzinfo
from functools import partial
from typing import Annotated, Final

from pydantic import BaseModel, Field, WithJsonSchema

from mailmcp.imap.account import Writes
from mailmcp.imap.writes.values import Action, Fate
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.journal import Entry, History
from mailmcp.tools.names import SAVE_DRAFT, UNDO
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.undo.plan import Undo, plan_undo
from mailmcp.tools.writes.endings import Ending, format_endings, list_endings, list_issues
from mailmcp.tools.writes.run import UNCONFIRMED_MAX, Ran, count_messages, locked_history, run_orders
from mailmcp.wording import counted
from mcp_envelope import ConflictError, NextAction, NotFoundError, Outcome, Resource, ToolError, code

_LIST: Final = NextAction(instruction="List the latest entries.", tool=UNDO)
_LISTED_MAX: Final = 10


class UndoArguments(Arguments):
    """What to take back."""

    entry_id: str = Field("", description="From a change; empty: list the latest.")
    confirm: str = ""


class EntryRow(Row):
    """An entry of the journal."""

    entry_id: str
    time: str
    account_id: str
    action: str
    mailboxes: list[str]
    """Where its messages were, and where they went."""

    done: int
    failed: int
    unknown: int
    undoes: str | None = None
    undone_by: str | None = None
    can_be_undone: bool


class UndoData(BaseModel):
    """What was restored; what wasn't is issues. Or the latest entries."""

    entries: Annotated[tuple[EntryRow, ...], WithJsonSchema({"type": "array"})] = ()
    account_id: str | None = None
    done: int = 0
    changed: Strings = []
    """Ids of the restored messages, `old -> new` if they moved, as in imap_change_messages."""

    entry_id: str | None = None
    """Of this undoing, which can be undone."""


async def undo(arguments: UndoArguments, call: Call) -> Outcome[UndoData]:
    """Take back an entry, as far as that can be done; more than ten messages must be confirmed."""
    history = await call.journal.in_thread(call.journal.read)
    if not arguments.entry_id:
        return _list_entries(history, call)
    account = call.choose_account_to_write(_find(history, arguments.entry_id).account_id, Writes.DRAFTS)
    async with locked_history(call, account.account_id) as history:
        entry = _find(history, arguments.entry_id)
        plan = await plan_undo(entry, history, call, account)
        if not plan.orders:
            raise _nothing_to_do(entry, history, plan)
        if count_messages(plan.orders) > UNCONFIRMED_MAX:
            described = _describe(entry, plan, call.preferences.zone)
            bound = [[each.mailbox, each.uidvalidity, *each.uids] for each in plan.orders]
            require = partial(call.confirmations.require, UNDO, arguments, described, bound=bound)
            await call.journal.in_thread(require)
        ran = await run_orders(call, history, plan.orders, tool=UNDO, action="undo", undoes=entry.entry_id)
    return _reply(entry, plan, ran, is_undoable=account.writes.includes(Writes.ORGANIZE))


def _find(history: History, entry_id: str) -> Entry:
    for each in history.entries:
        if each.entry_id == entry_id:
            return each
    raise NotFoundError(
        f"The journal has no entry {code(entry_id)}. Copy the id exactly.",
        reason=Reason.ENTRY_UNKNOWN,
        next_action=_LIST,
        resource=Resource(type="entry", id=entry_id),
    )


def _list_entries(history: History, call: Call) -> Outcome[UndoData]:
    zone = call.preferences.zone
    organizing = {each.account_id for each in call.pool.accounts if each.writes.includes(Writes.ORGANIZE)}
    entries = [each for each in history.entries if each.carried][:_LISTED_MAX]
    rows = [_make_row(each, history, organizing) for each in entries]
    unreadable = counted(history.unreadable, "line")
    return Outcome(
        summary=f"The latest {counted(len(rows), 'change')}, newest first, times in {zone}"
        if rows
        else "The journal has no changes",
        data=UndoData(entries=tuple(rows)),
        blocks=tuple(
            _entry_line(each, _format_time(entry, zone)) for each, entry in zip(rows, entries, strict=True)
        ),
        warnings=(f"{unreadable} of the journal can't be read.",) if history.unreadable else (),
    )


def _entry_line(row: EntryRow, time: str) -> str:
    counts = {"done": row.done, "failed": row.failed, "unknown": row.unknown}
    columns = [
        time,
        f"{row.action} ({row.account_id}, {', '.join(map(code, row.mailboxes))})",
        ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing done",
        f"undone by {code(row.undone_by)}" if row.undone_by else "",
        "can be undone" if row.can_be_undone else "",
        code(row.entry_id),
    ]
    return f"- {' | '.join(filter(None, columns))}"


def _format_time(entry: Entry, zone: tzinfo) -> str:
    return f"{entry.time.astimezone(zone):%Y-%m-%d %H:%M}"


def _make_row(entry: Entry, history: History, organizing: Collection[str]) -> EntryRow:
    """Make the row of an entry; `organizing` are the accounts where more than a draft can be undone."""
    fates, undoers = entry.count(), _undoers(entry, history)
    places = (
        name for each in entry.carried for name in (each.prepared.order.mailbox, each.prepared.order.target)
    )
    is_final = all(each.prepared.order.action is Action.DELETE for each in entry.carried)
    restored = sum(each.count()[Fate.DONE] for each in undoers)
    return EntryRow(
        entry_id=entry.entry_id,
        time=f"{entry.time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        account_id=entry.account_id,
        action=entry.action,
        mailboxes=list(dict.fromkeys(filter(None, places))),
        done=fates[Fate.DONE],
        failed=fates[Fate.FAILED],
        unknown=fates[Fate.UNKNOWN],
        undoes=entry.undoes or None,
        undone_by=undoers[0].entry_id if undoers else None,
        can_be_undone=restored < fates[Fate.DONE]
        and not is_final
        and (entry.account_id in organizing or entry.tool == SAVE_DRAFT),
    )


def _undoers(entry: Entry, history: History) -> list[Entry]:
    """Return the entries that took something of this one back, the latest first."""
    return [each for each in history.entries if each.undoes == entry.entry_id and each.count()[Fate.DONE]]


def _nothing_to_do(entry: Entry, history: History, plan: Undo) -> ToolError:
    """Build the error for an entry of which nothing can be restored."""
    name = code(entry.entry_id)
    if undoers := _undoers(entry, history):
        message = f"Entry {name} was undone already, by {code(undoers[0].entry_id)}."
        return ConflictError(message, reason=Reason.UNDONE_ALREADY, next_action=_LIST)
    if not plan.kept:
        message = f"Entry {name} has changed nothing, so there is nothing to undo."
        return ConflictError(message, reason=Reason.NOT_RESTORABLE, next_action=_LIST)
    [first, *_] = plan.kept.values()
    message = (
        f"Nothing of entry {name} can be restored: {counted(len(plan.kept), 'message')}. {first.message}"
    )
    return first.replace(message=message, next_action=first.next_action or _LIST)


def _describe(entry: Entry, plan: Undo, zone: tzinfo) -> str:
    """Write what would be done, for a person to agree to."""
    kept = f" {counted(len(plan.kept), 'message')} can't be restored." if plan.kept else ""
    counts: Counter[tuple[str, str]] = Counter()
    for each in plan.orders:
        counts[each.mailbox, each.target] += count_messages([each])
    done = "; ".join(
        f"move {counted(count, 'message')} from {code(mailbox)} to {code(target)}"
        if target
        else f"mark {counted(count, 'message')} in {code(mailbox)} as before"
        for (mailbox, target), count in counts.items()
    )
    return f"Undo {code(entry.entry_id)} ({entry.action}, {_format_time(entry, zone)}): {done}.{kept}"


def _reply(entry: Entry, plan: Undo, ran: Ran, *, is_undoable: bool) -> Outcome[UndoData]:
    """Make the reply; `is_undoable` says whether the undoing can be undone.

    Raises:
        ToolError: Nothing was restored.
    """
    tried = [*list_endings(ran)]
    kept = [Ending(ref=ref, fate=Fate.FAILED, error=error) for ref, error in plan.kept.items()]
    done = [each for each in tried if each.fate is Fate.DONE]
    errors = [each.error for each in tried if isinstance(each.error, ToolError)]
    if errors and all(each.fate is Fate.FAILED for each in tried):
        raise errors[0].replace(message=f"Nothing was restored. {errors[0].message}")
    changed = format_endings(done)
    rest = NextAction(instruction="Undo the rest.", tool=UNDO, arguments={"entry_id": entry.entry_id})
    total = counted(len(tried) + len(kept), "message")
    return Outcome(
        summary=f"Undid {code(entry.entry_id)} ({entry.action}): {len(done)} of {total} restored",
        data=UndoData(
            account_id=entry.account_id,
            done=len(done),
            changed=[" -> ".join(each) for each in changed],
            entry_id=ran.entry_id,
        ),
        blocks=(
            *(f"- {' -> '.join(map(code, each))}" for each in changed),
            *([f"This can be undone as {code(ran.entry_id)}."] if is_undoable else []),
        ),
        issues=tuple(list_issues([*tried, *kept], stage="undo")),
        next_action=rest if ran.not_begun else None,
    )


TOOL = MailTool(
    name=UNDO,
    title="Undo a change",
    description="Take back a change to mail as far as possible.",
    arguments=UndoArguments,
    data=UndoData,
    run=undo,
    read_only=False,
    destructive=False,
    writes=Writes.DRAFTS,
)

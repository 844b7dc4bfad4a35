"""The reply to a change: what was seen to be done, what failed, what isn't known, and how to take it back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from mailmcp.imap.changes.state import format_ranges
from mailmcp.imap.fetch import FetchFailure, join_ascending
from mailmcp.imap.writes.values import Fate, Order
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.change.change import Change
from mailmcp.tools.change.plan import format_places, format_verb
from mailmcp.tools.names import UNDO
from mailmcp.tools.published import Strings
from mailmcp.tools.writes.run import Ran
from mailmcp.wording import counted
from mcp_envelope import Issue, NextAction, Outcome, ToolError, code

NAMED_MAX = 20
"""Messages that are named one by one: two pages of a search. Of more, ranges are."""


class ChangeMessagesData(BaseModel):
    """What became of the messages; those that failed or are unknown are issues."""

    account_id: str
    mailbox: str | None = None
    """Where they went."""

    done: int
    failed: int
    unknown: int
    already: int
    changed: Strings = []
    """Ids of those that are done, `old -> new` if they moved; of many as `imap:work:INBOX:17:3,7-9`."""

    entry_id: str | None = None
    """Of the journal, for imap_undo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    """What became of a message."""

    ref: MessageRef
    fate: Fate
    new: MessageRef | None = None
    error: ToolError | FetchFailure | None = None
    """Unless it is done."""


def make_reply(change: Change, ran: Ran | None) -> Outcome[ChangeMessagesData]:
    """Make the reply; `ran` is None if there was nothing to do.

    Raises:
        ToolError: Everything failed.
    """
    selection, endings = change.selection, [*_endings(change, ran)]
    count = Counter(each.fate for each in endings)
    entry_id = ran.entry_id if ran else None
    details = {"entry_id": entry_id} if entry_id else {}
    errors = [each.error for each in endings if isinstance(each.error, ToolError)]
    if errors and count[Fate.FAILED] == len(endings) and not change.already:
        message = f"{counted(len(endings), 'message')}, and none was changed. {errors[0].message}"
        raise errors[0].replace(message=message, details={**errors[0].details, **details})
    changed = [*_format_changed([each for each in endings if each.fate is Fate.DONE])]
    next_action = selection.search
    if count[Fate.DONE]:
        undo = NextAction(instruction="Undo it, if it was wrong.", tool=UNDO, arguments=details)
        next_action = None if change.is_final else undo
    return Outcome(
        summary=_summary(change, endings, count),
        data=ChangeMessagesData(
            account_id=selection.account.account_id,
            mailbox=change.target or None if endings else None,
            done=count[Fate.DONE],
            failed=count[Fate.FAILED],
            unknown=count[Fate.UNKNOWN],
            already=len(change.already),
            changed=[" -> ".join(each) for each in changed],
            entry_id=entry_id,
        ),
        blocks=(
            *(f"- {' -> '.join(map(code, each))}" for each in changed),
            *_remarks(change, endings),
            *selection.doubts,
        ),
        issues=(*selection.issues, *_issues(endings)),
        next_action=next_action,
    )


def _endings(change: Change, ran: Ran | None) -> Iterator[_Ending]:
    """Say of each message what became of it, unless there was nothing to do."""
    for ref, failure in change.selection.failures.items():
        yield _Ending(ref=ref, fate=Fate.FAILED, error=failure)
    for carried in ran.carried if ran else ():
        prepared, order = carried.prepared, carried.prepared.order
        for each in carried.results:
            new = None
            if each.new_uid and not change.is_final:
                new = MessageRef(
                    account_id=order.account_id,
                    mailbox=order.target,
                    uidvalidity=prepared.target_uidvalidity,
                    uid=each.new_uid,
                )
            yield _Ending(ref=_ref_of(order, each.uid), fate=each.fate, new=new, error=each.error)
    for order in ran.not_begun if ran else ():
        for uid in order.uids:
            yield _Ending(ref=_ref_of(order, uid), fate=Fate.FAILED, error=ran.stopped if ran else None)


def _ref_of(order: Order, uid: int) -> MessageRef:
    return MessageRef(
        account_id=order.account_id, mailbox=order.mailbox, uidvalidity=order.uidvalidity, uid=uid
    )


def _summary(change: Change, endings: Sequence[_Ending], count: Counter[Fate]) -> str:
    """Write the summary, which is true on its own."""
    selection, already = change.selection, len(change.already)
    if selection.nothing:
        return f"Nothing was changed. {selection.nothing}"
    if endings:
        done, places = count[Fate.DONE], Counter(each.ref.mailbox for each in endings)
        what = counted(len(endings), "message")
        what = what if done == len(endings) else f"{done} of {what}"
        parts = [format_verb(change, f"{what} {format_places(change, places)}", past=True)]
        parts += [f"{count[fate]} {fate}" for fate in (Fate.FAILED, Fate.UNKNOWN) if count[fate]]
        parts += [f"{already} more as asked already"] if already else []
    else:
        parts = [f"Nothing to do: {counted(already, 'message')} as asked already"]
    parts += ["not everything could be searched"] if selection.issues else []
    return f"{parts[0]}; {', '.join(parts[1:])}" if parts[1:] else parts[0]


def _remarks(change: Change, endings: Sequence[_Ending]) -> Iterator[str]:
    """Say what was made on the way, what isn't known, and what can't be undone."""
    done = [each for each in endings if each.fate is Fate.DONE]
    if change.creates and endings:
        yield f"There was no mailbox {code(change.target)}: it was made, and undoing leaves it."
    if change.is_final and done:
        yield "This can't be undone."
    unplaced = sum(each.new is None for each in done)
    if unplaced and change.target and not change.selection.is_gmail:
        yield f"The server doesn't say the new ids of {counted(unplaced, 'message')}."
    if len(done) < sum(each.fate is not Fate.FAILED for each in endings):
        yield "Don't send again what is unknown: search for it first."


def _issues(endings: Sequence[_Ending]) -> Iterator[Issue]:
    """Build an issue for each reason and mailbox, which names all of its messages."""
    groups: dict[tuple[str, Fate, str], list[_Ending]] = {}
    for each in endings:
        if each.error is not None:
            groups.setdefault((each.ref.mailbox, each.fate, each.error.message), []).append(each)
    for group in groups.values():
        ref, error = group[0].ref, group[0].error
        assert error is not None  # noqa: S101 - see above
        some = f"{len(group)} messages: " if len(group) > 1 else ""
        yield Issue(
            code=error.code,
            reason=error.reason,
            stage="change",
            message=f"{some}{error.message}",
            retryable=error.retryable,
            about={
                "message_id": _format_ids([each.ref for each in group]),
                "mailbox": ref.mailbox,
                "account_id": ref.account_id,
                "outcome": group[0].fate.value,
            },
        )


def _format_changed(done: Sequence[_Ending]) -> Iterator[list[str]]:
    """Format the ids of messages, and the new ones; of many in runs, in which both ascend."""
    runs: list[list[_Ending]] = []
    for each in sorted(done, key=lambda each: (each.ref.mailbox, each.ref.uid)):
        if len(done) > NAMED_MAX and runs and _follows(runs[-1][-1], each):
            runs[-1].append(each)
        else:
            runs.append([each])
    for run in runs:
        new = [each.new for each in run if each.new]
        yield [_format_ids(refs) for refs in ([each.ref for each in run], new) if refs]


def _follows(before: _Ending, after: _Ending) -> bool:
    if before.new is None or after.new is None:
        return before.new is after.new and before.ref.mailbox == after.ref.mailbox
    return before.ref.mailbox == after.ref.mailbox and before.new.uid < after.new.uid


def _format_ids(refs: Sequence[MessageRef]) -> str:
    """Format ids of one mailbox as one, with ranges of UIDs."""
    place = refs[0].message_id.rpartition(":")[0]
    return f"{place}:{format_ranges([*join_ascending(sorted(each.uid for each in refs))])}"

"""The reply to a change: what was seen to be done, what failed, what isn't known, and how to take it back."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import BaseModel, WithJsonSchema

from mailmcp.imap.changes.state import format_ranges
from mailmcp.imap.fetch import FetchFailure, join_ascending
from mailmcp.imap.writes.values import Fate
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.change.change import Change
from mailmcp.tools.change.plan import say, where_from
from mailmcp.tools.names import UNDO
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.writes.run import Ran
from mailmcp.wording import counted
from mcp_envelope import InternalError, Issue, NextAction, Outcome, ToolError, code

ROWS_MAX: Final = 20
"""Messages with a row each: two pages of a search. Of more, ranges are named."""


class ChangedRow(Row):
    """A message that was changed."""

    message_id: str
    new_message_id: str | None = None
    """If it has moved, or of its copy."""


class ChangeMessagesData(BaseModel):
    """What became of the messages; those that failed or are unknown are issues."""

    account_id: str
    mailbox: str | None = None
    """Where they are now, if they have moved."""

    done: int = 0
    failed: int = 0
    unknown: int = 0
    already: int = 0
    messages: Annotated[tuple[ChangedRow, ...], WithJsonSchema({"type": "array"})] = ()
    """Those that are done."""

    ranges: Strings = []
    """The same of many: `imap:work:INBOX:17:3,7-9`, with ` -> ` and the new ids, in the same order."""

    entry_id: str | None = None
    """Of the journal, for imap_undo."""


@dataclass(slots=True, kw_only=True)
class Results:
    """What became of the messages of a change."""

    done: dict[MessageRef, MessageRef | None] = field(default_factory=dict)
    """With the new place of each that has one."""

    failed: dict[MessageRef, ToolError | FetchFailure] = field(default_factory=dict)
    unknown: dict[MessageRef, ToolError | FetchFailure] = field(default_factory=dict)


def collect_results(change: Change, ran: Ran | None) -> Results:
    """Collect the results of all messages; `ran` is None if there was nothing to do."""
    results = Results(failed=dict(change.selection.failures))
    if ran is None:
        return results
    for carried in ran.carried:
        order, prepared = carried.prepared.order, carried.prepared
        for each in carried.results:
            ref = MessageRef(
                account_id=order.account_id, mailbox=order.mailbox, uidvalidity=order.uidvalidity, uid=each.uid
            )
            if each.fate is Fate.DONE:
                results.done[ref] = None
                if each.new_uid:
                    results.done[ref] = MessageRef(
                        account_id=order.account_id,
                        mailbox=order.target,
                        uidvalidity=prepared.target_uidvalidity,
                        uid=each.new_uid,
                    )
                continue
            fates = results.failed if each.fate is Fate.FAILED else results.unknown
            assert each.error is not None  # noqa: S101 - only what is done has none
            fates[ref] = each.error
    for order in ran.not_begun:
        assert ran.stopped is not None  # noqa: S101 - else all would have begun
        for uid in order.uids:
            ref = MessageRef(
                account_id=order.account_id, mailbox=order.mailbox, uidvalidity=order.uidvalidity, uid=uid
            )
            results.failed[ref] = ran.stopped
    return results


def make_reply(change: Change, ran: Ran | None) -> Outcome[ChangeMessagesData]:
    """Make the reply.

    Raises:
        ToolError: Nothing was done, and nothing had been done before.
    """
    selection, results = change.selection, collect_results(change, ran)
    entry_id = ran.entry_id if ran else None
    if not (results.done or results.unknown or change.already) and results.failed:
        raise _all_failed(results, entry_id)
    issues = (*selection.issues, *_issues(results.failed, Fate.FAILED), *_issues(results.unknown, Fate.UNKNOWN))
    few = len(results.done) <= ROWS_MAX
    rows = tuple(
        ChangedRow(message_id=old.message_id, new_message_id=new.message_id if new else None)
        for old, new in (results.done.items() if few else ())
    )
    ranges = [] if few else [*format_moves(results.done)]
    undoable = bool(entry_id and (results.done or results.unknown) and not change.is_final)
    return Outcome(
        summary=_summary(change, results),
        data=ChangeMessagesData(
            account_id=selection.account.account_id,
            mailbox=change.target or None,
            done=len(results.done),
            failed=len(results.failed),
            unknown=len(results.unknown),
            already=len(change.already),
            messages=rows,
            ranges=ranges,
            entry_id=entry_id,
        ),
        blocks=(
            *(_row_line(each) for each in rows),
            *(f"- {code(each)}" for each in ranges),
            *_remarks(change, results),
            *selection.doubts,
        ),
        issues=issues,
        next_action=NextAction(
            instruction="Undo it, if it was wrong.", tool=UNDO, arguments={"entry_id": entry_id}
        )
        if undoable
        else None if results.done else selection.search,
    )


def _all_failed(results: Results, entry_id: str | None) -> ToolError:
    """Build the error of a change of which nothing was done."""
    [first, *_] = results.failed.values()
    issues = [
        {"message_id": each.about["message_id"], "message": each.message}
        for each in _issues(results.failed, Fate.FAILED)
    ]
    message = first.message
    if len(results.failed) > 1:
        message = f"None of {len(results.failed)} messages was changed. The first: {message}"
    details = {"issues": issues} | ({"entry_id": entry_id} if entry_id else {})
    if isinstance(first, ToolError):
        return first.replace(message=message, details={**first.details, **details})
    return InternalError(message, reason=first.reason, retryable=first.retryable, details=details)


def _summary(change: Change, results: Results) -> str:
    selection = change.selection
    if selection.nothing:
        return f"{selection.nothing}; nothing was changed"
    done, places = len(results.done), Counter(each.mailbox for each in results.done)
    failed, unknown = len(results.failed), len(results.unknown)
    total = done + failed + unknown
    if not total:
        already = counted(len(change.already), "message")
        summary = f"Nothing to do: {already} {'is' if len(change.already) == 1 else 'are'} so already"
        return f"{summary}, in {code(change.target)}" if change.target else summary
    places = Counter(each.mailbox for each in [*results.done, *results.failed, *results.unknown])
    what = counted(total, "message") if done == total else f"{done} of {counted(total, 'message')}"
    parts = [say(change, f"{what} {where_from(change, places)}", past=True)]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{unknown} unknown"] if unknown else []
    parts += [f"{len(change.already)} so already"] if change.already else []
    parts += ["not everything could be searched"] if selection.issues else []
    return f"{parts[0]}; {', '.join(parts[1:])}" if parts[1:] else parts[0]


def _remarks(change: Change, results: Results) -> Iterator[str]:
    """Say what was made on the way, and what can't be undone."""
    if change.creates:
        yield f"There was no mailbox {code(change.target)}; it was made, and stays."
    if change.is_final and results.done:
        yield "This can't be undone."
    unplaced = sum(new is None for new in results.done.values())
    if unplaced and change.target and not change.selection.is_gmail:
        yield f"The new {'id' if unplaced == 1 else 'ids'} of {counted(unplaced, 'message')} are not known."
    if results.unknown:
        yield "Whether the unknown ones were changed can't be seen now. Don't repeat them: look for them first."


def _row_line(row: ChangedRow) -> str:
    return f"- {code(row.message_id)}" + (f" is now {code(row.new_message_id)}" if row.new_message_id else "")


def _issues(failures: Mapping[MessageRef, ToolError | FetchFailure], fate: Fate) -> Iterator[Issue]:
    """Build an issue for each reason and mailbox: of many messages, ranges are named."""
    groups: dict[tuple[str, int, str, str], dict[MessageRef, ToolError | FetchFailure]] = {}
    for ref, failure in failures.items():
        key = (ref.mailbox, ref.uidvalidity, failure.reason.value, failure.message)
        groups.setdefault(key, {})[ref] = failure
    for group in groups.values():
        first, failure = next(iter(group.items()))
        yield Issue(
            code=failure.code,
            reason=failure.reason,
            stage="change",
            message=failure.message if len(group) == 1 else f"{counted(len(group), 'message')}: {failure.message}",
            retryable=failure.retryable,
            about={
                "message_id": _format_ids(list(group)),
                "mailbox": first.mailbox,
                "account_id": first.account_id,
                "outcome": fate.value,
            },
        )


def format_moves(done: Mapping[MessageRef, MessageRef | None]) -> Iterator[str]:
    """Write ids as ranges, old and new, in pairs of which the nth old one became the nth new one."""
    run: list[tuple[MessageRef, MessageRef | None]] = []
    for pair in sorted(done.items(), key=lambda pair: (pair[0].mailbox, pair[0].uid)):
        if run and not _follows(run[-1], pair):
            yield _format_run(run)
            run = []
        run.append(pair)
    if run:
        yield _format_run(run)


def _follows(
    before: tuple[MessageRef, MessageRef | None], after: tuple[MessageRef, MessageRef | None]
) -> bool:
    (old, new), (next_old, next_new) = before, after
    if old.mailbox != next_old.mailbox or (new is None) != (next_new is None):
        return False
    return new is None or next_new is None or (new.mailbox == next_new.mailbox and new.uid < next_new.uid)


def _format_run(run: list[tuple[MessageRef, MessageRef | None]]) -> str:
    new = [each for _, each in run if each]
    return _format_ids([old for old, _ in run]) + (f" -> {_format_ids(new)}" if new else "")


def _format_ids(refs: list[MessageRef]) -> str:
    """Write ids of one mailbox as one, with ranges of UIDs."""
    uids = sorted(each.uid for each in refs)
    return f"{refs[0].message_id.rpartition(':')[0]}:{format_ranges([*join_ascending(uids)])}"

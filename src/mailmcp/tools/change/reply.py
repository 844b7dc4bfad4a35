"""The reply to a change: what was seen to be done, what failed, what isn't known, and how to take it back."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from mailmcp.imap.writes.values import Fate
from mailmcp.tools.change.change import Change
from mailmcp.tools.change.plan import format_places, format_verb
from mailmcp.tools.names import UNDO
from mailmcp.tools.published import Strings
from mailmcp.tools.writes.endings import Ending, format_endings, list_endings, list_issues
from mailmcp.tools.writes.run import Ran
from mailmcp.wording import counted
from mcp_envelope import NextAction, Outcome, ToolError, code


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


def make_reply(change: Change, ran: Ran | None) -> Outcome[ChangeMessagesData]:
    """Make the reply; `ran` is None if there was nothing to do.

    Raises:
        ToolError: Everything failed.
    """
    selection, entry_id = change.selection, ran.entry_id if ran else None
    endings = [Ending(ref=ref, fate=Fate.FAILED, error=error) for ref, error in selection.failures.items()]
    endings += list_endings(ran) if ran else ()
    count = Counter(each.fate for each in endings)
    errors = [each.error for each in endings if isinstance(each.error, ToolError)]
    if errors and count[Fate.FAILED] == len(endings) and not change.already:
        message = f"{counted(len(endings), 'message')}, and none was changed. {errors[0].message}"
        raise errors[0].replace(message=message, details={**errors[0].details, "entry_id": entry_id})
    done = [each for each in endings if each.fate is Fate.DONE]
    changed = format_endings(done)
    next_action = selection.search
    if done:
        undo = NextAction(
            instruction="Undo it, if it was wrong.", tool=UNDO, arguments={"entry_id": entry_id}
        )
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
            *_remarks(change, done, count),
            *selection.doubts,
        ),
        issues=(*selection.issues, *list_issues(endings, stage="change")),
        next_action=next_action,
    )


def _summary(change: Change, endings: Sequence[Ending], count: Counter[Fate]) -> str:
    """Write the summary, which is true on its own."""
    already = len(change.already)
    if change.selection.nothing:
        return f"Nothing was changed. {change.selection.nothing}"
    parts = [f"Nothing to do: {counted(already, 'message')} as asked already"]
    if endings:
        what = counted(len(endings), "message")
        what = what if count[Fate.DONE] == len(endings) else f"{count[Fate.DONE]} of {what}"
        places = format_places(change, Counter(each.ref.mailbox for each in endings))
        parts = [format_verb(change, f"{what} {places}", past=True)]
        parts += [f"{count[fate]} {fate}" for fate in (Fate.FAILED, Fate.UNKNOWN) if count[fate]]
        parts += [f"{already} more as asked already"] if already else []
    parts += ["not everything could be searched"] if change.selection.issues else []
    return f"{parts[0]}; {', '.join(parts[1:])}" if parts[1:] else parts[0]


def _remarks(change: Change, done: Sequence[Ending], count: Counter[Fate]) -> Iterator[str]:
    """Say what was made on the way, what isn't known, and what can't be undone."""
    if change.creates and count:
        yield f"There was no mailbox {code(change.target)}: it was made, and undoing leaves it."
    if change.is_final and done:
        yield "This can't be undone."
    unplaced = sum(each.new is None for each in done)
    if unplaced and change.target and not change.selection.is_gmail:
        yield f"The server doesn't say the new ids of {counted(unplaced, 'message')}."
    if count[Fate.UNKNOWN]:
        yield "Don't send again what is unknown: search for it first."

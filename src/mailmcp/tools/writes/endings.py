"""What became of messages, for replies: their ids before and after, and an issue for each reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.imap.changes.state import format_ranges
from mailmcp.imap.fetch import FetchFailure, join_ascending
from mailmcp.imap.writes.values import Fate, Prepared
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.writes.run import Ran
from mcp_envelope import Issue, ToolError

NAMED_MAX: Final = 20
"""Messages that are named one by one: two pages of a search. Of more, ranges are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What became of a message."""

    ref: MessageRef
    fate: Fate
    new: MessageRef | None = None
    """Where it is now, or its copy; None if it got no new id, or that isn't known."""

    error: ToolError | FetchFailure | None = None
    """Why not, unless it is done."""


def list_endings(ran: Ran) -> Iterator[Ending]:
    """Return what became of each message, those of orders that weren't begun too."""
    for carried in ran.carried:
        prepared = carried.prepared
        for each in carried.results:
            new = place_of(prepared, each.new_uid, new=True) if each.new_uid else None
            yield Ending(ref=place_of(prepared, each.uid), fate=each.fate, new=new, error=each.error)
    for order in ran.not_begun:
        for uid in order.uids:
            ref = place_of(Prepared(order=order, uidvalidity=order.uidvalidity), uid)
            yield Ending(ref=ref, fate=Fate.FAILED, error=ran.stopped)


def place_of(prepared: Prepared, uid: int, *, new: bool = False) -> MessageRef:
    """Return the id of a message in the mailbox of an order, or with `new` where the order brings it."""
    order = prepared.order
    return MessageRef(
        account_id=order.account_id,
        mailbox=(order.target or order.mailbox) if new else order.mailbox,
        uidvalidity=prepared.target_uidvalidity if new else prepared.uidvalidity,
        uid=uid,
    )


def list_issues(endings: Sequence[Ending], *, stage: str) -> Iterator[Issue]:
    """Build an issue for each reason and mailbox, which names all of its messages."""
    groups: dict[tuple[str, Fate, str], list[Ending]] = {}
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
            stage=stage,
            message=f"{some}{error.message}",
            retryable=error.retryable,
            about={
                "message_id": format_ids([each.ref for each in group]),
                "mailbox": ref.mailbox,
                "account_id": ref.account_id,
                "outcome": group[0].fate.value,
            },
        )


def format_endings(endings: Sequence[Ending]) -> list[tuple[str, ...]]:
    """Format the ids of messages, and the new ones if they got any; of many in runs in which both ascend."""
    runs: list[list[Ending]] = []
    for each in sorted(endings, key=lambda each: (each.ref.mailbox, each.ref.uid)):
        if len(endings) > NAMED_MAX and runs and _follows(runs[-1][-1], each):
            runs[-1].append(each)
        else:
            runs.append([each])
    pairs = (([each.ref for each in run], [each.new for each in run if each.new]) for run in runs)
    return [tuple(format_ids(refs) for refs in pair if refs) for pair in pairs]


def _follows(before: Ending, after: Ending) -> bool:
    if before.ref.mailbox != after.ref.mailbox or before.new is None or after.new is None:
        return before.ref.mailbox == after.ref.mailbox and before.new is after.new
    return before.new.uid < after.new.uid


def format_ids(refs: Sequence[MessageRef]) -> str:
    """Format ids of one mailbox as one, with ranges of UIDs: `imap:work:INBOX:17:3,7-9`."""
    place = refs[0].message_id.rpartition(":")[0]
    return f"{place}:{format_ranges([*join_ascending(sorted(each.uid for each in refs))])}"

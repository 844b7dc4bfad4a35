"""Decides what became of each message, from what is known before and seen afterwards; no I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp.imap.writes.see import Seen
from mailmcp.imap.writes.values import Action, Fate, Known, Order, Prepared, Result
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError, ToolError


@dataclass(slots=True, kw_only=True)
class Answer:
    """What the server said to the commands of an order."""

    new_uids: dict[int, int] = field(default_factory=dict)
    """By UID, or 0 for APPEND: what the message has become in the target (COPYUID, APPENDUID)."""

    error: ToolError | None = None
    """A refusal, or the loss of the connection."""

    lost: bool = False
    """Whether the server's answer didn't come: it may have done all, or some, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One message, and what there is to judge it by."""

    uid: int
    known: Known
    new_uid: int
    """Where it was found in the target; 0 if it wasn't."""

    order: Order
    answer: Answer
    seen: Seen

    @property
    def has_arrived(self) -> bool:
        """Whether it was found in the target, or at least one that the server says it has become."""
        said = (self.seen.arrived or {}).get(self.answer.new_uids.get(self.uid, 0))
        return bool(self.new_uid) or (said is not None and not _differ(self.known, said))

    @property
    def would_be_found(self) -> bool:
        """Whether it would have been found in the target if it were there."""
        return self.seen.arrived is not None and bool(_ids(self.known))

    def done(self) -> Result:
        """Return that it was seen to be as ordered."""
        return Result(uid=self.uid, fate=Fate.DONE, new_uid=self.new_uid)

    def failed(self, what: str) -> Result:
        """Return that it was seen not to be; `what` follows «The server», if that said OK."""
        error = self.answer.error or InternalError(f"The server {what}.", reason=Reason.NOT_CHANGED)
        return Result(uid=self.uid, fate=Fate.FAILED, new_uid=self.new_uid, error=error)

    def unknown(self) -> Result:
        """Return that it wasn't seen."""
        what = "The server says that it did it, but that could not be seen."
        error = self.answer.error or InternalError(what, reason=Reason.OUTCOME_UNKNOWN)
        return Result(uid=self.uid, fate=Fate.UNKNOWN, error=error)


def judge(prepared: Prepared, answer: Answer, seen: Seen) -> tuple[Result, ...]:
    """Return what became of each message of an order, in its order; what wasn't seen is unknown."""
    order, before = prepared.order, prepared.before
    if order.action is Action.APPEND:
        before = {0: Known(header_message_id=order.header_message_id)}
    arrivals = match_arrivals(before, seen.arrived or {}, answer.new_uids)
    results: list[Result] = []
    for uid in order.uids or (0,):
        if uid in before:
            new_uid = arrivals.get(uid, 0)
            case = _Case(uid=uid, known=before[uid], new_uid=new_uid, order=order, answer=answer, seen=seen)
            results.append(_JUDGES[order.action](case))
        else:
            results.append(_gone(uid, prepared.failures.get(uid)))
    return tuple(results)


def match_arrivals(
    before: Mapping[int, Known], arrived: Mapping[int, Known], said: Mapping[int, int]
) -> dict[int, int]:
    """Find the messages among those that have come: by UID before, the UID now.

    What the server says is believed where the ids agree; Yahoo's COPYUID names the right UIDs and pairs them
    wrongly. Of a message that can't be found by its ids it is believed where these don't say otherwise.
    """
    said = {uid: new for uid, new in said.items() if uid in before and new in arrived}
    found = {
        uid: new for uid, new in said.items() if not set(_ids(before[uid])).isdisjoint(_ids(arrived[new]))
    }
    free = arrived.keys() - found.values()
    by_id: dict[str, list[int]] = {}
    for new in sorted(free):
        for each in _ids(arrived[new]):
            by_id.setdefault(each, []).append(new)
    for uid in sorted(before.keys() - found.keys()):
        same = (new for each in _ids(before[uid]) for new in by_id.get(each, ()) if new in free)
        if new := next(same, 0):
            found[uid] = new
            free.remove(new)
    may_be = {uid: new for uid, new in said.items() if new in free and not _differ(before[uid], arrived[new])}
    return may_be | found


def _ids(known: Known) -> list[str]:
    """Return what a message is known by, the best first."""
    return [each for each in (known.email_id, known.header_message_id) if each]


def _differ(one: Known, other: Known) -> bool:
    """Return whether ids of the same kind show that two messages aren't the same."""
    pairs = ((one.email_id, other.email_id), (one.header_message_id, other.header_message_id))
    return any(mine and its and mine != its for mine, its in pairs)


def _judge_marks(case: _Case) -> Result:
    if case.uid in case.seen.gone:
        return _gone(case.uid)
    now = case.seen.left.get(case.uid)
    if now is None:
        return case.unknown()
    has = {each.lower() for each in (now.flags if case.order.action is Action.FLAGS else now.labels)}
    was_added = has.issuperset(map(str.lower, case.order.add))
    if was_added and has.isdisjoint(map(str.lower, case.order.remove)):
        return case.done()
    return case.failed("did not store the change")


def _judge_move(case: _Case) -> Result:
    if case.uid in case.seen.left:
        copied = "copied the message and left the original"
        return case.failed(copied if case.has_arrived else "did not move the message")
    if case.uid not in case.seen.gone:
        return case.unknown()
    if case.has_arrived:
        return case.done()
    if case.answer.new_uids and case.uid not in case.answer.new_uids:
        return _gone(case.uid)  # the server names others, so this one had gone before
    return case.unknown() if case.answer.error or case.would_be_found else case.done()


def _judge_copy(case: _Case) -> Result:
    """Judge a copy, or a message of our own."""
    is_gone = case.uid in case.seen.gone
    if case.has_arrived:
        # Unless the server has named the copy, what is there may be the original: others move messages, too.
        return case.unknown() if is_gone and case.uid not in case.answer.new_uids else case.done()
    if is_gone:
        return _gone(case.uid)
    # What is refused copies nothing (RFC 9051 section 6.4.7).
    was_refused = case.answer.error is not None and not case.answer.lost
    return case.failed("did not store it") if was_refused or case.would_be_found else case.unknown()


def _judge_delete(case: _Case) -> Result:
    if case.uid in case.seen.left or case.new_uid:
        return case.failed("did not delete the message")  # it may have come as far as Trash
    may_be_in_trash = bool(case.order.target) and case.seen.arrived is None
    return case.unknown() if case.uid not in case.seen.gone or may_be_in_trash else case.done()


_JUDGES: Final[Mapping[Action, Callable[[_Case], Result]]] = {
    Action.FLAGS: _judge_marks,
    Action.LABELS: _judge_marks,
    Action.MOVE: _judge_move,
    Action.COPY: _judge_copy,
    Action.DELETE: _judge_delete,
    Action.APPEND: _judge_copy,
}


def _gone(uid: int, why: ToolError | None = None) -> Result:
    """Return the result of a message that nothing was done to, because it was gone or for another reason."""
    gone = NotFoundError("The message is no longer in the mailbox.", reason=Reason.MESSAGE_GONE)
    return Result(uid=uid, fate=Fate.FAILED, error=why or gone)

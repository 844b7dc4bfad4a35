"""Decides what became of each message, from what is known before and seen afterwards; no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mailmcp.imap.writes.see import Seen
from mailmcp.imap.writes.values import Action, Fate, Known, Prepared, Result
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


def judge(prepared: Prepared, answer: Answer, seen: Seen) -> tuple[Result, ...]:
    """Return what became of each message of an order, in its order; what wasn't seen is unknown."""
    order = prepared.order
    if order.action is Action.APPEND:
        own = Known(header_message_id=order.header_message_id)
        arrivals = match_arrivals({0: own}, seen.arrived or {}, answer.new_uids)
        return (_judge_append(own, answer, seen, arrivals.get(0, 0)),)
    arrivals = match_arrivals(prepared.before, seen.arrived or {}, answer.new_uids)
    results: list[Result] = []
    for uid in order.uids:
        known = prepared.before.get(uid)
        if known is None:
            results.append(failed(uid, gone_error()))
        elif order.action in {Action.FLAGS, Action.LABELS}:
            results.append(_judge_flags(uid, prepared, answer, seen))
        elif order.action is Action.DELETE:
            results.append(_judge_delete(uid, prepared, answer, seen, arrivals.get(uid, 0)))
        elif order.action is Action.MOVE:
            results.append(_judge_move(uid, prepared, answer, seen, arrivals.get(uid, 0)))
        else:
            results.append(_judge_copy(uid, prepared, answer, seen, arrivals.get(uid, 0)))
    return tuple(results)


def match_arrivals(
    before: Mapping[int, Known], arrived: Mapping[int, Known], said: Mapping[int, int]
) -> dict[int, int]:
    """Find the messages among those that have come: by UID before, the UID now.

    What the server says is believed where the ids agree; Yahoo's COPYUID names the right UIDs and pairs them
    wrongly. A message without ids is believed to be where the server says if that is right of all others.
    """
    found = {uid: new for uid, new in said.items() if uid in before and _same(before[uid], arrived.get(new))}
    places: dict[str, list[int]] = {}
    for new in sorted(arrived.keys() - found.values(), reverse=True):
        for each in _ids(arrived[new]):
            places.setdefault(each, []).append(new)
    mispaired = False
    for uid in sorted(before.keys() - found.keys()):
        free = next((places[each] for each in _ids(before[uid]) if places.get(each)), [])
        if free:
            found[uid] = free.pop()
            mispaired = mispaired or uid in said
    if mispaired:
        return found
    unmarked = {uid for uid, known in before.items() if not _ids(known)}
    return found | {uid: new for uid, new in said.items() if uid in unmarked and new in arrived}


def _ids(known: Known) -> list[str]:
    """Return what a message is known by, the best first."""
    return [each for each in (known.email_id, known.header_message_id) if each]


def _same(known: Known, other: Known | None) -> bool:
    return other is not None and not set(_ids(known)).isdisjoint(_ids(other))


def _judge_flags(uid: int, prepared: Prepared, answer: Answer, seen: Seen) -> Result:
    if uid in seen.gone:
        return failed(uid, gone_error())
    now = seen.left.get(uid)
    if now is None:
        return unknown(uid, answer)
    order = prepared.order
    flags = now.flags if order.action is Action.FLAGS else now.labels
    has = {each.lower() for each in flags}
    added = all(each.lower() in has for each in order.add)
    if added and has.isdisjoint(each.lower() for each in order.remove):
        return Result(uid=uid, fate=Fate.DONE, flags=flags)
    return failed(uid, answer.error or not_changed_error("did not store the change"), flags=flags)


def _judge_move(uid: int, prepared: Prepared, answer: Answer, seen: Seen, new_uid: int) -> Result:
    arrived = bool(new_uid) or uid in answer.new_uids
    if uid in seen.left:
        what = "copied the message and left the original" if arrived else "did not move the message"
        return failed(uid, answer.error or not_changed_error(what), new_uid=new_uid)
    if uid not in seen.gone:
        return unknown(uid, answer)
    if arrived:
        return Result(uid=uid, fate=Fate.DONE, new_uid=new_uid)
    if answer.new_uids:
        return failed(uid, gone_error())  # the server names others, so this one had gone before
    cannot_be_found = seen.arrived is None or not _ids(prepared.before[uid])
    if answer.error is None and cannot_be_found:
        return Result(uid=uid, fate=Fate.DONE)
    return unknown(uid, answer)


def _judge_copy(uid: int, prepared: Prepared, answer: Answer, seen: Seen, new_uid: int) -> Result:
    is_looked_up = answer.lost and _ids(prepared.before[uid])  # for its new UID
    if new_uid or (uid in answer.new_uids and not is_looked_up):
        return Result(uid=uid, fate=Fate.DONE, new_uid=new_uid)
    if uid in seen.gone:
        return failed(uid, gone_error())
    was_refused = answer.error is not None and not answer.lost
    cannot_be_found = seen.arrived is None or not _ids(prepared.before[uid])
    if cannot_be_found and not was_refused:  # a refused COPY copies nothing (RFC 9051 section 6.4.7)
        return unknown(uid, answer)
    return failed(uid, answer.error or not_changed_error("did not copy the message"))


def _judge_delete(uid: int, prepared: Prepared, answer: Answer, seen: Seen, new_uid: int) -> Result:
    """Judge a deletion; `new_uid` is where it is in Trash, if it had to go there first."""
    if uid in seen.left or new_uid:
        return failed(uid, answer.error or not_changed_error("did not delete it"), new_uid=new_uid)
    may_be_in_trash = bool(prepared.order.target) and seen.arrived is None
    if uid not in seen.gone or may_be_in_trash:
        return unknown(uid, answer)
    return Result(uid=uid, fate=Fate.DONE)


def _judge_append(own: Known, answer: Answer, seen: Seen, new_uid: int) -> Result:
    said = answer.new_uids.get(0, 0)
    if new_uid or said in (seen.arrived or {}) or (said and seen.arrived is None):
        return Result(uid=0, fate=Fate.DONE, new_uid=new_uid or said)
    was_looked_for = seen.arrived is not None and bool(_ids(own))
    if answer.error is not None and (was_looked_for or not answer.lost):
        return failed(0, answer.error)
    return unknown(0, answer)


def failed(uid: int, error: ToolError, *, new_uid: int = 0, flags: tuple[str, ...] | None = None) -> Result:
    """Return the result of a message that was seen not to be as ordered."""
    return Result(uid=uid, fate=Fate.FAILED, error=error, new_uid=new_uid, flags=flags)


def unknown(uid: int, answer: Answer) -> Result:
    """Return the result of a message that wasn't seen."""
    error = answer.error or InternalError(
        "The server says that it did it, but that could not be seen.", reason=Reason.OUTCOME_UNKNOWN
    )
    return Result(uid=uid, fate=Fate.UNKNOWN, error=error)


def gone_error() -> NotFoundError:
    """Build the error for a message that left its mailbox before anything was done."""
    return NotFoundError("The message is no longer in the mailbox.", reason=Reason.MESSAGE_GONE)


def not_changed_error(what: str) -> InternalError:
    """Build the error for a server that says OK; `what` follows «The server»."""
    return InternalError(f"The server {what}.", reason=Reason.NOT_CHANGED)

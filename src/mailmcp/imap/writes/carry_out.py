"""Carries orders out, and looks at what came of them (RFC 9051, 6851, 4315; Gmail's extension for labels)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mailmcp.imap.command import Command, RefusedError, Response, encode_mailbox, quoted
from mailmcp.imap.errors import refused_error
from mailmcp.imap.fetch import expand_sequence_set, format_sequence_set
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.writes.judge import Answer, judge, match_arrivals
from mailmcp.imap.writes.open import select
from mailmcp.imap.writes.see import Seen, see
from mailmcp.imap.writes.values import BATCH_MAX, Action, Fate, Known, Prepared, Result
from mcp_envelope import ToolError

UPLOAD_OCTETS_PER_S: Final = 100_000
"""A slow line: so much more time a message takes that is stored."""

_DELETED: Final = b"(\\Deleted)"
_SET: Final = rb"\d+(?::\d+)?(?:,\d+(?::\d+)?)*"
_NEW_UIDS: Final = re.compile(rb"(\d{1,10}) (?:(%b) )?(%b)" % (_SET, _SET))
"""COPYUID; APPENDUID lacks the set in the middle."""


def carry_out(session: Session, prepared: Prepared) -> tuple[Result, ...]:
    """Carry out an order once, and return what became of each message, in its order.

    What was seen to be done is done, whatever the server said; what can't be seen is unknown. If the
    connection fails, nothing is sent any more.

    Args:
        session: That of `prepare`.
        prepared: What it returned.
    """
    order, answer, seen = prepared.order, Answer(), Seen()
    if order.action is not Action.APPEND:
        try:
            select(session, order.mailbox, uidvalidity=prepared.uidvalidity)
        except ToolError as error:  # nothing was sent
            return tuple(Result(uid=uid, fate=Fate.FAILED, error=error) for uid in order.uids)
    try:
        if prepared.before or order.action is Action.APPEND:
            answer = _ACTIONS[order.action](session, prepared)
            seen = see(session, prepared)
    except ToolError as error:
        answer = Answer(error=error, lost=True)
    return judge(prepared, answer, seen)


def _store(session: Session, prepared: Prepared) -> Answer:
    """Add and remove flags or labels, so that those which others have set meanwhile stay."""
    order = prepared.order
    has_labels = order.action is Action.LABELS
    item, write = (b"X-GM-LABELS.SILENT", _format_label) if has_labels else (b"FLAGS.SILENT", str.encode)
    commands = [
        _uid_command("STORE", prepared.before, sign + item, b"(%b)" % b" ".join(map(write, values)))
        for sign, values in ((b"+", order.add), (b"-", order.remove))
        if values
    ]
    return Answer(error=_refusal(session, session.run_all(commands)))


def _format_label(label: str) -> bytes:
    r"""Format a label of Gmail's: its own, as `\\Inbox`, are atoms."""
    return label.encode() if re.fullmatch(r"\\[A-Za-z]+", label) else quoted(encode_mailbox(label).decode())


def _move(session: Session, prepared: Prepared) -> Answer:
    """Move, or copy and remove what was seen to have been copied (RFC 6851 section 3.3)."""
    if session.can("MOVE"):
        return _transfer(session, prepared, "MOVE")
    answer = _transfer(session, prepared, "COPY")
    copied = {uid: prepared.before[uid] for uid in _arrivals(session, prepared, answer)}
    if copied:
        error = _remove(session, prepared.order.mailbox, prepared.uidvalidity, copied)
        answer.error = answer.error or error
    return answer


def _copy(session: Session, prepared: Prepared) -> Answer:
    return _transfer(session, prepared, "COPY")


def _delete(session: Session, prepared: Prepared) -> Answer:
    """Delete for good; by way of the target, if there is one."""
    order = prepared.order
    if not order.target:
        return Answer(error=_remove(session, order.mailbox, prepared.uidvalidity, prepared.before))
    answer = _transfer(session, prepared, "MOVE")
    moved = {new: prepared.before[uid] for uid, new in _arrivals(session, prepared, answer).items()}
    if moved:
        error = _remove(session, order.target, prepared.target_uidvalidity, moved)
        answer.error = answer.error or error
    return answer


def _append(session: Session, prepared: Prepared) -> Answer:
    order, timeout_s = prepared.order, session.account.command_timeout_s
    name, flags = quoted_mailbox(session.quirks, order.mailbox), b"(%b)" % " ".join(order.add).encode()
    session.connection.set_timeout(timeout_s + len(order.octets) / UPLOAD_OCTETS_PER_S)
    replies = session.run_all([Command(name="APPEND", arguments=[name, flags, order.octets])])
    session.connection.set_timeout(timeout_s)
    new_uids = _read_new_uids(replies[0], "APPENDUID", prepared)
    return Answer(error=_refusal(session, replies), new_uids=new_uids)


_ACTIONS: Final[Mapping[Action, Callable[[Session, Prepared], Answer]]] = {
    Action.FLAGS: _store,
    Action.LABELS: _store,
    Action.MOVE: _move,
    Action.COPY: _copy,
    Action.DELETE: _delete,
    Action.APPEND: _append,
}


def _transfer(session: Session, prepared: Prepared, name: str) -> Answer:
    target = quoted_mailbox(session.quirks, prepared.order.target)
    replies = session.run_all([_uid_command(name, prepared.before, target)])
    new_uids = _read_new_uids(replies[0], "COPYUID", prepared)
    return Answer(error=_refusal(session, replies), new_uids=new_uids)


def _arrivals(session: Session, prepared: Prepared, answer: Answer) -> dict[int, int]:
    """Return what is seen of the messages in the target, whatever the server says."""
    return match_arrivals(prepared.before, see(session, prepared).arrived or {}, answer.new_uids)


def _remove(session: Session, mailbox: str, uidvalidity: int, known: Mapping[int, Known]) -> ToolError | None:
    r"""Delete messages and expunge these alone; return the refusal, if any.

    What isn't expunged loses \Deleted again: the next program that expunges everything would delete it.
    """
    select(session, mailbox, uidvalidity=uidvalidity)
    commands = [_uid_command("STORE", known, b"+FLAGS.SILENT", _DELETED), _uid_command("EXPUNGE", known)]
    return _refusal(session, session.run_all([*commands, *_unmarking(known)]))


def unmark(session: Session, prepared: Prepared) -> None:
    r"""Take \Deleted off the messages that an interrupted order has marked and that are still there.

    Raises:
        ToolError: It can't be done now.
    """
    select(session, prepared.order.mailbox, uidvalidity=prepared.uidvalidity)
    session.run_all(_unmarking(prepared.before))


def _unmarking(known: Mapping[int, Known]) -> list[Command]:
    r"""Return what takes \Deleted off messages that didn't have it before."""
    unmarked = [uid for uid, each in known.items() if "\\deleted" not in map(str.lower, each.flags)]
    return [_uid_command("STORE", unmarked, b"-FLAGS.SILENT", _DELETED)] if unmarked else []


def _uid_command(name: str, uids: Iterable[int], *arguments: bytes) -> Command:
    return Command(name=name, arguments=[format_sequence_set([*uids]), *arguments], uid=True)


def _refusal(session: Session, replies: Sequence[Response | RefusedError]) -> ToolError | None:
    refused = next((each for each in replies if isinstance(each, RefusedError)), None)
    return refused_error(session.account.account_id, refused) if refused else None


def _read_new_uids(reply: Response | RefusedError, code: str, prepared: Prepared) -> dict[int, int]:
    """Read COPYUID or APPENDUID (RFC 4315 section 3); a server that moves in parts sends several."""
    new_uids: dict[int, int] = {}
    for piece in reply.untagged.get(code, ()) if isinstance(reply, Response) else ():
        match = _NEW_UIDS.fullmatch(piece) if isinstance(piece, bytes) else None
        if match is None or int(match[1]) != prepared.target_uidvalidity:
            continue
        old, new = (expand_sequence_set(each, limit=BATCH_MAX) for each in (match[2] or b"0", match[3]))
        if len(old) == len(new):
            new_uids |= zip(old, new, strict=True)
    return new_uids

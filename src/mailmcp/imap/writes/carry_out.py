"""Carries orders out, and looks at what came of them (RFC 9051, 6851, 4315; Gmail's extension for labels)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from mailmcp.imap.account import Writes
from mailmcp.imap.command import Command, RefusedError, Response, encode_mailbox, quoted
from mailmcp.imap.errors import connection_lost_error, refused_error, writes_forbidden_error
from mailmcp.imap.fetch import fetch_messages, format_sequence_set
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.writes.judge import Answer, failed, judge, match_arrivals
from mailmcp.imap.writes.open import find_use, select
from mailmcp.imap.writes.see import Seen, see
from mailmcp.imap.writes.values import BATCH_MAX, Action, Prepared, Result
from mcp_envelope import ToolError

UPLOAD_OCTETS_PER_S: Final = 100_000
"""A slow line: so much more time a message takes that is stored."""

_DELETED: Final = b"(\\Deleted)"
_RANGE: Final = re.compile(rb"(\d{1,10})(?::(\d{1,10}))?")


def carry_out(session: Session, prepared: Prepared) -> tuple[Result, ...]:
    """Carry out an order once, and return what became of each message, in its order.

    What was seen to be done is done, whatever the server said; what can't be seen is unknown. If the
    connection fails, nothing is sent any more.

    Args:
        session: That of `prepare`.
        prepared: What it returned.

    Raises:
        AuthFailedError: The level is too low (`writes_forbidden`).
    """
    order = prepared.order
    if order.action is Action.DELETE and not session.writes.includes(Writes.ALL):
        raise writes_forbidden_error(session.account, Writes.ALL)
    if order.action is Action.APPEND:
        return _carry_out_part(session, prepared)
    results: dict[int, Result] = {}
    size = min(session.connection.message_limit or BATCH_MAX, BATCH_MAX)
    uids = sorted(prepared.before)
    for start in range(0, len(uids), size):
        part = uids[start : start + size]
        before = {uid: prepared.before[uid] for uid in part}
        results |= {
            each.uid: each
            for each in _carry_out_part(
                session, replace(prepared, order=replace(order, uids=tuple(part)), before=before)
            )
        }
    gone = judge(replace(prepared, before={}), Answer(), Seen())
    return tuple(results.get(each.uid, each) for each in gone)


def _carry_out_part(session: Session, prepared: Prepared) -> tuple[Result, ...]:
    """Carry out as much as the server looks at in one command."""
    order = prepared.order
    try:
        if session.in_doubt:
            raise connection_lost_error(order.account_id)
        if order.action is Action.APPEND:
            find_use(session, order.mailbox)
        else:
            select(session, order.mailbox, uidvalidity=prepared.uidvalidity)
    except ToolError as error:  # nothing was sent
        return tuple(failed(uid, error) for uid in (order.uids or (0,)))
    answer = Answer()
    try:
        answer = _ACTIONS[order.action](session, prepared)
        seen = see(session, prepared, new_uids=sorted(answer.new_uids.values()))
    except ToolError as error:
        answer.error, answer.lost = answer.error or error, True
        seen = Seen()
    return judge(prepared, answer, seen)


def _store(session: Session, prepared: Prepared) -> Answer:
    """Add and remove flags or labels, so that those which others have set meanwhile stay."""
    order = prepared.order
    has_labels = order.action is Action.LABELS
    item, write = (b"X-GM-LABELS.SILENT", _format_label) if has_labels else (b"FLAGS.SILENT", str.encode)
    commands = [
        _uid_command("STORE", prepared, sign + item, b"(%b)" % b" ".join(map(write, values)))
        for sign, values in ((b"+", order.add), (b"-", order.remove))
        if values
    ]
    return _answer(session, session.run_all(commands) if commands else [])


def _format_label(label: str) -> bytes:
    r"""Format a label of Gmail's: its own, as `\\Inbox`, are atoms."""
    return label.encode() if re.fullmatch(r"\\[A-Za-z]+", label) else quoted(encode_mailbox(label).decode())


def _move(session: Session, prepared: Prepared) -> Answer:
    """Move, or copy and remove what was seen to have been copied (RFC 6851 section 3.3)."""
    if session.can("MOVE"):
        return _transfer(session, prepared, "MOVE")
    answer = _transfer(session, prepared, "COPY")
    seen = see(session, prepared, new_uids=sorted(answer.new_uids.values()))
    copied = match_arrivals(prepared.before, seen.arrived or {}, answer.new_uids)
    answer.new_uids = copied
    if copied:
        removed = _remove(session, replace(prepared, before={uid: prepared.before[uid] for uid in copied}))
        answer.error = answer.error or removed.error
    return answer


def _copy(session: Session, prepared: Prepared) -> Answer:
    return _transfer(session, prepared, "COPY")


def _transfer(session: Session, prepared: Prepared, name: str) -> Answer:
    target = quoted_mailbox(session.quirks, prepared.order.target)
    replies = session.run_all([_uid_command(name, prepared, target)])
    answer = _answer(session, replies)
    answer.new_uids = _read_copyuid(replies[0], prepared.target_uidvalidity)
    return answer


def _delete(session: Session, prepared: Prepared) -> Answer:
    """Delete for good; by way of the target, if there is one."""
    if not prepared.order.target:
        return _remove(session, prepared)
    answer = _transfer(session, prepared, "MOVE")
    seen = see(session, prepared, new_uids=sorted(answer.new_uids.values()))
    answer.new_uids = match_arrivals(prepared.before, seen.arrived or {}, answer.new_uids)
    if answer.new_uids:
        in_trash = Prepared(
            order=replace(prepared.order, mailbox=prepared.order.target, target=""),
            uidvalidity=prepared.target_uidvalidity,
            before={new: prepared.before[uid] for uid, new in answer.new_uids.items()},
        )
        answer.error = answer.error or _remove(session, in_trash).error
    return answer


def _remove(session: Session, prepared: Prepared) -> Answer:
    """Mark messages as deleted and expunge these alone; unmark those that stay.

    Otherwise the next program that expunges everything would delete them.
    """
    select(session, prepared.order.mailbox, uidvalidity=prepared.uidvalidity)
    mark = _uid_command("STORE", prepared, b"+FLAGS.SILENT", _DELETED)
    answer = _answer(session, session.run_all([mark, _uid_command("EXPUNGE", prepared)]))
    session.choose(prepared.order.mailbox)
    left = fetch_messages(session, sorted(prepared.before), ["UID", "FLAGS"]).messages
    marked = {
        uid: known
        for uid, known in prepared.before.items()
        if uid in left and left[uid].has_flag("\\Deleted") and "\\Deleted" not in known.flags
    }
    if marked:
        unmark = _uid_command("STORE", replace(prepared, before=marked), b"-FLAGS.SILENT", _DELETED)
        session.run_all([unmark])
    return answer


def _append(session: Session, prepared: Prepared) -> Answer:
    order = prepared.order
    flags = b"(%b)" % " ".join(order.add).encode()
    session.connection.set_timeout(
        session.account.command_timeout_s + len(order.octets) / UPLOAD_OCTETS_PER_S
    )
    name = quoted_mailbox(session.quirks, order.mailbox)
    replies = session.run_all([Command(name="APPEND", arguments=[name, flags, order.octets])])
    session.connection.set_timeout(session.account.command_timeout_s)
    answer = _answer(session, replies)
    code = replies[0].untagged.get("APPENDUID") if isinstance(replies[0], Response) else None
    match = (
        re.fullmatch(rb"(\d{1,10}) (\d{1,10})", code[-1]) if code and isinstance(code[-1], bytes) else None
    )
    if match and int(match[1]) == prepared.target_uidvalidity:
        answer.new_uids = {0: int(match[2])}
    return answer


_ACTIONS: Final[Mapping[Action, Callable[[Session, Prepared], Answer]]] = {
    Action.FLAGS: _store,
    Action.LABELS: _store,
    Action.MOVE: _move,
    Action.COPY: _copy,
    Action.DELETE: _delete,
    Action.APPEND: _append,
}


def _uid_command(name: str, prepared: Prepared, *arguments: bytes) -> Command:
    uids = format_sequence_set(list(prepared.before))
    return Command(name=name, arguments=[uids, *arguments], uid=True)


def _answer(session: Session, replies: Sequence[Response | RefusedError]) -> Answer:
    refused = next((each for each in replies if isinstance(each, RefusedError)), None)
    return Answer(error=refused_error(session.account.account_id, refused) if refused else None)


def _read_copyuid(reply: Response | RefusedError, uidvalidity: int) -> dict[int, int]:
    """Read COPYUID (RFC 4315 section 3), tagged or not; a server that moves in parts sends several."""
    response = reply.response if isinstance(reply, RefusedError) else reply
    pairs: dict[int, int] = {}
    for piece in response.untagged.get("COPYUID", ()):
        words = piece.split() if isinstance(piece, bytes) else []
        if len(words) != 3 or words[0] != b"%d" % uidvalidity:
            continue
        olds, news = list(_expand(words[1])), list(_expand(words[2]))
        if len(olds) == len(news):
            pairs |= zip(olds, news, strict=True)
    return pairs


def _expand(uids: bytes) -> Iterator[int]:
    """Return the UIDs of a set in its order, and no more than there can be."""
    for match in islice(_RANGE.finditer(uids), BATCH_MAX):
        first, last = int(match[1]), int(match[2] or match[1])
        yield from range(min(first, last), min(max(first, last), min(first, last) + BATCH_MAX) + 1)

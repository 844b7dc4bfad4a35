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
from mailmcp.imap.writes.open import check_writable, select
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
    gone = judge(replace(prepared, before={}), Answer(), Seen())
    results = {each.uid: each for each in gone}
    size = min(session.connection.message_limit or BATCH_MAX, BATCH_MAX)
    uids = sorted(prepared.before)
    for start in range(0, len(uids), size):
        part = tuple(uids[start : start + size])
        before = {uid: prepared.before[uid] for uid in part}
        carried = _carry_out_part(session, replace(prepared, order=replace(order, uids=part), before=before))
        results |= {each.uid: each for each in carried}
    return tuple(results.values())


def _carry_out_part(session: Session, prepared: Prepared) -> tuple[Result, ...]:
    """Carry out as much as the server looks at in one command."""
    order = prepared.order
    try:
        if session.in_doubt:
            raise connection_lost_error(order.account_id)
        if order.action is Action.APPEND:
            check_writable(session, order.mailbox)
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
    copied = _look_for_new(session, prepared, answer)
    if copied and answer.error is None:
        before = {uid: prepared.before[uid] for uid in copied}
        answer.error = _remove(session, replace(prepared, before=before)).error
    return answer


def _copy(session: Session, prepared: Prepared) -> Answer:
    return _transfer(session, prepared, "COPY")


def _transfer(session: Session, prepared: Prepared, name: str) -> Answer:
    target = quoted_mailbox(session.quirks, prepared.order.target)
    replies = session.run_all([_uid_command(name, prepared, target)])
    return _answer(session, replies, new_uids=_read_new_uids(replies[0], "COPYUID", prepared))


def _look_for_new(session: Session, prepared: Prepared, answer: Answer) -> dict[int, int]:
    """Replace what the server says of new UIDs by what is seen of them, and return it."""
    seen = see(session, prepared, new_uids=sorted(answer.new_uids.values()))
    answer.new_uids = match_arrivals(prepared.before, seen.arrived or {}, answer.new_uids)
    return answer.new_uids


def _delete(session: Session, prepared: Prepared) -> Answer:
    """Delete for good; by way of the target, if there is one."""
    if not prepared.order.target:
        return _remove(session, prepared)
    answer = _transfer(session, prepared, "MOVE")
    moved = _look_for_new(session, prepared, answer)
    if moved:
        in_trash = Prepared(
            order=replace(prepared.order, mailbox=prepared.order.target, target=""),
            uidvalidity=prepared.target_uidvalidity,
            before={new: prepared.before[uid] for uid, new in moved.items()},
        )
        answer.error = answer.error or _remove(session, in_trash).error
    return answer


def _remove(session: Session, prepared: Prepared) -> Answer:
    """Mark messages as deleted and expunge these alone; unmark those that stay."""
    select(session, prepared.order.mailbox, uidvalidity=prepared.uidvalidity)
    mark = _uid_command("STORE", prepared, b"+FLAGS.SILENT", _DELETED)
    answer = _answer(session, session.run_all([mark, _uid_command("EXPUNGE", prepared)]))
    _unmark(session, prepared)
    return answer


def unmark(session: Session, prepared: Prepared) -> None:
    r"""Take \Deleted off the messages that an interrupted order has marked and that are still there.

    The next program that expunges everything would delete them.

    Raises:
        ToolError: It can't be done now.
    """
    select(session, prepared.order.mailbox, uidvalidity=prepared.uidvalidity)
    _unmark(session, prepared)


def _unmark(session: Session, prepared: Prepared) -> None:
    session.choose(prepared.order.mailbox)
    left = fetch_messages(session, sorted(prepared.before), ["UID", "FLAGS"]).messages
    marked = {
        uid: known
        for uid, known in prepared.before.items()
        if uid in left and left[uid].has_flag("\\Deleted") and "\\Deleted" not in known.flags
    }
    if marked:
        command = _uid_command("STORE", replace(prepared, before=marked), b"-FLAGS.SILENT", _DELETED)
        session.run_all([command])


def _append(session: Session, prepared: Prepared) -> Answer:
    order = prepared.order
    flags = b"(%b)" % " ".join(order.add).encode()
    session.connection.set_timeout(
        session.account.command_timeout_s + len(order.octets) / UPLOAD_OCTETS_PER_S
    )
    name = quoted_mailbox(session.quirks, order.mailbox)
    replies = session.run_all([Command(name="APPEND", arguments=[name, flags, order.octets])])
    session.connection.set_timeout(session.account.command_timeout_s)
    return _answer(session, replies, new_uids=_read_new_uids(replies[0], "APPENDUID", prepared))


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


def _answer(
    session: Session, replies: Sequence[Response | RefusedError], new_uids: Mapping[int, int] | None = None
) -> Answer:
    refused = next((each for each in replies if isinstance(each, RefusedError)), None)
    error = refused_error(session.account.account_id, refused) if refused else None
    return Answer(new_uids=dict(new_uids or {}), error=error)


def _read_new_uids(reply: Response | RefusedError, code: str, prepared: Prepared) -> dict[int, int]:
    """Read COPYUID or APPENDUID (RFC 4315 section 3); a server that moves in parts sends several."""
    new_uids: dict[int, int] = {}
    for piece in reply.untagged.get(code, ()) if isinstance(reply, Response) else ():
        words = piece.split() if isinstance(piece, bytes) else []
        if len(words) < 2 or words[0] != b"%d" % prepared.target_uidvalidity:
            continue
        olds, news = list(_expand(words[1] if len(words) > 2 else b"0")), list(_expand(words[-1]))
        if len(olds) == len(news):
            new_uids |= zip(olds, news, strict=True)
    return new_uids


def _expand(uids: bytes) -> Iterator[int]:
    """Return the UIDs of a set in its order, and no more than there can be."""
    for match in islice(_RANGE.finditer(uids), BATCH_MAX):
        first, last = int(match[1]), int(match[2] or match[1])
        yield from range(min(first, last), min(max(first, last), min(first, last) + BATCH_MAX) + 1)

"""Looks at what became of messages: which are still there, and which have come. It only reads.

A tagged OK is no proof. Dovecot says it to a STORE that it ignores and to a MOVE of messages that are gone,
Gmail to an EXPUNGE that removes nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import refused_error
from mailmcp.imap.fetch import GONE, fetch_steps, format_sequence_set, id_items
from mailmcp.imap.mailboxes import decode_mailbox
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.session import Session
from mailmcp.imap.writes.values import Known, Prepared
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import UINT32_MAX
from mcp_envelope import ToolError

_Looked: TypeAlias = tuple[dict[int, Known], set[int]]
"""What is in a mailbox, and which of the wanted messages are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen afterwards; a message of the order in neither `left` nor `gone` wasn't looked at."""

    left: Mapping[int, Known] = field(default_factory=dict)
    """The order's messages that are still in its mailbox, by UID."""

    gone: Collection[int] = ()
    """Those that are not."""

    arrived: Mapping[int, Known] | None = None
    """What may have come into the target, by UID; None if it wasn't looked into."""


def known_items(session: Session) -> list[str]:
    """Return the data items to fetch for `read_known`."""
    labels = ["X-GM-LABELS"] if session.can("X-GM-EXT-1") else []
    return ["UID", "FLAGS", *labels, *id_items(session), "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]"]


def read_known(row: FetchedMessage) -> Known:
    """Read what was fetched of a message."""
    headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
    return Known(
        flags=row.flags,
        labels=tuple(map(decode_mailbox, row.labels)),
        header_message_id=next(iter(find_ids(headers.get("Message-ID"))), ""),
        email_id=row.email_id or (str(row.gmail_id) if row.gmail_id else ""),
    )


def see(session: Session, prepared: Prepared, *, new_uids: Sequence[int] = ()) -> Seen:
    """Look into the mailboxes of an order; one round trip. Of one that was rebuilt, nothing is seen.

    `new_uids` are what the server says that the messages have become. If it says nothing, everything that has
    come into the target since the order was prepared is looked at. Another mailbox may be open afterwards.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    order = prepared.order
    tasks: dict[str, MailboxTask[_Looked]] = {}
    if prepared.before:
        tasks["source"] = MailboxTask(
            mailbox=order.mailbox,
            uidvalidity=prepared.uidvalidity,
            steps=_left_steps(session, sorted(prepared.before)),
        )
    if prepared.target_uidvalidity and (new_uids or prepared.target_uidnext):
        tasks["target"] = MailboxTask(
            mailbox=order.target or order.mailbox,
            uidvalidity=prepared.target_uidvalidity,
            steps=_arrived_steps(session, prepared.target_uidnext, new_uids),
        )
    run_pipelined(session, list[MailboxTask[_Looked]](tasks.values()))
    looked = {name: task.outcome for name, task in tasks.items() if not isinstance(task.outcome, ToolError)}
    left, gone = looked.get("source", ({}, set()))
    arrived, _ = looked.get("target", (None, set()))
    return Seen(left=left, gone=gone, arrived=arrived)


def _left_steps(session: Session, uids: Sequence[int]) -> Steps[_Looked]:
    labels = ["X-GM-LABELS"] if session.can("X-GM-EXT-1") else []
    [fetched] = yield from fetch_steps(session, (uids, ["UID", "FLAGS", *labels]))
    left = {uid: read_known(row) for uid, row in fetched.messages.items()}
    return left, {uid for uid, failure in fetched.failures.items() if failure is GONE}


def _arrived_steps(session: Session, uidnext: int, new_uids: Sequence[int]) -> Steps[_Looked]:
    uids = format_sequence_set(new_uids) if new_uids else b"%d:%d" % (uidnext, UINT32_MAX)
    items = f"({' '.join(known_items(session))})".encode()
    [reply] = (yield [Command(name="FETCH", arguments=[uids, items], uid=True)]).replies
    if isinstance(reply, RefusedError):
        raise refused_error(session.account.account_id, reply)
    rows, _ = parse_rows(reply)
    wanted = set(new_uids)
    return {uid: read_known(row) for uid, row in rows.items() if uid in wanted or uid >= uidnext > 0}, set()

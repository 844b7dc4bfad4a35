"""Looks at what became of messages: which are still there, and which have come. It only reads.

A tagged OK is no proof. Dovecot says it to a STORE that it ignores and to a MOVE of messages that are gone,
Gmail to an EXPUNGE that removes nothing.
"""

from dataclasses import dataclass, field

from mailmcp.imap.command import Command, Response
from mailmcp.imap.fetch import GONE, fetch_steps, id_items
from mailmcp.imap.mailboxes import decode_mailbox
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.session import Session
from mailmcp.imap.writes.values import Action, Known, Prepared
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import UINT32_MAX


@dataclass(slots=True, kw_only=True)
class Seen:
    """What was seen afterwards; a message of the order in neither `left` nor `gone` wasn't looked at."""

    left: dict[int, Known] = field(default_factory=dict)
    """The order's messages that are still in its mailbox, by UID."""

    gone: set[int] = field(default_factory=set)
    """Those that are not."""

    arrived: dict[int, Known] | None = None
    """What has come into the target since the order was prepared, by UID; None if it wasn't looked at."""


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


def see(session: Session, prepared: Prepared) -> Seen:
    """Look into the mailboxes of an order; one round trip. Another one may be open afterwards.

    Of a mailbox that is gone or was rebuilt, nothing is seen.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    order, seen = prepared.order, Seen()
    tasks: list[MailboxTask[bool]] = []
    if prepared.before:
        look = _look_at_source(session, prepared, seen)
        tasks.append(MailboxTask(mailbox=order.mailbox, uidvalidity=prepared.uidvalidity, steps=look))
    if prepared.target_uidvalidity:
        look = _look_at_target(session, prepared, seen)
        target = order.target or order.mailbox
        tasks.append(MailboxTask(mailbox=target, uidvalidity=prepared.target_uidvalidity, steps=look))
    run_pipelined(session, tasks)
    return seen


def _look_at_source(session: Session, prepared: Prepared, seen: Seen) -> Steps[bool]:
    marks = "X-GM-LABELS" if prepared.order.action is Action.LABELS else "FLAGS"
    [fetched] = yield from fetch_steps(session, (sorted(prepared.before), ["UID", marks]))
    seen.left = {uid: read_known(row) for uid, row in fetched.messages.items()}
    seen.gone = {uid for uid, failure in fetched.failures.items() if failure is GONE}
    return True


def _look_at_target(session: Session, prepared: Prepared, seen: Seen) -> Steps[bool]:
    uids = b"%d:%d" % (prepared.target_uidnext, UINT32_MAX)
    items = b"(%b)" % " ".join(known_items(session)).encode()
    [reply] = (yield [Command(name="FETCH", arguments=[uids, items], uid=True)]).replies
    if isinstance(reply, Response):
        rows, _ = parse_rows(reply)
        # Some servers send the last message for a range that begins after it.
        seen.arrived = {uid: read_known(row) for uid, row in rows.items() if uid >= prepared.target_uidnext}
    return True

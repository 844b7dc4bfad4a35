"""Finds out what is true before an order is carried out, and refuses what can't or may not be done."""

import re
from dataclasses import replace
from typing import Final

from mailmcp.imap.account import Writes
from mailmcp.imap.command import RefusedError, canonical_name
from mailmcp.imap.errors import (
    mailbox_protected_error,
    protocol_error,
    refused_error,
    writes_forbidden_error,
)
from mailmcp.imap.fetch import GONE, fetch_messages
from mailmcp.imap.mailboxes import parse_status
from mailmcp.imap.session import SelectedMailbox, Session, quoted_mailbox
from mailmcp.imap.writes.open import SYSTEM_FLAGS, find_use, is_protected, select
from mailmcp.imap.writes.see import known_items, read_known
from mailmcp.imap.writes.values import Action, Known, Order, Prepared
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, InternalError, InvalidInputError, code

_FLAG: Final = re.compile(r"\\?[!#$&'+,\-./0-9:;<=>?@A-Z^_`a-z|~]{1,60}")
"""What every server stores: Dovecot takes keywords of up to 60 letters, and none with a bracket."""


def prepare(session: Session, order: Order) -> Prepared:
    """Return an order with what is true before it: two or three round trips, and LIST once a session.

    On Gmail an order to delete from any mailbox but Junk and Trash moves to Trash first, which becomes its
    target: elsewhere only a label goes.

    Raises:
        AuthFailedError: The level is too low (`writes_forbidden`), or a mailbox or label is protected
            (`mailbox_protected`).
        InvalidInputError: A flag isn't one or isn't stored there, or the target is the mailbox itself.
        NotFoundError, ConflictError: A mailbox is gone, or has another UIDVALIDITY.
        InternalError: The server can't do it without harm (`not_supported`), opens the mailbox read-only, or
            the connection failed.
    """
    order = replace(order, mailbox=canonical_name(order.mailbox), target=canonical_name(order.target))
    use = find_use(session, order.mailbox)
    order = _through_trash(session, order, use)
    target_use = find_use(session, order.target) if order.target else ""
    if not session.writes.includes(needed := _needed_level(order, use, target_use)):
        raise writes_forbidden_error(session.account, needed)
    _check_flags(session, order)
    _check_supported(session, order)
    if order.target == order.mailbox:
        what = "is where the messages are already. Send another mailbox."
        raise InvalidInputError.of("target", BaseReason.INVALID_VALUE, what)
    place = order.mailbox if order.action is Action.APPEND else order.target
    target_uidvalidity, target_uidnext = _read_status(session, place) if place else (0, 0)
    prepared = Prepared(
        order=order,
        uidvalidity=target_uidvalidity,
        target_uidvalidity=target_uidvalidity,
        target_uidnext=target_uidnext,
    )
    if order.action is Action.APPEND:
        return prepared
    mailbox = select(session, order.mailbox, uidvalidity=order.uidvalidity or None)
    _check_stored(order, mailbox)
    return replace(prepared, uidvalidity=mailbox.uidvalidity, before=_fetch_known(session, order))


def _needed_level(order: Order, use: str, target_use: str) -> Writes:
    """Return the lowest level that allows an order."""
    if order.action is Action.DELETE:
        return Writes.ALL
    is_draft = use == "\\Drafts"
    if order.action is Action.APPEND and not is_draft:
        what = "must be the mailbox for drafts: no other takes new messages."
        raise InvalidInputError.of("mailbox", BaseReason.INVALID_VALUE, what)
    leaves = order.action is Action.MOVE and target_use == "\\Trash"
    return Writes.DRAFTS if is_draft and (leaves or order.action is Action.APPEND) else Writes.ORGANIZE


def _through_trash(session: Session, order: Order, use: str) -> Order:
    """Return an order to delete with the Trash that its messages go to first, if they have to."""
    is_gmail = session.can("X-GM-EXT-1")
    if order.action is not Action.DELETE or not is_gmail or use in {"\\Trash", "\\Junk"}:
        return order
    trash = next((name for name, each in (session.special_uses or {}).items() if each == "\\Trash"), "")
    if not trash:
        raise _not_supported(session, "hides its Trash, and deletes nothing for good elsewhere")
    return replace(order, target=trash)


def _check_flags(session: Session, order: Order) -> None:
    """Raise if a flag can't be set, or a label is that of a protected mailbox."""
    account, changed = session.account, (*order.add, *order.remove)
    if order.action is Action.LABELS:
        bad = [each for each in changed if not each or re.search(r"[\r\n\0]", each)]
        for each in changed:
            if is_protected(account, each.removeprefix("\\"), each):
                raise mailbox_protected_error(account.account_id, each)
    else:
        bad = [each for each in changed if not _FLAG.fullmatch(each) or each.lower() == "\\deleted"]
        bad += [each for each in changed if each[:1] == "\\" and each.lower() not in SYSTEM_FLAGS]
    if bad:
        what = f"must be what IMAP allows, and {code(bad[0])} isn't."
        raise InvalidInputError.of("keywords", BaseReason.INVALID_VALUE, what)


def _check_supported(session: Session, order: Order) -> None:
    """Raise if the order would take a plain EXPUNGE: that deletes what others have marked, too."""
    if order.action is Action.LABELS and not session.can("X-GM-EXT-1"):
        raise _not_supported(session, "has no labels")
    needs_expunge = order.action is Action.DELETE or (order.action is Action.MOVE and not session.can("MOVE"))
    if needs_expunge and not session.can("UIDPLUS"):
        raise _not_supported(
            session,
            "can remove messages only together with all that are marked as deleted (it lacks UIDPLUS)",
        )


def _check_stored(order: Order, mailbox: SelectedMailbox) -> None:
    """Raise if the mailbox stores no such flags: a server may say OK all the same."""
    stored = mailbox.permanent_flags or frozenset()
    if order.action is not Action.FLAGS:
        return
    for flag in map(str.lower, order.add):
        if flag not in stored and not ("\\*" in stored and flag[0] != "\\"):
            what = f"must be what the server stores in {code(mailbox.name)}; {code(flag)} isn't."
            raise InvalidInputError.of("keywords", BaseReason.INVALID_VALUE, what)


def _fetch_known(session: Session, order: Order) -> dict[int, Known]:
    session.choose(order.mailbox)
    fetched = fetch_messages(session, order.uids, known_items(session))
    for uid, failure in fetched.failures.items():
        if failure is not GONE:
            what = f"{failure.message} Its UID is {uid}; leave it out."
            raise InternalError(what, reason=failure.reason, retryable=failure.retryable)
    return {uid: read_known(row) for uid, row in fetched.messages.items()}


def _read_status(session: Session, name: str) -> tuple[int, int]:
    """Return UIDVALIDITY and UIDNEXT, 0 if the server doesn't say."""
    account_id = session.account.account_id
    try:
        reply = session.run("STATUS", quoted_mailbox(session.quirks, name), b"(UIDVALIDITY UIDNEXT)")
    except RefusedError as error:
        raise refused_error(account_id, error) from error
    numbers = parse_status(reply).get(name, {})
    if not numbers.get(b"UIDVALIDITY"):
        raise protocol_error(account_id, "sent no UIDVALIDITY for the mailbox")
    return numbers[b"UIDVALIDITY"], numbers.get(b"UIDNEXT", 0)


def _not_supported(session: Session, what: str) -> InternalError:
    account_id = session.account.account_id
    return InternalError(
        f"The server of account {account_id} {what}. So this can't be done here.",
        reason=Reason.NOT_SUPPORTED,
        details={"account_id": account_id},
    )

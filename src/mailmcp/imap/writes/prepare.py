"""Finds out what is true before an order is carried out, and refuses what can't or may not be done."""

from dataclasses import replace

from mailmcp.imap.account import Writes
from mailmcp.imap.command import canonical_name
from mailmcp.imap.errors import mailbox_protected_error, protocol_error, writes_forbidden_error
from mailmcp.imap.fetch import GONE, fetch_messages
from mailmcp.imap.mailboxes import parse_status
from mailmcp.imap.session import SelectedMailbox, Session, quoted_mailbox
from mailmcp.imap.writes.open import find_use, is_protected, select
from mailmcp.imap.writes.see import known_items, read_known
from mailmcp.imap.writes.values import Action, Order, Prepared
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, InternalError, InvalidInputError, code


def prepare(session: Session, order: Order) -> Prepared:
    """Return an order with what is true before it: two or three round trips, and LIST once a session.

    On Gmail an order to delete from any mailbox but Junk and Trash moves to Trash first, which becomes its
    target: elsewhere only a label goes.

    Raises:
        AuthFailedError: The level is too low (`writes_forbidden`), or a mailbox or label is protected
            (`mailbox_protected`).
        InvalidInputError: A flag isn't stored there.
        NotFoundError, ConflictError: A mailbox is gone, or has another UIDVALIDITY.
        InternalError: The server can't do it without harm (`not_supported`), opens the mailbox read-only, or
            the connection failed.
        RefusedError: The server refuses to look at the target.
    """
    order = replace(order, mailbox=canonical_name(order.mailbox), target=canonical_name(order.target))
    use = find_use(session, order.mailbox)
    if order.action is Action.DELETE and session.can("X-GM-EXT-1") and use not in {"\\Trash", "\\Junk"}:
        order = replace(order, target=_find_trash(session))
    target_use = find_use(session, order.target) if order.target else ""
    _check_allowed(session, order, use, target_use)
    _check_supported(session, order)
    place = order.mailbox if order.action is Action.APPEND else order.target
    uidvalidity, uidnext = _read_status(session, place) if place else (0, 0)
    prepared = Prepared(
        order=order, uidvalidity=uidvalidity, target_uidvalidity=uidvalidity, target_uidnext=uidnext
    )
    if order.action is Action.APPEND:
        return prepared
    mailbox = select(session, order.mailbox, uidvalidity=order.uidvalidity or None)
    _check_stored(order, mailbox)
    session.choose(order.mailbox)
    fetched = fetch_messages(session, order.uids, known_items(session))
    return replace(
        prepared,
        uidvalidity=mailbox.uidvalidity,
        before={uid: read_known(row) for uid, row in fetched.messages.items()},
        failures={
            uid: InternalError(failure.message, reason=failure.reason, retryable=failure.retryable)
            for uid, failure in fetched.failures.items()
            if failure is not GONE
        },
    )


def _find_trash(session: Session) -> str:
    for name, use in (session.special_uses or {}).items():
        if use == "\\Trash":
            return name
    raise _not_supported(session, "hides its Trash, and deletes nothing for good elsewhere")


def _check_allowed(session: Session, order: Order, use: str, target_use: str) -> None:
    """Raise if the level is too low, or a label is that of a protected mailbox."""
    account, is_draft = session.account, use == "\\Drafts"
    is_replaced = order.action is Action.MOVE and target_use == "\\Trash"
    needed = Writes.DRAFTS if is_draft and (is_replaced or order.action is Action.APPEND) else Writes.ORGANIZE
    if order.action is Action.DELETE:
        needed = Writes.ALL
    if not session.writes.includes(needed):
        raise writes_forbidden_error(account, needed)
    for label in (*order.add, *order.remove) if order.action is Action.LABELS else ():
        if is_protected(account, label.removeprefix("\\"), label):
            raise mailbox_protected_error(account.account_id, label)


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


def _not_supported(session: Session, what: str) -> InternalError:
    account_id = session.account.account_id
    return InternalError(
        f"The server of account {account_id} {what}. So this can't be done here.",
        reason=Reason.NOT_SUPPORTED,
        details={"account_id": account_id},
    )


def _check_stored(order: Order, mailbox: SelectedMailbox) -> None:
    """Raise if the mailbox stores no such flags: a server may say OK all the same."""
    stored = mailbox.permanent_flags or frozenset()
    for flag in map(str.lower, order.add if order.action is Action.FLAGS else ()):
        if flag not in stored and not ("\\*" in stored and flag[0] != "\\"):
            what = f"must be what the server stores in {code(mailbox.name)}; {code(flag)} isn't."
            raise InvalidInputError.of("keywords", BaseReason.INVALID_VALUE, what)


def _read_status(session: Session, name: str) -> tuple[int, int]:
    """Return UIDVALIDITY and UIDNEXT."""
    reply = session.run("STATUS", quoted_mailbox(session.quirks, name), b"(UIDVALIDITY UIDNEXT)")
    numbers = parse_status(reply).get(name, {})
    uidvalidity, uidnext = numbers.get(b"UIDVALIDITY", 0), numbers.get(b"UIDNEXT", 0)
    if not (uidvalidity and uidnext):
        raise protocol_error(session.account.account_id, "sent no UIDVALIDITY or UIDNEXT for the mailbox")
    return uidvalidity, uidnext

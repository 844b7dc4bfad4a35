"""What a change comes to: where messages go, which are as asked already, and the orders for the others.

On Gmail mailboxes are labels of one message: a copy is one label more, and what is in All Mail, where every
message stays, gets and loses labels.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from mailmcp.imap.command import canonical_name
from mailmcp.imap.errors import mailbox_protected_error
from mailmcp.imap.mailboxes import name_special
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.writes.open import is_protected
from mailmcp.imap.writes.values import Action, Order
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.change.arguments import ChangeAction, ChangeMessagesArguments
from mailmcp.tools.change.selection import Selection
from mailmcp.tools.writes.run import make_batches
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError

_FLAGS: Final = {
    ChangeAction.MARK_READ: "\\Seen",
    ChangeAction.MARK_UNREAD: "\\Seen",
    ChangeAction.FLAG: "\\Flagged",
    ChangeAction.UNFLAG: "\\Flagged",
}
_REMOVING: Final = {ChangeAction.MARK_UNREAD, ChangeAction.UNFLAG, ChangeAction.REMOVE_KEYWORDS}

_USES: Final = {
    ChangeAction.ARCHIVE: "\\Archive",
    ChangeAction.JUNK: "\\Junk",
    ChangeAction.TRASH: "\\Trash",
}
"""Where they move messages to: a mailbox of this special use."""

_INBOX: Final = "\\Inbox"
_LABELS: Final = {
    "\\Sent": "\\Sent",
    "\\Drafts": "\\Draft",
    "\\Flagged": "\\Starred",
    "\\Important": "\\Important",
}
"""Gmail's labels of its own mailboxes, by their special use; its other mailboxes give labels their names."""

_NO_NAME: Final = re.compile(r"[*%\\\x00-\x1f\x7f]|//|\A/|/\Z")
"""Wildcards of LIST, what escapes, controls, and levels without a name."""

_ASIDE: Final = {"\\Trash", "\\Junk"}
"""What is there is not in All Mail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What would be done."""

    action: ChangeAction
    keywords: tuple[str, ...]
    selection: Selection
    target: str
    """Where the messages go; "" if they stay."""

    creates: bool
    """Whether that must be made first."""

    orders: list[Order] = field(default_factory=list)
    already: list[MessageRef] = field(default_factory=list)
    """The messages for which there is nothing to do."""

    @property
    def is_final(self) -> bool:
        """Whether it can't be undone."""
        return self.action is ChangeAction.DELETE_FOREVER


def make_change(selection: Selection, arguments: ChangeMessagesArguments) -> Change:
    """Find out what a change comes to.

    Raises:
        AuthFailedError: A mailbox is protected; the reason is `mailbox_protected`.
        InvalidInputError: It can't be done to these messages.
    """
    target = _find_target(selection, arguments)
    _leave_protected(selection)
    _check_protected(selection, target)
    is_label = selection.use_of(target) not in {*_ASIDE, "\\All"}
    if arguments.action is ChangeAction.COPY and selection.is_gmail and not is_label:
        message = "is no label on Gmail: mail is moved there, not copied. Send move."
        raise InvalidInputError.of("mailbox", BaseReason.INVALID_VALUE, message)
    exists = target in {"", "INBOX", *(each.name for each in selection.mailboxes if each.selectable)}
    if not exists and _NO_NAME.search(target):
        message = "must be a name that a mailbox can have: no * or %, and no level without a name."
        raise InvalidInputError.of("mailbox", BaseReason.INVALID_VALUE, message)
    change = Change(
        action=arguments.action,
        keywords=arguments.keywords,
        selection=selection,
        target=target,
        creates=not exists,
    )
    orders: dict[Order, list[int]] = {}
    for ref, row in selection.messages.items():
        order = _make_order(change, ref)
        if _is_done(change, order, ref, row):
            change.already.append(ref)
        else:
            orders.setdefault(order, []).append(ref.uid)
    change.orders.extend(make_batches(orders))
    return change


def _find_target(selection: Selection, arguments: ChangeMessagesArguments) -> str:
    """Return where the messages go; "" if they stay."""
    if arguments.action is ChangeAction.NOT_JUNK:
        return "INBOX"
    use = _USES.get(arguments.action)
    if use is None:
        return canonical_name(arguments.mailbox) if arguments.mailbox else ""
    if use == "\\Archive" and selection.is_gmail:
        use = "\\All"
    return name_special(selection.mailboxes, use, selection.account.special_uses)


def _leave_protected(selection: Selection) -> None:
    """Leave out what a search found in protected mailboxes, if it found something elsewhere."""
    by_name = {each.mailbox: selection.use_of(each.mailbox) for each in selection.messages}
    protected = {name for name, use in by_name.items() if is_protected(selection.account, name, use)}
    if selection.search is None or not protected or protected == by_name.keys():
        return
    left = [each for each in selection.messages if each.mailbox in protected]
    for each in left:
        del selection.messages[each]
    selection.doubts += (f"{counted(len(left), 'message')} in protected mailboxes: left alone.",)


def _check_protected(selection: Selection, target: str) -> None:
    """Check that no message is, goes, or by a label also is where nothing may be changed."""
    touched = {each.mailbox for each in selection.messages} | ({target} if target else set())
    if selection.is_gmail:
        by_label = {_label_of(selection, each.name): each.name for each in selection.mailboxes}
        touched |= {by_label.get(each, each) for some in selection.labels.values() for each in some}
    for name in sorted(touched):
        if is_protected(selection.account, name, selection.use_of(name)):
            raise mailbox_protected_error(selection.account.account_id, name)


def _make_order(change: Change, ref: MessageRef) -> Order:
    """Return the order for a message, without UIDs."""
    action, target, selection = change.action, change.target, change.selection
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    kind = Action.COPY if action is ChangeAction.COPY else Action.MOVE
    use, use_there = selection.use_of(ref.mailbox), selection.use_of(target)
    if action is ChangeAction.DELETE_FOREVER:
        kind = Action.DELETE
    elif not target:
        kind, add = Action.FLAGS, (_FLAGS[action],) if action in _FLAGS else change.keywords
        if action in _REMOVING:
            add, remove = (), add
    elif selection.is_gmail and use not in _ASIDE:
        if kind is Action.COPY:
            kind, add = Action.LABELS, (_label_of(selection, target),)
        elif use_there == "\\All" and ref.mailbox != "INBOX":
            kind, remove = Action.LABELS, (_INBOX,)
        elif use == "\\All" and use_there not in _ASIDE:
            kind, add = Action.LABELS, (_label_of(selection, target),)
            remove = () if target == "INBOX" else (_INBOX,)
    return Order(
        action=kind,
        account_id=ref.account_id,
        mailbox=ref.mailbox,
        uidvalidity=ref.uidvalidity,
        target=target if kind in {Action.MOVE, Action.COPY} else "",
        add=add,
        remove=remove,
    )


def _label_of(selection: Selection, mailbox: str) -> str:
    return _INBOX if mailbox == "INBOX" else _LABELS.get(selection.use_of(mailbox), mailbox)


def _is_done(change: Change, order: Order, ref: MessageRef, row: FetchedMessage) -> bool:
    """Return whether a message is as asked already."""
    use = change.selection.use_of(ref.mailbox)
    if change.action is ChangeAction.NOT_JUNK:
        return use != "\\Junk"
    if order.action in {Action.FLAGS, Action.LABELS}:
        labels = change.selection.labels.get(ref, ())
        held = {each.lower() for each in (row.flags if order.action is Action.FLAGS else labels)}
        return held.issuperset(map(str.lower, order.add)) and held.isdisjoint(map(str.lower, order.remove))
    there = {change.target, ref.mailbox if use and use == _USES.get(change.action) else ""}
    return order.action is not Action.DELETE and ref.mailbox in there

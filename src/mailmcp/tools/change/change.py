"""What a change comes to: where messages go, which are as asked already, and the orders for the others.

On Gmail mailboxes are labels of one message: a copy is a label more, and what leaves All Mail, where every
message stays, only loses the label of INBOX.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.imap.command import canonical_name
from mailmcp.imap.errors import mailbox_protected_error
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.writes.values import BATCH_MAX, Action, Order
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.change.arguments import ChangeAction, ChangeMessagesArguments
from mailmcp.tools.change.selection import Selection
from mailmcp.tools.names import CHANGE_MESSAGES
from mcp_envelope import BaseReason, InvalidInputError, NextAction, code

_FLAGS: Final[Mapping[ChangeAction, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    ChangeAction.MARK_READ: (("\\Seen",), ()),
    ChangeAction.MARK_UNREAD: ((), ("\\Seen",)),
    ChangeAction.FLAG: (("\\Flagged",), ()),
    ChangeAction.UNFLAG: ((), ("\\Flagged",)),
}
"""What they add and remove."""

_USES: Final = {
    ChangeAction.ARCHIVE: "\\Archive",
    ChangeAction.JUNK: "\\Junk",
    ChangeAction.TRASH: "\\Trash",
}
"""Whereto they move."""

_LABELS: Final = {
    "\\Sent": "\\Sent",
    "\\Drafts": "\\Draft",
    "\\Flagged": "\\Starred",
    "\\Important": "\\Important",
}
"""How Gmail calls the labels of its own mailboxes, by their special use."""

_INBOX_LABEL: Final = "\\Inbox"
_ASIDE: Final = {"\\Trash", "\\Junk"}


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

    orders: tuple[Order, ...]
    already: tuple[MessageRef, ...]
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
    action = arguments.action
    target = _target(selection, action, arguments.mailbox)
    names = {each.name for each in selection.mailboxes if each.selectable} | {"INBOX"}
    _check_protected(selection, target)
    if selection.is_gmail:
        _check_gmail(selection, arguments, target)
    change = Change(
        action=action,
        keywords=arguments.keywords,
        selection=selection,
        target=target,
        creates=bool(target) and target not in names,
        orders=(),
        already=(),
    )
    orders: dict[Order, list[int]] = {}
    already: list[MessageRef] = []
    for ref, row in selection.messages.items():
        order = _order(change, ref)
        if _is_done(change, order, ref, row):
            already.append(ref)
        else:
            orders.setdefault(order, []).append(ref.uid)
    batches = (
        replace(order, uids=tuple(sorted(uids)[start : start + BATCH_MAX]))
        for order, uids in orders.items()
        for start in range(0, len(uids), BATCH_MAX)
    )
    return replace(change, orders=tuple(batches), already=tuple(already))


def _target(selection: Selection, action: ChangeAction, mailbox: str) -> str:
    """Return where the messages go; "" if they stay."""
    if action is ChangeAction.NOT_JUNK:
        return "INBOX"
    use = _USES.get(action)
    if use is None:
        return canonical_name(mailbox) if mailbox else ""
    if use == "\\Archive" and selection.is_gmail:
        use = "\\All"
    fitting = [each for each in selection.mailboxes if each.special_use == use and each.selectable]
    if fitting:
        return min(fitting, key=lambda each: each.special_use_guessed).name
    named = (name for name, of in selection.account.special_uses.items() if of == use)
    return next(named, f"{_namespace(selection)}{use.removeprefix('\\')}")


def _namespace(selection: Selection) -> str:
    """Return what all names begin with, as `INBOX.` on Courier; "" elsewhere."""
    others = [each for each in selection.mailboxes if each.name != "INBOX"]
    prefixes = {f"INBOX{each.delimiter}" for each in others if each.delimiter}
    return next((each for each in prefixes if all(one.name.startswith(each) for one in others)), "")


def _check_protected(selection: Selection, target: str) -> None:
    """Check that no message is, goes or has a label where nothing may be changed."""
    account = selection.account
    protected = {each.casefold() for each in account.protected_mailboxes}
    touched = [*dict.fromkeys(each.mailbox for each in selection.messages), *filter(None, [target])]
    if selection.is_gmail:
        by_label = {_label_of(selection, each.name).casefold(): each.name for each in selection.mailboxes}
        labels = dict.fromkeys(label for row in selection.messages.values() for label in row.labels)
        touched += [by_label.get(label.casefold(), label) for label in labels]
    for name in touched:
        if not protected.isdisjoint({name.casefold(), selection.use_of(name).casefold()}):
            raise mailbox_protected_error(account.account_id, name)


def _check_gmail(selection: Selection, arguments: ChangeMessagesArguments, target: str) -> None:
    """Refuse what Gmail answers OK to and doesn't do: deleting outside Trash, copying into its own places."""
    action, instead = arguments.action, ChangeAction.MOVE
    if action is ChangeAction.COPY and selection.use_of(target) in {*_ASIDE, "\\All"}:
        message = f"can't be copy: in Gmail, mail is in {code(target)} or has labels. Move it there."
    elif action is ChangeAction.DELETE_FOREVER and any(
        selection.use_of(each.mailbox) != "\\Trash" for each in selection.messages
    ):
        instead = ChangeAction.TRASH
        message = "can't be delete_forever here: Gmail deletes only what is in Trash. Trash it first."
    else:
        return
    given = arguments.model_dump(mode="json", exclude_defaults=True, exclude={"confirm"})
    again = NextAction(
        instruction="Send this instead.", tool=CHANGE_MESSAGES, arguments={**given, "action": instead.value}
    )
    raise InvalidInputError.of("action", BaseReason.INVALID_VALUE, message, next_action=again)


def _order(change: Change, ref: MessageRef) -> Order:
    """Return the order for a message, without UIDs."""
    selection, action, target = change.selection, change.action, change.target
    kind, add, remove = Action.MOVE, (), ()
    if action is ChangeAction.DELETE_FOREVER:
        kind = Action.DELETE
    elif not target:
        kind = Action.FLAGS
        add, remove = _FLAGS.get(action, (change.keywords, ()))
        if action is ChangeAction.REMOVE_KEYWORDS:
            add, remove = (), change.keywords
    elif action is ChangeAction.COPY:
        kind = Action.COPY
    if selection.is_gmail and target:
        kind, add, remove = _gmail_order(change, ref)
    return Order(
        action=kind,
        account_id=ref.account_id,
        mailbox=ref.mailbox,
        uidvalidity=ref.uidvalidity,
        target="" if kind is Action.LABELS else target,
        add=add,
        remove=remove,
    )


def _gmail_order(change: Change, ref: MessageRef) -> tuple[Action, tuple[str, ...], tuple[str, ...]]:
    """Return what to do on Gmail to bring a message to the target, and the labels to add and remove."""
    selection, target = change.selection, change.target
    label, use = _label_of(selection, target), selection.use_of(ref.mailbox)
    if change.action is ChangeAction.COPY:
        return Action.LABELS, (label,), ()
    if selection.use_of(target) == "\\All" and ref.mailbox != "INBOX" and use not in _ASIDE:
        return Action.LABELS, (), (_INBOX_LABEL,)
    if use == "\\All" and selection.use_of(target) not in _ASIDE:
        return Action.LABELS, (label,), () if label == _INBOX_LABEL else (_INBOX_LABEL,)
    return Action.MOVE, (), ()


def _label_of(selection: Selection, mailbox: str) -> str:
    """Return the label that a mailbox of Gmail stands for."""
    return _INBOX_LABEL if mailbox == "INBOX" else _LABELS.get(selection.use_of(mailbox), mailbox)


def _is_done(change: Change, order: Order, ref: MessageRef, row: FetchedMessage) -> bool:
    """Return whether a message is as asked already."""
    selection = change.selection
    if change.action is ChangeAction.NOT_JUNK:
        return selection.use_of(ref.mailbox) != "\\Junk"
    if order.action is Action.LABELS:
        return _has(row.labels, order)
    if order.action is Action.FLAGS:
        return _has(row.flags, order)
    use = selection.use_of(ref.mailbox)
    return bool(change.target) and (ref.mailbox == change.target or (use != "" and use == _USES.get(change.action)))


def _has(held: Iterable[str], order: Order) -> bool:
    """Return whether flags or labels are as after an order."""
    known = {each.lower() for each in held}
    return all(each.lower() in known for each in order.add) and not any(
        each.lower() in known for each in order.remove
    )

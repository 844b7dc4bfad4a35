"""What has changed since a state: which mailboxes to look into, and the state for the next call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from mailmcp.imap.changes.find import MailboxChanges, find_changes, read_states
from mailmcp.imap.changes.state import MailboxState, MailState
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes, usual_names
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import ConflictError, ToolError


@dataclass(slots=True, kw_only=True)
class Looked:
    """What has changed in the mailboxes of an account."""

    state: MailState
    """What the next call begins with. A mailbox that failed is in it as it was."""

    changes: dict[str, MailboxChanges] = field(default_factory=dict)
    """By mailbox."""

    failed: dict[str, ToolError] = field(default_factory=dict)
    """Mailboxes that couldn't be looked into, or were rebuilt: these begin again."""

    missing: list[str] = field(default_factory=list)
    """Mailboxes that were deleted or renamed."""

    listing: tuple[Mailbox, ...] = ()
    """All mailboxes, if they were listed."""


def begin_state(session: Session, *, mailbox: str, every: bool) -> Looked:
    """Read the state of a mailbox, or of every mailbox that a search of all covers."""
    listing = list_mailboxes(session) if every else ()
    names = usual_names(listing) if every else [mailbox]
    looked = Looked(
        state=MailState(account_id=session.account.account_id, every=every, mailboxes=()), listing=listing
    )
    return _begin(session, looked, names)


def look(
    session: Session, state: MailState, *, limit: int, items: Callable[[Session], Sequence[str]]
) -> Looked:
    """Find what has changed since a state. Arguments as for `find_changes`.

    One round trip if nothing has, two for a page of changes; one more for a state of all mailboxes: some may
    have been made.
    """
    states = state.mailboxes
    listing = list_mailboxes(session) if state.every else ()
    if state.every:
        known = {each.mailbox for each in states}
        states += tuple(
            MailboxState(mailbox=name, uids=()) for name in usual_names(listing) if name not in known
        )
    looked = Looked(state=state, listing=listing)
    kept: list[MailboxState] = []
    rebuilt: list[str] = []
    for before, found in zip(states, find_changes(session, states, limit=limit, items=items), strict=True):
        if isinstance(found, MailboxChanges):
            looked.changes[before.mailbox] = found
            kept.append(found.state)
        elif state.every and found.reason is Reason.MAILBOX_MISSING:
            looked.missing.append(before.mailbox)
        else:
            looked.failed[before.mailbox] = found
            if isinstance(found, ConflictError):
                rebuilt.append(before.mailbox)
            else:
                kept.append(before)
    looked.state = replace(state, mailboxes=tuple(kept))
    return _begin(session, looked, rebuilt) if rebuilt and len(states) > 1 else looked


def _begin(session: Session, looked: Looked, names: Sequence[str]) -> Looked:
    """Add the present states of mailboxes."""
    begun: list[MailboxState] = []
    for name, state in zip(names, read_states(session, names), strict=True):
        if isinstance(state, MailboxState):
            begun.append(state)
        else:
            looked.failed[name] = state
    looked.state = replace(looked.state, mailboxes=(*looked.state.mailboxes, *begun))
    return looked

"""Which mailboxes a session may change, and SELECT, which opens them to do so.

A mailbox is known by the name that LIST gives it, and by no other: a server may know more names for one.
"""

import re
import unicodedata
from typing import Final

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.command import Command, Response
from mailmcp.imap.errors import mailbox_missing_error, mailbox_protected_error, writes_forbidden_error
from mailmcp.imap.mailboxes import decode_mailbox, list_mailboxes
from mailmcp.imap.session import SelectedMailbox, Session, quoted_mailbox
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, code

_ALL_FLAGS: Final = frozenset({"\\answered", "\\flagged", "\\deleted", "\\seen", "\\draft", "\\*"})


def find_use(session: Session, name: str) -> str:
    """Return the special use of a mailbox that may be changed, "" for an ordinary one.

    One round trip, once a session. `inbox` must be in capitals (`canonical_name`).

    Raises:
        NotFoundError: LIST doesn't show it, or it can't be opened; the reason is `mailbox_missing`.
        AuthFailedError: The settings protect it; the reason is `mailbox_protected`.
    """
    account = session.account
    if session.special_uses is None:
        listed = (each for each in list_mailboxes(session) if each.selectable)
        session.special_uses = {each.name: each.special_use for each in listed}
    use = session.special_uses.get(name)
    if is_protected(account, name, use or ""):
        raise mailbox_protected_error(account.account_id, name)
    if use is None:
        raise mailbox_missing_error(account.account_id, name)
    return use


def is_protected(account: Account, name: str, special_use: str = "") -> bool:
    """Return whether the settings protect a mailbox, by its name in any case and spelling, or by its use.

    Every Outbox is protected: Courier can be set up to send what comes in there.
    """
    protected, folded = {_folded(each) for each in account.protected_mailboxes}, _folded(name)
    is_outbox = re.split(r"[/.]", folded)[-1] == "outbox"
    return is_outbox or not protected.isdisjoint({folded, _folded(special_use) or None})


def _folded(name: str) -> str:
    """Return a name without what may be ignored in it: case, composition, modified UTF-7, a last slash."""
    decoded = decode_mailbox(name.encode()) if name.isascii() else name
    return unicodedata.normalize("NFKC", decoded).casefold().rstrip("/")


def select(session: Session, name: str, *, uidvalidity: int | None) -> SelectedMailbox:
    """Open a mailbox to change it; one round trip, or none if it is open.

    Args:
        session: Of a level that may write; at `drafts`, only to the mailbox for these.
        name: As LIST has it.
        uidvalidity: What it must have; None for any.

    Raises:
        AuthFailedError, NotFoundError: As `find_use`, and `writes_forbidden`.
        ConflictError: It has another UIDVALIDITY.
        InternalError: The server opens it read-only, or not at all, or the connection failed.
    """
    account = session.account
    if find_use(session, name) != "\\Drafts" and not session.writes.includes(Writes.ORGANIZE):
        raise writes_forbidden_error(account, Writes.ORGANIZE)
    opened, selected = session.mailbox, None
    if opened is None or opened.name != name or opened.permanent_flags is None:
        argument = quoted_mailbox(session.quirks, name)
        [selected] = session.run_all([Command(name="SELECT", arguments=[argument])])
    mailbox = session.apply_examine(name, selected, uidvalidity=uidvalidity)
    if isinstance(selected, Response):
        if "READ-WRITE" not in selected.untagged:
            raise InternalError(
                f"The server opens mailbox {code(name)} of account {account.account_id} read-only.",
                reason=Reason.PERMISSION_DENIED,
                details={"account_id": account.account_id, "mailbox": name},
            )
        mailbox.permanent_flags = _permanent_flags(selected)
    return mailbox


def _permanent_flags(selected: Response) -> frozenset[str]:
    """Return what can be stored; everything if the server doesn't say (RFC 9051 section 7.1)."""
    said = selected.untagged.get("PERMANENTFLAGS")
    if not said or not isinstance(said[-1], bytes):
        return _ALL_FLAGS
    return frozenset(said[-1].decode("utf-8", "replace").lower().strip("() ").split())

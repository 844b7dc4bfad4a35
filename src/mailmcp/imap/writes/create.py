"""CREATE: a mailbox for messages to go to (RFC 9051 section 6.3.4)."""

import re
from typing import Final

from mailmcp.imap.account import Writes
from mailmcp.imap.command import RefusedError, canonical_name
from mailmcp.imap.errors import refused_error, writes_forbidden_error
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.writes.open import find_use
from mcp_envelope import BaseReason, InvalidInputError, NotFoundError

_FORBIDDEN: Final = re.compile(r"[*%\\\x00-\x1f\x7f]|//|\A/|/\Z")
"""Wildcards of LIST, what escapes, controls, and levels without a name."""


def create_mailbox(session: Session, name: str) -> None:
    """Make a mailbox and subscribe to it; do nothing if it is there. Three round trips.

    Args:
        session: Of `Pool.writing`.
        name: Decoded, with the server's separator.

    Raises:
        AuthFailedError: The level is too low (`writes_forbidden`), or the settings protect that name
            (`mailbox_protected`).
        InvalidInputError: No mailbox can have that name.
        InternalError, NotFoundError: The server refuses it, or doesn't show it afterwards, or the connection
            failed.
    """
    account, name = session.account, canonical_name(name)
    if not session.writes.includes(Writes.ORGANIZE):
        raise writes_forbidden_error(account, Writes.ORGANIZE)
    if not name or _FORBIDDEN.search(name):
        what = "must be a name that a mailbox can have: no * or %, and no level without a name."
        raise InvalidInputError.of("mailbox", BaseReason.INVALID_VALUE, what)
    try:
        find_use(session, name)
    except NotFoundError:
        argument = quoted_mailbox(session.quirks, name)
        try:
            session.run("CREATE", argument)
            session.run("SUBSCRIBE", argument)
        except RefusedError as error:
            raise refused_error(account.account_id, error) from error
        session.special_uses = None
        find_use(session, name)

"""CREATE: a mailbox for messages to go to (RFC 9051 section 6.3.4)."""

from mailmcp.imap.command import canonical_name
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.writes.open import find_use
from mcp_envelope import NotFoundError


def create_mailbox(session: Session, name: str) -> None:
    """Make a mailbox and subscribe to it; do nothing if it is there. Three round trips.

    Args:
        session: Of `Pool.writing`, at the level `organize` or above.
        name: Decoded, with the server's separator.

    Raises:
        AuthFailedError: The settings protect that name (`mailbox_protected`).
        RefusedError: The server refuses it.
        NotFoundError: It doesn't show it afterwards.
        InternalError: The connection failed.
    """
    name = canonical_name(name)
    try:
        find_use(session, name)
    except NotFoundError:
        argument = quoted_mailbox(session.quirks, name)
        session.run("CREATE", argument)
        session.run("SUBSCRIBE", argument)
        session.special_uses = None
        find_use(session, name)

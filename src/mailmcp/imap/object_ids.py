"""The server's own ids of messages and conversations (RFC 8474, and Gmail's extensions)."""

from collections.abc import Sequence
from typing import Final

from mailmcp.imap.command import RefusedError
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.session import Session

IDS: Final = "ids"
"""Of `Quirks.allows`: OBJECTID and Gmail's extension together."""

_ID_ITEMS = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Return the data items of the server's own message ids; with `threads` those of conversations too."""
    items: list[str] = []
    if session.quirks.allows(IDS):
        gmail = session.can("X-GM-EXT-1")
        items += ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])] if gmail else []
        if session.can("OBJECTID") and not (threads and gmail):
            items += ["EMAILID", *(["THREADID"] if threads else [])]
    return items


def without_refused_ids(session: Session, uid: int, items: Sequence[str]) -> Sequence[str]:
    """Drop the server's ids from `items` if it refuses to send them, even for one message."""
    ids = [item for item in items if item in _ID_ITEMS]
    if ids and _is_refused(session, uid, ["UID", *ids]) and not _is_refused(session, uid, ["UID"]):
        session.quirks.refuse(IDS)
        return [item for item in items if item not in ids]
    return items


def _is_refused(session: Session, uid: int, items: Sequence[str]) -> bool:
    try:
        session.run("FETCH", b"%d" % uid, f"({' '.join(items)})".encode(), uid=True)
    except RefusedError as error:
        return is_unsupported(error)
    return False

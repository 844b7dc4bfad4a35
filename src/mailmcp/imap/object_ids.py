"""The server's own ids of messages and conversations (RFC 8474, and Gmail's extensions)."""

from typing import Final

from mailmcp.imap.session import Session

IDS: Final = "ids"
"""Of `Quirks.allows`: OBJECTID and Gmail's extension together."""

ID_ITEMS: Final = frozenset({"X-GM-MSGID", "X-GM-THRID", "EMAILID", "THREADID"})


def id_items(session: Session, *, threads: bool = False) -> list[str]:
    """Return the data items of the server's own message ids; with `threads` those of conversations too."""
    items: list[str] = []
    if session.quirks.allows(IDS):
        gmail = session.can("X-GM-EXT-1")
        items += ["X-GM-MSGID", *(["X-GM-THRID"] if threads else [])] if gmail else []
        if session.can("OBJECTID") and not (threads and gmail):
            items += ["EMAILID", *(["THREADID"] if threads else [])]
    return items

"""Which commands a connection may send: the last check before an octet leaves.

A session that reads can send nothing that changes mail, whatever the code above it asks for. EXAMINE is no
protection: Dovecot and pymap carry out a MOVE after it.

No connection sends EXPUNGE but by UID, DELETE, RENAME or SETACL: they change what nobody named. CLOSE
expunges after SELECT, so only sessions that can't select may send it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from mailmcp.imap.account import Writes

_READ: Final = frozenset(
    {
        *("CAPABILITY", "STARTTLS", "LOGIN", "AUTHENTICATE", "ID", "ENABLE", "NOOP", "LOGOUT"),
        *("LIST", "STATUS", "EXAMINE", "UNSELECT", "NOTIFY", "IDLE"),
        *("FETCH", "UID FETCH", "UID SEARCH", "UID SORT"),
    }
)
_DRAFTS: Final = _READ | {"SELECT", "APPEND", "UID MOVE", "UID COPY", "UID STORE", "UID EXPUNGE"}
"""An earlier draft is moved to Trash; see `mailmcp.imap.writes.open` for where."""

_ORGANIZE: Final = _DRAFTS | {"CREATE", "SUBSCRIBE"}

VERBS: Final[Mapping[Writes, frozenset[str]]] = {
    Writes.OFF: _READ | {"CLOSE"},
    Writes.DRAFTS: _DRAFTS,
    Writes.ORGANIZE: _ORGANIZE,
    Writes.ALL: _ORGANIZE,  # deleting for good takes no other verbs than moving without MOVE
}
"""What a session of each level may send."""


class ForbiddenCommandError(Exception):
    """The code asks for a command that this connection may not send; nothing was sent."""


def verb_of(words: Sequence[bytes]) -> str:
    """Return the name of a command in capitals, with its UID: `UID FETCH`."""
    name, _, rest = b" ".join(words).upper().partition(b" ")
    return (b"UID " + rest.partition(b" ")[0] if name == b"UID" else name).decode("latin-1")

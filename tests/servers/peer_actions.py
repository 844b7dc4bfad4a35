"""What a scripted peer can do instead of answering properly, and when.

A greeting takes any of the actions but `FailUid`; a `Rule` puts one in the place
of the answer to a command.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Close:
    """Close the connection."""

    when: Literal["before", "within"]
    """Before the answer, or within it, halfway through a line or a literal."""

    reset: bool = False
    """Reset the connection (RST) instead of closing it (FIN), as a crash does."""


@dataclass(frozen=True, slots=True)
class Bye:
    """Send BYE (RFC 3501 section 7.1.5) and close."""

    text: str = "Going down"


@dataclass(frozen=True, slots=True)
class Respond:
    """Send these octets, with ``{tag}`` replaced by the command's.

    When they hold ``{tag} OK``, the command also takes effect: a login logs in,
    STARTTLS is followed by a handshake. Otherwise nothing happens but the sending.
    """

    raw: bytes


@dataclass(frozen=True, slots=True)
class Silence:
    """Never answer, but keep reading until the client closes or the peer is stopped."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Send the proper answer so slowly that every client gives up."""

    octets: int = 1
    interval_s: float = 0.05


@dataclass(frozen=True, slots=True)
class FailUid:
    """Fail each UID FETCH that names this UID, alone or in a set; let the others succeed."""

    uid: int
    how: Literal["NO", "BAD", "garbage"] = "NO"
    """Garbage is a FETCH response that can't be parsed, then OK."""


Action: TypeAlias = Close | Bye | Respond | Silence | Stall | FailUid


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Do `action` in place of the answer to some commands."""

    command: str
    """The command's name: ``LOGIN``, ``UID FETCH``."""

    action: Action

    nth: int | None = None
    """Which of the matching commands, from 1, over all connections; None for each."""

    containing: str = ""
    """Only commands whose line contains this."""

    connection: int | None = None
    """Only on this connection, from 1."""

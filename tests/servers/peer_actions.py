"""What a scripted peer may do instead of answering properly, and when.

A greeting takes any of the actions but `FailUid`; a `Rule` puts one in the place
of the answer to a command.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Close:
    """Close the connection."""

    when: Literal["before", "within", "after"]
    """Without answering; having sent half of the answer, within a line or a literal; or after it."""

    reset: bool = False
    """As a peer that crashed: the client sees a reset (RST), not an end (FIN)."""


@dataclass(frozen=True, slots=True)
class Bye:
    """Say BYE (RFC 3501 section 7.1.5) and close."""

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
    """Never answer, and read on until the client closes or the peer is stopped."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Drip the proper answer, slower than anyone cares to wait."""

    octets: int = 1
    interval_s: float = 0.05


@dataclass(frozen=True, slots=True)
class FailUid:
    """Fail each UID FETCH that names this UID, alone or in a set; let the others succeed."""

    uid: int
    how: Literal["NO", "BAD", "garbage"] = "NO"
    """Garbage is a FETCH response that nobody can parse, then OK."""


Action: TypeAlias = Close | Bye | Respond | Silence | Stall | FailUid


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Do `action` in place of the answer to some commands."""

    command: str
    """The command's name: ``LOGIN``, ``UID FETCH``."""

    action: Action

    nth: int | None = None
    """Which of the commands that fit, from 1, over all connections; None for each."""

    containing: str = ""
    """Only commands whose line holds this."""

    connection: int | None = None
    """Only on this connection, from 1."""

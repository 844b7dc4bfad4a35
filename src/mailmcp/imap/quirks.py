"""What was learned of a server that its capabilities don't say.

One object for each account, shared by its sessions for as long as the process lives.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from mailmcp.imap.command import RefusedError

REFUSAL_AGE_S: Final = 3_600.0
"""What a server refused is tried again after this long: faults pass, and servers are upgraded."""


def is_unsupported(refusal: RefusedError) -> bool:
    """Return whether a refusal may mean that the server doesn't know a command or an argument.

    Other response codes are about passing troubles, limits or rights, and say nothing about the command.
    Without a code it may be either.
    """
    return refusal.code in {"", "BADCHARSET", "CANNOT", "CLIENTBUG"}


@dataclass(slots=True)
class Quirks:
    """What was learned so far; at first nothing."""

    clock: Callable[[], float] = monotonic
    """Seconds that never run backwards."""

    refused_at: dict[str, float] = field(default_factory=dict)
    """By extension, when the server refused it or got it wrong, though it advertises it."""

    believed: set[str] = field(default_factory=set)
    """The kinds of searches that have found a message that was known to be there; see `doubt`."""

    sizes: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox when it was last opened."""

    uidnexts: dict[str, int] = field(default_factory=dict)
    """Their UIDNEXT at that time, where the server sends it."""

    shown: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox that a search for all of them found, where it was made."""

    search_speeds: dict[tuple[str, ...], float] = field(default_factory=dict)
    """Messages that the server searched in a second, the last time, by the criteria."""

    uids_out_of_order: set[str] = field(default_factory=set)
    """Mailboxes whose UIDs don't follow arrival: old messages were moved there."""

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """

    def allows(self, extension: str) -> bool:
        """Return whether an extension wasn't refused lately."""
        refused_at = self.refused_at.get(extension)
        return refused_at is None or self.clock() - refused_at >= REFUSAL_AGE_S

    def refuse(self, extension: str) -> None:
        """Record that the server refuses an extension, or gets it wrong."""
        self.refused_at[extension] = self.clock()

    @property
    def largest_seen(self) -> int:
        """Messages in the largest mailbox that was opened."""
        return max(self.sizes.values(), default=0)

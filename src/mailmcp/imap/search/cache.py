"""What searches found, kept so that the next page costs no SEARCH. Losing it costs only that.

A result is used only while its mailbox shows that a new search would find the same messages, so a page is
the same with the cache and without.
"""

from array import array
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from mailmcp.imap.search.server import UidRange
from mailmcp.imap.session import SelectedMailbox

CACHE_ENTRIES: Final = 64
"""Results kept, of all accounts."""

CACHE_UIDS_MAX: Final = 1_000_000
"""UIDs in all of those results: 4 MB as arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What one search found."""

    uids: "array[int]"
    """In order; all that match in a range of UIDs."""

    within: UidRange
    mailbox: SelectedMailbox
    """As it was then."""

    def is_current(self, now: SelectedMailbox, *, arrivals_matter: bool) -> bool:
        """Return whether a search made now would find the same.

        EXISTS and UIDNEXT show that nothing was expunged and how many messages arrived. Flags may have
        changed.

        Args:
            now: The mailbox as it is.
            arrivals_matter: Whether a message that arrived since could be among the rest.
        """
        before = self.mailbox
        if before.uidvalidity != now.uidvalidity or before.uidnext is None or now.uidnext is None:
            return False
        arrived = now.uidnext - before.uidnext
        return now.exists - before.exists == arrived and (
            arrived == 0 or (arrived > 0 and not arrivals_matter)
        )


@dataclass(slots=True)
class UidCache:
    """The latest results, bounded in entries and in UIDs; drops the least recently used. Thread-safe."""

    _kept: OrderedDict[Hashable, Kept] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: Hashable) -> Kept | None:
        """Return what a search found; None if that isn't kept."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
            return kept

    def put(self, key: Hashable, kept: Kept) -> None:
        """Keep what a search found."""
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            total = sum(len(each.uids) for each in self._kept.values())
            while self._kept and (len(self._kept) > CACHE_ENTRIES or total > CACHE_UIDS_MAX):
                _, dropped = self._kept.popitem(last=False)
                total -= len(dropped.uids)

    def drop(self, kept: Kept) -> None:
        """Forget what a search found, and what was made of it: its mailbox has changed."""
        with self._lock:
            others = ((key, each) for key, each in self._kept.items() if each.mailbox is not kept.mailbox)
            self._kept = OrderedDict(others)

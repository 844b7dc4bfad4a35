"""The candidates of a search, kept so that the next page costs no SEARCH. Losing them costs only that.

They are used only while their mailbox shows that a new search would find the same messages, so a page is
the same with the cache and without.
"""

from array import array
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from mailmcp.imap.session import SelectedMailbox
from mailmcp.model.cursor import Position

CACHE_ENTRIES: Final = 64
"""Results kept, of all accounts."""

CACHE_UIDS_MAX: Final = 1_000_000
"""UIDs in all of those results: 4 MB as arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Messages that may match, in order, from where a page begins."""

    position: Position
    """The place after which they come: it has their way, and the bounds of their block if they have one."""

    uids: "array[int]"
    mailbox: SelectedMailbox
    """As it was then."""

    rest: Position | None = None
    """Where to look for more, which weren't searched or sorted yet; None if these are all."""

    rest_matches: int = 0
    """Matches in the rest, at most: if they weren't counted, all messages there, or all but those found."""

    rest_exact: bool = True
    """Whether there are exactly so many."""

    reach: str = ""
    """Sentence: how far the search got, if there is a rest in which matches weren't counted."""

    unsearched: tuple[str, ...] = ()
    """Sentences: which messages the server didn't search."""

    from_cache: bool = False

    def is_current(self, now: SelectedMailbox, *, arrivals_matter: bool) -> bool:
        """Return whether a search made now would find the same.

        EXISTS and UIDNEXT show that nothing was expunged and how many messages arrived. Flags may have
        changed. A cursor of another UIDVALIDITY has failed before; what was kept may be older than it.

        Args:
            now: The mailbox as it is.
            arrivals_matter: Whether a message that arrived since may be a candidate.
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

    _kept: OrderedDict[Hashable, Candidates] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: Hashable) -> Candidates | None:
        """Return what a search found; None if that isn't kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, found: Candidates) -> None:
        """Keep what a search found."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = found
            total = sum(len(each.uids) for each in self._kept.values())
            while self._kept and (len(self._kept) > CACHE_ENTRIES or total > CACHE_UIDS_MAX):
                _, dropped = self._kept.popitem(last=False)
                total -= len(dropped.uids)

    def drop(self, key: Hashable) -> None:
        """Forget what a search found: its mailbox has changed."""
        with self._lock:
            self._kept.pop(key, None)

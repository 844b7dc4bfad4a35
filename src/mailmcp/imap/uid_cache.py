"""A cache of search results, so that the next page costs no SEARCH. Losing one costs only that.

A result is used only while its mailbox shows that a new search would find the same messages
(`CandidateList.is_current`), so a page is the same with the cache and without. Only the event loop uses it.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import CandidateList
from mailmcp.model.query import SearchQuery

UID_CACHE_ENTRIES: Final = 64
"""Search results kept so that the next page takes one round trip. A lost one costs a search."""

UID_CACHE_UIDS_MAX: Final = 1_000_000
"""UIDs in all of those results: 8 MB as arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchKey:
    """What was searched for and where."""

    account_id: str
    mailbox: str
    uidvalidity: int
    query: SearchQuery
    order: Order


@dataclass(frozen=True, slots=True)
class _Entry:
    found: CandidateList
    below: int | None
    """Only messages below this depth were searched for; None if all were."""


class UidCache:
    """The latest results, bounded in entries and in UIDs; drops the least recently used."""

    def __init__(self, *, entries: int = UID_CACHE_ENTRIES, uids: int = UID_CACHE_UIDS_MAX) -> None:
        self._max_entries, self._max_uids = entries, uids
        self._held: OrderedDict[SearchKey, _Entry] = OrderedDict()

    def get(self, key: SearchKey, *, position: int) -> CandidateList | None:
        """Return the candidates of a search, complete below the depth `position`; None if there are none."""
        entry = self._held.get(key)
        if entry is None or (entry.below is not None and entry.below < position):
            return None
        self._held.move_to_end(key)
        return entry.found

    def put(self, key: SearchKey, found: CandidateList, *, below: int | None = None) -> None:
        """Add the candidates of a search of messages below a depth, or of all."""
        self._held[key] = _Entry(found, below)
        self._held.move_to_end(key)
        total = sum(len(entry.found.uids) for entry in self._held.values())
        while len(self._held) > self._max_entries or total > self._max_uids:
            _, dropped = self._held.popitem(last=False)
            total -= len(dropped.found.uids)

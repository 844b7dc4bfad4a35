"""Recent search results, so that the next page costs no SEARCH; losing one costs only that.

UIDs of a search stay right for as long as the mailbox keeps its UIDVALIDITY: messages that
have come since are above every cursor, those that went are found missing when fetched.
Only the event loop touches it.
"""

from array import array
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from mailmcp import limits


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchKey:
    """What was searched for and where; equal keys have the same results below any position."""

    account_id: str
    mailbox: str
    uidvalidity: int
    criteria: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, account_id: str, mailbox: str, uidvalidity: int, criteria: Mapping[str, str]) -> "SearchKey":
        """Make a key of criteria in any order."""
        return cls(
            account_id=account_id,
            mailbox=mailbox,
            uidvalidity=uidvalidity,
            criteria=tuple(sorted(criteria.items())),
        )


@dataclass(frozen=True, slots=True)
class _Entry:
    uids: "array[int]"
    below: int | None
    """Only UIDs under this one were searched; None if all were."""


class UidCache:
    """The latest results, least recently used dropped first; bounded in entries and in UIDs."""

    def __init__(
        self, *, entries: int = limits.UID_CACHE_ENTRIES, uids: int = limits.UID_CACHE_UIDS_MAX
    ) -> None:
        self._most_entries, self._most_uids = entries, uids
        self._held: OrderedDict[SearchKey, _Entry] = OrderedDict()

    def get(self, key: SearchKey, *, position: int) -> "array[int] | None":
        """Look up the matches; ascending, and complete below UID `position`. None if not held."""
        entry = self._held.get(key)
        if entry is None or (entry.below is not None and entry.below < position):
            return None
        self._held.move_to_end(key)
        return entry.uids

    def put(self, key: SearchKey, uids: "array[int]", *, below: int | None = None) -> None:
        """Keep the matches of a search that looked at UIDs under `below`, or at all of them."""
        self._held[key] = _Entry(uids, below)
        self._held.move_to_end(key)
        while len(self._held) > self._most_entries or self._total() > self._most_uids:
            self._held.popitem(last=False)

    def _total(self) -> int:
        return sum(len(entry.uids) for entry in self._held.values())

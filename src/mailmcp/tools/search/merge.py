"""Rows of several mailboxes made one list, page by page, with each message in it once.

What is guaranteed, whatever the size of the pages: each row of each mailbox is on exactly one
page, as a message or as another place of one. Rows follow each other by rank, as far as each
mailbox knew its rows when the page was made. A copy is folded into its message if both were
among the rows that were there for one page, or if an earlier page remembered it (`skip`).
Copies that lie further apart than that in their mailboxes are two messages.

Two rows are copies if they share a key (see `Waiting.keys`) and are in different mailboxes: two
equal messages in one mailbox are two. Pure; what the rows are is not looked at.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A row of one mailbox that no page has had yet."""

    uid: int
    rank: int
    keys: tuple[Hashable, ...] = ()
    """What only copies of the same message have in common; empty for a row that has no copies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The next rows of one mailbox, in order."""

    rows: Sequence[Waiting]
    skip: frozenset[int] = frozenset()
    """Rows that were given before, as copies of others."""

    frontier: int | None = None
    """The rank after which the mailbox may have more rows than these; None if there are no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message of a page."""

    places: tuple[tuple[int, int], ...]
    """Number of the source and UID, at least one; the source that comes first leads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One page, and where each source goes on."""

    entries: tuple[Entry, ...]
    taken: tuple[int, ...]
    """For each source, how many of its rows are done with."""

    skip: tuple[tuple[int, ...], ...]
    """For each source, UIDs among its later rows that are not to be given again; ascending."""


def merge(sources: Sequence[Source], *, size: int, ascending: bool = False) -> Merged:
    """Make one page of what waits in the sources.

    Args:
        sources: In the order in which they are preferred as the place to show.
        size: Most messages of a page, from 1.
        ascending: Whether ranks grow from row to row, instead of falling.
    """
    page = _Page(sources, ascending=ascending)
    page.fill(size)
    for number in range(len(sources)):
        page.take_copies(number)
    skip = tuple(tuple(sorted(page.remember(number))) for number in range(len(sources)))
    entries = tuple(Entry(places=tuple(sorted(entry.places.items()))) for entry in page.entries)
    return Merged(entries=entries, taken=tuple(page.taken), skip=skip)


@dataclass(slots=True, eq=False)
class _Open:
    """An entry that may still get more places."""

    places: dict[int, int] = field(default_factory=dict)


class _Page:
    """One merge while it runs."""

    def __init__(self, sources: Sequence[Source], *, ascending: bool) -> None:
        self.sources = sources
        self.sign = 1 if ascending else -1
        self.taken = [0] * len(sources)
        self.entries: list[_Open] = []
        self._by_key: dict[Hashable, list[_Open]] = {}

    def fill(self, size: int) -> None:
        """Take rows by rank until the page is full, or a source does not know what comes next."""
        heads = [head for number in range(len(self.sources)) if (head := self._head(number)) is not None]
        heapify(heads)
        while heads:
            _, number = heappop(heads)
            row = self._next(number)
            if row is None or (not self._folds(number, row) and len(self.entries) == size):
                return
            self._take(number, row)
            head = self._head(number)
            if head is not None:
                heappush(heads, head)

    def take_copies(self, number: int) -> None:
        """Take the rows of a source for as long as they say nothing new."""
        while (row := self._next(number)) is not None and self._folds(number, row):
            self._take(number, row)

    def remember(self, number: int) -> Iterator[int]:
        """Find what of a source is not to be given again: copies among its later rows, and what was."""
        source, taken = self.sources[number], self.taken[number]
        done = {row.uid for row in source.rows[:taken]}
        yield from source.skip - done
        for row in source.rows[taken:]:
            if row.uid not in source.skip and self._folds(number, row):
                self._fold(number, row)
                yield row.uid

    def _head(self, number: int) -> tuple[int, int] | None:
        """Say where a source stands: the rank of its next row, or the one after which more may come."""
        row = self._next(number)
        rank = row.rank if row is not None else self.sources[number].frontier
        return None if rank is None else (self.sign * rank, number)

    def _next(self, number: int) -> Waiting | None:
        rows, taken = self.sources[number].rows, self.taken[number]
        return rows[taken] if taken < len(rows) else None

    def _take(self, number: int, row: Waiting) -> None:
        self.taken[number] += 1
        if row.uid not in self.sources[number].skip:
            self._fold(number, row)

    def _folds(self, number: int, row: Waiting) -> bool:
        """Tell whether a row says nothing new."""
        return row.uid in self.sources[number].skip or self._entry_of(number, row) is not None

    def _entry_of(self, number: int, row: Waiting) -> _Open | None:
        """Find the message on the page of which a row is a copy in another mailbox."""
        known = (entry for key in row.keys for entry in self._by_key.get(key, ()))
        return next((entry for entry in known if number not in entry.places), None)

    def _fold(self, number: int, row: Waiting) -> None:
        """Make a row another place of its message, or a message of its own."""
        entry = self._entry_of(number, row)
        if entry is None:
            entry = _Open()
            self.entries.append(entry)
        entry.places[number] = row.uid
        for key in row.keys:
            entries = self._by_key.setdefault(key, [])
            if entry not in entries:
                entries.append(entry)

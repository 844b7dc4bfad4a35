"""Merge the rows of several mailboxes into one list, page by page, with each message once.

Whatever the size of the pages, each row of each mailbox is on exactly one page, as a message or as another
place of one. Rows are ordered by rank, as far as each mailbox knew its rows when the page was made. A copy
is folded into its message if both were among the rows of one page, or if an earlier page remembered it
(`skip`). Copies further apart than that are two messages.

Rows are copies as in `mailmcp.tools.copies`, by their keys (`Waiting.keys`).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from mailmcp.tools.copies import Folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A row of one mailbox that is on no page yet."""

    uid: int
    rank: int
    keys: tuple[Hashable, ...] = ()
    """What only copies of a message share; empty for a row without copies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The next rows of one mailbox, in order."""

    rows: Sequence[Waiting]
    skip: frozenset[int] = frozenset()
    """Rows that were shown before, as copies of others."""

    frontier: int | None = None
    """The rank after which the mailbox may have more rows; None if these are all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message of a page."""

    places: tuple[tuple[int, int], ...]
    """Number of the source and UID, at least one; the first is the place to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One page, and where each source continues."""

    entries: tuple[Entry, ...]
    taken: tuple[int, ...]
    """For each source, how many of its rows are finished."""

    skip: tuple[tuple[int, ...], ...]
    """For each source, UIDs among its later rows not to show again; ascending."""


def merge(sources: Sequence[Source], *, size: int, ascending: bool = False) -> Merged:
    """Merge the rows of some sources into one page.

    Args:
        sources: In order of preference as the place to show.
        size: Messages a page, at least 1.
        ascending: Whether ranks rise from row to row.
    """
    page = _Page(sources, ascending=ascending)
    page.fill(size)
    for number in range(len(sources)):
        page.take_copies(number)
    skip = tuple(tuple(sorted(page.remember(number))) for number in range(len(sources)))
    entries = tuple(Entry(places=tuple(sorted(message.items()))) for message in page.folded.messages)
    return Merged(entries=entries, taken=tuple(page.taken), skip=skip)


class _Page:
    """One merge in progress."""

    def __init__(self, sources: Sequence[Source], *, ascending: bool) -> None:
        self.sources = sources
        self.sign = 1 if ascending else -1
        self.taken = [0] * len(sources)
        self.folded = Folded[int, int]()
        """UIDs by number of the source."""

    def fill(self, size: int) -> None:
        """Take rows by rank until the page is full, or a source does not know what comes next."""
        heads = [head for number in range(len(self.sources)) if (head := self._head(number)) is not None]
        heapify(heads)
        while heads:
            _, number = heappop(heads)
            row = self._next(number)
            if row is None or (not self._folds(number, row) and len(self.folded.messages) == size):
                return
            self._take(number, row)
            head = self._head(number)
            if head is not None:
                heappush(heads, head)

    def take_copies(self, number: int) -> None:
        """Take the rows of a source while they add nothing new."""
        while (row := self._next(number)) is not None and self._folds(number, row):
            self._take(number, row)

    def remember(self, number: int) -> Iterator[int]:
        """Yield the UIDs of a source not to show again: copies among its later rows, and earlier ones."""
        source, taken = self.sources[number], self.taken[number]
        done = {row.uid for row in source.rows[:taken]}
        yield from source.skip - done
        for row in source.rows[taken:]:
            if row.uid not in source.skip and self._folds(number, row):
                self.folded.add(number, row.uid, row.keys)
                yield row.uid

    def _head(self, number: int) -> tuple[int, int] | None:
        """Return the rank of a source's next row, or the one after which more may come."""
        row = self._next(number)
        rank = row.rank if row is not None else self.sources[number].frontier
        return None if rank is None else (self.sign * rank, number)

    def _next(self, number: int) -> Waiting | None:
        rows, taken = self.sources[number].rows, self.taken[number]
        return rows[taken] if taken < len(rows) else None

    def _take(self, number: int, row: Waiting) -> None:
        self.taken[number] += 1
        if row.uid not in self.sources[number].skip:
            self.folded.add(number, row.uid, row.keys)

    def _folds(self, number: int, row: Waiting) -> bool:
        """Return whether a row adds nothing new."""
        return row.uid in self.sources[number].skip or self.folded.find(number, row.keys) is not None

"""Windows: the ranges of UIDs in which a large mailbox is searched, one after another.

An ordinary mailbox is one window. A large one, or one in which such a search was slow before, is searched
from where the page begins, in windows that grow with the speed of the server, until the page is full. So the
first messages are there early, however long it takes to search everything, and the next page goes on where
the last window ended.
"""

from typing import Final

from mailmcp import limits
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.uid_search import UidRange
from mailmcp.model.query import Proof, SearchQuery

SEARCH_WINDOW_MESSAGES: Final = 10_000
"""Messages in the first window of a search, about: 8 KB of UIDs if one in ten matches."""

SEARCH_WINDOW_S: Final = 2.0
"""How long the search of a window should take: long enough to make the round trip small, short enough to
report progress."""

SEARCH_SLOW_S: Final = 10.0
"""A mailbox of any size is searched in windows if the server would take longer for all of it."""

SEARCH_WINDOW_GROWTH_MAX: Final = 8.0
"""How much larger than the one before a window may be: the fourth may have a million messages."""


def is_large(exists: int | None) -> bool:
    """Return whether a mailbox is too large to be sorted or searched at once; False if that is unknown."""
    return exists is not None and exists > limits.LARGE_MAILBOX_MESSAGES


_INSTANT_S = 0.001


def learn_size(quirks: Quirks, mailbox: str) -> Steps[None]:
    """Open a mailbox of unknown size where another one is large: this one may be, too; one round trip."""
    if mailbox not in quirks.sizes and is_large(quirks.largest_seen):
        yield []


class Windows:
    """The windows of one search in an order by UID."""

    rest: UidRange | None
    """What follows the windows that were taken; None for nothing."""

    taken: int = 0

    def __init__(
        self, quirks: Quirks, mailbox: str, query: SearchQuery, rest: UidRange | None, *, ascending: bool
    ) -> None:
        """Begin at the start of `rest`, in the direction of the order."""
        self.rest = rest
        self._quirks, self._mailbox, self._ascending = quirks, mailbox, ascending
        self._kind = tuple(row.name for row in query.criteria)
        self._in_index = all(row.proof is Proof.FLAGS for row in query.criteria)
        self._messages = self._first_messages()
        self._latest: UidRange = (1, 0)

    def _first_messages(self) -> int | None:
        """Return about how many messages the first window has; None for all."""
        exists = self._quirks.sizes.get(self._mailbox)
        if not exists or not self._quirks.uidnexts.get(self._mailbox):
            return None
        is_slow = self._speed is not None and exists > self._speed * SEARCH_SLOW_S
        if not (is_slow or is_large(exists)):
            return None
        in_time = int(self._speed * SEARCH_WINDOW_S) if self._speed else exists
        # Without criteria every message matches.
        return min(in_time, SEARCH_WINDOW_MESSAGES if self._kind else limits.SEARCH_LISTED_MATCHES_MAX)

    def take(self) -> UidRange:
        """Return the next window; `rest` is then what follows it."""
        assert self.rest is not None  # noqa: S101 - the caller checks it
        self.taken += 1
        self._latest, (low, high) = self.rest, self.rest
        last = self._last(self.rest)
        width = last if self._messages is None else int(self._messages / self._density) + 1
        if last - low < width:
            self.rest = None
        elif self._ascending:
            self._latest, self.rest = (low, low + width - 1), (low + width, high)
        else:
            # What has arrived since is above the highest UID that is known.
            self._latest, self.rest = (last - width + 1, high), (low, last - width)
        return self._latest

    def learn(self, elapsed_s: float, *, alone: bool) -> None:
        """Learn how fast the server searches.

        Args:
            elapsed_s: What the search of the latest window took.
            alone: Whether it was searched alone. If not, or if the window is small, others may have taken
                the time: only a higher speed is learned then.
        """
        elapsed_s = max(elapsed_s, _INSTANT_S)
        messages = self._count(self._latest)
        speed = messages / elapsed_s
        long_enough = elapsed_s >= SEARCH_WINDOW_S and messages > limits.SEARCH_LISTED_MATCHES_MAX
        is_telling = alone and (long_enough or messages >= SEARCH_WINDOW_MESSAGES)
        if messages and (is_telling or (self._speed is not None and speed > self._speed)):
            self._quirks.search_speeds[self._kind] = speed
        if self._messages is not None:
            growth = min(SEARCH_WINDOW_S / elapsed_s, SEARCH_WINDOW_GROWTH_MAX)
            self._messages = int(self._messages * growth) + 1

    def take_all(self) -> None:
        """Let the next window be all that is left: it has few matches."""
        self._messages = None

    @property
    def left(self) -> int:
        """About how many messages are in `rest`."""
        return self._count(self.rest) if self.rest else 0

    @property
    def counts_fast(self) -> bool:
        """Whether the matches in `rest` can be counted in the time of a window."""
        return self.left <= self._speed * SEARCH_WINDOW_S if self._speed else self._in_index

    @property
    def _speed(self) -> float | None:
        """Messages that the server searches in a second for such criteria; None if that isn't known."""
        return self._quirks.search_speeds.get(self._kind)

    @property
    def _density(self) -> float:
        """Messages for each UID, on average; 1 if that isn't known."""
        exists, uidnext = self._quirks.sizes.get(self._mailbox), self._quirks.uidnexts.get(self._mailbox)
        return min(exists / uidnext, 1.0) if exists and uidnext else 1.0

    def _last(self, uids: UidRange) -> int:
        """Return the highest UID of a range that may be in use, as far as it is known."""
        return self._quirks.uidnexts.get(self._mailbox, 1) - 1 if uids[1] is None else uids[1]

    def _count(self, uids: UidRange) -> int:
        """Estimate how many messages a range has."""
        return int(max(self._last(uids) - uids[0] + 1, 0) * self._density)

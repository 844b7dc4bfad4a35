"""Windows: the ranges of UIDs in which a large mailbox is searched, one after another.

An ordinary mailbox is one window. So is one that was never opened, whose size isn't known. A large one, or
one that would take long by the speed of the last search with these criteria, is searched from where the page
begins, in windows that grow with the speed of the server. So the first messages are there early, however long
it takes to search everything, and the next page goes on where the last window ended. A SORT isn't divided.
"""

from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.imap.search.server import UidRange
from mailmcp.imap.session import Quirks, Session
from mailmcp.model.cursor import Way
from mailmcp.model.query import SearchQuery

LARGE_MAILBOX_MESSAGES: Final = 50_000
"""Larger mailboxes are searched in windows, and no server is asked to sort them: it may have to open every
message."""

SEARCH_WINDOW_MESSAGES: Final = 10_000
"""About how many messages the first window has: 8 KB of UIDs if one in ten matches. Without criteria, all
match, and it has SEARCH_LISTED_MATCHES_MAX."""

SEARCH_WINDOW_S: Final = 2.0
"""How long the search of a window should take: long enough to make the round trip small, short enough to
report progress."""

SEARCH_SLOW_S: Final = 10.0
"""A mailbox of any size is searched in windows if the server would take longer for all of it."""

SEARCH_WINDOW_GROWTH_MAX: Final = 8.0
"""A window may be so many times as large as the one before: the fourth may have a million messages."""

_INSTANT_S: Final = 0.001


def is_large(exists: int | None) -> bool:
    """Return whether a mailbox is too large to be sorted or searched at once; False if that is unknown."""
    return exists is not None and exists > LARGE_MAILBOX_MESSAGES


def sorted_way(session: Session, exists: int | None) -> Way:
    """Return the way to sort a mailbox of so many messages: the server does it if it can."""
    return Way.SORT if session.can("SORT") and not is_large(exists) else Way.BLOCK


@dataclass(slots=True)
class Windows:
    """The windows of one search."""

    quirks: Quirks
    query: SearchQuery
    mailbox: str
    rest: UidRange | None
    """What follows the windows that were taken; None for nothing."""

    ascending: bool
    next_messages: int | None = field(init=False, default=None)
    """About how many messages the next window has; None for all that are left."""

    def __post_init__(self) -> None:
        speed = self.quirks.search_speeds.get(self._criteria)
        is_slow = speed is not None and self._exists > speed * SEARCH_SLOW_S
        if self._uidnext and (is_slow or is_large(self._exists)):
            first = SEARCH_WINDOW_MESSAGES if self._criteria else limits.SEARCH_LISTED_MATCHES_MAX
            self.next_messages = min(int(speed * SEARCH_WINDOW_S), first) if speed else first

    @property
    def rest_messages(self) -> int:
        """About how many messages are in `rest`."""
        return self._count(self.rest) if self.rest else 0

    def take(self) -> UidRange:
        """Return the next window; `rest` is then what follows it."""
        assert self.rest is not None  # noqa: S101 - the caller checks it
        low, high = self.rest
        last = self._last(self.rest)
        width = last if self.next_messages is None else int(self.next_messages / self._density) + 1
        if last - low < width:
            self.rest = None
            return low, high
        if self.ascending:
            self.rest = low + width, high
            return low, low + width - 1
        self.rest = low, last - width
        return last - width + 1, high  # what has arrived since is above the highest UID that is known

    def learn(self, window: UidRange, elapsed_s: float) -> None:
        """Learn from the time that a window took: the next one takes SEARCH_WINDOW_S, about."""
        messages, elapsed_s = self._count(window), max(elapsed_s, _INSTANT_S)
        speeds = self.quirks.search_speeds
        if messages and (elapsed_s >= SEARCH_WINDOW_S or self._criteria in speeds):
            speeds[self._criteria] = messages / elapsed_s  # one that was slow once may be fast again
        if self.next_messages is not None:
            self.next_messages = (
                int(self.next_messages * min(SEARCH_WINDOW_S / elapsed_s, SEARCH_WINDOW_GROWTH_MAX)) + 1
            )

    @property
    def _criteria(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.query.criteria)

    @property
    def _exists(self) -> int:
        return self.quirks.sizes.get(self.mailbox, 0)

    @property
    def _uidnext(self) -> int:
        return self.quirks.uidnexts.get(self.mailbox, 0)

    @property
    def _density(self) -> float:
        """Messages for each UID, on average; 1 if that isn't known."""
        return min(self._exists / self._uidnext, 1.0) if self._exists and self._uidnext else 1.0

    def _last(self, uids: UidRange) -> int:
        """Return the highest UID of a range that may be in use, as far as it is known."""
        return max(self._uidnext, 1) - 1 if uids[1] is None else uids[1]

    def _count(self, uids: UidRange) -> int:
        """Estimate how many messages a range has."""
        return int(max(self._last(uids) - uids[0] + 1, 0) * self._density)

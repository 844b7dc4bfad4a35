"""What is requested of one mailbox, and the page that comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Protocol

from mailmcp.imap.fetch import Fetched
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.cache import UidCache
from mailmcp.imap.search.order import Order
from mailmcp.imap.session import Session
from mailmcp.model.cursor import Position
from mailmcp.model.query import SearchQuery


class Tally(Protocol):
    """Takes the matches of a mailbox one by one, the latest first, so that their rows need not be kept."""

    def add(self, row: FetchedMessage) -> None:
        """Add a match."""

    def grant(self, wanted: int) -> int:
        """Return how many messages to fetch next, at most `wanted`; 0 to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One page of the matches in one mailbox."""

    position: Position
    """The mailbox, and where in it the page begins."""

    query: SearchQuery
    size: int
    """Matches on a full page, from 1."""

    items: Callable[[Session], Sequence[str]]
    """Chooses the data items of a row by what the server can do.

    A `BODY.PEEK[HEADER.FIELDS (…)]` among them may come back with more fields.
    """

    order: Order = Order()  # noqa: RUF009 - it is immutable
    doubted: frozenset[str] = frozenset()
    """Names of criteria that the server must not be asked for; see `doubt`."""

    search_until: float = inf
    """By `Quirks.clock`: when to return what was found so far."""

    report: Callable[[int, int], None] = lambda _searched, _exists: None
    """Called with progress if it takes several searches: messages searched so far, and all."""

    tally: Tally | None = None
    """Adds up the matches, by UID, instead of keeping their rows."""

    cache: UidCache = field(default_factory=UidCache, compare=False)
    """What earlier pages found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxPage:
    """The matches of one page, and how far they can be trusted."""

    position: Position
    """Where the page begins: with the UIDVALIDITY and the way of the search."""

    order: Order
    exists: int
    """Messages in the mailbox, matching or not."""

    matches: tuple[Position, ...]
    """The places of the matches of this page, in order, also of those that couldn't be fetched."""

    fetched: Fetched
    """A row or a failure for each match.

    If the connection failed, rows of the page that didn't come are failures.
    """

    after: Position
    """Where the next page begins if all matches are shown: after all that was checked."""

    left: int
    """What follows this page: candidates that weren't checked, and messages that weren't searched.

    If `total_exact`, they all match. While some are left, matches may follow, even if the page isn't full.
    """

    total: int
    """Matches from the beginning of this page on. Only the first page's is shown; later ones may estimate."""

    total_exact: bool
    """Whether there are exactly so many; otherwise at most."""

    checked: int
    """Candidates that were looked at."""

    unchecked: int = 0
    """Candidates that were found, and left because the time was over or the connection failed."""

    in_order: bool = True
    """False if the rows show that the way of the search isn't the order that was asked for."""

    from_cache: bool = False
    tally: Tally | None = None
    """What added up the matches, if that was requested; they aren't in `matches` then."""

    statements: tuple[str, ...] = ()
    """Sentences: how the server was asked, what was verified here, what couldn't be seen."""

    reach: str = ""
    """Sentence: how far the search got, if it ended before all was searched; later pages go on."""

    known_gaps: str = ""
    """Sentence: where servers may miss matches; "" if nowhere."""

    complete: bool = True
    """False if there may be matches that no page of this search can show."""

    @property
    def uids(self) -> tuple[int, ...]:
        """The matches of this page, in order."""
        return tuple(each.uid for each in self.matches)

    @property
    def mailbox(self) -> str:
        """Its name."""
        return self.position.mailbox

    @property
    def uidvalidity(self) -> int:
        """That of the mailbox."""
        return self.position.uidvalidity

    @property
    def frontier(self) -> int | None:
        """The rank after which more matches may follow; None if there are none, or it isn't known."""
        return self.after.rank if self.left and self.checked else None

    def place_after(self, taken: int, *, edge: int) -> Position:
        """Return where a page begins that follows the first matches of this one.

        Args:
            taken: How many, from 0.
            edge: The rank of the last message that the caller shows, perhaps of another mailbox.
        """
        if taken == len(self.matches):
            return self.after
        if taken:
            return self.matches[taken - 1]
        if self.position.uid or self.order.ascending:
            return self.position
        return replace(self.position, rank=edge)  # what would come before it has arrived since

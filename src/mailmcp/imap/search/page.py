"""The values of a search: what is requested of one mailbox, and the page of matches that comes back."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from mailmcp.imap.fetch import Fetched
from mailmcp.imap.search.order import UID_RANK, Order, Position
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.uid_search import UidRange
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.model.query import SearchQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateList:
    """The candidates that a page leaves for the next one, and the mailbox as it was when they were found."""

    uids: "array[int]"
    """In order; complete after the position of the page that they are kept for."""

    exists: int
    uidnext: int | None
    verified: bool
    """Whether each candidate is known to match."""

    rest: UidRange | None = None
    """UIDs after the candidates that have not been searched; None if all have."""

    def is_current(self, mailbox: SelectedMailbox, order: Order) -> bool:
        """Return whether a search made now would find the same messages after any position.

        EXISTS and UIDNEXT show that nothing was expunged and how many messages arrived. Those have
        higher UIDs, so they come before every position of `Order.NEWEST`. Flags may have changed.
        """
        if self.uidnext is None or mailbox.uidnext is None:
            return False
        arrived = mailbox.uidnext - self.uidnext
        unchanged = arrived == 0 or (order is Order.NEWEST and arrived > 0)
        return unchanged and mailbox.exists - self.exists == arrived


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One page of the matches in one mailbox."""

    mailbox: str
    query: SearchQuery
    size: int
    """Matches on a full page, from 1."""

    items: Callable[[Session], Sequence[str]]
    """Chooses the data items of a row by what the server can do.

    A `BODY.PEEK[HEADER.FIELDS (…)]` among them may come back with more fields.
    """

    order: Order = Order.NEWEST
    merge_order: Order | None = None
    """The order of the pages that it is merged with, if that is another one than `order`."""

    after: Position | None = None
    """The last candidate that the previous page checked (`MailboxPage.last`)."""

    known: CandidateList | None = None
    """Candidates in `order` from an earlier page. They save the SEARCH as long as they are current."""

    doubted: frozenset[str] = frozenset()
    """Names of criteria that the server must not be asked for; see `doubt`."""

    may_reorder: bool = False
    """Whether an order by UID becomes one by arrival if UIDs turn out not to follow it."""

    share: int = 1
    """How many mailboxes are searched at the same time on the session."""

    uidvalidity: int | None = None
    """The UIDVALIDITY of the caller's cursor; None for any."""

    search_until: float = inf
    """On the clock of the quirks: when to return what was found so far."""

    report: Callable[[int, int], None] = lambda _searched, _exists: None
    """Called with progress if it takes several searches: messages searched so far, and all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The messages that may match."""

    plan: Plan
    uids: "array[int]"
    """In order; complete after the position."""

    start: int
    """Index of the first one after the position."""

    rest: UidRange | None = None
    """UIDs after the candidates that have not been searched; None if all have."""

    more: int = 0
    """Matches after the candidates, at most."""

    more_exact: bool = True
    """Whether there are exactly so many."""

    known: CandidateList | None = None
    """Those of an earlier page, if some come from there, without a search."""

    is_verified: bool = False
    """Whether each is known to match, so that nothing is left to verify."""

    is_sorted: bool = False
    """Whether the server put them in order."""

    reach: str = ""
    """Sentence: how far the search got, if it ended before all was searched."""

    statements: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxPage:
    """The matches of one page, and how far they can be trusted."""

    mailbox: str
    uidvalidity: int
    exists: int
    """Messages in the mailbox, matching or not."""

    uids: tuple[int, ...]
    """The matches of this page, in `order`, including those that couldn't be fetched."""

    order: Order = Order.NEWEST
    in_order: bool = True
    """False for an order by UID where UIDs don't follow arrival and there are too many to sort.

    False also if the server sorted messages by dates that aren't those of their headers.
    """

    ranks: Mapping[int, int] = field(default_factory=dict)
    """By UID of this page: the rank in the order in which pages are merged. Empty in orders by UID."""

    frontier: int | None = None
    """The rank after which more matches may follow, as far as it is known; None if there are none."""

    fetched: Fetched
    """A row or a failure for each of `uids`."""

    candidates: CandidateList
    """`PageRequest.known` if it was still current."""

    last: Position | None
    """The last candidate checked, match or not: the next page begins after it.

    None if no candidate was checked, or none whose place in the order is known.
    """

    left: int
    """Candidates after `last`, at most. Unless it is 0, matches may follow even if the page isn't full."""

    total: int
    """Matches from this page on, and those before it that are among `candidates`."""

    total_exact: bool
    """Whether there are exactly so many; otherwise at most."""

    candidates_checked: int
    unchecked: int = 0
    """Candidates that were left for the next page, though this one isn't full."""

    statements: tuple[str, ...] = ()
    """Sentences: how the server was asked, what was verified here, what couldn't be seen."""

    reach: str = ""
    """Sentence: how far the search got, if it ended before all was searched; later pages go on."""

    known_gaps: str = ""
    """Sentence: where servers may miss matches; "" if nowhere."""

    complete: bool = True
    """False if there may be matches that no page of this search can show."""

    def position_of(self, uid: int) -> Position:
        """Return the position of a match of this page."""
        rank = UID_RANK if self.order.is_by_uid and self.ranks else self.ranks.get(uid, 0)
        return Position(uidvalidity=self.uidvalidity, uid=uid, rank=rank)

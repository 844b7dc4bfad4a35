"""What is asked of a search in one mailbox, and what it gives: one page of matches."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mailmcp.imap.fetch import Fetched
from mailmcp.imap.search.order import Order, Position
from mailmcp.imap.search.verify import Proofs
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.model.query import SearchQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateList:
    """The candidates of an earlier page, and the mailbox as it was when they were searched for."""

    uids: "array[int]"
    """In order; complete after the position that they are looked up for."""

    exists: int
    uidnext: int | None
    sifted: bool
    """Whether each candidate was found to match."""

    def holds(self, mailbox: SelectedMailbox, order: Order) -> bool:
        """Whether a search made now would find the same messages after any position.

        EXISTS and UIDNEXT show that no message was expunged, and how many arrived: those have higher
        UIDs, so they come before every position of `Order.NEWEST`. Flags may have changed.
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
    proofs: Proofs
    size: int
    """Most matches wanted, from 1."""

    items: Callable[[Session], Sequence[str]]
    """Chooses the data items of a row by what the server can do.

    A `BODY.PEEK[HEADER.FIELDS (…)]` among them may come with more fields than were asked for.
    """

    order: Order = Order.NEWEST
    after: Position | None = None
    """The last candidate that an earlier page looked at (`MailboxPage.last`): go on after it."""

    known: CandidateList | None = None
    """The candidates in `order`; saves the SEARCH as long as they hold."""

    may_reorder: bool = False
    """Whether an order by UID becomes one by arrival if UIDs turn out not to follow it."""

    uidvalidity: int | None = None
    """What the caller's cursor was made with; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxPage:
    """The matches of one page, and how far they can be trusted."""

    mailbox: str
    uidvalidity: int
    exists: int
    """Messages in the mailbox, matching or not."""

    uids: tuple[int, ...]
    """The matches of this page, in `order`; those among them that could not be had included."""

    order: Order = Order.NEWEST
    in_order: bool = True
    """False if it is an order by UID though UIDs do not go by arrival: there are too many to be sorted."""

    ranks: Mapping[int, int] = field(default_factory=dict)
    """By UID of this page; see `Position.rank`. Empty in orders by UID."""

    fetched: Fetched
    """A row or a failure for each of `uids`."""

    candidates: CandidateList
    """What may match, in order; complete after `PageRequest.after`. `PageRequest.known` if that holds."""

    last: Position | None
    """The last candidate looked at, match or not: the next page begins after it.

    None if there was none whose place is known: in orders by arrival or size, none that is still there.
    """

    left: int
    """Candidates after `last`. More matches may be among them unless it is 0, though the page be not full."""

    total_exact: bool
    """Whether each candidate matches; else there are at most as many matches as candidates."""

    candidates_checked: int
    """Candidates that this page looked at."""

    statements: tuple[str, ...] = ()
    """English sentences: how it was asked, what was verified here, what could not be seen."""

    unverified: str = ""
    """English sentence: what the answer rests on that nothing has shown to work; "" where all is proven."""

    known_gaps: str = ""
    """English sentence: where the server may overlook what was asked for; "" if nowhere."""

    complete: bool = True
    """False if there may be matches that no page of this search can show; whatever is `unverified`."""

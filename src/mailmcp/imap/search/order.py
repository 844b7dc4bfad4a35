"""The order of a search's messages, and a message's place in it."""

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.search.verify import internaldate_epoch

_RANK_MAX = 10**11
"""Above every size and time of arrival, and no longer than a cursor may say."""


class Order(StrEnum):
    """How the messages of a search follow each other."""

    NEWEST = "newest"
    """Highest UID first: latest in the mailbox, as long as nothing old was moved there. So `OLDEST`."""

    OLDEST = "oldest"
    LARGEST = "largest"
    """By RFC822.SIZE, the largest first; of one size, the highest UID first."""

    NEWEST_ARRIVAL = "newest_arrival"
    """By INTERNALDATE, the latest first; of one second, the highest UID first."""

    OLDEST_ARRIVAL = "oldest_arrival"
    """The same, backwards."""

    @property
    def by_uid(self) -> bool:
        """Whether UIDs alone tell the order."""
        return self in {Order.NEWEST, Order.OLDEST}

    @property
    def by_arrival(self) -> "Order":
        """The order by INTERNALDATE that orders by UID stand for; others as they are."""
        return {Order.NEWEST: Order.NEWEST_ARRIVAL, Order.OLDEST: Order.OLDEST_ARRIVAL}.get(self, self)

    @property
    def ascending(self) -> bool:
        """Whether lower ranks, and of one rank lower UIDs, come first."""
        return self in {Order.OLDEST, Order.OLDEST_ARRIVAL}

    @property
    def first_rank(self) -> int:
        """A rank that comes before those of all messages; 0 in orders by UID."""
        if self.by_uid:
            return 0
        return -_RANK_MAX if self.ascending else _RANK_MAX

    @property
    def items(self) -> tuple[str, ...]:
        """The data items that tell a message's rank."""
        if self.by_uid:
            return ()
        return ("RFC822.SIZE",) if self is Order.LARGEST else ("INTERNALDATE",)

    @property
    def sort_key(self) -> bytes:
        """The key of SORT (RFC 5256 section 3), which sorts upwards; none in orders by UID."""
        if self.by_uid:
            return b""
        return b"SIZE" if self is Order.LARGEST else b"ARRIVAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A message in an order, whether it is still there or not."""

    uidvalidity: int
    uid: int
    rank: int = 0
    """INTERNALDATE in seconds since 1970, or octets, by the order; 0 in orders by UID."""


def rank_of(message: FetchedMessage, order: Order) -> int | None:
    """Tell a message's rank; None if the server did not say. 0 in orders by UID."""
    if order.by_uid:
        return 0
    return message.size_octets if order is Order.LARGEST else internaldate_epoch(message)


def arrange(uids: Sequence[int], ranks: Mapping[int, int], order: Order) -> "array[int]":
    """Put messages in order; those of no known rank count as 0."""
    return array("I", sorted(uids, key=lambda uid: (ranks.get(uid, 0), uid), reverse=not order.ascending))


def from_rising(uids: Sequence[int], order: Order) -> "array[int]":
    """Take messages whose ranks rise, and of one rank the UIDs, into an order."""
    return array("I", uids if order.ascending else reversed(uids))


def is_after(uid: int, rank: int, after: Position, order: Order) -> bool:
    """Whether a message comes after a position."""
    here, there = (rank, uid), (after.rank, after.uid)
    return here > there if order.ascending else here < there


def find_start(candidates: Sequence[int], after: Position | None, order: Order) -> int | None:
    """Find the index of the first candidate after a position.

    None if the position's message is not among them, and its place is a matter of ranks.
    """
    if after is None:
        return 0
    if order.by_uid:
        sign = 1 if order.ascending else -1
        return bisect_left(candidates, sign * after.uid + 1, key=lambda uid: sign * uid)
    try:
        return candidates.index(after.uid) + 1
    except ValueError:
        return None


def rest_of_uids(after: Position | None, order: Order) -> tuple[int, int | None]:
    """Give the lowest and the highest UID that can come after a position; None for no end."""
    if after is None or not order.by_uid:
        return 1, None
    return (after.uid + 1, None) if order.ascending else (1, after.uid - 1)

"""The order of a search's messages, a message's place in it, and whether UIDs follow arrival."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.proof import written_at
from mailmcp.imap.search.verify import DATE_HEADER
from mailmcp.imap.session import Session

ORDER_SAMPLE_MESSAGES: Final = 20
"""Messages beyond a page that show whether UIDs follow arrival, about 60 octets each."""

_RANK_MAX = 10**12 - 1
"""Above every size and time, and no longer than a cursor allows."""

_TWO_DAYS_S = 2 * 86_400

UID_RANK = _RANK_MAX - 1
"""In a cursor: the position is one by UID, though the messages of all mailboxes go by arrival."""


class Order(StrEnum):
    """The order of a search's messages: by UID, or by a rank and within one rank by UID."""

    items: tuple[str, ...]
    """The data items that hold a message's rank; none in orders by UID."""

    sort_key: bytes
    """The key of SORT (RFC 5256 section 3), which sorts in ascending order; empty in orders by UID."""

    ascending: bool
    is_by_uid: bool
    first_rank: int
    """A rank before those of all messages; 0 in orders by UID."""

    def __new__(
        cls,
        value: str,
        items: tuple[str, ...] = (),
        sort_key: bytes = b"",
        ascending: bool = False,  # noqa: FBT001, FBT002
    ) -> "Order":
        """Make a member: a row of the table below."""
        order = str.__new__(cls, value)
        order._value_ = value
        order.items, order.sort_key, order.ascending, order.is_by_uid = items, sort_key, ascending, not items
        order.first_rank = 0 if not items else -_RANK_MAX if ascending else _RANK_MAX
        return order

    NEWEST = "newest", (), b"", False
    """The latest arrival first, unless old messages were moved into the mailbox."""

    OLDEST = "oldest", (), b"", True
    LARGEST = "largest", ("RFC822.SIZE",), b"SIZE", False
    NEWEST_ARRIVAL = "newest_arrival", ("INTERNALDATE",), b"ARRIVAL", False
    OLDEST_ARRIVAL = "oldest_arrival", ("INTERNALDATE",), b"ARRIVAL", True
    NEWEST_WRITTEN = "newest_written", ("INTERNALDATE", DATE_HEADER), b"DATE", False
    OLDEST_WRITTEN = "oldest_written", ("INTERNALDATE", DATE_HEADER), b"DATE", True

    @property
    def by_uid(self) -> "Order":
        """The order by UID that approximates an order by time; other orders unchanged."""
        if self is Order.LARGEST:
            return self
        return Order.OLDEST if self.ascending else Order.NEWEST

    @property
    def by_arrival(self) -> "Order":
        """The order by INTERNALDATE that an order by UID approximates; other orders unchanged."""
        return {Order.NEWEST: Order.NEWEST_ARRIVAL, Order.OLDEST: Order.OLDEST_ARRIVAL}.get(self, self)

    @property
    def by_written(self) -> "Order":
        """The order by Date header in place of one by arrival; other orders unchanged."""
        return {Order.NEWEST: Order.NEWEST_WRITTEN, Order.OLDEST: Order.OLDEST_WRITTEN}.get(self, self)

    @property
    def is_by_written(self) -> bool:
        """Whether messages go by their Date headers."""
        return DATE_HEADER in self.items


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A message in an order, whether it still exists or not."""

    uidvalidity: int
    uid: int
    rank: int = 0
    """INTERNALDATE or Date in seconds since 1970, or octets, by the order; 0 in orders by UID.

    `UID_RANK` in an order by UID that approximates one by arrival.
    """


def rank_of(message: FetchedMessage, order: Order) -> int | None:
    """Return a message's rank; None if the server didn't send it. 0 in orders by UID."""
    if order.is_by_uid:
        return 0
    if order.is_by_written:
        return written_at(message)
    return message.size_octets if order is Order.LARGEST else message.internaldate_epoch


def sort_by_rank(ranks: Mapping[int, int], order: Order) -> "array[int]":
    """Sort UIDs by their ranks."""
    return array("I", sorted(ranks, key=lambda uid: (ranks[uid], uid), reverse=not order.ascending))


def are_in_order(ranks: Iterable[int], order: Order) -> bool:
    """Return whether ranks go as their order says."""
    sign = 1 if order.ascending else -1
    return all(sign * before <= sign * after for before, after in pairwise(ranks))


def are_nearly_in_order(ranks: Iterable[int], order: Order) -> bool:
    """Return whether a server may have sorted by these ranks: some sort by days, in a zone of their own."""
    slack = _TWO_DAYS_S if order.items == ("INTERNALDATE",) else _RANK_MAX
    sign = 1 if order.ascending else -1
    return all(sign * before <= sign * after + slack for before, after in pairwise(ranks))


def is_after(uid: int, rank: int, after: Position, order: Order) -> bool:
    """Return whether a message comes after a position."""
    here, there = (rank, uid), (after.rank, after.uid)
    return here > there if order.ascending else here < there


def find_start(candidates: Sequence[int], after: Position | None, order: Order) -> int | None:
    """Return the index of the first candidate after a position.

    None if the position's message isn't among them and only ranks can show its place.
    """
    if after is None:
        return 0
    if order.is_by_uid:
        sign = 1 if order.ascending else -1
        return bisect_left(candidates, sign * after.uid + 1, key=lambda uid: sign * uid)
    try:
        return candidates.index(after.uid) + 1
    except ValueError:
        return None


def uids_after(after: Position | None, order: Order) -> tuple[int, int | None]:
    """Return the lowest and the highest UID that can come after a position; None for no end."""
    if after is None or not order.is_by_uid:
        return 1, None
    return (after.uid + 1, None) if order.ascending else (1, after.uid - 1)


# The highest UID is the latest arrival in most mailboxes, and finding it is free. Messages that were moved
# or imported have high UIDs and old INTERNALDATEs; a few times fetched with a page's rows show that.


def uids_follow_arrival(rows: Mapping[int, FetchedMessage]) -> bool:
    """Return whether higher UIDs arrived later, within ORDER_SLACK_S; ignores rows without a time."""
    latest: int | None = None
    for uid in sorted(rows):
        arrived = rows[uid].internaldate_epoch
        if arrived is None:
            continue
        if latest is not None and arrived < latest - limits.ORDER_SLACK_S:
            return False
        latest = max(arrived, latest or arrived)
    return True


def sample_evenly(uids: Sequence[int]) -> Sequence[int]:
    """Return some of the UIDs: all if they are few, otherwise from all over, including the last."""
    count = min(len(uids), ORDER_SAMPLE_MESSAGES)
    return [uids[len(uids) * number // count - 1] for number in range(1, count + 1)]


def can_sort_by_arrival(session: Session, candidates: int, *, exists: int) -> bool:
    """Return whether all candidates can be sorted: by the server, or here if they are few."""
    by_server = session.can("SORT") and exists <= limits.LARGE_MAILBOX_MESSAGES
    return by_server or candidates <= limits.SORT_CANDIDATES_MAX

"""The order of a search: the rank of a message, and what shows that UIDs don't follow it."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.verify import DATE_HEADER, written_at
from mailmcp.model.cursor import Position

ORDER_SLACK_S: Final = 600
"""A message may seem this much older than the one before it: deliveries overtake each other."""

ORDER_SAMPLE_MESSAGES: Final = 20
"""Messages beyond a page that show whether UIDs follow arrival, about 60 octets each."""


class RankBy(StrEnum):
    """What a message's place in the order depends on; of two with one rank, the UID decides."""

    ARRIVED = "arrived"
    """INTERNALDATE, in seconds since 1970."""

    WRITTEN = "written"
    """The Date header, or INTERNALDATE where that is missing or can't be read."""

    SIZE = "size"
    """RFC822.SIZE."""


RANK_ITEMS: Final = {
    RankBy.ARRIVED: ("INTERNALDATE",),
    RankBy.WRITTEN: ("INTERNALDATE", DATE_HEADER),
    RankBy.SIZE: ("RFC822.SIZE",),
}
"""The data items that hold a message's rank."""

SORT_KEYS: Final = {RankBy.ARRIVED: b"ARRIVAL", RankBy.WRITTEN: b"DATE", RankBy.SIZE: b"SIZE"}
"""The keys of SORT, which sorts in ascending order (RFC 5256 section 3)."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a search's messages."""

    by: RankBy = RankBy.ARRIVED
    ascending: bool = False
    """Whether the oldest come first; otherwise the newest, or the largest."""


def rank_of(message: FetchedMessage, order: Order) -> int | None:
    """Return a message's rank; None if the server didn't send it."""
    match order.by:
        case RankBy.WRITTEN:
            return written_at(message)
        case RankBy.SIZE:
            return message.size_octets
        case _:
            return message.internaldate_epoch


def sort_by_rank(ranks: Mapping[int, int], order: Order) -> "array[int]":
    """Sort UIDs by their ranks."""
    return array("I", sorted(ranks, key=lambda uid: (ranks[uid], uid), reverse=not order.ascending))


def is_after(uid: int, rank: int, position: Position, order: Order) -> bool:
    """Return whether a message comes after a position by SORT or in a block; by UID, only the UID counts."""
    here, there = (rank, uid), (position.rank, position.uid)
    return here > there if order.ascending else here < there


def are_in_order(ranks: Iterable[int], order: Order, *, slack: int = 0) -> bool:
    """Return whether ranks go as their order says, give or take `slack`."""
    sign = 1 if order.ascending else -1
    return all(sign * before <= sign * after + slack for before, after in pairwise(ranks))


# The highest UID is the latest arrival in most mailboxes, and finding it is free. Messages that were moved
# or imported have high UIDs and old INTERNALDATEs; a few times fetched with a page's rows show that.


def uids_follow_arrival(rows: Iterable[FetchedMessage]) -> bool:
    """Return whether higher UIDs arrived later, within ORDER_SLACK_S; ignores rows without a time."""
    latest: int | None = None
    for row in sorted(rows, key=lambda each: each.uid):
        arrived = row.internaldate_epoch
        if arrived is None:
            continue
        if latest is not None and arrived < latest - ORDER_SLACK_S:
            return False
        latest = max(arrived, latest or arrived)
    return True


def sample_evenly(uids: Sequence[int]) -> Sequence[int]:
    """Return some of the UIDs: all if they are few, otherwise from all over, including the last."""
    count = min(len(uids), ORDER_SAMPLE_MESSAGES)
    return [uids[len(uids) * number // count - 1] for number in range(1, count + 1)]

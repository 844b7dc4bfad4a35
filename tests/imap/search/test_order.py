"""Orders and positions in them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import (
    Order,
    Position,
    find_start,
    is_after,
    rank_of,
    sort_by_rank,
    uids_after,
)

RANKS = {1: 10, 2: 30, 3: 10, 4: 0}


def at(uid: int, rank: int = 0) -> Position:
    return Position(uidvalidity=1, uid=uid, rank=rank)


@pytest.mark.parametrize(
    ("order", "arranged"),
    [
        (Order.LARGEST, [2, 3, 1, 4]),
        (Order.NEWEST_ARRIVAL, [2, 3, 1, 4]),
        (Order.OLDEST_ARRIVAL, [4, 1, 3, 2]),
    ],
)
def test_equal_ranks_are_sorted_by_uid(order: Order, arranged: list[int]) -> None:
    assert list(sort_by_rank(RANKS, order)) == arranged


def test_ranks_are_sizes_or_seconds() -> None:
    received = datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    message = FetchedMessage(uid=1, size_octets=7, internal_date=received)
    assert rank_of(message, Order.NEWEST) == 0
    assert rank_of(message, Order.LARGEST) == 7
    assert rank_of(message, Order.OLDEST_ARRIVAL) == datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    header = {"HEADER.FIELDS": b"Date: Mon, 01 Jan 2024 02:00:00 +0100\r\n"}
    dated = FetchedMessage(uid=1, sections=header, internal_date=received)
    assert rank_of(dated, Order.NEWEST_WRITTEN) == datetime(2024, 1, 1, 1, tzinfo=UTC).timestamp()
    assert rank_of(FetchedMessage(uid=1), Order.LARGEST) is None
    assert rank_of(FetchedMessage(uid=1), Order.NEWEST_ARRIVAL) is None


@pytest.mark.parametrize(
    ("order", "candidates", "after", "start"),
    [
        (Order.NEWEST, [9, 5, 2], None, 0),
        (Order.NEWEST, [9, 5, 2], at(5), 2),
        (Order.NEWEST, [9, 5, 2], at(6), 1),
        (Order.NEWEST, [9, 5, 2], at(1), 3),
        (Order.OLDEST, [2, 5, 9], at(5), 2),
        (Order.OLDEST, [2, 5, 9], at(4), 1),
        (Order.LARGEST, [5, 9, 2], at(9), 2),
        (Order.LARGEST, [5, 9, 2], at(7), None),
    ],
)
def test_a_page_starts_after_the_position(
    order: Order, candidates: list[int], after: Position | None, start: int | None
) -> None:
    assert find_start(candidates, after, order) == start


def test_what_comes_after_what() -> None:
    assert is_after(5, 10, at(7, 10), Order.LARGEST)
    assert not is_after(7, 10, at(7, 10), Order.LARGEST)
    assert is_after(9, 9, at(7, 10), Order.NEWEST_ARRIVAL)
    assert is_after(8, 10, at(7, 10), Order.OLDEST_ARRIVAL)
    assert not is_after(8, 9, at(7, 10), Order.OLDEST_ARRIVAL)


def test_only_orders_by_uid_restrict_uids() -> None:
    assert uids_after(None, Order.NEWEST) == (1, None)
    assert uids_after(at(5), Order.NEWEST) == (1, 4)
    assert uids_after(at(5), Order.OLDEST) == (6, None)
    assert uids_after(at(5, 3), Order.LARGEST) == (1, None)


@pytest.mark.parametrize("order", list(Order))
def test_each_order_has_an_item_and_a_sort_key_or_neither(order: Order) -> None:
    assert order.is_by_uid == (order.items == ()) == (order.sort_key == b"") == (order.first_rank == 0)

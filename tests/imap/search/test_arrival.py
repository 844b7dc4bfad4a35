"""UIDs that do not go by the time of arrival."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imap.scenes import make_account, session_on
from imap.searches import NOON, PLAIN, letter, request, scan_one, searches
from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.arrival import is_in_order, sample_of
from mailmcp.imap.search.matches import ScanRequest
from mailmcp.imap.search.order import Order
from servers.peer import PeerFactory
from servers.peer_mailbox import PeerMessage


def moved(*hours: float) -> list[PeerMessage]:
    """Messages of rising UIDs that arrived at these hours."""
    messages = [letter(uid) for uid in range(1, len(hours) + 1)]
    for each, hour in zip(messages, hours, strict=True):
        each.received = NOON + timedelta(hours=hour)
    return messages


def beginning(**options: Any) -> ScanRequest:
    """Ask for the first page of one mailbox."""
    return replace(request(**options), may_reorder=True)


def rows(*hours: float | None) -> list[FetchedMessage]:
    return [
        FetchedMessage(uid=uid, internal_date=None if hour is None else NOON + timedelta(hours=hour))
        for uid, hour in enumerate(hours, 1)
    ]


@pytest.mark.parametrize(
    ("hours", "ordered"),
    [
        ((), True),
        ((1,), True),
        ((1, 1, 2, 5), True),
        ((1, 3, 2), False),
        ((1, 1.1, 1), True),
        ((1, 1.1, 1, 0.9), False),
        ((3, None, 4), True),
        ((3, None, 2), False),
    ],
)
def test_higher_uids_came_later_but_for_ten_minutes(
    hours: tuple[float | None, ...], *, ordered: bool
) -> None:
    assert is_in_order(rows(*hours)) is ordered
    assert is_in_order(reversed(rows(*hours))) is ordered


@given(st.integers(0, 500))
def test_a_sample_is_small_and_reaches_the_end(count: int) -> None:
    uids = range(1, count + 1)
    sample = sample_of(uids)
    assert len(sample) == len(set(sample)) == min(count, limits.ORDER_SAMPLE_MESSAGES)
    assert set(sample) <= set(uids)
    assert not sample or sample[-1] == count


@pytest.mark.parametrize("capabilities", [PLAIN, (*PLAIN, "SORT")])
@pytest.mark.parametrize(
    ("order", "expected", "then"),
    [(Order.NEWEST, (1, 4), (3, 2)), (Order.OLDEST, (2, 3), (4, 1))],
)
def test_moved_messages_follow_each_other_by_arrival(
    peer: PeerFactory,
    capabilities: tuple[str, ...],
    order: Order,
    expected: tuple[int, ...],
    then: tuple[int, ...],
) -> None:
    server = peer(messages=moved(90, 1, 2, 3), capabilities=capabilities)
    with session_on(make_account(server), Quirks()) as session:
        first = scan_one(session, beginning(order=order, size=2))
        second = scan_one(session, request(order=first.order, size=2, after=first.last))
    assert first.order is order.by_arrival
    assert (first.uids, second.uids) == (expected, then)
    assert first.ranks[1 if order is Order.NEWEST else 2]


def test_a_mailbox_that_is_known_to_be_unordered_is_asked_so_at_once(peer: PeerFactory) -> None:
    server = peer(messages=moved(90, 1, 2, 3), capabilities=(*PLAIN, "SORT"))
    with session_on(make_account(server), Quirks()) as session:
        scan_one(session, beginning(size=1))
        before = session.dialling.traffic.round_trips
        assert scan_one(session, beginning(size=1)).uids == (1,)
        assert session.dialling.traffic.round_trips - before == 2
    assert searches(server)[0] == "ALL"


def test_a_mailbox_in_order_costs_two_round_trips_and_some_times(peer: PeerFactory) -> None:
    server = peer(messages=moved(*range(200)), capabilities=(*PLAIN, "SORT"))
    with session_on(make_account(server), Quirks()) as session:
        session.examine("INBOX")
        before = session.dialling.traffic.round_trips
        found = scan_one(session, beginning(size=5))
        assert session.dialling.traffic.round_trips - before == 2
    assert found.order is Order.NEWEST
    assert found.uids == (200, 199, 198, 197, 196)
    assert set(found.fetched.messages) == set(found.uids)
    [times] = [each.line for each in server.commands if each.line.endswith("(UID INTERNALDATE)")]
    assert len(times.split()[2].split(",")) == limits.ORDER_SAMPLE_MESSAGES


def test_what_cannot_be_put_in_order_is_said(peer: PeerFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SORT_CANDIDATES_MAX", 3)
    server = peer(messages=moved(90, 1, 2, 3), capabilities=PLAIN)
    with session_on(make_account(server), Quirks()) as session:
        for _ in range(2):
            found = scan_one(session, beginning(size=2))
            assert (found.order, found.uids, found.complete) == (Order.NEWEST, (4, 3), True)
            assert "not that of their arrival" in found.statements[-1]


def test_few_matches_of_many_messages_are_put_in_order_here(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SORT_CANDIDATES_MAX", 3)
    messages = moved(90, 1, 2, 3)
    for each in messages[:3]:
        each.flags = ("\\Flagged",)
    server = peer(messages=messages, capabilities=PLAIN)
    with session_on(make_account(server), Quirks()) as session:
        for _ in range(2):
            assert scan_one(session, beginning(size=1, flagged=True)).uids == (1,)


def test_a_page_that_goes_on_keeps_its_order(peer: PeerFactory) -> None:
    """Whoever began by UID goes on by UID, whatever was learned meanwhile."""
    server = peer(messages=moved(90, 1, 2, 3), capabilities=PLAIN)
    with session_on(make_account(server), Quirks(unordered={"INBOX"})) as session:
        assert scan_one(session, request(size=2)).uids == (4, 3)

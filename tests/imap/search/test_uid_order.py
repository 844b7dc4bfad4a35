"""UIDs that don't follow arrival."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imap.scenes import make_account, open_mailbox, session_on
from imap.searches import NOON, PLAIN, letter, request, search_one, searches
from mailmcp import limits
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import ORDER_SAMPLE_MESSAGES, Order, sample_evenly, uids_follow_arrival
from mailmcp.imap.search.page import PageRequest
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage


def moved(*hours: float) -> list[PeerMessage]:
    """Make messages with ascending UIDs that arrived at these hours."""
    messages = [letter(uid) for uid in range(1, len(hours) + 1)]
    for each, hour in zip(messages, hours, strict=True):
        each.received = NOON + timedelta(hours=hour)
    return messages


def beginning(**options: Any) -> PageRequest:
    """Ask for the first page of one mailbox."""
    return replace(request(**options), may_reorder=True)


def rows(*hours: float | None) -> dict[int, FetchedMessage]:
    return {
        uid: FetchedMessage(uid=uid, internal_date=None if hour is None else NOON + timedelta(hours=hour))
        for uid, hour in enumerate(hours, 1)
    }


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
def test_higher_uids_arrived_later_within_ten_minutes(
    hours: tuple[float | None, ...], *, ordered: bool
) -> None:
    assert uids_follow_arrival(rows(*hours)) is ordered
    assert uids_follow_arrival(dict(reversed(rows(*hours).items()))) is ordered


@given(st.integers(0, 500))
def test_a_sample_is_small_and_reaches_the_end(count: int) -> None:
    uids = range(1, count + 1)
    sample = sample_evenly(uids)
    assert len(sample) == len(set(sample)) == min(count, ORDER_SAMPLE_MESSAGES)
    assert set(sample) <= set(uids)
    assert not sample or sample[-1] == count


@pytest.mark.parametrize("capabilities", [PLAIN, (*PLAIN, "SORT")])
@pytest.mark.parametrize(
    ("order", "expected", "then"),
    [(Order.NEWEST, (1, 4), (3, 2)), (Order.OLDEST, (2, 3), (4, 1))],
)
def test_moved_messages_are_sorted_by_arrival(
    peer: PeerFactory,
    capabilities: tuple[str, ...],
    order: Order,
    expected: tuple[int, ...],
    then: tuple[int, ...],
) -> None:
    server = peer(messages=moved(90, 1, 2, 3), capabilities=capabilities)
    with session_on(make_account(server), Quirks()) as session:
        first = search_one(session, beginning(order=order, size=2))
        second = search_one(session, request(order=first.order, size=2, after=first.last))
    assert first.order is order.by_arrival
    assert (first.uids, second.uids) == (expected, then)
    assert first.ranks[1 if order is Order.NEWEST else 2]


def test_a_mailbox_known_to_be_out_of_order_is_sorted_at_once(peer: PeerFactory) -> None:
    server = peer(messages=moved(90, 1, 2, 3), capabilities=(*PLAIN, "SORT"))
    with session_on(make_account(server), Quirks()) as session:
        search_one(session, beginning(size=1))
        before = session.handle.traffic.round_trips
        assert search_one(session, beginning(size=1)).uids == (1,)
        assert session.handle.traffic.round_trips - before == 2
    assert searches(server)[0] == "ALL"


def test_a_mailbox_in_order_costs_two_round_trips_and_some_times(peer: PeerFactory) -> None:
    server = peer(messages=moved(*range(200)), capabilities=(*PLAIN, "SORT"))
    with session_on(make_account(server), Quirks()) as session:
        open_mailbox(session, "INBOX")
        before = session.handle.traffic.round_trips
        found = search_one(session, beginning(size=5))
        assert session.handle.traffic.round_trips - before == 2
    assert found.order is Order.NEWEST
    assert found.uids == (200, 199, 198, 197, 196)
    assert set(found.fetched.messages) == set(found.uids)
    [times] = [each.line for each in server.commands if each.line.endswith("(UID INTERNALDATE)")]
    assert len(times.split()[2].split(",")) == ORDER_SAMPLE_MESSAGES


@pytest.mark.parametrize(
    "sort",
    [None, b"{tag} NO cannot\r\n", b"{tag} OK [MESSAGELIMIT 2 3] -\r\n"],
)
def test_messages_that_cannot_be_sorted_stay_by_uid(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, sort: bytes | None
) -> None:
    """Where the server can't sort, or doesn't sort all, nothing is left out."""
    monkeypatch.setattr(limits, "SORT_CANDIDATES_MAX", 3)
    rules = [Rule(command="UID SORT", action=Respond(sort))] if sort else []
    capabilities = (*PLAIN, "SORT") if sort else PLAIN
    server = peer(messages=moved(90, 1, 2, 3), capabilities=capabilities, rules=rules)
    with session_on(make_account(server), Quirks()) as session:
        for _ in range(2):
            found = search_one(session, beginning(size=2))
            assert (found.order, found.uids, found.complete) == (Order.NEWEST, (4, 3), True)
            assert (found.in_order, found.left) == (False, 2)
        found = search_one(session, beginning(size=2))
        rest = search_one(session, request(size=2, after=found.last))
        assert (rest.uids, rest.in_order) == ((2, 1), False)


@pytest.mark.parametrize("answer", [b"* SORT 1 2 3 4\r\n{tag} OK -\r\n"])
def test_a_wrong_sort_is_not_used(peer: PeerFactory, answer: bytes) -> None:
    """It ignores the times of messages."""
    rules = [Rule(command="UID SORT", action=Respond(answer))]
    server = peer(messages=moved(90, 1, 200, 3), capabilities=(*PLAIN, "SORT"), rules=rules)
    with session_on(make_account(server), Quirks()) as session:
        for _ in range(2):
            found = search_one(session, beginning(size=3, unread_only=True))
            assert (found.uids, found.left, found.complete) == ((3, 1, 4), 1, True)
        assert not session.quirks.allows("SORT")


def test_few_matches_of_many_messages_are_sorted_here(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SORT_CANDIDATES_MAX", 3)
    messages = moved(90, 1, 2, 3)
    for each in messages[:3]:
        each.flags = ("\\Flagged",)
    server = peer(messages=messages, capabilities=PLAIN)
    with session_on(make_account(server), Quirks()) as session:
        for _ in range(2):
            assert search_one(session, beginning(size=1, flagged=True)).uids == (1,)


def test_a_later_page_keeps_the_order_of_the_first(peer: PeerFactory) -> None:
    """A search that began by UID continues by UID, whatever was learned meanwhile."""
    server = peer(messages=moved(90, 1, 2, 3), capabilities=PLAIN)
    with session_on(make_account(server), Quirks(uids_out_of_order={"INBOX"})) as session:
        assert search_one(session, request(size=2)).uids == (4, 3)


@pytest.mark.parametrize("seed", range(40))
def test_pages_of_any_mailbox_give_each_message_once(peer: PeerFactory, seed: int) -> None:
    """By UID or by arrival, as the first page turned out; with the candidates remembered or not."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    hours = sorted(chance.uniform(0, 900) for _ in range(chance.randint(1, 60)))
    for _ in range(chance.randint(0, 3)):  # what was moved
        hours.append(hours.pop(chance.randrange(len(hours))))
    order = chance.choice([Order.NEWEST, Order.OLDEST])
    capabilities = chance.choice([PLAIN, (*PLAIN, "SORT"), (*PLAIN, "ESEARCH", "SORT")])
    messages = moved(*hours)
    size = chance.randint(1, 25)
    given: list[int] = []
    with session_on(make_account(peer(messages=messages, capabilities=capabilities)), Quirks()) as session:
        found = search_one(session, beginning(order=order, size=size))
        while True:
            given += found.uids
            if not found.left:
                break
            known = found.candidates if chance.random() < 0.5 else None
            going_on = request(order=found.order, size=size, after=found.last, known=known)
            found = search_one(session, going_on)
    received = {each.uid: int(each.received.timestamp()) for each in messages}
    by_uid = sorted(received, reverse=order is Order.NEWEST)
    by_arrival = sorted(received, key=lambda uid: (received[uid], uid), reverse=order is Order.NEWEST)
    assert given == (by_uid if found.order.is_by_uid else by_arrival)
    if len(messages) <= size + ORDER_SAMPLE_MESSAGES:  # all were compared
        assert given == by_arrival or found.order.is_by_uid
        assert found.order.is_by_uid == uids_follow_arrival(
            {each.uid: FetchedMessage(uid=each.uid, internal_date=each.received) for each in messages}
        )

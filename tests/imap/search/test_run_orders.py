"""Orders, positions and times: exact, whatever the server's zone."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from imap.scenes import make_account, session_on
from imap.searches import (
    NOON,
    PLAIN,
    all_pages,
    candidate_list,
    find,
    letter,
    letters,
    request,
    search_one,
)
from mailmcp import limits
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.order import Order, Position
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Rule
from servers.peer_mailbox import PeerMessage


@pytest.mark.parametrize("remembering", [True, False])
@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "ESEARCH", "SORT", "LITERAL+")])
def test_pages_go_through_every_order(
    peer: PeerFactory, order: Order, capabilities: tuple[str, ...], *, remembering: bool
) -> None:
    """Sizes and times have ties; SORT and our own sorting break them alike."""
    messages = [
        letter(
            uid,
            size=uid % 3,
            received=NOON + timedelta(minutes=uid * 7 % 5),
            **({"written": f"Fri, 1 Mar 2024 11:0{uid * 3 % 4}:00 -0100"} if uid % 5 else {}),
        )
        for uid in range(1, 30)
    ]

    def written(each: PeerMessage) -> datetime:
        return NOON + timedelta(minutes=each.uid * 3 % 4) if each.uid % 5 else each.received

    ranks = {
        Order.LARGEST: lambda each: len(each.octets),
        Order.NEWEST_ARRIVAL: lambda each: each.received,
        Order.OLDEST_ARRIVAL: lambda each: each.received,
        Order.NEWEST_WRITTEN: written,
        Order.OLDEST_WRITTEN: written,
    }
    rank: Callable[[Any], Any] = ranks.get(order, lambda _: 0)
    expected = sorted(messages, key=lambda each: (rank(each), each.uid), reverse=not order.ascending)
    server = peer(messages=messages, capabilities=capabilities)
    with session_on(make_account(server), Quirks()) as session:
        given = all_pages(session, request(order=order, size=4), remembering=remembering)
    assert given == [each.uid for each in expected]


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "SORT")])
def test_a_page_continues_after_a_position_that_vanished(
    peer: PeerFactory, order: Order, capabilities: tuple[str, ...]
) -> None:
    messages = [
        letter(uid, size=uid * 5 % 11, received=NOON + timedelta(days=uid * 3 % 7)) for uid in range(1, 200)
    ]
    server = peer(messages=messages, capabilities=capabilities)
    with session_on(make_account(server), Quirks()) as session:
        everything = all_pages(session, request(order=order, size=100), remembering=False)
        first = search_one(session, request(order=order, size=70))
        assert first.last is not None
        server.mailbox.messages[:] = [each for each in messages if each.uid != first.last.uid]
        session.begin_lease()
        for known in (None, candidate_list(9_999) if not order.is_by_uid else None):
            second = search_one(session, request(order=order, size=70, after=first.last, known=known))
            assert list(second.uids) == everything[70:140]
        beyond = Position(
            uidvalidity=first.uidvalidity,
            uid=200 if order.ascending else 0,
            rank=(2**40 if order.ascending else -1) if not order.is_by_uid else 0,
        )
        if order.is_by_uid and not order.ascending:
            beyond = replace(beyond, uid=1)
        assert search_one(session, request(order=order, after=beyond)).uids == ()


def test_a_page_has_ranks_for_merging(peer: PeerFactory) -> None:
    server = peer(messages=letters(range(1, 5)))
    by_time = find(server, order=Order.NEWEST_ARRIVAL, size=2)
    assert by_time.ranks == {uid: int((NOON + timedelta(hours=uid)).timestamp()) for uid in (4, 3)}
    assert by_time.last == Position(uidvalidity=by_time.uidvalidity, uid=3, rank=by_time.ranks[3])
    by_size = find(server, order=Order.LARGEST, size=1)
    assert by_size.ranks == {4: len(server.mailbox.messages[3].octets)}
    assert find(server).ranks == {}


def test_without_sort_only_the_newest_are_sorted_and_the_page_says_so(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SORT_CANDIDATES_MAX", 5)
    messages = [letter(uid, size=100 - uid) for uid in range(1, 10)]
    found = find(peer(messages=messages, capabilities=PLAIN), order=Order.LARGEST)
    assert found.uids == (5, 6, 7, 8, 9)
    assert not found.complete
    [statement] = found.statements
    assert statement.startswith("The server can't sort: only the newest 5 of 9 messages were sorted")


@pytest.mark.parametrize("hours", [-14, -5, 0, 3, 12])
def test_times_are_exact_whatever_the_servers_zone(peer: PeerFactory, hours: int) -> None:
    """The server's days are those of its own zone; a moment is the same everywhere."""
    zone = timezone(timedelta(hours=hours))
    messages = [letter(uid, received=(NOON + timedelta(hours=uid)).astimezone(zone)) for uid in range(1, 100)]
    server = peer(messages=messages)
    found = find(server, size=100, since=NOON + timedelta(hours=40), before=NOON + timedelta(hours=50))
    assert found.uids == tuple(range(49, 39, -1))
    assert (found.total_exact, found.left, list(found.candidates.uids)) == (True, 0, list(found.uids))


def test_a_search_by_time_has_an_exact_total_where_candidates_are_few(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = peer(messages=letters(range(1, 200)))
    since = NOON + timedelta(hours=100)
    with session_on(make_account(server), Quirks()) as session:
        found = search_one(session, request(since=since, size=5))
        assert (found.total_exact, len(found.candidates.uids), found.left) == (True, 100, 95)
        assert all_pages(session, request(since=since, size=7), remembering=True) == list(range(199, 99, -1))
        oldest = request(since=since, size=7, order=Order.OLDEST)
        assert all_pages(session, oldest, remembering=False) == list(range(100, 200))
        before = request(before=since, size=3)
        assert search_one(session, before).uids == (99, 98, 97), "the newest candidates do not match"
        by_size = search_one(session, request(since=since, size=5, order=Order.LARGEST))
        assert set(by_size.ranks) == set(by_size.uids)
        monkeypatch.setattr(limits, "TIMED_CANDIDATES_MAX", 50)
        many = search_one(session, request(since=since, size=5))
        assert (many.total_exact, many.uids) == (False, (199, 198, 197, 196, 195))
        assert len(many.candidates.uids) >= 100


def test_daylight_saving_moves_no_message(peer: PeerFactory) -> None:
    summer, winter = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
    night = datetime(2024, 10, 27, 0, 30, tzinfo=UTC)
    messages = [
        letter(1, received=night.astimezone(summer)),  # 02:30, the first time
        letter(2, received=(night + timedelta(hours=1)).astimezone(winter)),  # 02:30 again
    ]
    server = peer(messages=messages)
    assert find(server, since=night + timedelta(seconds=1)).uids == (2,)
    assert find(server, before=night + timedelta(hours=1)).uids == (1,)
    assert find(server, order=Order.OLDEST_ARRIVAL).uids == (1, 2)


@pytest.mark.parametrize("order", [Order.NEWEST_ARRIVAL, Order.OLDEST_ARRIVAL, Order.LARGEST])
@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "SORT")])
@pytest.mark.parametrize("uid", [1, 3, 5])
def test_a_message_that_fails_keeps_its_place(
    peer: PeerFactory, order: Order, capabilities: tuple[str, ...], uid: int
) -> None:
    """Ranked lowest, it would put its whole mailbox last among others, or end it."""
    messages = [letter(each, size=each) for each in range(1, 6)]
    server = peer(messages=messages, capabilities=capabilities)
    server.rules.append(Rule(command="UID FETCH", action=FailUid(uid)))
    with session_on(make_account(server), Quirks()) as session:
        everything = search_one(session, request(order=order))
        assert list(everything.uids) == sorted(range(1, 6), reverse=not order.ascending)
        ranks = [everything.ranks[each] for each in everything.uids]
        assert ranks == sorted(ranks, reverse=not order.ascending)
        place = everything.uids.index(uid)
        page = search_one(session, request(order=order, size=place + 1))
        server.rules.clear()
        server.mailbox.messages[:] = [each for each in messages if each.uid != uid]
        session.begin_lease()
        rest = search_one(session, request(order=order, after=page.last))
        assert rest.uids == everything.uids[place + 1 :]


def test_a_page_names_its_order(peer: PeerFactory) -> None:
    server = peer(messages=letters([1, 2, 3]), capabilities=PLAIN)
    for order in Order:
        found = find(server, order=order, size=2)
        assert found.order is order
        assert found.uids == ((1, 2) if order.ascending else (3, 2))
        assert (found.left, found.total_exact, len(found.candidates.uids)) == (1, True, 3)

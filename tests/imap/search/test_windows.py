"""Large mailboxes are searched in windows: from where the page begins, until it is full or time is up."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imap.scenes import make_account, session_on
from imap.searches import PLAIN, letter, request, search_mailboxes, search_one, searches
from mailmcp import limits
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.windows import Windows
from mailmcp.model.query import SearchQuery
from mcp_envelope import InternalError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Rule
from thinning import thin

EXTENDED = ("IMAP4rev1", "LITERAL+", "ESEARCH")
LARGE, WINDOW = 40, 10
UIDS = range(1, 101)


@dataclass
class Stopwatch:
    """Each look at it takes a while, so that every search does."""

    step_s: float = 0.0
    now: float = 0.0

    def __call__(self) -> float:
        self.now += self.step_s
        return self.now


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGE_MAILBOX_MESSAGES", LARGE)
    monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_MESSAGES", WINDOW)
    monkeypatch.setattr(limits, "SEARCH_LISTED_MATCHES_MAX", 1)


def known(*, step_s: float = 0.0, exists: int = len(UIDS), uidnext: int = 101) -> Quirks:
    """Return what is known of a server whose INBOX was opened before and is shown whole."""
    quirks = Quirks()
    quirks.clock = Stopwatch(step_s)
    quirks.sizes["INBOX"], quirks.uidnexts["INBOX"] = exists, uidnext
    quirks.shown["INBOX"] = exists
    return quirks


def server_with(peer: PeerFactory, capabilities: tuple[str, ...] = EXTENDED) -> Peer:
    """One in three is unread, one in 25 is from Bob."""
    return peer(
        messages=[
            letter(
                uid,
                flags=() if uid % 3 == 0 else ("\\Seen",),
                sender="bob@example.org" if uid % 25 == 0 else "ann@example.org",
            )
            for uid in UIDS
        ],
        capabilities=capabilities,
    )


@given(
    st.integers(1, 3_000),
    st.integers(1, 5_000),
    st.lists(st.floats(0, 10), max_size=200),
    st.booleans(),
    st.sampled_from([(1, None), (1, 800), (500, None), (77, 77)]),
)
def test_windows_cover_all_uids_once_and_in_order(
    exists: int,
    unused: int,
    times: list[float],
    ascending: bool,  # noqa: FBT001 - hypothesis passes it
    rest: tuple[int, int | None],
) -> None:
    quirks = known(exists=exists, uidnext=exists + unused)
    windows = Windows(quirks, "INBOX", SearchQuery(subject="x"), rest, ascending=ascending)
    taken = []
    for elapsed_s in times:
        if windows.rest is None:
            break
        taken.append(windows.take())
        windows.learn(elapsed_s, alone=True)
    if windows.rest is not None:
        windows.take_all()
        taken.append(windows.take())
    taken = taken if ascending else taken[::-1]
    assert (taken[0][0], taken[-1][1]) == rest
    assert all(before[1] == after[0] - 1 for before, after in pairwise(taken))


def test_an_ordinary_mailbox_is_one_window(peer: PeerFactory) -> None:
    server = peer(messages=[letter(uid) for uid in range(1, LARGE + 1)])
    with session_on(make_account(server), known(exists=LARGE, uidnext=LARGE + 1)) as session:
        search_one(session, request(subject="weekly"))
        before = session.handle.traffic.round_trips
        page = search_one(session, request(subject="weekly"))
        assert session.handle.traffic.round_trips - before == 2
    assert (page.total, page.total_exact, page.left) == (LARGE, True, LARGE - 10)
    assert searches(server) == ['SUBJECT "weekly"'] * 2


def test_the_newest_unread_cost_two_round_trips_and_their_total_is_counted(peer: PeerFactory) -> None:
    server = server_with(peer)
    with session_on(make_account(server), known()) as session:
        before = session.handle.traffic.round_trips
        page = search_one(session, request(unread_only=True, size=3))
        assert session.handle.traffic.round_trips - before == 2
    assert (page.uids, page.total, page.total_exact, page.left) == ((99, 96, 93), 33, True, 30)
    assert searches(server) == ["UID 90:* UNSEEN", "RETURN (COUNT) UID 1:89 UNSEEN"]
    assert (page.statements, page.reach) == ((), "")


@pytest.mark.parametrize("capabilities", [EXTENDED, pytest.param(PLAIN, marks=pytest.mark.full)])
@pytest.mark.parametrize("order", [Order.NEWEST, Order.OLDEST])
@pytest.mark.parametrize("step_s", thin([0.0, 1.0, 30.0], keep_every=2))
@pytest.mark.parametrize("remembering", [True, False])
@pytest.mark.parametrize("criteria", [{"from_": "bob"}, {"unread_only": True}, {}, {"has_attachment": True}])
def test_pages_are_filled_from_windows_and_show_each_message_once(
    peer: PeerFactory,
    capabilities: tuple[str, ...],
    order: Order,
    criteria: dict[str, Any],
    step_s: float,
    *,
    remembering: bool,
) -> None:
    server = server_with(peer, capabilities)
    expected = [
        uid
        for uid in UIDS
        if (uid % 25 == 0 or "from_" not in criteria) and (uid % 3 == 0 or "unread_only" not in criteria)
    ]
    expected = [] if "has_attachment" in criteria else expected
    with session_on(make_account(server), known(step_s=step_s)) as session:
        first = replace(request(order=order, size=3, **criteria), search_until=5.0)
        given: list[int] = []
        page = search_one(session, first)
        assert page.total >= len(expected)
        assert page.total == len(expected) or not page.total_exact
        pages = 1
        while True:
            given += page.uids
            assert len(page.uids) == 3 or not page.left or page.reach or not criteria
            if not page.left:
                break
            pages += 1
            assert pages <= len(UIDS)
            following = replace(first, after=page.last, known=page.candidates if remembering else None)
            page = search_one(session, following)
    assert given == (expected if order is Order.OLDEST else expected[::-1])


def test_a_search_whose_time_is_up_says_how_far_it_got(peer: PeerFactory) -> None:
    reports: list[tuple[int, int]] = []
    server = server_with(peer)
    asked = replace(
        request(from_="bob"), search_until=3.0, report=lambda done, all_: reports.append((done, all_))
    )
    with session_on(make_account(server), known(step_s=1.0)) as session:
        page = search_one(session, asked)
    assert (page.uids, page.total_exact, page.complete) == ((100,), False, True)
    assert page.last is not None
    assert 100 > page.last.uid > 75
    assert page.left == page.last.uid - 1 == page.total - 1
    assert page.reach.startswith("Searched the newest ")
    assert reports == sorted(reports)
    assert reports[-1][1] == 100


@pytest.mark.parametrize(
    ("alone", "elapsed_s", "is_cut"), [(True, 60.0, True), (True, 1.0, False), (False, 60.0, False)]
)
def test_only_a_slow_search_of_one_mailbox_proves_a_server_slow(
    elapsed_s: float,
    *,
    alone: bool,
    is_cut: bool,
) -> None:
    """Of several in one burst, one may have taken the time of all."""
    quirks = known(exists=20, uidnext=21)
    for expected in (False, is_cut):
        windows = Windows(quirks, "INBOX", SearchQuery(subject="x"), (1, None), ascending=False)
        windows.take()
        assert (windows.rest is not None) is expected
        windows.learn(elapsed_s, alone=alone)


@pytest.mark.parametrize("largest", [LARGE, LARGE + 1])
def test_a_mailbox_of_unknown_size_is_opened_first_if_another_is_large(
    peer: PeerFactory, largest: int
) -> None:
    server, quirks = server_with(peer), Quirks()
    quirks.sizes["Archive"] = largest
    with session_on(make_account(server), quirks) as session:
        page = search_one(session, request(subject="weekly"))
    assert page.uids == tuple(range(100, 90, -1))
    assert searches(server)[0].startswith("UID 90:*") == (largest > LARGE)


def test_slow_searches_make_windows_in_any_mailbox(peer: PeerFactory) -> None:
    """One that took too long, or never ended, is not repeated as it was."""
    server = peer(
        messages=[letter(uid) for uid in range(1, 21)],
        rules=[Rule(command="UID SEARCH", action=Close("before"))],
    )
    quirks = known(step_s=20.0, exists=20, uidnext=21)
    with session_on(make_account(server), quirks) as session, pytest.raises(InternalError):
        search_mailboxes(session, [request(subject="weekly")])
    server.rules.clear()
    with session_on(make_account(server), quirks) as session:
        page = search_one(session, request(subject="weekly", size=3))
    assert page.uids == (20, 19, 18)
    assert searches(server)[1].startswith("UID "), "as much as it would search in two seconds"

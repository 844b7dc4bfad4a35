"""A page of a large mailbox by message numbers, where something doesn't add up: the search takes over."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from imap.scenes import make_account, session_on
from imap.searches import NOON, letter, request, search_one, searches
from mailmcp import limits
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.order import Order
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule

LARGE = 40


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGE_MAILBOX_MESSAGES", LARGE)
    monkeypatch.setattr(limits, "SEARCH_LISTED_MATCHES_MAX", 1)


def known(exists: int) -> Quirks:
    """Return what is known of a server whose INBOX had so many messages when it was opened before."""
    quirks = Quirks()
    quirks.sizes["INBOX"], quirks.uidnexts["INBOX"] = exists, exists + 1
    quirks.shown["INBOX"] = exists
    return quirks


def server_with(peer: PeerFactory, count: int) -> Peer:
    messages = [letter(uid) for uid in range(1, count + 1)]
    for each in messages:
        each.received = NOON + timedelta(hours=each.uid)
    return peer(messages=messages, capabilities=("IMAP4rev1", "LITERAL+", "ESEARCH"))


@pytest.mark.parametrize(
    ("before", "now", "searched"),
    [(60, 60, False), (60, 70, False), (60, 50, False), (60, LARGE, True), (60, 2, True)],
)
def test_a_mailbox_that_has_changed_is_paged_as_it_is_now(
    peer: PeerFactory, before: int, now: int, *, searched: bool
) -> None:
    server = server_with(peer, now)
    with session_on(make_account(server), known(before)) as session:
        page = search_one(session, request(size=3))
    assert page.uids == tuple(range(now, max(now - 3, 0), -1))
    assert (page.total, page.left) == (now, max(now - 3, 0))
    assert (searches(server) != []) is searched


def grow(server: Peer) -> None:
    server.mailbox.messages.append(letter(61))


def shrink(server: Peer) -> None:
    del server.mailbox.messages[1]


def refuse(server: Peer) -> None:
    server.rules.append(Rule(command="FETCH", action=Respond(b"{tag} NO not by number\r\n")))


def lack_a_row(server: Peer) -> None:
    server.rules.append(
        Rule(command="FETCH", action=Respond(b"* 57 FETCH (UID 57)\r\n{tag} OK -\r\n"), containing="RFC822")
    )


@pytest.mark.parametrize(
    ("order", "uids", "happens", "searched"),
    [
        (Order.NEWEST, (57, 56, 55), grow, False),
        (Order.NEWEST, (57, 56, 55), shrink, True),
        (Order.NEWEST, (57, 56, 55), refuse, True),
        (Order.NEWEST, (57, 56, 55), lack_a_row, True),
        (Order.OLDEST, (4, 5, 6), grow, True),
        (Order.OLDEST, (4, 5, 6), shrink, True),
        (Order.OLDEST, (4, 5, 6), refuse, True),
    ],
)
def test_the_next_page_goes_on_where_the_last_one_ended(
    peer: PeerFactory,
    order: Order,
    uids: tuple[int, ...],
    happens: Callable[[Peer], None],
    *,
    searched: bool,
) -> None:
    """In the order of the newest, what arrived comes before the page: nothing has changed."""
    server, quirks = server_with(peer, 60), known(60)
    with session_on(make_account(server), quirks) as session:
        first = search_one(session, request(order=order, size=3))
    assert searches(server) == []
    happens(server)
    following = request(order=order, size=3, after=first.last, known=first.candidates)
    with session_on(make_account(server), quirks) as session:
        page = search_one(session, following)
    assert page.uids == uids
    assert set(page.fetched.messages) == set(uids)
    assert (searches(server) != []) is searched


@pytest.mark.parametrize(("moved", "in_order"), [((), True), ((59,), False), ((37,), False)])
def test_messages_whose_numbers_do_not_follow_arrival_are_noticed(
    peer: PeerFactory, moved: tuple[int, ...], *, in_order: bool
) -> None:
    """On the page, or in a sample of the others."""
    server = server_with(peer, 60)
    for uid in moved:
        server.mailbox.messages[uid - 1].received = NOON - timedelta(days=9)
    quirks = known(60)
    with session_on(make_account(server), quirks) as session:
        page = search_one(session, replace(request(size=3), may_reorder=True))
    assert (page.uids, page.in_order, searches(server)) == ((60, 59, 58), in_order, [])
    assert ("INBOX" in quirks.uids_out_of_order) is not in_order

"""Pages of a mailbox whose messages vanish or can't be read; more in `test_run`."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from imap.searches import NOON, PLAIN, letters, request, search_one
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.order import Order
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule


@pytest.mark.parametrize("order", [Order.NEWEST_ARRIVAL, Order.OLDEST_ARRIVAL])
@pytest.mark.parametrize("remembering", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_message_expunged_between_pages_costs_no_other(
    peer: PeerFactory, order: Order, seed: int, *, remembering: bool
) -> None:
    """Its time is no longer known, so nothing can be placed after it."""
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    messages = letters(range(1, 13))
    for each in messages:
        each.received = NOON + timedelta(hours=chance.choice([1, 2, 3, 50, 60]))
    server = peer(messages=messages, capabilities=PLAIN)
    stays = {each.uid for each in messages}
    given: list[int] = []
    with session_on(make_account(server), Quirks()) as session:
        found = search_one(session, request(order=order, size=2))
        known = found.candidates
        while found.left:
            given += found.uids
            going = chance.choice(sorted(stays))
            stays.discard(going)
            server.mailbox.messages[:] = [each for each in server.mailbox.messages if each.uid != going]
            following = request(order=order, size=2, after=found.last, known=known if remembering else None)
            found = search_one(session, following)
        given += found.uids
    assert len(given) == len(set(given)), given
    assert stays <= set(given)


@pytest.mark.parametrize("answer", [b"{tag} NO not this one\r\n", b"{tag} BAD no\r\n"])
def test_times_that_are_refused_cost_nothing(peer: PeerFactory, answer: bytes) -> None:
    rule = Rule(command="UID FETCH", containing="(UID INTERNALDATE)", action=Respond(answer))
    server = peer(messages=letters(range(1, 31)), capabilities=PLAIN, rules=[rule])
    with session_on(make_account(server), Quirks()) as session:
        open_mailbox(session, "INBOX")
        before = session.handle.traffic.round_trips
        found = search_one(session, replace(request(size=5), may_reorder=True))
        assert session.handle.traffic.round_trips - before == 2
    assert found.uids == (30, 29, 28, 27, 26)
    assert found.fetched.failures == {}

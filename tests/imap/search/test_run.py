"""A page of a search: round trips, orders, positions; one mailbox or many."""

from dataclasses import replace
from typing import Any

import pytest

from imap.scenes import At, make_account, session_on
from imap.searches import (
    PLAIN,
    all_pages,
    fail,
    find,
    letter,
    letters,
    request,
    search_mailboxes,
    search_one,
    searches,
)
from mailmcp import limits
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage, PageRequest
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import ConflictError, InvalidInputError, NotFoundError, ToolError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Close, FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox
from servers.proxy import CountingProxy, ProxyFactory

BOXES = 10
LETTERS = 300


@pytest.fixture(scope="session")
def full(dovecot: Dovecot) -> Login:
    """A user with ten mailboxes of thirty messages, and 300 in INBOX of which ten have attachments."""
    login = dovecot.user("full-of-mailboxes")
    made = [letter(uid, attached=uid % 30 == 0) for uid in range(1, LETTERS + 1)]
    assert dovecot.fill_before_login(login.user, "INBOX", [each.octets for each in made]) == LETTERS
    for number in range(BOXES):
        octets = [letter(uid).octets for uid in range(1, 31)]
        dovecot.fill_before_login(login.user, f"Box{number}", octets)
    return login


class Warm:
    """A session behind a proxy, warm and probed."""

    def __init__(self, session: Session, proxy: CountingProxy) -> None:
        self.session, self._proxy = session, proxy

    def run(self, *requests: PageRequest) -> list[MailboxPage | ToolError]:
        """Scan in a lease of its own; `round_trips` and `octets` are what it cost."""
        self.session.begin_lease()
        self._proxy.reset()
        found = search_mailboxes(self.session, requests)
        seen = self._proxy.snapshot()
        self.round_trips, self.octets = seen.round_trips, seen.octets_received
        return found

    def page(self, one: PageRequest) -> MailboxPage:
        """Make one page."""
        [found] = self.run(one)
        assert isinstance(found, MailboxPage)
        return found


@pytest.fixture
def warm(dovecot: Dovecot, full: Login, proxy: ProxyFactory) -> Any:
    counting = proxy(dovecot.host, dovecot.plain_port)
    with session_on(make_account(At(counting.host, counting.port), full), Quirks()) as session:
        search_one(session, request(query=("report",)))
        yield Warm(session, counting)


def test_a_page_costs_two_round_trips_and_a_next_one_costs_one(warm: Warm) -> None:
    first = warm.page(request(subject="report"))
    assert warm.round_trips == 2
    assert first.uids == tuple(range(LETTERS, LETTERS - 10, -1))
    assert (first.left, first.total_exact, first.exists) == (LETTERS - 10, True, LETTERS)
    second = warm.page(request(subject="report", after=first.last, known=first.candidates))
    assert warm.round_trips == 1
    assert second.uids == tuple(range(LETTERS - 10, LETTERS - 20, -1))
    forgotten = warm.page(request(subject="report", after=first.last))
    assert (warm.round_trips, forgotten.uids) == (2, second.uids)


def test_another_mailbox_costs_no_more(warm: Warm) -> None:
    assert warm.page(request("Box3", query=("report",))).exists == 30
    assert warm.round_trips == 2
    assert warm.page(request(query=("report",))).exists == LETTERS
    assert warm.round_trips == 2


@pytest.mark.parametrize("order", [Order.NEWEST, Order.NEWEST_ARRIVAL, Order.OLDEST_ARRIVAL, Order.LARGEST])
def test_ten_mailboxes_cost_as_much_as_one(warm: Warm, order: Order) -> None:
    requests = [request(f"Box{number}", query=("report",), order=order) for number in range(BOXES)]
    warm.run(*requests)  # SORT wants to know the size of a mailbox before, once
    found = warm.run(*requests)
    assert [each.mailbox for each in found if isinstance(each, MailboxPage)] == [
        f"Box{n}" for n in range(BOXES)
    ]
    assert all(isinstance(each, MailboxPage) and len(each.uids) == 10 for each in found)
    assert warm.round_trips == 2


def test_a_missing_mailbox_leaves_the_others_alone(warm: Warm) -> None:
    found = warm.run(request("Box1"), request("Nowhere"), request("Box2"), request("Box3", uidvalidity=1))
    assert [type(each) for each in found] == [MailboxPage, NotFoundError, MailboxPage, ConflictError]
    assert isinstance(found[1], NotFoundError)
    assert found[1].reason is Reason.MAILBOX_MISSING
    assert isinstance(found[2], MailboxPage)
    assert set(found[2].fetched.messages) == set(range(21, 31))
    assert warm.page(request("Box2")).uids == found[2].uids


def test_more_mailboxes_than_a_burst_holds(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BURST_MAILBOXES", 4)
    found = warm.run(*(request(f"Box{number}") for number in range(BOXES)))
    assert all(isinstance(each, MailboxPage) and each.uids[0] == 30 for each in found)
    assert warm.round_trips == 2 * 3
    monkeypatch.setattr(limits, "BURST_OCTETS", 100)
    found = warm.run(*(request(f"Box{number}") for number in range(BOXES)))
    assert all(isinstance(each, MailboxPage) and each.uids[0] == 30 for each in found)


def test_attachments_are_found_by_structure_and_matches_are_limited_not_candidates(warm: Warm) -> None:
    found = warm.page(request(has_attachment=True, size=3))
    assert found.uids == (300, 270, 240)
    assert (found.candidates_checked, found.left, found.total_exact) == (61, 239, False)
    assert found.statements == ("Attachments were checked here, message by message.",)
    assert warm.octets < 40_000
    assert all_pages(warm.session, request(has_attachment=True, size=3), remembering=True) == list(
        range(300, 0, -30)
    )


def test_the_verification_budget_is_kept_and_reported(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "VERIFY_EXPENSIVE_CANDIDATES_MAX", 40)
    monkeypatch.setattr("mailmcp.imap.search.attempt.VERIFY_CHUNKS", (5, 10))
    server = peer(messages=[letter(uid, attached=uid == 2) for uid in range(1, 101)])
    with session_on(make_account(server), Quirks()) as session:
        found = search_one(session, request(has_attachment=True))
        assert (found.uids, found.candidates_checked, found.left) == ((), 40, 60)
        assert found.unchecked == 60
        assert all_pages(session, request(has_attachment=True), remembering=True) == [2]
        several = search_mailboxes(session, [request(has_attachment=True)] * 4)
        assert [each.candidates_checked for each in several if isinstance(each, MailboxPage)] == [10] * 4


def test_vanished_and_unreadable_messages_are_failures(peer: PeerFactory) -> None:
    server = peer(messages=letters(range(1, 6)))
    with session_on(make_account(server), Quirks()) as session:
        first = search_one(session, request())
        del server.mailbox.messages[2]
        server.rules.append(Rule(command="UID FETCH", action=FailUid(5)))
        again = search_one(session, request(known=first.candidates))
        assert again.uids == (5, 4, 3, 2, 1)
        assert {uid: each.code for uid, each in again.fetched.failures.items()} == {
            5: "internal",
            3: "not_found",
        }
        verified = search_one(session, request(known=first.candidates, has_attachment=True))
        assert verified.uids == (5,), "nobody knows what 5 holds; 3 is gone and matches nothing"


def test_a_mailbox_is_opened_although_all_candidates_are_known(peer: PeerFactory) -> None:
    server = peer(messages=letters([1, 2]))
    with session_on(make_account(server), Quirks()) as session:
        first = search_one(session, request())
        session.begin_lease()
        server.mailbox.uidvalidity += 1
        past = request(known=first.candidates, after=first.last, uidvalidity=first.uidvalidity)
        [found] = search_mailboxes(session, [past])
        assert isinstance(found, ConflictError)
        assert search_one(session, replace(past, uidvalidity=None)).uids == ()


def test_a_criterion_whose_capability_the_server_lacks_is_refused(peer: PeerFactory) -> None:
    error = fail(peer(messages=letters([1])), Quirks(), gmail_query="has:attachment")
    assert isinstance(error, InvalidInputError)
    assert error.problems[0].field == "gmail_query"


def test_gmail_query_is_sent_as_it_is(peer: PeerFactory) -> None:
    answer = Respond(b"* SEARCH 2\r\n{tag} OK -\r\n")
    rule = Rule(command="UID SEARCH", containing="X-GM-RAW", action=answer)
    server = peer(messages=letters([1, 2]), capabilities=(*PLAIN, "X-GM-EXT-1"), rules=[rule])
    assert find(server, Quirks(), gmail_query="has:attachment older_than:1y").uids == (2,)
    assert searches(server) == ['X-GM-RAW "has:attachment older_than:1y"']


def test_searches_with_waiting_literals_run_one_by_one(peer: PeerFactory) -> None:
    """Non-ASCII text needs a literal; without LITERAL+ it waits, so it fits no burst."""
    boxes = [PeerMailbox(name=f"Box{n}", messages=letters([n], subject="Grüße")) for n in (1, 2)]
    server = peer(mailboxes=boxes, capabilities=("IMAP4rev1",))
    with session_on(make_account(server), Quirks()) as session:
        found = search_mailboxes(
            session, [request(each, anywhere=("Grüße",)) for each in ("Box1", "Nowhere", "Box2")]
        )
    assert isinstance(found[1], NotFoundError)
    assert [each.uids for each in found if isinstance(each, MailboxPage)] == [(1,), (2,)]


def test_a_lost_connection_ends_all_searches(peer: PeerFactory) -> None:
    rule = Rule(command="UID FETCH", action=Close("within"))
    server = peer(messages=letters([1]), mailboxes=[PeerMailbox(name="Other")], rules=[rule])
    with (
        session_on(make_account(server), Quirks()) as session,
        pytest.raises(ToolError, match="lost"),
    ):
        search_mailboxes(session, [request(), request("Other")])

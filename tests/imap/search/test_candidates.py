"""Candidates are found once, kept in order, and continued."""

import pytest

from imap.scenes import make_account, session_on
from imap.searches import PLAIN, candidate_list, letter, letters
from mailmcp.imap.pipeline import MailboxTask, run_pipelined
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search.candidates import find_candidates
from mailmcp.imap.search.order import Order, Position
from mailmcp.imap.search.page import CandidateList, Candidates, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.session import Session
from mailmcp.model.query import SearchQuery
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Respond, Rule

HERE = Position(uidvalidity=1, uid=5)


def quest(order: Order, after: Position | None = None, known: CandidateList | None = None) -> PageRequest:
    return PageRequest(
        mailbox="INBOX",
        query=SearchQuery(),
        size=10,
        items=lambda _session: (),
        order=order,
        after=after,
        known=known,
    )


def find(session: Session, what: PageRequest) -> Candidates:
    steps = find_candidates(SearchServer(session), what)
    [found] = run_pipelined(session, [MailboxTask(mailbox="INBOX", uidvalidity=None, steps=steps)])
    assert isinstance(found, Candidates)
    return found


def test_known_candidates_cost_nothing(peer: PeerFactory) -> None:
    with session_on(make_account(peer()), Quirks()) as session:
        before = session.handle.traffic.round_trips
        found = find(session, quest(Order.NEWEST, HERE, candidate_list(9, 5, 2)))
        assert (list(found.uids), found.start) == ([9, 5, 2], 2)
        assert session.handle.traffic.round_trips == before


def test_orders_by_uid_search_only_after_the_position(peer: PeerFactory) -> None:
    server = peer(messages=letters([2, 5, 9]))
    with session_on(make_account(server), Quirks()) as session:
        assert list(find(session, quest(Order.NEWEST, HERE)).uids) == [2]
        assert list(find(session, quest(Order.OLDEST, HERE)).uids) == [9]
        assert list(find(session, quest(Order.NEWEST, Position(uidvalidity=1, uid=1))).uids) == []
    lines = [each.line for each in server.commands if each.name == "UID SEARCH"]
    assert [line.rpartition("UID ")[2] for line in lines] == ["1:4 ALL", "6:* ALL"]


def test_a_message_that_vanished_while_ranking_is_no_candidate(peer: PeerFactory) -> None:
    server = peer(messages=[letter(1, size=9), letter(2), letter(3, size=5)], capabilities=PLAIN)
    with session_on(make_account(server), Quirks()) as session:
        found = find(session, quest(Order.LARGEST))
        assert (list(found.uids), found.complete) == ([1, 3, 2], True)


def test_messages_without_a_rank_hide_no_others(peer: PeerFactory) -> None:
    """A message that vanished before its rank was fetched may be on either side of a position."""
    messages = [letter(uid) for uid in range(1, 131)]
    after = Position(uidvalidity=1, uid=60, rank=int(messages[59].received.timestamp()))
    gone = set(range(2, 131, 2))  # every second one is asked for
    server = peer(messages=messages, capabilities=("IMAP4rev1", "SORT"))
    sort = (
        b"* SORT"
        + b"".join(b" %d" % uid for uid in range(1, 131) if uid != after.uid)
        + b"\r\n{tag} OK -\r\n"
    )
    for absent in (gone, gone - {62}, set(range(1, 131))):
        server.rules[:] = [Rule(command="UID SORT", action=Respond(sort))]
        server.mailbox.messages[:] = [each for each in messages if each.uid not in absent]
        with session_on(make_account(server), Quirks()) as session:
            found = find(session, quest(Order.OLDEST_ARRIVAL, after))
        left = list(found.uids[found.start :])
        assert left[-70:] == list(range(61, 131)), "none is lost"


@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "SORT")])
def test_a_page_of_no_candidates_starts_at_zero(peer: PeerFactory, capabilities: tuple[str, ...]) -> None:
    with session_on(make_account(peer(capabilities=capabilities)), Quirks()) as session:
        found = find(session, quest(Order.OLDEST_ARRIVAL, HERE))
    assert (list(found.uids), found.start) == ([], 0)


def test_an_expunged_message_is_not_ranked(peer: PeerFactory) -> None:
    gone = Rule(command="UID SEARCH", action=Respond(b"* SEARCH 1 2 3\r\n{tag} OK -\r\n"))
    server = peer(messages=letters([1, 3]), capabilities=PLAIN, rules=[gone])
    with session_on(make_account(server), Quirks()) as session:
        assert list(find(session, quest(Order.NEWEST_ARRIVAL)).uids) == [3, 1]


@pytest.mark.parametrize("uid", [1, 2])
def test_a_message_without_a_rank_stays_next_to_its_neighbour(peer: PeerFactory, uid: int) -> None:
    server = peer(messages=[letter(1, size=9), letter(2), letter(3, size=5)], capabilities=PLAIN)
    server.rules.append(Rule(command="UID FETCH", action=FailUid(uid)))
    with session_on(make_account(server), Quirks()) as session:
        found = find(session, quest(Order.LARGEST))
    assert list(found.uids) == ([3, 2, 1] if uid == 1 else [2, 1, 3])

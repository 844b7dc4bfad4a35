"""Candidates are found once, kept in order, and gone on from."""

from array import array

from imap.scenes import make_account, session_on
from imap.searches import PLAIN, letter, letters, probed
from mailmcp.envelope.errors import MailError
from mailmcp.imap.dialogue import Talk, converse
from mailmcp.imap.search.candidates import Candidates, Quest, find_candidates, message_limit
from mailmcp.imap.search.criteria import Criteria
from mailmcp.imap.search.order import Order, Position
from mailmcp.imap.session import Session
from servers.peer import PeerFactory

HERE = Position(uidvalidity=1, uid=5)


def quest(order: Order, after: Position | None = None, known: "array[int] | None" = None) -> Quest:
    return Quest(mailbox="INBOX", criteria=Criteria(), order=order, after=after, known=known)


def find(session: Session, what: Quest) -> Candidates:
    dialogue = find_candidates(session, what)
    [found] = converse(session, [Talk(mailbox="INBOX", uidvalidity=None, dialogue=dialogue)])
    assert not isinstance(found, MailError)
    return found


def test_known_candidates_cost_nothing(peer: PeerFactory) -> None:
    with session_on(make_account(peer()), probed()) as session:
        before = session.dialling.traffic.round_trips
        found = find(session, quest(Order.NEWEST, HERE, array("I", [9, 5, 2])))
        assert (list(found.uids), found.start) == ([9, 5, 2], 2)
        assert session.dialling.traffic.round_trips == before


def test_only_what_comes_after_is_searched_in_orders_by_uid(peer: PeerFactory) -> None:
    server = peer(messages=letters([2, 5, 9]))
    with session_on(make_account(server), probed()) as session:
        assert list(find(session, quest(Order.NEWEST, HERE)).uids) == [2]
        assert list(find(session, quest(Order.OLDEST, HERE)).uids) == [9]
        assert list(find(session, quest(Order.NEWEST, Position(uidvalidity=1, uid=1))).uids) == []
    lines = [each.line for each in server.commands if each.name == "UID SEARCH"]
    assert [line.rpartition("UID ")[2] for line in lines] == ["1:4 ALL", "6:* ALL"]


def test_what_vanished_while_it_was_ranked_is_no_candidate(peer: PeerFactory) -> None:
    server = peer(messages=[letter(1, size=9), letter(2), letter(3, size=5)], capabilities=PLAIN)
    with session_on(make_account(server), probed()) as session:
        found = find(session, quest(Order.LARGEST))
        assert (list(found.uids), found.complete) == ([1, 3, 2], True)
        assert found.ranks == {each.uid: len(each.octets) for each in server.mailbox.messages}


def test_the_servers_limit_is_read_from_its_capabilities(peer: PeerFactory) -> None:
    for said, limit in (("MESSAGELIMIT=1000", 1000), ("MESSAGELIMIT=x", 0), ("MESSAGELIMIT", 0)):
        with session_on(make_account(peer(capabilities=("IMAP4rev1", said)))) as session:
            assert message_limit(session) == limit

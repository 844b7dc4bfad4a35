"""Any search notices a mailbox that is shown in part, at little cost."""

from typing import Any

import pytest

from imap.scenes import make_account, session_on
from imap.searches import (
    PLAIN,
    find,
    letter,
    letters,
    probed,
    request,
    search_mailboxes,
    search_one,
    searches,
)
from mailmcp import limits
from mailmcp.imap.quirks import Quirks, Verdict, Visibility
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.feature import Feature
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox

EXTENDED = (*PLAIN, "ESEARCH", "SORT")
COUNT = "UID SEARCH RETURN (COUNT) ALL"


def opening(exists: int, mailbox: str = "INBOX", nth: int | None = None) -> Rule:
    """Make a mailbox claim more messages than it shows."""
    answer = b"* %d EXISTS\r\n* OK [UIDVALIDITY 1700000000] -\r\n* OK [UIDNEXT 99] -\r\n{tag} OK -\r\n"
    return Rule(command="EXAMINE", containing=mailbox, action=Respond(answer % exists), nth=nth)


def counts(server: Peer) -> int:
    return sum(each.line == COUNT for each in server.commands)


@pytest.mark.parametrize("large", [5, 100])
@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED])
@pytest.mark.parametrize(
    "criteria",
    [{"unread_only": True}, {"subject": "report"}, {"unread_only": True, "order": Order.LARGEST}, {}],
)
def test_hidden_messages_are_reported_whatever_is_searched_for(
    peer: PeerFactory,
    monkeypatch: pytest.MonkeyPatch,
    capabilities: tuple[str, ...],
    criteria: dict[str, Any],
    large: int,
) -> None:
    monkeypatch.setattr(limits, "LARGE_MAILBOX_MESSAGES", large)
    monkeypatch.setattr(limits, "SEARCH_WINDOW_MESSAGES", 4)
    server = peer(messages=letters(range(1, 11)), capabilities=capabilities, rules=[opening(30)])
    quirks = Quirks()
    for _ in range(2):
        found = find(server, quirks, **criteria)
        assert set(found.uids) == set(range(1, 11))
        assert not found.complete
        assert "The server shows 10 of the 30 messages that it says are in the mailbox." in found.statements
    assert quirks.verdict(Feature.VIEW) is Verdict.WRONG


@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED])
@pytest.mark.parametrize("hidden", [1, 5])
def test_a_few_missing_messages_prove_nothing(
    peer: PeerFactory, capabilities: tuple[str, ...], hidden: int
) -> None:
    server = peer(messages=letters(range(1, 11)), capabilities=capabilities, rules=[opening(10 + hidden)])
    quirks = Quirks()
    found = find(server, quirks, unread_only=True)
    assert (len(found.uids), found.complete, found.statements) == (10, True, ())
    assert quirks.verdict(Feature.VIEW) is Verdict.OK


@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED])
def test_messages_that_are_gone_are_not_hidden(peer: PeerFactory, capabilities: tuple[str, ...]) -> None:
    """Twenty were deleted after the mailbox was opened; opened again, it shows that."""
    rules = [opening(30, nth=1)]
    server = peer(messages=letters(range(1, 11)), capabilities=capabilities, rules=rules)
    quirks = Quirks()
    found = find(server, quirks, unread_only=True)
    assert (len(found.uids), found.complete) == (10, True)
    assert quirks.visibility == {"INBOX": Visibility(shown=10, exists=10)}


def test_only_mailboxes_larger_than_one_shown_whole_are_counted(peer: PeerFactory) -> None:
    boxes = [PeerMailbox(name=f"Box{n}", messages=letters(range(1, n + 1))) for n in (5, 4, 9)]
    server = peer(mailboxes=boxes, capabilities=EXTENDED)
    quirks = Quirks()
    for name, counted in (("Box5", 1), ("Box4", 1), ("Box5", 1), ("Box9", 2), ("Box9", 2)):
        assert find(server, quirks, mailbox=name, unread_only=True).complete
        assert counts(server) == counted


def test_each_mailbox_is_counted_in_an_account_that_hides_messages(peer: PeerFactory) -> None:
    boxes = [PeerMailbox(name=name, messages=letters(range(1, 11))) for name in ("Large", "Small")]
    server = peer(mailboxes=boxes, capabilities=EXTENDED, rules=[opening(30, "Large")])
    quirks = Quirks()
    with session_on(make_account(server), quirks) as session:
        found = search_mailboxes(session, [request(name, unread_only=True) for name in ("Small", "Large")])
        assert [each.complete for each in found if isinstance(each, MailboxPage)] == [True, False]
    before = counts(server)
    assert find(server, quirks, mailbox="Small", subject="report").complete
    assert not find(server, quirks, mailbox="Large", subject="report").complete
    assert counts(server) == before, "both are known"
    server.rules[:] = [opening(31, "Large")]
    boxes[0].messages.append(letter(11))
    again = find(server, quirks, mailbox="Large", unread_only=True)
    assert "The server shows 11 of the 31 messages" in again.statements[0], "counted anew when mail has come"
    server.rules.clear()
    assert find(server, quirks, mailbox="Large", unread_only=True).complete, "and when it is shown"
    assert not quirks.trusts(Feature.VIEW)


def test_later_pages_of_a_known_search_are_not_counted(peer: PeerFactory) -> None:
    server = peer(messages=letters(range(1, 31)), capabilities=EXTENDED)
    with session_on(make_account(server), probed()) as session:
        first = search_one(session, request(subject="report"))
        assert search_one(session, request(subject="report", after=first.last)).uids[0] == 20
    assert counts(server) == 0


@pytest.mark.parametrize(
    ("answer", "searched"),
    [
        (b"{tag} NO [LIMIT] No\r\n", []),
        (b"{tag} OK -\r\n", ["ALL"]),
        (b'* ESEARCH (TAG "other") UID COUNT 9\r\n{tag} OK -\r\n', ["ALL"]),
    ],
)
def test_a_refused_or_unreadable_count_is_replaced_or_skipped(
    peer: PeerFactory, answer: bytes, searched: list[str]
) -> None:
    rule = Rule(command="UID SEARCH", containing="(COUNT) ALL", action=Respond(answer))
    server = peer(messages=letters(range(1, 11)), capabilities=EXTENDED, rules=[rule])
    found = find(server, Quirks(), unread_only=True)
    assert (len(found.uids), found.complete) == (10, True)
    assert searches(server) == ["UNSEEN", *searched]


def test_a_server_with_a_message_limit_is_counted_once(peer: PeerFactory) -> None:
    limited = Respond(b"* SEARCH 9 10\r\n{tag} OK [MESSAGELIMIT 2] Limited\r\n")
    server = peer(messages=letters(range(1, 11)), capabilities=PLAIN)
    server.rules.append(Rule(command="UID SEARCH", containing="", action=limited))
    quirks = Quirks()
    for asked in (["UNSEEN", "ALL"], ["UNSEEN", "ALL", "UNSEEN"]):
        found = find(server, quirks, unread_only=True)
        assert not found.complete
        assert found.statements[0].startswith("The server searches a limited number of messages")
        assert searches(server) == asked

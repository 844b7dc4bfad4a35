"""Responses to SEARCH as real servers send them: odd, mislabelled, contradictory, limited, none.

What comes out is right, or said to be in doubt.
"""

from dataclasses import replace

import pytest

from imap.scenes import make_account, session_on
from imap.searches import PLAIN, fail, find, letter, letters, request, search_one, searches, when_searching
from mailmcp.imap.search.order import Order, RankBy
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.session import Quirks
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, ToolError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages

RETURN = "RETURN"
EXTENDED = ("IMAP4rev1", "LITERAL+", "ESEARCH")


def answering(raw: bytes) -> Respond:
    return Respond(raw + b"{tag} OK -\r\n")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"* SEARCH 1 2\r\n* SEARCH 3\r\n", (3, 2, 1)),
        (b"* SEARCH\r\n* SEARCH 3 1\r\n* SEARCH\r\n", (3, 1)),
        (b"* SEARCH 2 2  1 \r\n* SEARCH 2\r\n", (2, 1)),
        (b"* SEARCH 1 2 (MODSEQ 917162500)\r\n", (2, 1)),
        (b"* SEARCH {1}\r\n1 2;3\r\n", (3, 2)),
    ],
)
def test_any_number_of_search_lines_is_accepted(
    peer: PeerFactory, answer: bytes, expected: tuple[int, ...]
) -> None:
    """ICloud sends odd ones, and several."""
    server = peer(
        messages=make_messages(1, 2, 3), capabilities=PLAIN, rules=[when_searching(answering(answer))]
    )
    assert find(server, Quirks(), query=("x",)).uids == expected


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b'* ESEARCH (TAG "{tag}") COUNT 2 ALL 1:2\r\n',
        b'* ESEARCH (TAG "other") UID COUNT 2 ALL 1:2\r\n',
        b"* ESEARCH UID COUNT 2 ALL 1:2\r\n",
        b'* ESEARCH (TAG "{tag}") UID COUNT 9 PARTIAL (1:2 1:2)\r\n',
        b'* ESEARCH (TAG "{tag}") UID COUNT 2 ALL 1:2\r\n* ESEARCH (TAG "{tag}") UID COUNT 1 ALL 3\r\n',
    ],
)
def test_esearch_that_misbehaves_is_not_used_again(peer: PeerFactory, answer: bytes) -> None:
    """Missing or mislabelled by Proton Bridge and Purelymail: plain SEARCH from then on, the same results."""
    server = peer(messages=make_messages(1, 2, 5), rules=[when_searching(answering(answer), RETURN)])
    quirks = Quirks()
    assert find(server, quirks).uids == (5, 2, 1)
    assert find(server, quirks).uids == (5, 2, 1)
    assert not quirks.allows("ESEARCH")
    assert [RETURN in each.line for each in server.commands if "SEARCH" in each.name] == [True, False, False]


def test_one_bad_extended_response_affects_no_other_mailbox(peer: PeerFactory) -> None:
    """Commands sent in the extended form before that are still read in it."""
    boxes = [PeerMailbox(name=f"Box{n}", messages=make_messages(n)) for n in (1, 2, 3)]
    server = peer(mailboxes=boxes, rules=[when_searching(answering(b""), RETURN, nth=1)])
    with session_on(make_account(server)) as session:
        found = search_mailboxes(session, [request(f"Box{n}") for n in (1, 2, 3)])
    assert [each.uids for each in found if not isinstance(each, ToolError)] == [(1,), (2,), (3,)]


def test_messages_that_are_listed_have_pages_too(peer: PeerFactory) -> None:
    """Strato's SEARCH finds none; in a FETCH, `10:*` is the last message."""
    server = peer(messages=letters([1, 4, 9]), rules=[when_searching(answering(b""))])
    with session_on(make_account(server)) as session:
        first = search_one(session, request(size=2))
        assert first.uids == (9, 4)
        assert search_one(session, request(position=first.after)).uids == (1,)
        last = replace(first.after, uid=9)
        assert search_one(session, request(order=Order(ascending=True), position=last)).uids == ()


def test_a_search_that_stops_on_the_way_down_continues_below(peer: PeerFactory) -> None:
    """RFC 9738: it says which UID it looked at last."""
    server = peer(messages=letters(range(1, 8)), capabilities=PLAIN)
    server.rules += [
        when_searching(Respond(b"* SEARCH 6 7\r\n{tag} OK [MESSAGELIMIT 2 6] Limited\r\n"), nth=1),
        when_searching(Respond(b"* SEARCH 4 5\r\n{tag} OK [MESSAGELIMIT 2 4] Limited\r\n"), "UID 1:5", nth=1),
    ]
    found = find(server, Quirks(), body="words")
    assert (found.uids, found.complete) == ((7, 6, 5, 4, 3, 2, 1), True)
    assert searches(server) == ['BODY "words"', 'UID 1:5 BODY "words"', 'UID 1:3 BODY "words"']


@pytest.mark.parametrize("code", [b"[MESSAGELIMIT 2]", b"[MESSAGELIMIT]", b"[MESSAGELIMIT 2 7]"])
def test_a_search_that_stops_at_the_message_limit_is_incomplete(peer: PeerFactory, code: bytes) -> None:
    server = peer(messages=letters(range(1, 8)), capabilities=PLAIN)
    server.rules.append(when_searching(Respond(b"* SEARCH 6 7\r\n{tag} OK %b Limited\r\n" % code)))
    found = find(server, Quirks(), query=("words",))
    assert (found.complete, found.uids[:1]) == (False, (7,))
    assert found.statements == (
        "The server searches a limited number of messages: older ones were not searched.",
    )
    assert len(searches(server)) <= 4


@pytest.mark.parametrize("uid", [0, 2**32, 99_999_999_999, int("9" * 4000)])
def test_an_impossible_uid_is_a_protocol_error(peer: PeerFactory, uid: int) -> None:
    rule = when_searching(answering(b"* SEARCH 1 %d\r\n" % uid))
    server = peer(messages=letters([1]), capabilities=PLAIN, rules=[rule])
    error = fail(server, Quirks(), query=("x",)) if uid else None
    if error is not None:
        assert isinstance(error, InternalError)
        assert error.reason is Reason.PROTOCOL_VIOLATION
    else:
        assert find(server, Quirks(), query=("x",)).uids == (1,), "no message can be meant"


@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED, (*PLAIN, "SORT")])
@pytest.mark.parametrize("order", [Order(), Order(ascending=True), Order(RankBy.WRITTEN)])
def test_a_huge_mailbox_is_not_sorted_by_the_server(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, capabilities: tuple[str, ...], order: Order
) -> None:
    """It may have to open every message for that."""
    monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 16)
    uids = list(range(3, 60, 2))
    server = peer(messages=[letter(uid, size=uid) for uid in uids], capabilities=capabilities)
    quirks = Quirks()
    expected = tuple(uids if order.ascending else reversed(uids))
    for _ in range(2):
        with session_on(make_account(server), quirks) as session:
            first = search_one(session, request(order=order, size=20))
            second = search_one(session, request(order=order, size=20, position=first.after))
            assert first.uids + second.uids == expected
    assert not any(each.name == "UID SORT" for each in server.commands)


@pytest.mark.parametrize(
    "answer",
    [
        b"{tag} NO Cannot sort\r\n",
        b"* SORT 1 2\r\n{tag} OK [MESSAGELIMIT 2 1] Limited\r\n",
        b"* SORT 1\r\n{tag} OK -\r\n",
    ],
)
def test_a_sort_that_fails_is_replaced(peer: PeerFactory, answer: bytes) -> None:
    messages = [letter(1, size=5), letter(2, size=9), letter(3)]
    rule = Rule(command="UID SORT", action=Respond(answer))
    server = peer(messages=messages, capabilities=(*EXTENDED, "SORT"), rules=[rule])
    quirks = Quirks()
    assert find(server, quirks, order=Order(RankBy.SIZE)).uids == (2, 1, 3)
    assert quirks.allows("SORT") == (b" NO " not in answer)

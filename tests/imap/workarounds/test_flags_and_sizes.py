"""What a server finds is compared with what it says of the same messages."""

from typing import Any

import pytest

from imap.scenes import make_account, session_on
from imap.searches import PLAIN, find, letter, letters, probed, request, search_one, searches
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.verify import measures_match
from mailmcp.imap.workarounds.flags_and_sizes import SIZE_MARGIN
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule

SEEN = ("\\Seen",)


def finds(key: str, *uids: int, nth: int | None = None) -> Rule:
    """Let a key find these, whatever they are."""
    answer = b"* SEARCH " + b" ".join(b"%d" % uid for uid in uids) + b"\r\n{tag} OK -\r\n"
    return Rule(command="UID SEARCH", containing=key, action=Respond(answer), nth=nth)


@pytest.mark.parametrize(
    ("criteria", "odd"),
    [
        ({"unread_only": True}, {1}),
        ({"flagged": True}, {2}),
        ({"answered": True}, {1, 2}),
        ({"unanswered_only": True}, {3}),
        ({"keyword": "$junk"}, {2}),
        ({"larger_than": 100}, set()),
        ({"larger_than": 105}, {1}),
        ({"smaller_than": 96}, set()),
        ({"smaller_than": 95}, {1}),
        ({"subject": "never held against it"}, set()),
    ],
)
def test_rows_contradict_by_flags_and_by_clear_sizes(criteria: dict[str, Any], odd: set[int]) -> None:
    """Sizes within a twentieth count as equal; unknown facts contradict nothing."""
    rows = {
        1: FetchedMessage(uid=1, flags=("\\SEEN", "\\Flagged", "$Junk"), size_octets=100),
        2: FetchedMessage(uid=2),
        3: FetchedMessage(uid=3, flags=("\\answered", "\\Flagged", "$junk")),
    }
    asked = SearchQuery(**criteria)
    assert {
        uid for uid, row in rows.items() if not measures_match(asked, row, size_margin=SIZE_MARGIN)
    } == odd


@pytest.mark.parametrize(
    ("key", "criteria", "expected"),
    [
        ("UNSEEN", {"unread_only": True}, (5, 4)),
        ("FLAGGED", {"flagged": True}, (5,)),
        ("ANSWERED", {"answered": True}, ()),
        ("KEYWORD", {"keyword": "$Done"}, (3,)),
        ("LARGER", {"larger_than": 600}, (5,)),
        ("SMALLER", {"smaller_than": 300}, (1,)),
    ],
)
@pytest.mark.parametrize("order", [Order.NEWEST, Order.OLDEST])
def test_a_key_that_finds_everything_is_caught_by_the_rows(
    peer: PeerFactory, key: str, criteria: dict[str, Any], expected: tuple[int, ...], order: Order
) -> None:
    flags = {3: (*SEEN, "$Done"), 4: (), 5: ("\\Flagged",)}
    messages = [letter(uid, size=uid * 100, flags=flags.get(uid, SEEN)) for uid in range(1, 6)]
    server = peer(messages=messages, capabilities=PLAIN, rules=[finds(key, 1, 2, 3, 4, 5)])
    quirks = probed()
    found = find(server, quirks, order=order, **criteria)
    assert found.uids == (expected if order is Order.NEWEST else expected[::-1])
    assert (found.complete, found.total_exact, found.left) == (True, True, 0)
    assert "doesn't work: it was checked here" in found.statements[0]
    [wrong] = [each for each in Feature if not quirks.trusts(each)]
    assert wrong is {"LARGER": Feature.LARGER, "SMALLER": Feature.SMALLER}.get(key, Feature.FLAGS)
    asked = len(searches(server))
    assert find(server, quirks, order=order, **criteria).uids == found.uids
    assert searches(server)[asked:] == ["ALL"], "the key is not asked any more"


def test_flags_and_sizes_may_both_be_wrong(peer: PeerFactory) -> None:
    messages = [letter(uid, size=uid * 100, flags=() if uid == 5 else SEEN) for uid in range(1, 6)]
    rules = [finds("UNSEEN", 1, 2, 3, 4, 5), finds("LARGER", 1, 2, 3, 4, 5)]
    quirks = probed()
    server = peer(messages=messages, capabilities=PLAIN, rules=rules)
    assert find(server, quirks, unread_only=True, larger_than=500).uids == (5,)
    assert not quirks.trusts(Feature.FLAGS)
    assert not quirks.trusts(Feature.LARGER)


def test_one_contradicting_message_proves_nothing(peer: PeerFactory) -> None:
    """Somebody may have read it since the search."""
    messages = [letter(1), letter(2, flags=SEEN), letter(3)]
    server = peer(messages=messages, capabilities=PLAIN, rules=[finds("UNSEEN", 1, 2, 3)])
    quirks = probed()
    assert find(server, quirks, unread_only=True).uids == (3, 2, 1)
    assert quirks.trusts(Feature.FLAGS)
    assert len(searches(server)) == 1


def test_many_messages_may_have_been_read_since_the_search(peer: PeerFactory) -> None:
    """Asked again, a good server doesn't find them: it is trusted, and the page stays."""
    messages = letters([1, 2, 3], flags=SEEN)
    server = peer(messages=messages, capabilities=PLAIN, rules=[finds("UNSEEN", 1, 2, 3, nth=1)])
    quirks = probed()
    assert find(server, quirks, unread_only=True).uids == (3, 2, 1)
    assert quirks.trusts(Feature.FLAGS)
    assert searches(server) == ["UNSEEN", "UID 1:3 UNSEEN"]


def test_candidates_of_an_earlier_page_prove_nothing(peer: PeerFactory) -> None:
    server = peer(messages=letters(range(1, 7)), capabilities=PLAIN)
    with session_on(make_account(server), probed()) as session:
        first = search_one(session, request(size=3, unread_only=True))
        for each in server.mailbox.messages:
            each.flags = SEEN
        following = request(size=3, unread_only=True, after=first.last, known=first.candidates)
        assert search_one(session, following).uids == (3, 2, 1)
        assert session.quirks.trusts(Feature.FLAGS)
    assert len(searches(server)) == 1


def test_a_page_made_again_finds_its_candidates_anew(peer: PeerFactory) -> None:
    """A later page whose candidates were forgotten."""
    messages = [letter(uid, flags=SEEN if uid in {1, 3} else ()) for uid in range(1, 7)]
    rule = finds("UNSEEN", 1, 2, 3, 4, 5, 6)
    server = peer(messages=messages, capabilities=PLAIN, rules=[rule])
    with session_on(make_account(server), probed()) as session:
        first = search_one(session, request(size=2, unread_only=True))
        second = search_one(session, request(size=10, unread_only=True, after=first.last))
    assert (first.uids, second.uids) == ((6, 5), (4, 2))


@pytest.mark.parametrize(
    ("key", "criteria", "expected"),
    [
        ("UNSEEN", {"unread_only": True}, (30, 9)),
        ("FLAGGED", {"flagged": True}, (30,)),
        ("KEYWORD", {"keyword": "$Done"}, (28,)),
        ("UNANSWERED", {"unanswered_only": True}, tuple(range(30, 20, -1))),
    ],
)
def test_a_key_that_finds_nothing_is_caught_by_the_newest_messages(
    peer: PeerFactory, key: str, criteria: dict[str, Any], expected: tuple[int, ...]
) -> None:
    flags = {9: (), 28: (*SEEN, "$Done"), 30: ("\\Flagged",)}
    messages = [letter(uid, flags=flags.get(uid, SEEN)) for uid in range(1, 31)]
    quirks = probed()
    server = peer(messages=messages, capabilities=PLAIN, rules=[finds(key)])
    found = find(server, quirks, **criteria)
    assert found.uids == expected
    assert found.complete
    assert "checked here" in found.statements[0]
    assert not quirks.trusts(Feature.FLAGS)


def test_nothing_found_by_flags_is_believed_if_the_newest_lack_them(peer: PeerFactory) -> None:
    """Octets are bounded: only the flags of twenty messages are fetched."""
    server = peer(messages=letters(range(1, 31), flags=SEEN), capabilities=PLAIN)
    quirks = probed()
    found = find(server, quirks, unread_only=True)
    assert (found.uids, found.complete) == ((), True)
    assert quirks.trusts(Feature.FLAGS)
    fetches = [each for each in server.commands if each.name == "FETCH"]
    assert [each.line for each in fetches] == ["FETCH 11:30 (UID FLAGS)"]
    assert searches(server) == ["UNSEEN", "ALL"]


def test_mail_that_arrived_since_the_search_proves_nothing(peer: PeerFactory) -> None:
    server = peer(messages=letters([1, 2, 3]), capabilities=PLAIN, rules=[finds("UNSEEN", nth=1)])
    quirks = probed()
    assert find(server, quirks, unread_only=True).uids == ()
    assert quirks.trusts(Feature.FLAGS)
    assert searches(server) == ["UNSEEN", "ALL", "UID 1:3 UNSEEN"]


@pytest.mark.parametrize("gone", [False, True])
def test_one_message_read_meanwhile_proves_nothing(peer: PeerFactory, *, gone: bool) -> None:
    """Between the fetch of its flags and the search for it; a verdict would stay."""
    answer = b"" if gone else b"* 3 FETCH (UID 3 FLAGS (\\Seen))\r\n"
    rules = [
        finds("UNSEEN"),
        Rule(command="UID FETCH", containing="(UID FLAGS)", action=Respond(answer + b"{tag} OK -\r\n")),
    ]
    server = peer(messages=[*letters([1, 2], flags=SEEN), letter(3)], capabilities=PLAIN, rules=rules)
    quirks = probed()
    assert find(server, quirks, unread_only=True).uids == ()
    assert quirks.trusts(Feature.FLAGS)


def test_unread_mail_that_other_criteria_exclude_proves_nothing(peer: PeerFactory) -> None:
    server = peer(messages=letters([1, 2, 3]), capabilities=PLAIN)
    quirks = probed()
    assert find(server, quirks, unread_only=True, from_="nobody@example.net").uids == ()
    assert quirks.trusts(Feature.FLAGS)


def test_a_server_that_refuses_to_send_flags_is_believed(peer: PeerFactory) -> None:
    rules = [finds("UNSEEN"), Rule(command="FETCH", action=Respond(b"{tag} NO gone\r\n"))]
    server = peer(messages=letters([1, 2, 3]), capabilities=PLAIN, rules=rules)
    assert find(server, probed(), unread_only=True).uids == ()

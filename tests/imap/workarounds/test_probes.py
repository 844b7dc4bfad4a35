"""Probes find what servers get wrong; searches are then right, or say what is wrong."""

from typing import Any

import pytest

from imap.scenes import At, make_account, session_on
from imap.searches import PLAIN, fail, find, letter, request, search_mailboxes, search_one, searches
from mailmcp import limits
from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.order import Order
from mailmcp.imap.workarounds.probes import probe
from mailmcp.model.feature import Feature
from mailmcp.reasons import Reason
from mcp_envelope import NotFoundError, ToolError
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage

EXTENDED = ("IMAP4rev1", "LITERAL+", "ESEARCH", "SORT")
NOTHING = Respond(b"* SEARCH\r\n{tag} OK -\r\n")
REFUSED = Respond(b"{tag} NO Unsupported key\r\n")
WORDS = (
    "weekly report",
    "holiday pictures",
    "invoice number",
    "meeting tomorrow",
    "=?utf-8?q?Gr=C3=BC=C3=9Fe?=",
)


def mixed() -> list[PeerMessage]:
    """Twenty messages of many kinds, an hour between each."""
    return [
        letter(
            uid,
            WORDS[uid % 5],
            sender=f"Sender {uid % 3} <sender-{uid % 3}@example.org>",
            cc="Eve <eve@example.org>",
            size=uid * 40,
            written=f"{uid} Mar 2024 12:00:00 +0000",
        )
        for uid in range(1, 21)
    ]


def wrong(key: str, action: Respond = NOTHING) -> Rule:
    return Rule(command="UID SEARCH", containing=key, action=action)


def judge(server: Peer, mailbox: str = "INBOX") -> dict[Feature, Verdict]:
    with session_on(make_account(server)) as session:
        return probe(session, mailbox)


@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED, ("IMAP4rev1",)])
def test_a_good_server_passes_all_probes_in_few_round_trips(
    peer: PeerFactory, capabilities: tuple[str, ...]
) -> None:
    with session_on(make_account(peer(messages=mixed(), capabilities=capabilities))) as session:
        before = session.handle.traffic.round_trips
        verdicts = probe(session, "INBOX")
        spent = session.handle.traffic.round_trips - before
    extensions = {Feature.ESEARCH, Feature.SORT} if capabilities is EXTENDED else set()
    unprobed = {Feature.ESEARCH, Feature.SORT, Feature.LIST_RETURN, Feature.IDS}
    assert set(verdicts) == set(Feature) - unprobed | extensions
    assert set(verdicts.values()) == {Verdict.OK}
    assert spent <= (5 if "LITERAL+" in capabilities else 9)


def test_dovecot_and_pymap_pass_the_probes(
    dovecot: Dovecot, dovecot_user: Login, pymap_server: Pymap
) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [each.octets for each in mixed()])
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        assert set(probe(session, "INBOX").values()) == {Verdict.OK}
    pymap_server.fill("INBOX", [each.octets for each in mixed()])
    with session_on(make_account(pymap_server)) as session:
        verdicts = probe(session, "INBOX")
    assert {each for each in verdicts if verdicts[each] is Verdict.WRONG} <= {Feature.CHARSET}


def test_a_large_mailbox_is_probed_among_known_messages_only(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PROBE_WHOLE_MAILBOX_MAX", 10)
    server = peer(messages=mixed(), capabilities=EXTENDED)
    assert set(judge(server).values()) == {Verdict.OK}
    assert all(" UID " in each for each in searches(server)), "but how many there are is counted"
    plain = judge(peer(messages=mixed(), capabilities=PLAIN))
    assert [each for each in plain if plain[each] is not Verdict.OK] == [Feature.VIEW]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("exists", "verdict"), [(25, Verdict.OK), (26, Verdict.WRONG)])
def test_hidden_messages_are_noticed(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, exists: int, verdict: Verdict, *, whole: bool
) -> None:
    """Yahoo's."""
    monkeypatch.setattr(limits, "PROBE_WHOLE_MAILBOX_MAX", 100 if whole else 10)
    opened = Respond(b"* %d EXISTS\r\n* OK [UIDVALIDITY 1700000000] -\r\n{tag} OK -\r\n" % exists)
    rule = Rule(command="EXAMINE", action=opened)
    found = judge(peer(messages=mixed(), capabilities=EXTENDED, rules=[rule]))
    assert found[Feature.VIEW] is verdict
    assert found[Feature.ALL] is Verdict.OK
    gone = Rule(command="EXAMINE", action=opened, nth=1)
    assert judge(peer(messages=mixed(), rules=[gone]))[Feature.VIEW] is Verdict.OK, "they went meanwhile"


@pytest.mark.parametrize("answer", [b"{tag} NO No\r\n", b"{tag} OK -\r\n"])
def test_visibility_that_cannot_be_counted_stays_unknown(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(limits, "PROBE_WHOLE_MAILBOX_MAX", 10)
    rule = wrong("(COUNT) ALL", Respond(answer))
    assert judge(peer(messages=mixed(), capabilities=EXTENDED, rules=[rule]))[Feature.VIEW] is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("features", "key", "criteria", "expected"),
    [
        ({Feature.SUBJECT}, "SUBJECT", {"subject": "holiday"}, (16, 11, 6, 1)),
        ({Feature.FROM}, "FROM", {"from_": "sender-2"}, (20, 17, 14, 11, 8, 5, 2)),
        ({Feature.FROM}, "FROM", {"any_address": "sender-2"}, (20, 17, 14, 11, 8, 5, 2)),
        ({Feature.CC}, " CC ", {"cc": "nobody"}, ()),
        ({Feature.HEADER}, "HEADER MESSAGE-ID", {"header_message_id": "<7@example.org>"}, (7,)),
        ({Feature.LARGER}, "LARGER", {"larger_than": 950}, (20, 19)),
        ({Feature.SMALLER}, "SMALLER", {"smaller_than": 300}, (1,)),
    ],
)
@pytest.mark.parametrize("action", [NOTHING, REFUSED])
@pytest.mark.parametrize("capabilities", [PLAIN, EXTENDED])
def test_a_key_that_finds_nothing_is_replaced_and_reported(
    peer: PeerFactory,
    features: set[Feature],
    key: str,
    criteria: dict[str, Any],
    expected: tuple[int, ...],
    action: Respond,
    capabilities: tuple[str, ...],
) -> None:
    """Strato and iCloud do so."""
    if capabilities is EXTENDED and action is NOTHING:
        action = Respond(b'* ESEARCH (TAG "{tag}") UID COUNT 0\r\n{tag} OK -\r\n')
    server = peer(messages=mixed(), capabilities=capabilities, rules=[wrong(key, action)])
    sizes = [len(each.octets) for each in server.mailbox.messages]
    if "larger_than" in criteria:
        criteria = {"larger_than": sizes[17]}
    if "smaller_than" in criteria:
        criteria = {"smaller_than": sizes[1]}
    quirks = Quirks()
    found = find(server, quirks, **criteria)
    assert found.uids == expected
    assert found.complete
    assert "doesn't work: it was checked here" in found.statements[0]
    found_wrong = {each for each in Feature if not quirks.trusts(each)}
    assert features <= found_wrong <= features | {Feature.CHARSET}
    with session_on(make_account(server), quirks) as session:
        first = search_one(session, request(**criteria, size=3))
        if first.left:
            known = request(**criteria, after=first.last, known=first.candidates)
            assert search_one(session, known).statements == found.statements, "on each page"


@pytest.mark.parametrize("key", ["LARGER", "SUBJECT", "SINCE", "BEFORE", "BODY", "NOT"])
def test_a_key_that_finds_everything_is_wrong_too(peer: PeerFactory, key: str) -> None:
    """ICloud's sizes; servers that ignore a key."""
    everything = Respond(
        b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, 21)) + b"\r\n{tag} OK -\r\n"
    )
    server = peer(messages=mixed(), capabilities=PLAIN, rules=[wrong(key, everything)])
    assert judge(server)[Feature(key)] is Verdict.WRONG


@pytest.mark.parametrize(
    ("key", "feature"), [("BODY", Feature.BODY), ("NOT", Feature.NOT), ("UNSEEN", Feature.FLAGS)]
)
@pytest.mark.parametrize("action", [NOTHING, REFUSED])
def test_bodies_negations_and_flags_are_probed(
    peer: PeerFactory, key: str, feature: Feature, action: Respond
) -> None:
    verdicts = judge(peer(messages=mixed(), capabilities=PLAIN, rules=[wrong(key, action)]))
    assert [each for each in verdicts if verdicts[each] is Verdict.WRONG] == [feature]


@pytest.mark.parametrize("key", ["SINCE", "BEFORE"])
def test_times_are_right_without_the_servers_dates(peer: PeerFactory, key: str) -> None:
    server = peer(messages=mixed(), capabilities=PLAIN, rules=[wrong(key)])
    moment = server.mailbox.messages[9].received
    found = find(server, since=moment) if key == "SINCE" else find(server, before=moment, size=9)
    assert found.uids == (tuple(range(20, 10 - 1, -1))[:10] if key == "SINCE" else tuple(range(9, 0, -1)))
    assert "search by date doesn't work" in found.statements[0]


@pytest.mark.parametrize("also_wrong", ["", "SUBJECT"])
def test_words_searched_in_headers_only_are_reported(peer: PeerFactory, also_wrong: str) -> None:
    rules = [wrong("TEXT"), wrong("BODY"), *([wrong(also_wrong)] if also_wrong else [])]
    server = peer(messages=mixed(), capabilities=PLAIN, rules=rules)
    found = find(server, query=("invoice", "sender-2"))
    assert found.uids == (17, 2)
    assert not found.complete
    assert "words were searched for in subjects and senders only" in found.statements[0]
    without = find(server, query=("invoice",), exclude=("sender-2",))
    assert without.uids == (12, 7)
    assert find(server, body="nothing such").uids == ()


def test_nothing_found_for_non_ascii_text_is_incomplete(peer: PeerFactory) -> None:
    """Coremail accepts CHARSET and finds nothing."""
    server = peer(messages=mixed(), capabilities=PLAIN, rules=[wrong("CHARSET")])
    quirks = Quirks()
    assert find(server, quirks, subject="grüße").uids == (19, 14, 9, 4)
    assert quirks.verdict(Feature.CHARSET) is Verdict.WRONG
    assert fail(server, quirks, query=("Grüße",)).reason is Reason.CHARSET_REFUSED


def test_ambiguous_plain_responses_are_asked_for_one_by_one(peer: PeerFactory) -> None:
    """Two lines for one search, as iCloud gives; or those of two searches at a time."""
    server = peer(messages=mixed(), capabilities=PLAIN)
    all_of_them = b" ".join(b"%d" % uid for uid in range(1, 21))
    odd = Respond(b"* SEARCH\r\n* SEARCH " + all_of_them + b"\r\n{tag} OK -\r\n")
    server.rules.append(Rule(command="UID SEARCH", containing="SEARCH ALL", action=odd))
    assert set(judge(server).values()) == {Verdict.OK}
    assert sum(each == "ALL" for each in searches(server)) == 2


def test_mislabelled_esearch_is_noticed(peer: PeerFactory) -> None:
    mislabelled = Respond(b'* ESEARCH (TAG "x") UID COUNT 1 ALL 1\r\n{tag} OK -\r\n')
    server = peer(messages=mixed(), capabilities=EXTENDED, rules=[wrong("RETURN", mislabelled)])
    verdicts = judge(server)
    assert [each for each in verdicts if verdicts[each] is not Verdict.OK] == [Feature.ESEARCH]


@pytest.mark.parametrize(
    "answer", [b"* SORT 20 10 2 4 6 8 12 14 16 18\r\n{tag} OK -\r\n", b"{tag} BAD No\r\n"]
)
def test_sort_in_no_order_is_not_used(peer: PeerFactory, answer: bytes) -> None:
    server = peer(messages=mixed(), capabilities=EXTENDED)
    server.rules.append(Rule(command="UID SORT", action=Respond(answer)))
    quirks = Quirks()
    assert find(server, quirks, subject="report", order=Order.LARGEST).uids == (20, 15, 10, 5)
    assert quirks.verdict(Feature.SORT) is Verdict.WRONG


def test_a_feature_caught_being_wrong_stays_wrong(peer: PeerFactory) -> None:
    quirks = Quirks(verdicts={Feature.SUBJECT: Verdict.WRONG})
    with session_on(make_account(peer(messages=mixed())), quirks) as session:
        assert probe(session, "INBOX")[Feature.SUBJECT] is Verdict.WRONG


def test_one_odd_message_does_not_decide(peer: PeerFactory) -> None:
    server = peer(messages=mixed(), capabilities=PLAIN, rules=[wrong('SUBJECT "pictures"')])
    assert judge(server)[Feature.SUBJECT] is Verdict.OK


def test_probes_run_once_for_an_account(peer: PeerFactory) -> None:
    server = peer(messages=mixed(), capabilities=PLAIN)
    quirks = Quirks()
    assert find(server, quirks, unread_only=True).uids
    assert searches(server) == ["UNSEEN", "ALL"], "flags are nothing to probe: all are counted alone"
    find(server, quirks, subject="report")
    asked = len(searches(server))
    assert asked > 10
    find(server, quirks, subject="pictures")
    assert len(searches(server)) == asked + 1


def test_an_empty_mailbox_leaves_features_unverified(peer: PeerFactory) -> None:
    server = peer(mailboxes=[PeerMailbox(name="Full", messages=mixed())], capabilities=PLAIN)
    quirks = Quirks()
    assert judge(server) == {}
    assert find(server, quirks, subject="x").unverified == "", "nothing can be missed"
    found = find(server, Quirks(probes_run=limits.PROBE_RUNS_MAX), mailbox="Full", subject="nothing such")
    said = "The server's search by subject couldn't be tested: to be sure, search without subject."
    assert found.unverified == said
    assert find(server, quirks, mailbox="Full", subject="nothing such").unverified == ""
    assert quirks.verdict(Feature.SUBJECT) is Verdict.OK


@pytest.mark.parametrize("action", [None, NOTHING, Respond(b"{tag} BAD No\r\n")])
def test_an_account_without_foreign_text_learns_from_another_one_of_its_server(
    peer: PeerFactory, action: Respond | None
) -> None:
    rules = [wrong("CHARSET", action)] if action else []
    foreign = PeerMailbox(name="Foreign", messages=mixed())
    server, elsewhere = (
        peer(messages=[letter(1, "report")], mailboxes=[foreign], capabilities=PLAIN, rules=each)
        for each in (rules, [])
    )
    one, other, far = Quirks(), Quirks(), Quirks()
    one.all_accounts = other.all_accounts = far.all_accounts = (one, other, far)
    assert find(elsewhere, far, mailbox="Foreign", subject="Grüße").uids
    said = (
        "The server's search by subject for non-ASCII text couldn't be tested: to be sure, search for "
        "ASCII words."
    )
    first = find(server, one, subject="Grüße")
    refuses = action is not None and action is not NOTHING
    assert first.unverified == ("" if refuses else said)
    find(server, other, mailbox="Foreign", subject="report")
    before = len(searches(server))
    again = find(server, one, subject="Grüße")
    assert again.unverified == ""
    assert any("CHARSET" in each for each in searches(server)[before:]) is (action is None)
    assert any("was checked here" in each for each in again.statements) is (action is not None)


def test_a_mailbox_that_cannot_be_probed_is_tried_a_few_times(peer: PeerFactory) -> None:
    server = peer(messages=mixed(), capabilities=PLAIN)
    server.rules.append(Rule(command="FETCH", action=Respond(b"{tag} NO No numbers\r\n")))
    quirks = Quirks()
    for _ in range(limits.PROBE_RUNS_MAX + 2):
        assert find(server, quirks, subject="report").uids == (20, 15, 10, 5)
    assert sum(each.name == "FETCH" for each in server.commands) == limits.PROBE_RUNS_MAX
    with session_on(make_account(server)) as session:
        [missing] = search_mailboxes(session, [request("Nowhere", subject="x")])
        assert isinstance(missing, NotFoundError)


def test_a_connection_lost_by_a_probe_is_an_error_and_the_probe_is_given_up(peer: PeerFactory) -> None:
    server = peer(messages=mixed(), capabilities=PLAIN)
    server.rules.append(Rule(command="FETCH", action=Close("before")))
    quirks = Quirks()
    for _ in range(limits.PROBE_RUNS_MAX):
        with session_on(make_account(server), quirks) as session, pytest.raises(ToolError, match="lost"):
            search_mailboxes(session, [request(subject="report")])
    assert find(server, quirks, subject="report").uids == (20, 15, 10, 5)

"""Answers to SEARCH as real servers give them: odd, mislabelled, contradictory, none."""

from collections.abc import Sequence

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account, session_on
from mailmcp.envelope import limits
from mailmcp.envelope.errors import InternalError, InvalidInputError, MailError, Reason
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search import Criteria, parse_esearch, parse_search, search_uids
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages

PLAIN = ("IMAP4rev1",)
RETURN = "RETURN"


def find(server: Peer, criteria: Criteria | None = None, quirks: Quirks | None = None) -> list[int]:
    with session_on(make_account(server), quirks) as session:
        session.examine("INBOX")
        try:
            return list(search_uids(session, criteria or Criteria()))
        finally:
            assert not session.in_doubt
            session.run("NOOP")


def searches(server: Peer) -> list[str]:
    return [
        command.line.removeprefix("UID SEARCH ") for command in server.commands if "SEARCH" in command.name
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"", []),
        (b"* SEARCH\r\n", []),
        (b"* SEARCH \r\n", []),
        (b"* SEARCH 1 2\r\n* SEARCH 3\r\n", [1, 2, 3]),
        (b"* SEARCH\r\n* SEARCH 3 1\r\n* SEARCH\r\n", [1, 3]),
        (b"* SEARCH 2 2  1 \r\n* SEARCH 2\r\n", [1, 2]),
        (b"* SEARCH 1 2 (MODSEQ 917162500)\r\n", [1, 2]),
        (b"* SEARCH {1}\r\n9 2\r\n", [2]),
    ],
)
def test_any_number_of_search_lines_is_accepted(
    peer: PeerFactory, answer: bytes, expected: list[int]
) -> None:
    """ICloud sends several."""
    rule = Rule(command="UID SEARCH", action=Respond(answer + b"{tag} OK -\r\n"))
    server = peer(messages=make_messages(1, 2, 3), capabilities=PLAIN, rules=[rule])
    assert find(server, Criteria(query="x")) == expected


MISTRUSTED = [
    b"",
    b'* ESEARCH (TAG "{tag}") COUNT 2 ALL 1:2\r\n',
    b'* ESEARCH (TAG "other") UID COUNT 2 ALL 1:2\r\n',
    b"* ESEARCH UID COUNT 2 ALL 1:2\r\n",
    b'* ESEARCH (TAG "{tag}") UID ALL 1:2\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 3 ALL 1:2\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 1 ALL 1:4294967295\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 4294967295 ALL 1:4294967295\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 2\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 2 ALL 1:,2\r\n',
    b'* ESEARCH (TAG "{tag}") UID COUNT 2 ALL 1:2\r\n* ESEARCH (TAG "{tag}") UID COUNT 1 ALL 3\r\n',
    b"* ESEARCH {1}\r\n1\r\n",
]


@pytest.mark.parametrize("answer", MISTRUSTED)
def test_esearch_that_misbehaves_is_not_used_again(peer: PeerFactory, answer: bytes) -> None:
    """Missing or mislabelled by Proton Bridge and Purelymail: plain SEARCH from then on, the same results."""
    rule = Rule(command="UID SEARCH", containing=RETURN, action=Respond(answer + b"{tag} OK -\r\n"))
    server = peer(messages=make_messages(1, 2, 5), rules=[rule])
    quirks = Quirks()
    assert find(server, quirks=quirks) == [1, 2, 5]
    assert find(server, quirks=quirks) == [1, 2, 5]
    assert quirks.esearch_distrusted
    assert searches(server) == ["RETURN (COUNT ALL) ALL", "ALL", "ALL"]


def test_a_plain_answer_to_an_extended_search_is_taken(peer: PeerFactory) -> None:
    answer = Respond(b"* SEARCH 1 2\r\n{tag} OK -\r\n")
    rule = Rule(command="UID SEARCH", containing=RETURN, action=answer)
    server = peer(messages=make_messages(1, 2), rules=[rule])
    assert find(server) == [1, 2]
    assert len(searches(server)) == 1


def test_esearch_that_behaves_stays_in_use(peer: PeerFactory) -> None:
    server, quirks = peer(messages=make_messages(1, 2, 3, 7)), Quirks()
    assert find(server, quirks=quirks) == [1, 2, 3, 7]
    assert find(server, Criteria(query="nowhere"), quirks) == []
    assert not quirks.esearch_distrusted


@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "ESEARCH")])
def test_an_empty_answer_to_everything_is_not_believed(
    peer: PeerFactory, capabilities: Sequence[str]
) -> None:
    """Strato gives such ones: a confident empty result would be a lie."""
    server = peer(messages=make_messages(1), capabilities=capabilities)
    server.rules.append(Rule(command="UID SEARCH", action=Respond(b"{tag} OK -\r\n")))
    with pytest.raises(
        InternalError, match="finds no message in a mailbox that it says is not empty"
    ) as caught:
        find(server)
    assert caught.value.reason is Reason.PROTOCOL_VIOLATION
    assert find(server, Criteria(query="x")) == [], "which may well be"
    server.mailbox.messages.clear()
    assert find(server) == []


@pytest.mark.parametrize("uid", [2**32, 99_999_999_999, int("9" * 4000), int("1" * 19)])
def test_an_impossible_uid_is_a_violation(peer: PeerFactory, uid: int) -> None:
    rule = Rule(command="UID SEARCH", action=Respond(b"* SEARCH 1 %d\r\n{tag} OK -\r\n" % uid))
    with pytest.raises(InternalError, match="impossible UID") as caught:
        find(peer(capabilities=PLAIN, rules=[rule]))
    assert caught.value.reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    "refusal",
    [b"NO [BADCHARSET (US-ASCII)] No", b"BAD Command Argument Error. 11", b"NO No", b"NO [CANNOT] No"],
)
@pytest.mark.parametrize("warm", [False, True])
def test_a_refused_charset_is_said_to_be_that(peer: PeerFactory, refusal: bytes, *, warm: bool) -> None:
    """Exchange says BAD to CHARSET, without a word of it."""
    rule = Rule(command="UID SEARCH", containing="CHARSET", action=Respond(b"{tag} %b\r\n" % refusal))
    server = peer(messages=make_messages(1), rules=[rule])
    with session_on(make_account(server)) as session:
        session.examine("INBOX")
        if warm:
            session.begin_lease()
            session.examine("INBOX")
        with pytest.raises(InvalidInputError, match="text that is not ASCII") as caught:
            search_uids(session, Criteria(query="Größe"))
        assert caught.value.reason is Reason.CHARSET_REFUSED
        assert list(search_uids(session, Criteria(query="message"))) == [1]


@pytest.mark.parametrize("query", ["x", "Größe"])
def test_another_trouble_is_not_taken_for_the_charset(peer: PeerFactory, query: str) -> None:
    rule = Rule(command="UID SEARCH", action=Respond(b"{tag} NO [SERVERBUG] Broken index\r\n"))
    with pytest.raises(InternalError, match=r"refused SEARCH \(account main\): NO \[SERVERBUG\] Broken"):
        find(peer(messages=make_messages(1), rules=[rule]), Criteria(query=query))


@pytest.mark.parametrize("capability", ["LITERAL+", "LITERAL-", "IMAP4rev1"])
@pytest.mark.parametrize("warm", [False, True])
def test_a_search_with_a_literal_works_in_one_burst_with_examine(
    peer: PeerFactory, capability: str, *, warm: bool
) -> None:
    server = peer(messages=make_messages(1), capabilities=("IMAP4rev1", capability))
    server.mailbox.messages[0].octets += "Größe".encode()
    with session_on(make_account(server)) as session:
        session.examine("INBOX")
        if warm:
            session.begin_lease()
            session.examine("INBOX")
        before = session.dialling.traffic.round_trips
        assert list(search_uids(session, Criteria(query="Größe"))) == [1]
        waited = session.dialling.traffic.round_trips - before
        assert waited == (2 if capability == "IMAP4rev1" else 1)


def test_a_long_literal_waits_where_only_short_ones_need_not(peer: PeerFactory) -> None:
    """RFC 7888 section 5: LITERAL- is for 4096 octets."""
    server = peer(messages=make_messages(1), capabilities=("IMAP4rev1", "LITERAL-"))
    assert find(server, Criteria(subject="ä" * 2048)) == []
    assert find(server, Criteria(subject="ä" * 2049)) == []
    assert [("{4096+}" in line, "{4098}" in line) for line in searches(server)] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("answer", [b"{tag} NO No literals\r\n", b"{tag} BAD Too long\r\n", b"%% junk\r\n"])
def test_a_literal_may_be_refused(answer: bytes) -> None:
    """A server that says NO instead of asking for the literal has answered; the session goes on."""

    def reply(line: bytes, _earlier: list[bytes]) -> bytes:
        tag = line.split(b" ")[0]
        if line.endswith(b"}\r\n"):
            return answer.replace(b"{tag}", tag)
        return b"* 1 EXISTS\r\n* OK [UIDVALIDITY 1] -\r\n%b OK Done\r\n" % tag

    with LineServer(reply) as server, session_on(make_account(server)) as session:
        session.examine("INBOX")
        with pytest.raises(MailError) as caught:
            search_uids(session, Criteria(query="Größe"))
        if answer.startswith(b"{tag}"):
            assert caught.value.reason is Reason.CHARSET_REFUSED
            session.run("NOOP")
        else:
            assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert session.in_doubt != answer.startswith(b"{tag}")


def test_esearch_lines_are_read_strictly_and_search_lines_are_not() -> None:
    assert parse_esearch([b'(TAG "A1") UID COUNT 3 ALL 5,1:2'], tag=b"A1") == [5, 1, 2]
    assert parse_esearch([b'(TAG "A1") uid all 4:3 count 2'], tag=b"A1") == [3, 4]
    assert parse_esearch([b'(TAG "A1") UID COUNT 0'], tag=b"A1") == []
    assert parse_esearch([b'(TAG "A1") UID COUNT 1 ALL ' + b"9" * 5000], tag=b"A1") == [int("9" * 20)]
    assert parse_esearch([b'(TAG "A1") UID COUNT ' + b"9" * 5000 + b" ALL 1"], tag=b"A1") is None
    count = 2 * limits.SEARCH_WINDOW
    assert (
        len(parse_esearch([b'(TAG "A1") UID COUNT %d ALL 1:%d' % (count, count)], tag=b"A1") or ()) == count
    )
    assert parse_esearch([(b"x", b"y"), b""], tag=b"A1") is None
    assert parse_search([(b"{1}", b"9"), b" 5,6;7"]) == [5, 6, 7]

"""Non-ASCII text: refused charsets, literals that wait or don't, odd texts."""

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account, session_on
from imap.searches import fail, find, letter, letters, request, search_one, searches, when_searching
from mailmcp.imap.search.order import Order, RankBy
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.values import MailboxPage
from mailmcp.imap.session import Quirks
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages


@pytest.mark.parametrize(
    "refusal",
    [b"NO [BADCHARSET (US-ASCII)] No", b"BAD Command Argument Error. 11", b"NO No", b"NO [CANNOT] No"],
)
def test_a_refused_charset_is_avoided_or_reported(peer: PeerFactory, refusal: bytes) -> None:
    """Exchange says BAD to CHARSET, without a word of it."""
    rule = when_searching(Respond(b"{tag} %b\r\n" % refusal), "CHARSET")
    subject = "=?utf-8?q?Gr=C3=B6=C3=9Fe?="
    server = peer(messages=[letter(1, subject), letter(2)], rules=[rule])
    quirks = Quirks()
    words = find(server, quirks, query=("Größe",))
    assert (words.uids, words.complete) == ((1,), False)
    found = find(server, quirks, subject="größe")
    assert (found.uids, found.complete) == ((1,), True)
    assert found.statements == (
        "The server can't search for non-ASCII text: subject was checked here, message by message.",
    )
    assert find(server, quirks, query=("report",)).uids == (2,)
    server.settings.capabilities += ("SORT",)
    server.rules.append(Rule(command="UID SORT", containing="UTF-8", action=rule.action))
    quirks = Quirks()
    assert find(server, quirks, subject="größe", order=Order(RankBy.SIZE)).uids == (1,)
    assert quirks.allows("SORT"), "it may well sort other messages"


@pytest.mark.parametrize("query", ["x", "Größe"])
def test_another_refusal_is_not_blamed_on_the_charset(peer: PeerFactory, query: str) -> None:
    rule = when_searching(Respond(b"{tag} NO [SERVERBUG] Broken index\r\n"))
    error = fail(peer(messages=make_messages(1), rules=[rule]), Quirks(), query=query)
    assert error.reason is Reason.SERVER_REFUSED
    assert r'refused SEARCH (account main): NO "\[SERVERBUG] Broken index"' in error.message


@pytest.mark.parametrize("capability", ["LITERAL+", "IMAP4rev1"])
def test_a_literal_that_need_not_wait_takes_no_round_trip(peer: PeerFactory, capability: str) -> None:
    server = peer(messages=letters([1]), capabilities=("IMAP4rev1", "ESEARCH", capability))
    server.mailbox.messages[0].octets += "Größe".encode()
    with session_on(make_account(server), Quirks()) as session:
        before = session.traffic.round_trips
        assert search_one(session, request(body="Größe")).uids == (1,)
        waits = capability == "IMAP4rev1"
        assert session.traffic.round_trips - before == (3 if waits else 2)
    literal = "Größe".encode().decode("latin-1")
    sign = "" if waits else "+"
    assert searches(server)[0] == f"CHARSET UTF-8 BODY {{7{sign}}}\r\n{literal}"


@pytest.mark.parametrize("answer", [b"{tag} NO No literals\r\n", b"{tag} BAD Too long\r\n", b"%% junk\r\n"])
def test_a_literal_may_be_refused(answer: bytes) -> None:
    """A server that answers NO instead of asking for the literal has answered; the session continues."""

    def reply(line: bytes, _earlier: list[bytes]) -> bytes:
        tag = line.split(b" ")[0]
        if line.endswith(b"}\r\n"):
            return answer.replace(b"{tag}", tag)
        return b"* 1 EXISTS\r\n* OK [UIDVALIDITY 1] -\r\n%b OK Done\r\n" % tag

    with LineServer(reply) as server, session_on(make_account(server), Quirks()) as session:
        if answer.startswith(b"{tag}"):
            [found] = search_mailboxes(session, [request(body="Größe")])
            assert isinstance(found, MailboxPage)
            assert not found.complete
            session.run("NOOP")
        else:
            with pytest.raises(InternalError) as caught:
                search_mailboxes(session, [request(body="Größe")])
            assert caught.value.reason is Reason.PROTOCOL_VIOLATION

"""Commands get the responses that belong to them; octets are counted, and what a server sends is bounded."""

import pytest

from imap.scenes import make_account, open_mailbox, session_on
from mailmcp.imap.client import LITERAL_OCTETS_MAX, Traffic
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.proxy import ProxyFactory

LITERAL = b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%b)\r\n" % (100_000, b"x" * 100_000)


def test_a_burst_has_a_result_for_each_command(peer: PeerFactory) -> None:
    refusal = b'* 3 EXISTS\r\n{tag} BAD [LIMIT] It\'s "too" much\r\n'
    server = peer(rules=[Rule(command="STATUS", nth=2, action=Respond(refusal))])
    with session_on(make_account(server)) as session:
        before = session.traffic.round_trips
        asked = ((b"INBOX", b"(MESSAGES)"), (b"INBOX", b"(UNSEEN)"), (b"Gone", b"(UNSEEN)"))
        results = session.run_all([Command(name="STATUS", arguments=each) for each in asked])
        assert session.traffic.round_trips == before + 1
        assert isinstance(results[0], Response)
        assert results[0].lines("STATUS") == [[b'"INBOX" (MESSAGES 0)']]
        refused = [each for each in results if isinstance(each, RefusedError)]
        assert [(each.status, each.code) for each in refused] == [("BAD", "LIMIT"), ("NO", "NONEXISTENT")]
        assert refused[0].text == '[LIMIT] It\'s "too" much'
        assert refused[0].response.number("EXISTS") == 3
        assert not session.in_doubt
        assert session.run("NOOP").lines("STATUS") == [], "nothing is left of the burst"


def test_what_is_received_and_all_bursts_of_a_connection_are_counted(
    dovecot: Dovecot, dovecot_user: Login, proxy: ProxyFactory
) -> None:
    counting = proxy(dovecot.host, dovecot.plain_port)
    with session_on(make_account(counting, dovecot_user)) as session:
        open_mailbox(session, "INBOX")
        session.run("UID", b"SEARCH", b"CHARSET", b"UTF-8", b"TEXT", "ä".encode())
        seen = counting.snapshot()
        traffic = session.traffic
        assert traffic == Traffic(round_trips=seen.round_trips, octets_received=seen.octets_received)


@pytest.mark.parametrize("size", [LITERAL_OCTETS_MAX + 1, 2**64])
def test_a_huge_literal_is_refused_before_it_is_read(peer: PeerFactory, size: int) -> None:
    claim = Respond(b"* 1 FETCH (UID 1 BODY[] {%d}\r\nabc" % size)
    with session_on(make_account(peer(rules=[Rule(command="NOOP", action=claim)]))) as session:
        with pytest.raises(InternalError) as caught:
            session.run("NOOP")
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert session.in_doubt


@pytest.mark.parametrize(
    "flood",
    [LITERAL * 40, b"* 1 FETCH (UID 1)\r\n" * 40_000, b"* SEARCH " + b"1 " * 2_000_000 + b"\r\n"],
    ids=["literals", "short responses", "a long line"],
)
def test_a_response_is_not_held_beyond_its_budget(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, flood: bytes
) -> None:
    """Forty of the longest literals for one small message, at a hundredth of the scale."""
    monkeypatch.setattr("mailmcp.imap.client.RESPONSE_OCTETS_MAX", 400_000)
    server = peer(rules=[Rule(command="NOOP", nth=1, action=Respond(LITERAL * 3 + b"{tag} OK Done\r\n"))])
    server.rules.append(Rule(command="NOOP", nth=2, action=Respond(flood)))
    with session_on(make_account(server)) as session:
        assert len(session.run("NOOP").lines("FETCH")) == 3, "each command has a budget of its own"
        before = session.traffic.octets_received
        with pytest.raises(InternalError, match="response that is too long"):
            session.run("NOOP")
        assert session.traffic.octets_received - before < 500_000


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b'1 FETCH (UID 1 X "a\r\n b\nc")\r\n', [[b'1 (UID 1 X "a bc")']]),
        (b'1 FETCH (X {1}\r\na Y "b\r\nc")\r\n', [[(b"1 (X {1}", b"a"), b' Y "bc")']]),
        (b'1 FETCH (UID 1 X "a)\r\n* 2 FETCH (UID 2)\r\n', [[b'1 (UID 1 X "a)'], [b"2 (UID 2)"]]),
    ],
    ids=["within a string", "behind a literal", "a string without an end"],
)
def test_line_ends_in_the_name_of_a_file_spoil_one_response_at_most(
    peer: PeerFactory, raw: bytes, lines: list[object]
) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Respond(b"* " + raw + b"{tag} OK Done\r\n"))])
    with session_on(make_account(server)) as session:
        assert session.run("NOOP").lines("FETCH") == lines


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("[LIMIT] Maximum number of connections from user+IP exceeded (mail_max_userip_connections=2)", True),
        ("[ALERT] Too many simultaneous connections. (Failure)", True),
        ("Too many open sessions", True),
        ("[AUTHENTICATIONFAILED] Too many failed connections", False),
    ],
)
def test_a_limit_of_connections_is_known_by_its_words(text: str, *, limit: bool) -> None:
    assert RefusedError("LOGIN", "NO", text).is_connection_limit == limit


def test_a_refusal_is_short_and_printable() -> None:
    error = RefusedError("EXAMINE", "NO", "a\x1b[1m\u202eb" + "x" * 1_000)
    assert error.text.startswith("a [1m bxxx")
    assert len(error.text) == 200
    assert error.text.endswith("…")

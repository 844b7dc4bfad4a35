"""An EXAMINE sent in front of the first command on a stale mailbox."""

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account, session_on
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages


def test_a_mailbox_that_is_gone_by_now_is_missing(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1))
    with session_on(make_account(server)) as session:
        session.examine("INBOX")
        session.begin_lease()
        session.examine("INBOX")
        server.rules.append(Rule(command="EXAMINE", action=Respond(b"{tag} NO [NONEXISTENT] Gone\r\n")))
        with pytest.raises(NotFoundError):
            session.run("SEARCH", b"ALL", uid=True)
        assert session.mailbox is None


@pytest.mark.parametrize(
    ("capabilities", "round_trips"), [(["IMAP4rev1"], 2), (["IMAP4rev1", "LITERAL+"], 1)]
)
def test_a_name_beyond_ascii_costs_round_trips_only_if_its_literal_waits(
    peer: PeerFactory, capabilities: list[str], round_trips: int
) -> None:
    """Names in raw UTF-8 are literals."""
    server = peer(messages=make_messages(1), capabilities=capabilities)
    server.rules.append(
        Rule(command="EXAMINE", action=Respond(b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] -\r\n{tag} OK -\r\n"))
    )
    with session_on(make_account(server)) as session:
        session.quirks.raw_names["Müll"] = "Müll".encode()
        session.examine("Müll")
        session.begin_lease()
        session.examine("Müll")
        before = session.handle.traffic.round_trips
        session.run("NOOP")
        assert session.handle.traffic.round_trips - before == round_trips


def test_an_examine_that_completes_after_its_command_is_a_violation() -> None:
    def answer(line: bytes, _earlier: list[bytes]) -> bytes:
        tag, _, command = line.partition(b" ")
        if command.startswith(b"EXAMINE") and rides:
            return b""
        return b"* 1 EXISTS\r\n* OK [UIDVALIDITY 1] -\r\n%b OK Done\r\n" % tag

    rides: list[bool] = []
    with LineServer(answer) as server, session_on(make_account(server)) as session:
        session.examine("INBOX")
        session.begin_lease()
        session.examine("INBOX")
        rides.append(True)
        with pytest.raises(InternalError) as caught:
            session.run("NOOP")
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert session.in_doubt

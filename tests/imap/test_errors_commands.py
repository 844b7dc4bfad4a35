"""Each command goes wrong in each way once; the error is the right one, and the next call is served."""

import pytest

from imap.scenes import RunningPool, make_account, read_round
from mailmcp.imap.account import Account
from mailmcp.imap.mailboxes import CountFailure, count_mailboxes, list_mailboxes
from mailmcp.imap.pool import AUTH_BACKOFF_S, RETRY_ATTEMPTS
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, Code, InternalError, ToolError
from servers.dovecot import Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action, Bye, Close, Respond, Rule
from servers.peer_mailbox import make_messages

AFTER_LOGIN = ("LIST", "STATUS", "EXAMINE", "UID SEARCH", "UID FETCH", "NOOP")
LOGINS = ("LOGIN", "AUTHENTICATE")
COMMANDS = ("CAPABILITY", *LOGINS, "ID", *AFTER_LOGIN)


def start(peer: PeerFactory, command: str) -> tuple[Peer, Account]:
    """Start a peer that is sent `command`: AUTHENTICATE only where LOGIN is forbidden."""
    server = peer(messages=make_messages(1, 2, 3))
    if command == "AUTHENTICATE":
        server.settings.password = "fäke-password"
        return server, make_account(server, Login("fake-user", "fäke-password"))
    return server, make_account(server)


@pytest.mark.parametrize(
    ("command", "when"),
    [
        *((command, when) for command in ("ID", *AFTER_LOGIN) for when in ("before", "within", "after")),
        ("CAPABILITY", "before"),
        ("CAPABILITY", "within"),
        ("LOGIN", "after"),
        ("AUTHENTICATE", "after"),
    ],
)
@pytest.mark.parametrize("reset", [False, True], ids=["end", "reset"])
def test_a_connection_lost_once_is_made_again_quietly(
    peer: PeerFactory, command: str, when: str, *, reset: bool
) -> None:
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, nth=1, action=Close(when, reset=reset)))  # type: ignore[arg-type] # as Literal
    with RunningPool(account) as pool:
        assert [pool.run(read_round) for _ in range(2)] == [[3, 2, 1]] * 2
    assert server.connections == 2


@pytest.mark.parametrize("command", ["CAPABILITY", "ID", *AFTER_LOGIN])
@pytest.mark.parametrize("action", [Close("before"), Bye()], ids=["close", "bye"])
def test_a_connection_lost_again_and_again_is_given_up(
    peer: PeerFactory, command: str, action: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.0)
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=action))
    with RunningPool(account) as pool:
        with pytest.raises(InternalError, match="lost") as caught:
            pool.run(read_round)
        assert (caught.value.reason, caught.value.retryable) == (Reason.CONNECTION_LOST, True)
        assert server.connections == RETRY_ATTEMPTS
        server.rules.clear()
        assert pool.run(read_round) == [3, 2, 1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"%&/ no IMAP\r\n{tag} OK Done\r\n", "not IMAP"),
        (b"zzz9 OK For somebody else\r\n", "not IMAP"),
        (b"* 1 FETCH (BODY[] {%b}\r\n" % (b"9" * 5000), "not IMAP"),
        (b"* 1 FETCH (BODY[] {99999999999}\r\n", "too long"),
        (b"* OK " + b"x" * 50_000 + b"\r\n", "too long"),
    ],
    ids=["line", "tag", "number", "literal", "long line"],
)
def test_garbage_ends_the_connection_and_is_not_tried_again(
    peer: PeerFactory, command: str, raw: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.client.RESPONSE_OCTETS_MAX", 50_000)
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Respond(raw)))
    with RunningPool(account) as pool:
        with pytest.raises(InternalError, match=words) as caught:
            pool.run(read_round)
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert server.connections == 1
        server.rules.clear()
        pool.clock.now += AUTH_BACKOFF_S
        assert pool.run(read_round) == [3, 2, 1]
    assert server.connections == 2


def refusals(*commands: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("command", "status"), [(command, status) for command in commands for status in ("NO", "BAD")]
    )


@refusals("CAPABILITY", "LIST", "EXAMINE", "UID SEARCH", "NOOP")
def test_a_refused_command_is_the_servers_word(peer: PeerFactory, command: str, status: str) -> None:
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Respond(b"{tag} %b Not today\r\n" % status.encode())))
    with RunningPool(account) as pool:
        with pytest.raises(InternalError) as caught:
            pool.run(read_round)
        error = caught.value
        assert (error.code, error.reason) == (Code.INTERNAL, Reason.SERVER_REFUSED)
        assert error.message.endswith(f'(account main): {status} "Not today".')
        assert error.details["command"] == command.removeprefix("UID ")
        assert error.retryable == (status == "NO")
        server.rules.clear()
        assert pool.run(read_round) == [3, 2, 1]
    assert server.connections == (2 if command == "CAPABILITY" else 1)


@refusals("LOGIN", "AUTHENTICATE")
def test_a_refused_login_is_an_error_of_the_credentials(peer: PeerFactory, command: str, status: str) -> None:
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Respond(b"{tag} %b Not you\r\n" % status.encode())))
    with RunningPool(account) as pool:
        with pytest.raises(AuthFailedError, match=r"password of account main\. ") as caught:
            pool.run(read_round)
        assert caught.value.reason is Reason.CREDENTIALS_REJECTED
        assert len(server.logins) == server.connections == 1
        server.rules.clear()
        pool.clock.now += AUTH_BACKOFF_S
        assert pool.run(read_round) == [3, 2, 1]


@refusals("ID")
def test_a_refused_id_changes_nothing(peer: PeerFactory, command: str, status: str) -> None:
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Respond(b"{tag} %b No names\r\n" % status.encode())))
    with RunningPool(account) as pool:
        assert pool.run(read_round) == [3, 2, 1]
    assert server.connections == 1


@refusals("STATUS")
def test_a_mailbox_that_refuses_to_be_counted_is_named(peer: PeerFactory, command: str, status: str) -> None:
    server, account = start(peer, command)
    server.rules.append(Rule(command=command, action=Respond(b"{tag} %b Not now\r\n" % status.encode())))

    def uncounted(session: Session) -> dict[str, CountFailure]:
        return count_mailboxes(session, list_mailboxes(session)).uncounted

    with RunningPool(account) as pool:
        assert pool.run(uncounted) == {"INBOX": (f'{status} "Not now"', status == "NO")}
        server.rules.clear()
        assert pool.run(uncounted) == {}
    assert server.connections == 1


@pytest.mark.parametrize(
    ("greeting", "reason", "words"),
    [
        (Bye("Too many"), Reason.SERVER_REFUSED, "greeted with BYE"),
        (Respond(b"220 mail.example.org ESMTP\r\n"), Reason.PROTOCOL_VIOLATION, "not IMAP"),
        (Respond(b"* NO Closed\r\n"), Reason.PROTOCOL_VIOLATION, "sent no IMAP greeting"),
        (Close("before"), Reason.CONNECTION_LOST, "lost"),
        (Close("within"), Reason.CONNECTION_LOST, "lost"),
        (Respond(b"* OK [CAPABILITY IMAP4rev1\r\n" + b"x" * 10 + b"\r\n"), Reason.PROTOCOL_VIOLATION, "IMAP"),
    ],
)
def test_a_bad_greeting_is_named(
    peer: PeerFactory, greeting: Action, reason: Reason, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.0)
    server = peer(greeting=greeting)
    with RunningPool(make_account(server)) as pool, pytest.raises(ToolError, match=words) as caught:
        pool.run(read_round)
    assert caught.value.reason is reason
    assert server.logins == []
    assert server.connections == (RETRY_ATTEMPTS if reason is Reason.CONNECTION_LOST else 1)

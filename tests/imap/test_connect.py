"""Connecting and logging in: what is sent, in which order, and how the credentials are written."""

import socket
from base64 import b64encode
from dataclasses import replace

import pytest

from imap.line_server import LineServer
from imap.scenes import At, make_account, session_on
from mailmcp import __version__
from mailmcp.imap.account import Password, Tls, is_loopback
from mailmcp.imap.client import ByeError, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import connect
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError
from servers.certificates import Certificates
from servers.dovecot import Login
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule

GREETING = Respond(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] Hello\r\n")
OK_WITH_CAPABILITIES = Respond(b"{tag} OK [CAPABILITY IMAP4rev1 ESEARCH] Welcome\r\n")


def sent(server: Peer) -> list[str]:
    return [command.line for command in server.commands]


def test_capabilities_in_the_greeting_and_with_the_login_save_round_trips(peer: PeerFactory) -> None:
    server = peer(greeting=GREETING, rules=[Rule(command="LOGIN", action=OK_WITH_CAPABILITIES)])
    with session_on(make_account(server)) as session:
        assert session.can("ESEARCH")
        assert not session.can("AUTH=PLAIN")
        assert session.traffic.round_trips == 1
    assert sent(server) == ['LOGIN "fake-user" "fake-password"']


def test_a_server_that_knows_us_is_not_given_the_password(peer: PeerFactory) -> None:
    """NetEase opens no mailbox without ID, and takes it in its strictest form only."""
    server = peer(greeting=Respond(b"* PREAUTH Welcome back\r\n"))
    with session_on(make_account(server)) as session:
        assert session.can("ESEARCH")
    assert sent(server) == ["CAPABILITY", f'ID ("name" "mailmcp" "version" "{__version__}")']


@pytest.mark.parametrize(
    ("user", "password", "line"),
    [
        ('ann "x"', 'pa"ss\\word', r'LOGIN "ann \"x\"" "pa\"ss\\word"'),
        ("ann*%{5}", "(]{3}", 'LOGIN "ann*%{5}" "(]{3}"'),
        # LOGIN knows no charset; PLAIN is UTF-8 (RFC 4616). Not SASL-IR: Coremail advertises and refuses it.
        ("fake-user", "pässwörd", "AUTHENTICATE PLAIN"),
    ],
)
def test_credentials_may_hold_any_character(peer: PeerFactory, user: str, password: str, line: str) -> None:
    server = peer()
    server.settings.user, server.settings.password = user, password
    with session_on(make_account(server, Login(user, password))):
        assert server.logins[0].line == line


def test_where_login_is_disabled_authenticate_is_used(peer: PeerFactory) -> None:
    server = peer(greeting=Respond(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN LOGINDISABLED] Hello\r\n"))
    with session_on(make_account(server)):
        assert [login.name for login in server.logins] == ["AUTHENTICATE"]


@pytest.mark.parametrize(
    ("capabilities", "tls", "words"),
    [
        ("LOGINDISABLED AUTH=XOAUTH2", Tls.NONE, "may require encryption"),
        ("LOGINDISABLED AUTH=OAUTHBEARER", Tls.IMPLICIT, "asks for OAuth 2.0, as Outlook does"),
        ("LOGINDISABLED", Tls.IMPLICIT, "enable IMAP"),
    ],
)
def test_where_no_login_is_offered_none_is_tried(
    peer: PeerFactory, certificates: Certificates, capabilities: str, tls: Tls, words: str
) -> None:
    greeting = Respond(f"* OK [CAPABILITY IMAP4rev1 {capabilities}] Hello\r\n".encode())
    server = peer(greeting=greeting, tls=certificates.server_context() if tls is Tls.IMPLICIT else None)
    with pytest.raises(AuthFailedError, match=words) as caught:
        session_on(make_account(server, tls=tls, ca_file=certificates.ca_file)).__enter__()
    assert caught.value.reason is Reason.LOGIN_DISABLED
    assert server.logins == []


def test_a_password_that_cannot_be_had_is_the_accounts_fault(peer: PeerFactory) -> None:
    def no_password() -> str:
        raise AuthFailedError("no password", reason=Reason.PASSWORD_UNAVAILABLE)

    server = peer()
    account = replace(make_account(server), credentials=Password(no_password))
    with pytest.raises(AuthFailedError, match="no password"):
        session_on(account).__enter__()
    assert server.logins == []


def resolves_to(monkeypatch: pytest.MonkeyPatch, *places: At | Peer) -> None:
    answer = [
        socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM, family=socket.AF_INET)[0]
        for place in places
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: answer)


def test_an_address_that_is_deaf_or_refuses_leaves_time_for_the_next(
    peer: PeerFactory, deaf_host: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, allowed, watch = peer(), list[float](), Session.watch

    def noted(session: Session, sock: socket.socket) -> None:
        allowed.append(sock.gettimeout() or 0)
        watch(session, sock)

    monkeypatch.setattr(Session, "watch", noted)
    resolves_to(monkeypatch, At("127.0.0.1", 1), deaf_host, server)
    with session_on(make_account(server, connect_timeout_s=3)):
        assert server.connections == 1
    assert allowed[0] <= 1
    assert allowed[1] <= 1.5


def test_nothing_connects_after_an_abort() -> None:
    """A socket that is not connected cannot be shut down: it must not be connected at all."""
    session = Session(make_account(At("unused", 1)))
    session.abort()
    with socket.socket() as late, pytest.raises(ConnectionAbortedError):
        session.watch(late)
    session.discard()
    session.discard()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("LOCALHOST", True),
        ("::1%1", True),
        ("127.0.0.1%localhost", False),
        ("::ffff:127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - not bound to
    ],
)
def test_loopback_stays_on_this_machine(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback


CHALLENGE = b"+ " + b64encode(b'{"status":"invalid_token"}') + b"\r\n"
NO = b"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n"


@pytest.mark.parametrize(
    ("mechanism", "answers", "error", "last"),
    [
        ("XOAUTH2", [b"* OK Wait\r\n+ \r\n", CHALLENGE, NO], RefusedError, b""),
        ("OAUTHBEARER", [b"+ \r\n", CHALLENGE, NO], RefusedError, b"AQ=="),
        ("XOAUTH2", [b"+ \r\n", CHALLENGE, b"* BYE Go away\r\n"], ByeError, b""),
        ("XOAUTH2", [b"+ \r\n", CHALLENGE, CHALLENGE], ProtocolViolationError, b""),
        ("XOAUTH2", [b"+ a\r\n"], ProtocolViolationError, None),
    ],
)
def test_a_failure_is_acknowledged_and_nonsense_given_up(
    mechanism: str, answers: list[bytes], error: type[Exception], last: bytes | None
) -> None:
    lines: list[bytes] = []

    def answer(line: bytes, _earlier: list[bytes]) -> bytes:
        lines.append(line.rstrip(b"\r\n"))
        return answers[len(lines) - 1].replace(b"{tag}", lines[0].split()[0])

    with LineServer(answer) as server:
        session = Session(make_account(server))
        connect(session)
        client = session.connection
        log_in = client.oauth2_login if mechanism == "XOAUTH2" else client.oauthbearer_login
        with pytest.raises(error):
            log_in("a,n=n", "fake-token")
        session.discard()
    assert lines[0].endswith(b" AUTHENTICATE " + mechanism.encode())
    assert last is None or lines[-1] == last

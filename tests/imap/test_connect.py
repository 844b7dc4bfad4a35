"""Connecting and logging in: what is sent, in which order, and how the credentials are written."""

import socket
from dataclasses import replace

import pytest

from imap.scenes import At, make_account, session_on
from mailmcp import __version__
from mailmcp.imap.account import Password, Tls, is_loopback
from mailmcp.imap.client import Client
from mailmcp.imap.connect import ConnectionHandle, log_in
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
        assert session.handle.traffic.round_trips == 1
    assert sent(server) == ['LOGIN "fake-user" "fake-password"']


def test_a_server_that_names_no_capabilities_has_none(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="CAPABILITY", action=Respond(b"{tag} OK None\r\n"))])
    with session_on(make_account(server)) as session:
        assert not session.can("IMAP4REV1")


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


@pytest.mark.parametrize("capabilities", ["LOGINDISABLED AUTH=XOAUTH2", "AUTH=PLAIN AUTH=XOAUTH2"])
def test_outlook_wants_oauth_and_never_encryption(peer: PeerFactory, capabilities: str) -> None:
    """A peer under Outlook's name refuses passwords before the login, or at it."""
    greeting = Respond(f"* OK [CAPABILITY IMAP4rev1 {capabilities}] Hello\r\n".encode())
    refusal = Respond(b"{tag} NO Basic authentication is disabled.\r\n")
    server = peer(greeting=greeting, rules=[Rule(command="LOGIN", action=refusal)])
    handle = ConnectionHandle(replace(make_account(server), host="outlook.office365.com"))
    connection = handle.connection = Client(
        handle.account.host,
        dial=lambda: socket.create_connection((server.host, server.port)),
        traffic=handle.traffic,
        timeout_s=300.0,
    )
    connection.learn_capabilities()
    with pytest.raises(AuthFailedError, match=r"only OAuth 2\.0.*mailmcp login main") as caught:
        log_in(connection, handle)
    assert caught.value.reason is Reason.LOGIN_DISABLED
    assert "encryption" not in caught.value.message


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
    server, allowed, watch = peer(), list[float](), ConnectionHandle.watch

    def noted(handle: ConnectionHandle, sock: socket.socket) -> None:
        allowed.append(sock.gettimeout() or 0)
        watch(handle, sock)

    monkeypatch.setattr(ConnectionHandle, "watch", noted)
    resolves_to(monkeypatch, At("127.0.0.1", 1), deaf_host, server)
    with session_on(make_account(server, connect_timeout_s=3)):
        assert server.connections == 1
    assert allowed[0] <= 1
    assert allowed[1] <= 1.5


def test_nothing_connects_after_an_abort() -> None:
    """A socket that is not connected cannot be shut down: it must not be connected at all."""
    handle = ConnectionHandle(make_account(At("unused", 1)))
    handle.abort()
    with socket.socket() as late, pytest.raises(ConnectionAbortedError):
        handle.watch(late)
    handle.close()
    handle.close()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("LOCALHOST", True),
        ("127.255.0.9", True),
        ("::1%1", True),
        ("127.0.0.1%localhost", False),
        ("::ffff:127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - not bound to
        ("127.0.0.1.example.com", False),
    ],
)
def test_loopback_stays_on_this_machine(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback

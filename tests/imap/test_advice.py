"""What a person reads after a refused sign-in, by server and by what it said."""

import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from imap.scenes import RunningPool, make_account, read_round
from mailmcp.imap.account import Account, Password, Tls
from mailmcp.imap.client import Client
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, log_in, open_connection
from mailmcp.imap.errors import login_refused_error, token_refused_error
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, Code, ToolError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule

SECRET = "fake-password"
REJECTED = "[AUTHENTICATIONFAILED] Invalid credentials"


def account_at(host: str) -> Account:
    return Account(account_id="work", host=host, port=993, user="ann", credentials=Password(lambda: SECRET))


REFUSALS = [
    # server, what it says, reason, what the person must do
    (
        "imap.gmail.com",
        f"{REJECTED} (Failure)",
        Reason.CREDENTIALS_REJECTED,
        "myaccount.google.com/apppasswords",
    ),
    (
        "imap.gmail.com",
        "[ALERT] Application-specific password required: https://support.google.com/x (Failure)",
        Reason.CREDENTIALS_REJECTED,
        "myaccount.google.com/apppasswords",
    ),
    (
        "imap.gmail.com",
        "[ALERT] Your account is not enabled for IMAP use. Please visit your settings page",
        Reason.PERMISSION_DENIED,
        "IMAP is off",
    ),
    ("imap.mail.me.com", REJECTED, Reason.CREDENTIALS_REJECTED, "app-specific password"),
    (
        "imap.mail.yahoo.com",
        f"{REJECTED} or too many failed logins",
        Reason.CREDENTIALS_REJECTED,
        "login.yahoo.com",
    ),
    ("imap.aol.com", REJECTED, Reason.CREDENTIALS_REJECTED, "login.aol.com"),
    (
        "imap.163.com",
        "LOGIN Login error password error",
        Reason.CREDENTIALS_REJECTED,
        "an authorization code",
    ),
    ("outlook.office365.com", "LOGIN failed.", Reason.LOGIN_DISABLED, "only OAuth 2.0"),
    ("outlook.office365.com", "AUTHENTICATE failed.", Reason.LOGIN_DISABLED, "mailmcp login work"),
    # Exchange behind a name of a company's own.
    ("mail.contoso.example", "Basic authentication is disabled.", Reason.LOGIN_DISABLED, "only OAuth 2.0"),
    ("mail.contoso.example", "Basic Auth Disabled", Reason.LOGIN_DISABLED, "only OAuth 2.0"),
    (
        "mail.contoso.example",
        "[ALERT] Application-specific password required",
        Reason.CREDENTIALS_REJECTED,
        "at the provider (its website)",
    ),
    ("mail.contoso.example", REJECTED, Reason.CREDENTIALS_REJECTED, "many providers require an app password"),
    ("imap.gmx.net", REJECTED, Reason.CREDENTIALS_REJECTED, "many providers require an app password"),
    ("127.0.0.1", REJECTED, Reason.CREDENTIALS_REJECTED, "many providers require an app password"),
]


@pytest.mark.parametrize(("host", "text", "reason", "words"), REFUSALS)
def test_a_refused_password_is_answered_with_what_that_server_takes(
    host: str, text: str, reason: Reason, words: str
) -> None:
    error = login_refused_error(account_at(host), RefusedError("LOGIN", "NO", f"{text} {SECRET}"))
    assert isinstance(error, AuthFailedError)
    assert (error.reason, error.retryable) == (reason, False)
    assert words in error.message
    assert SECRET not in error.message, "servers exist that repeat the command"


PASSING = [
    *(
        f"[{code}] Not now"
        for code in ("UNAVAILABLE", "INUSE", "THROTTLED", "LIMIT", "SERVERBUG", "OVERQUOTA")
    ),
    "[ALERT] Too many simultaneous connections. (Failure)",
    "Too many open connections",
    "[UNAVAILABLE] Application-specific password required",
    "[LIMIT] Basic authentication is disabled.",
]


@pytest.mark.parametrize(
    "host", ["imap.gmail.com", "outlook.office365.com", "imap.mail.yahoo.com", "mx.example"]
)
@pytest.mark.parametrize("text", PASSING)
def test_what_may_pass_is_never_called_wrong_credentials(host: str, text: str) -> None:
    refused = RefusedError("LOGIN", "NO", text)
    for error in (
        login_refused_error(account_at(host), refused),
        token_refused_error(account_at(host), refused),
    ):
        assert (error.code, error.retryable) == (Code.INTERNAL, True)
        assert error.reason in {Reason.SERVER_REFUSED, Reason.CONNECTION_LIMIT}
        assert "password" not in error.message
        assert "OAuth" not in error.message


def test_icloud_refuses_every_token_though_it_advertises_xoauth2() -> None:
    refused = RefusedError("AUTHENTICATE", "NO", REJECTED)
    assert (
        "accepts only an app-specific password"
        in token_refused_error(account_at("imap.mail.me.com"), refused).message
    )
    assert "mailmcp login work" in token_refused_error(account_at("outlook.office365.com"), refused).message


@pytest.mark.parametrize("capabilities", ["LOGINDISABLED AUTH=XOAUTH2", "AUTH=PLAIN AUTH=XOAUTH2"])
def test_outlook_wants_oauth_and_never_encryption(peer: PeerFactory, capabilities: str) -> None:
    """A peer under Outlook's name refuses passwords before the login, or at it."""
    greeting = Respond(f"* OK [CAPABILITY IMAP4rev1 {capabilities}] Hello\r\n".encode())
    refusal = Respond(b"{tag} NO Basic authentication is disabled.\r\n")
    server = peer(greeting=greeting, rules=[Rule(command="LOGIN", action=refusal)])
    handle = ConnectionHandle(account_at("outlook.office365.com"))
    connection = Client(
        handle.account.host,
        handle.account.port,
        dial=lambda: socket.create_connection((server.host, server.port)),
        traffic=handle.traffic,
        timeout_s=300.0,
    )
    handle.connection = connection
    connection.learn_capabilities()
    with pytest.raises(AuthFailedError, match=r"only OAuth 2\.0.*mailmcp login work") as caught:
        log_in(connection, handle)
    assert caught.value.reason is Reason.LOGIN_DISABLED
    assert "encryption" not in caught.value.message


@pytest.mark.parametrize("command", ["LIST", "EXAMINE", "UID SEARCH"])
@pytest.mark.parametrize("status", ["BAD", "NO"])
@pytest.mark.parametrize(
    "text", ["User is authenticated but not connected.", "[ALERT] user is authenticated but not connected"]
)
def test_a_login_that_opens_no_mailbox_is_the_persons_to_mend(
    peer: PeerFactory, status: str, text: str, command: str
) -> None:
    """Exchange: the wrong person signed in, has no permission, or IMAP is off."""
    closed = Respond(f"{{tag}} {status} {text}\r\n".encode())
    server = peer(rules=[Rule(command=command, action=closed)])
    with RunningPool(make_account(server)) as pool, pytest.raises(AuthFailedError) as caught:
        pool.run(read_round)
    assert "mailmcp login main" in caught.value.message
    assert (caught.value.reason, caught.value.retryable) == (Reason.PERMISSION_DENIED, False)


@pytest.mark.parametrize("tls", [Tls.IMPLICIT, Tls.STARTTLS])
def test_a_self_signed_certificate_may_be_proton_bridges(peer: PeerFactory, tmp_path: Path, tls: Tls) -> None:
    context = self_signed(tmp_path)
    server = peer(tls=context) if tls is Tls.IMPLICIT else peer(starttls=context)
    with pytest.raises(ToolError, match=r"self-signed certificate.*Proton Bridge.* ca_file") as caught:
        open_connection(ConnectionHandle(make_account(server, tls=tls)))
    assert caught.value.reason is Reason.TLS_FAILED
    trusting = make_account(server, tls=tls, ca_file=tmp_path / "bridge.pem")
    handle = ConnectionHandle(trusting)
    open_connection(handle)
    handle.close()


def self_signed(folder: Path) -> ssl.SSLContext:
    """Make a server's context with a certificate like Proton Bridge's: for 127.0.0.1, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(
            name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1)
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(Encoding.PEM)
    (folder / "bridge.pem").write_bytes(pem)
    (folder / "both.pem").write_bytes(
        pem + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "both.pem")
    return context

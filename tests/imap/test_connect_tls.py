"""TLS is verified, and never given up for plain text."""

from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from imap.scenes import make_account, session_on
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.connect import tls_context
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, InternalError
from servers.certificates import Certificates
from servers.logins import plain_account
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_answers import CAPABILITIES

MODES = pytest.mark.parametrize("tls", [Tls.IMPLICIT, Tls.STARTTLS])


def secured(
    peer: PeerFactory, certificates: Certificates, tls: Tls, *hosts: str, trusted: bool = True
) -> Peer:
    context = certificates.server_context(*hosts, trusted=trusted)
    return peer(**{"tls" if tls is Tls.IMPLICIT else "starttls": context})


def fail_to_connect(account: Account, reason: Reason = Reason.TLS_FAILED) -> str:
    with pytest.raises(InternalError) as caught, session_on(account):
        pass
    assert caught.value.reason is reason
    return caught.value.message


def test_certificates_are_read_once_for_all_sessions(certificates: Certificates) -> None:
    """Else each of them would keep nearly a megabyte."""
    account = plain_account("h", 993, "u", "p", ca_file=certificates.ca_file)
    other = replace(account, account_id="b")
    assert tls_context(account) is tls_context(other)
    assert tls_context(account) is not tls_context(replace(account, ca_file=None))


@MODES
def test_a_trusted_certificate_is_accepted(peer: PeerFactory, certificates: Certificates, tls: Tls) -> None:
    server = secured(peer, certificates, tls)
    with session_on(make_account(server, tls=tls, ca_file=certificates.ca_file)) as session:
        session.run("NOOP")
    names = [command.name for command in server.commands]
    assert names[:2] == (["CAPABILITY", "LOGIN"] if tls is Tls.IMPLICIT else ["CAPABILITY", "STARTTLS"])
    assert "certificate was rejected" in fail_to_connect(make_account(server, tls=tls)), "by the system's"


@MODES
@pytest.mark.parametrize(
    ("hosts", "trusted", "words"),
    [
        ([], False, "unable to get local issuer certificate"),
        (["imap.example.org"], True, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
    ],
)
def test_a_bad_certificate_is_refused_with_the_reason(
    peer: PeerFactory, certificates: Certificates, tls: Tls, hosts: list[str], words: str, *, trusted: bool
) -> None:
    server = secured(peer, certificates, tls, *hosts, trusted=trusted)
    message = fail_to_connect(make_account(server, tls=tls, ca_file=certificates.ca_file))
    assert f"{words}. Check the host name. For a private certificate authority, set ca_file" in message
    assert server.logins == []


def test_a_self_signed_certificate_may_be_proton_bridges(
    peer: PeerFactory, certificates: Certificates, tmp_path: Path
) -> None:
    signed_by_itself, context = trustme.CA(), certificates.server_context()
    signed_by_itself.cert_pem.write_to_path(tmp_path / "both.pem")
    signed_by_itself.private_key_pem.write_to_path(tmp_path / "both.pem", append=True)
    context.load_cert_chain(tmp_path / "both.pem")
    message = fail_to_connect(make_account(peer(starttls=context), tls=Tls.STARTTLS))
    assert "self-signed certificate" in message
    assert "Proton Bridge" in message


def test_a_ca_file_that_cannot_be_used_is_named(
    peer: PeerFactory, certificates: Certificates, tmp_path: Path
) -> None:
    ca_file = tmp_path / "ca.pem"
    ca_file.write_text("no certificates")
    server = secured(peer, certificates, Tls.STARTTLS)
    account = make_account(server, tls=Tls.STARTTLS, ca_file=ca_file)
    assert "The ca_file of account main" in fail_to_connect(account)


def test_a_port_of_the_other_kind_is_said_to_be_that(peer: PeerFactory, certificates: Certificates) -> None:
    account = make_account(peer(), tls=Tls.IMPLICIT, ca_file=certificates.ca_file)
    assert "Check the port and the tls setting." in fail_to_connect(account)
    server = secured(peer, certificates, Tls.IMPLICIT)
    account = make_account(server, tls=Tls.STARTTLS, connect_timeout_s=1)
    with pytest.raises(DeadlineError, match=r"no greeting in time.*Check the port and the tls"):
        session_on(account).__enter__()


@pytest.mark.parametrize(
    ("capabilities", "words"),
    [(CAPABILITIES, "does not offer it"), ((*CAPABILITIES, "STARTTLS"), "refuses it")],
    ids=["not advertised", "refused"],
)
def test_without_starttls_the_password_is_never_sent(
    peer: PeerFactory, capabilities: tuple[str, ...], words: str
) -> None:
    server = peer(capabilities=capabilities)
    message = fail_to_connect(make_account(server, tls=Tls.STARTTLS))
    assert words in message
    assert 'Use tls = "implicit"' in message
    assert server.logins == []
    assert not any("fake-password" in command.line for command in server.commands)


def test_a_plain_greeting_that_knows_us_is_not_believed(peer: PeerFactory) -> None:
    """PREAUTH would skip STARTTLS: an attacker's way to keep a connection in plain text."""
    greeting = Respond(b"* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] Welcome\r\n")
    server = peer(greeting=greeting, capabilities=(*CAPABILITIES, "STARTTLS"))
    assert "the server does not offer it" in fail_to_connect(make_account(server, tls=Tls.STARTTLS))
    assert [command.name for command in server.commands] == ["CAPABILITY"]


def test_what_was_said_before_tls_is_not_believed_after_it(
    peer: PeerFactory, certificates: Certificates
) -> None:
    """Capabilities in the greeting, beside STARTTLS's OK, and slipped in behind it (CVE-2011-0411)."""
    evil = b"* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED EVIL\r\n"
    server = peer(
        greeting=Respond(b"* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED EVIL] Hello\r\n"),
        starttls=certificates.server_context(),
        rules=[Rule(command="STARTTLS", action=Respond(evil + b"{tag} OK Begin\r\n* BYE Go\r\n" + evil))],
    )
    with session_on(make_account(server, tls=Tls.STARTTLS, ca_file=certificates.ca_file)) as session:
        assert not session.can("EVIL")
        assert session.can("ESEARCH")
    names = [command.name for command in server.commands]
    assert names[:4] == ["STARTTLS", "CAPABILITY", "LOGIN", "CAPABILITY"]

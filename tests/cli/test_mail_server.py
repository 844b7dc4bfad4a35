"""What DNS says about a domain's mail server, from a real name server."""

import pytest
from dns.resolver import Resolver

from mailmcp.cli.mail_server import LookupFailedError, look_up
from servers.name_server import NameServer, Records

DOMAIN = "contoso.example"


def found(records: Records, domain: str = DOMAIN) -> tuple[str, int] | None:
    with NameServer(records) as server:
        answer = look_up(domain, server.resolver())
    return (answer.host, answer.port) if answer else None


@pytest.mark.parametrize(
    ("records", "server"),
    [
        ({}, None),
        (
            {("_imaps._tcp.contoso.example", "SRV"): ["0 1 993 mail.contoso.example."]},
            ("mail.contoso.example", 993),
        ),
        # The lowest priority, and the greatest weight within it.
        (
            {
                ("_imaps._tcp.contoso.example", "SRV"): [
                    "20 9 993 late.contoso.example.",
                    "10 1 993 light.contoso.example.",
                    "10 5 1993 heavy.contoso.example.",
                ]
            },
            ("heavy.contoso.example", 1993),
        ),
        # RFC 6186 section 3.4: a target of "." says that there is no such service.
        ({("_imaps._tcp.contoso.example", "SRV"): ["0 0 0 ."]}, None),
        (
            {("contoso.example", "MX"): ["0 contoso-example.mail.protection.outlook.com."]},
            ("outlook.office365.com", 993),
        ),
        (
            {("contoso.example", "MX"): ["10 filter.example.", "20 aspmx.l.google.com."]},
            ("imap.gmail.com", 993),
        ),
        ({("contoso.example", "MX"): ["10 mail.protonmail.ch."]}, ("127.0.0.1", 1143)),
        # No name is guessed from an exchanger that is nobody's we know.
        ({("contoso.example", "MX"): ["10 mx.contoso.example."]}, None),
        # SRV is about IMAP; MX is not.
        (
            {
                ("_imaps._tcp.contoso.example", "SRV"): ["0 1 993 imap.contoso.example."],
                ("contoso.example", "MX"): ["0 aspmx.l.google.com."],
            },
            ("imap.contoso.example", 993),
        ),
        # What a terminal would take for a command, and TOML for the end of a string.
        ({("_imaps._tcp.contoso.example", "SRV"): [r"0 1 993 a\027\034b.example."]}, None),
    ],
)
def test_a_domain_names_its_server(records: Records, server: tuple[str, int] | None) -> None:
    assert found(records) == server


def test_a_server_of_a_known_provider_is_known() -> None:
    with NameServer({("_imaps._tcp.contoso.example", "SRV"): ["0 1 993 imap.fastmail.com."]}) as server:
        answer = look_up(DOMAIN, server.resolver())
    assert answer is not None
    assert answer.provider is not None
    assert answer.provider.name == "Fastmail"


def test_two_questions_are_sent_and_both_are_about_the_domain() -> None:
    with NameServer({}) as server:
        assert look_up(DOMAIN, server.resolver()) is None
    assert server.questions == [("_imaps._tcp.contoso.example", "SRV"), ("contoso.example", "MX")]


def test_a_domain_beyond_ascii_is_sent_as_punycode() -> None:
    assert found({("xn--bcher-kva.example", "MX"): ["0 aspmx.l.google.com."]}, "bücher.example") == (
        "imap.gmail.com",
        993,
    )


def test_a_resolver_that_fails_is_told_from_a_domain_without_a_server() -> None:
    with NameServer({}, is_broken=True) as server, pytest.raises(LookupFailedError, match="didn't answer"):
        look_up(DOMAIN, server.resolver())


@pytest.mark.parametrize("domain", ["a..example", f"{'a' * 64}.example", f"{'a.' * 130}example"])
def test_a_domain_that_is_no_name_is_not_asked_for(domain: str) -> None:
    with pytest.raises(LookupFailedError):
        look_up(domain, Resolver(configure=False))

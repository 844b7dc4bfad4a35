"""The table of mail providers, and the page that tells people the same."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mailmcp.auth.provider import PROVIDERS as OAUTH_PROVIDERS
from mailmcp.model.mail_provider import (
    PROVIDERS,
    MailProvider,
    provider_of_domain,
    provider_of_exchanger,
    provider_of_host,
)

PAGE = Path(__file__).parents[2] / "docs" / "sign-in.md"


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda each: each.host)
def test_a_row_can_be_acted_on(provider: MailProvider) -> None:
    assert provider.credential or provider.oauth_provider, "there is a way in"
    assert not provider.oauth_provider or provider.oauth_provider in OAUTH_PROVIDERS
    assert bool(provider.oauth_provider) == bool(provider.client_page)
    assert provider.domains or provider.mail_exchangers, "it can be found"
    for page in filter(None, (provider.credential_page, provider.client_page)):
        assert urlsplit(page).scheme == "https"


def test_a_domain_and_a_mail_exchanger_belong_to_one_provider() -> None:
    domains = [domain for each in PROVIDERS for domain in each.domains]
    exchangers = [suffix for each in PROVIDERS for suffix in each.mail_exchangers]
    assert sorted(set(domains)) == sorted(domains)
    assert sorted(set(exchangers)) == sorted(exchangers)
    assert all(name == name.lower() for name in (*domains, *exchangers))


@pytest.mark.parametrize(
    ("exchanger", "host"),
    [
        ("aspmx.l.google.com", "imap.gmail.com"),
        ("SMTP.GOOGLE.COM.", "imap.gmail.com"),
        ("contoso-example.mail.protection.outlook.com.", "outlook.office365.com"),
        ("contoso-example.a-v1.mx.microsoft.", "outlook.office365.com"),
        ("in1-smtp.messagingengine.com", "imap.fastmail.com"),
        ("mail.protonmail.ch", "127.0.0.1"),
        ("mx2.zoho.com", "imappro.zoho.com"),
        ("notgoogle.com", None),
        ("google.com.evil.example", None),
    ],
)
def test_a_mail_exchanger_names_the_provider(exchanger: str, host: str | None) -> None:
    provider = provider_of_exchanger(exchanger)
    assert (provider.host if provider else None) == host


def test_names_are_compared_without_case() -> None:
    assert provider_of_domain("GMAIL.com") == provider_of_host("IMAP.Gmail.com.")
    assert provider_of_host("imap-mail.outlook.com") == provider_of_domain("outlook.com")


def test_no_machine_of_ones_own_is_taken_for_proton() -> None:
    assert provider_of_host("127.0.0.1") is None


def test_the_page_names_the_hosts_that_the_table_has() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {host for row in rows for host in re.findall(r"`([a-z0-9.-]+\.[a-z0-9]+)`", row.split("|")[2])}
    assert named
    assert named - {each.host for each in PROVIDERS} == set()

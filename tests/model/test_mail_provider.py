"""The table of mail providers, and the page that tells people the same."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mailmcp.model.mail_provider import (
    PROVIDERS,
    MailProvider,
    provider_named,
    provider_of_domain,
    provider_of_host,
)

PAGE = Path(__file__).parents[2] / "docs" / "sign-in.md"


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda each: each.host)
def test_a_row_can_be_acted_on(provider: MailProvider) -> None:
    assert provider.credential or provider.oauth_provider, "there is a way in"
    assert not provider.oauth_provider or provider.oauth_provider in {"google", "microsoft"}
    assert bool(provider.oauth_provider) == bool(provider.client_page)
    for page in filter(None, (provider.credential_page, provider.client_page)):
        assert urlsplit(page).scheme == "https"


def test_a_domain_belongs_to_one_provider() -> None:
    domains = [domain for each in PROVIDERS for domain in each.domains]
    assert sorted(set(domains)) == sorted(domains)
    assert all(name == name.lower() for name in domains)


def test_names_are_compared_without_case() -> None:
    assert provider_of_domain("GMAIL.com") == provider_of_host("IMAP.Gmail.com.")
    assert provider_of_host("imap-mail.outlook.com") == provider_of_domain("outlook.com")


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("google", "imap.gmail.com"),
        ("Gmail", "imap.gmail.com"),
        ("Hotmail", "outlook.office365.com"),
        ("Zoho Workplace", "imappro.zoho.com"),
        ("mail.example.com", None),
    ],
)
def test_people_name_their_provider(text: str, host: str | None) -> None:
    provider = provider_named(text)
    assert (provider.host if provider else None) == host


def test_no_machine_of_ones_own_is_taken_for_proton() -> None:
    assert provider_of_host("127.0.0.1") is None


def test_the_page_names_the_hosts_that_the_table_has() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {host for row in rows for host in re.findall(r"`([a-z0-9.-]+\.[a-z0-9]+)`", row.split("|")[2])}
    assert named
    assert named - {each.host for each in PROVIDERS} == set()

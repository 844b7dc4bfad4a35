"""Mail providers that mailmcp knows without asking anyone, from `providers.toml`."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class MailProvider:
    """One provider's IMAP server, and what it takes as a password."""

    name: str
    host: str
    older_hosts: tuple[str, ...] = ()
    port: int = 993
    tls: Literal["implicit", "starttls"] = "implicit"
    domains: tuple[str, ...] = ()
    """Domains of its addresses."""

    credential: str = "the account's own password"
    """What its server takes as the password, for a sentence; empty if it takes OAuth 2.0 alone."""

    credential_page: str = ""
    """Where to make that password; empty for the account's own."""

    oauth_provider: Literal["google", "microsoft", ""] = ""
    """The setting `provider`; empty if its IMAP server takes no OAuth 2.0."""

    client_page: str = ""
    """Where to register a client for OAuth 2.0."""

    authserv_ids: tuple[str, ...] = ()
    """The ids of its Authentication-Results, as `read_authentication` takes them; empty for hosts under the
    domain of its IMAP server."""

    note: str = ""
    """What has to be done first."""


def _load() -> tuple[MailProvider, ...]:
    table = files(__package__).joinpath("providers.toml").read_text("utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(table)["provider"]
    for row in rows:
        row |= {key: tuple(each) for key, each in row.items() if isinstance(each, list)}
    return tuple(MailProvider(**row) for row in rows)


PROVIDERS: Final = _load()
_BY_DOMAIN: Final = {domain: each for each in PROVIDERS for domain in each.domains}
_BY_HOST: Final = {host: each for each in PROVIDERS for host in (each.host, *each.older_hosts)}
del _BY_HOST["127.0.0.1"]  # Proton Bridge's is anyone's machine


def provider_of_domain(domain: str) -> MailProvider | None:
    """Return the provider of an address's domain; None if it isn't known."""
    return _BY_DOMAIN.get(domain.lower())


def provider_of_host(host: str) -> MailProvider | None:
    """Return the provider whose IMAP server has this name; None if it isn't known."""
    return _BY_HOST.get(host.lower().removesuffix("."))


def provider_named(text: str) -> MailProvider | None:
    """Return the provider that people call so: by its name, or by its main domain without `.com`."""
    named = next((each for each in PROVIDERS if each.name.lower() == text.lower()), None)
    return named or provider_of_domain(f"{text}.com")

"""Mail providers that mailmcp knows without asking anyone: server, and what it takes as a password."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class MailProvider:
    """One provider's IMAP server."""

    name: str
    host: str
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


_APP: Final = "an app password"
_TWO_STEPS: Final = "App passwords need two-step verification."
_GMX_NOTE: Final = "Allow IMAP first, on the website: Settings, POP3/IMAP."

PROVIDERS: Final = (
    MailProvider(
        name="Google",
        host="imap.gmail.com",
        domains=("gmail.com", "googlemail.com"),
        credential=_APP,
        credential_page="https://myaccount.google.com/apppasswords",
        oauth_provider="google",
        client_page="https://console.cloud.google.com",
        authserv_ids=("mx.google.com",),
        note=_TWO_STEPS,
    ),
    MailProvider(
        name="Outlook",
        host="outlook.office365.com",
        domains=(
            *("outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "outlook.fr", "outlook.es"),
            *("outlook.it", "hotmail.co.uk", "hotmail.de", "hotmail.fr", "hotmail.it", "hotmail.es"),
            *("live.co.uk", "live.de", "live.fr", "live.nl", "live.it", "live.ca", "passport.com"),
        ),
        credential="",
        oauth_provider="microsoft",
        client_page="https://entra.microsoft.com",
    ),
    MailProvider(
        name="iCloud",
        host="imap.mail.me.com",
        authserv_ids=(".icloud.com",),
        domains=("icloud.com", "me.com", "mac.com"),
        credential="an app-specific password",
        credential_page="https://account.apple.com",
    ),
    MailProvider(
        name="Yahoo",
        host="imap.mail.yahoo.com",
        domains=(
            *("yahoo.com", "ymail.com", "rocketmail.com", "yahoo.co.uk", "yahoo.de", "yahoo.fr", "yahoo.it"),
            *("yahoo.es", "yahoo.ca", "yahoo.in", "yahoo.co.in", "yahoo.com.br", "yahoo.com.au"),
        ),
        credential=_APP,
        credential_page="https://login.yahoo.com/account/security",
    ),
    MailProvider(
        name="AOL",
        host="imap.aol.com",
        authserv_ids=(".yahoo.com",),
        domains=("aol.com", "aim.com"),
        credential=_APP,
        credential_page="https://login.aol.com/account/security",
    ),
    MailProvider(
        name="Fastmail",
        host="imap.fastmail.com",
        authserv_ids=(".messagingengine.com",),
        domains=("fastmail.com", "fastmail.fm"),
        credential=_APP,
        credential_page="https://app.fastmail.com/settings/security",
    ),
    MailProvider(
        name="Proton",
        host="127.0.0.1",
        port=1143,
        tls="starttls",
        domains=("proton.me", "protonmail.com", "protonmail.ch", "pm.me"),
        credential="the password that Proton Bridge shows",
        note="Proton Bridge must run on this machine. Export its certificate there, in Advanced settings.",
    ),
    MailProvider(
        name="Zoho",
        host="imap.zoho.com",
        authserv_ids=(".zohomail.com",),
        domains=("zoho.com", "zohomail.com"),
        credential=_APP,
        credential_page="https://accounts.zoho.com",
        note="Switch IMAP on first, on the website: Settings, Mail Accounts.",
    ),
    MailProvider(
        name="Zoho Workplace",
        host="imappro.zoho.com",
        authserv_ids=(".zohomail.com",),
        credential=_APP,
        credential_page="https://accounts.zoho.com",
        note="Switch IMAP on first, on the website: Settings, Mail Accounts.",
    ),
    MailProvider(
        name="GMX",
        host="imap.gmx.net",
        domains=("gmx.de", "gmx.net", "gmx.at", "gmx.ch"),
        note=_GMX_NOTE,
    ),
    MailProvider(
        name="GMX",
        host="imap.gmx.com",
        domains=("gmx.com", "gmx.us", "gmx.co.uk", "gmx.fr", "gmx.es"),
        note=_GMX_NOTE,
    ),
    MailProvider(name="WEB.DE", host="imap.web.de", domains=("web.de",), note=_GMX_NOTE),
    MailProvider(name="mail.com", host="imap.mail.com", domains=("mail.com", "email.com"), note=_GMX_NOTE),
    MailProvider(
        name="Yandex",
        host="imap.yandex.com",
        authserv_ids=(".yandex.net",),
        domains=("yandex.com", "yandex.ru", "ya.ru"),
        credential=_APP,
        credential_page="https://id.yandex.com/security/app-passwords",
        note="Allow mail programs first, on the website: Settings, Email clients.",
    ),
    MailProvider(
        name="Mail.ru",
        host="imap.mail.ru",
        domains=("mail.ru", "inbox.ru", "list.ru", "bk.ru", "internet.ru"),
        credential=_APP,
        credential_page="https://account.mail.ru",
    ),
    MailProvider(
        name="NetEase 163",
        host="imap.163.com",
        domains=("163.com",),
        credential="an authorization code",
        credential_page="https://mail.163.com",
    ),
    MailProvider(
        name="NetEase 126",
        host="imap.126.com",
        domains=("126.com",),
        credential="an authorization code",
        credential_page="https://mail.126.com",
    ),
    MailProvider(
        name="QQ",
        host="imap.qq.com",
        domains=("qq.com", "foxmail.com"),
        credential="an authorization code",
        credential_page="https://mail.qq.com",
    ),
    MailProvider(name="Posteo", host="posteo.de", domains=("posteo.de", "posteo.net")),
    MailProvider(
        name="mailbox.org",
        host="imap.mailbox.org",
        domains=("mailbox.org",),
    ),
    MailProvider(
        name="T-Online",
        host="secureimap.t-online.de",
        domains=("t-online.de", "magenta.de"),
        credential="the password for mail programs",
        credential_page="https://account.idm.telekom.com",
    ),
    MailProvider(name="IONOS", host="imap.ionos.de"),
    MailProvider(name="IONOS", host="imap.ionos.com"),
    MailProvider(name="Migadu", host="imap.migadu.com"),
    MailProvider(name="Gandi", host="mail.gandi.net"),
)

_BY_DOMAIN: Final = {domain: each for each in PROVIDERS for domain in each.domains}
_BY_HOST: Final = {each.host: each for each in PROVIDERS if each.port == 993}  # Bridge's is anyone's machine


def provider_of_domain(domain: str) -> MailProvider | None:
    """Return the provider of an address's domain; None if it isn't known."""
    return _BY_DOMAIN.get(domain.lower())


def provider_of_host(host: str) -> MailProvider | None:
    """Return the provider whose IMAP server has this name; None if it isn't known."""
    host = host.lower().removesuffix(".")
    return _BY_HOST.get("outlook.office365.com" if host in _OUTLOOK_HOSTS else host)


def provider_named(text: str) -> MailProvider | None:
    """Return the provider that people call so: by its name, or by its main domain without `.com`."""
    named = next((each for each in PROVIDERS if each.name.lower() == text.lower()), None)
    return named or provider_of_domain(f"{text}.com")


_OUTLOOK_HOSTS: Final = {"imap-mail.outlook.com", "outlook.office.com", "imap.outlook.com"}
"""Older names of Outlook's server."""

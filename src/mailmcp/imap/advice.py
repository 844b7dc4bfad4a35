"""What to do about a refused sign-in: one table of servers and what they say.

A server's text chooses the advice and is never repeated: it may hold the command with the password.
"""

import re
from dataclasses import dataclass
from typing import Final

from mailmcp.model.mail_provider import MailProvider, provider_of_host
from mailmcp.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Sentences that end an error."""

    reason: Reason
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    text: re.Pattern[str]
    """What the server's text contains."""

    reason: Reason
    advice: str


_OAUTH: Final = (
    "{name} accepts no passwords over IMAP, only OAuth 2.0. Register a client at {client_page}, "
    'set auth = "oauth2", provider = "{oauth_provider}" and its client_id in the settings, '
    "then run: mailmcp login {account_id}"
)
_OTHER_CREDENTIAL: Final = (
    "{name} accepts only {credential} over IMAP, not the password of its website. "
    "Create one at {page} and enter it with: mailmcp password {account_id}"
)


def _row(text: str, reason: Reason, advice: str) -> _Row:
    return _Row(text=re.compile(text, re.IGNORECASE), reason=reason, advice=advice)


_ROWS: Final = (
    # Outlook.com and Microsoft 365: `NO Basic authentication is disabled.`
    _row(
        r"basic auth(entication)? (is )?(disabled|blocked)",
        Reason.LOGIN_DISABLED,
        "The server accepts no passwords, only OAuth 2.0. Register a client at https://entra.microsoft.com, "
        'set auth = "oauth2", provider = "microsoft" and its client_id in the settings, '
        "then run: mailmcp login {account_id}",
    ),
    # Gmail: `NO [ALERT] Application-specific password required: https://… (Failure)`; iCloud: app-specific.
    _row(
        r"app(lication)?-specific password (is )?required",
        Reason.CREDENTIALS_REJECTED,
        "The server accepts only an app password. Create one at the provider ({page}) and enter it with: "
        "mailmcp password {account_id}",
    ),
    # Gmail: `NO [ALERT] Your account is not enabled for IMAP use.`; Yandex: `IMAP is disabled`.
    _row(
        r"not enabled for imap|imap (access )?(is )?(disabled|not enabled|turned off)",
        Reason.PERMISSION_DENIED,
        "IMAP is off for this mailbox. Switch it on in the provider's settings, or ask the administrator.",
    ),
)

NOT_CONNECTED: Final = (
    "You are signed in but can't use this mailbox: IMAP is off, the mailbox belongs to someone else, "
    "or this user has no permission for it. Check user in the settings, or sign in as the right person with: "
    "mailmcp login {account_id}"
)
"""Exchange: `BAD User is authenticated but not connected.`, to the first command after the login."""

UNSAFE_LOGIN: Final = (
    "You are signed in, but the provider takes this for an unsafe login. Sign in at its website, allow IMAP "
    "in the settings there, create an authorization code, and enter it with: mailmcp password {account_id}"
)
"""NetEase (163, 126, yeah.net): `NO EXAMINE Unsafe Login. Please contact kefu@188.com for help`."""

BRIDGE_CERTIFICATE: Final = (
    "If this is Proton Bridge, export its certificate there (Settings, Advanced settings), "
    'set ca_file to that cert.pem, and set host to "127.0.0.1", the only name in it.'
)


def advise_on_password(text: str, *, host: str, account_id: str) -> Advice | None:
    """Choose the advice for a password that was finally refused; None if nothing is known.

    Args:
        text: What the server said.
        host: As the settings name it.
        account_id: For the command that helps.
    """
    provider = provider_of_host(host)
    for row in _ROWS:
        if row.text.search(text):
            page = provider.credential_page if provider and provider.credential_page else "its website"
            return Advice(reason=row.reason, text=row.advice.format(account_id=account_id, page=page))
    if provider is None:
        return None
    if not provider.credential:
        return Advice(reason=Reason.LOGIN_DISABLED, text=_format(_OAUTH, provider, account_id))
    if provider.credential_page:
        return Advice(
            reason=Reason.CREDENTIALS_REJECTED, text=_format(_OTHER_CREDENTIAL, provider, account_id)
        )
    return None


def advise_on_token(*, host: str, account_id: str) -> str:
    """Return what to use with a server that refuses every token: iCloud's does, and advertises XOAUTH2."""
    provider = provider_of_host(host)
    if provider is None or provider.oauth_provider:
        return ""
    return (
        f"{provider.name} accepts only {provider.credential} over IMAP. Remove auth and the keys of OAuth "
        f"2.0 from the settings, then run: mailmcp password {account_id}"
    )


def _format(template: str, provider: MailProvider, account_id: str) -> str:
    return template.format(
        name=provider.name,
        credential=provider.credential,
        page=provider.credential_page,
        client_page=provider.client_page,
        oauth_provider=provider.oauth_provider,
        account_id=account_id,
    )

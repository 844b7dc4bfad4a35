"""What to do about a refused sign-in: one table of servers and what they say.

A server's text chooses the advice and is never repeated: it may hold the command with the password.
"""

import re
from typing import Final

from mailmcp.model.mail_provider import MailProvider, provider_of_host
from mailmcp.reasons import Reason

_OAUTH: Final = (
    "{name} accepts no passwords over IMAP, only OAuth 2.0. Register a client at {client_page}, "
    'set auth = "oauth2", provider = "{oauth_provider}" and its client_id in the settings, '
    "then run: mailmcp login {account_id}"
)
_OTHER_CREDENTIAL: Final = (
    "{name} accepts only {credential} over IMAP, not the password of its website. "
    "Create one at {page} and enter it with: mailmcp password {account_id}"
)

_SERVER: Final = MailProvider(
    name="The server",
    host="",
    credential_page="its website",
    oauth_provider="microsoft",
    client_page="https://entra.microsoft.com",
)
"""One of unknown name. What it says about passwords is what Microsoft's servers say."""

_TABLE: Final = (
    # Exchange: `BAD User is authenticated but not connected.`, to the first command after the login.
    (
        r"user is authenticated but not connected",
        Reason.PERMISSION_DENIED,
        "You are signed in but can't use this mailbox: IMAP is off, the mailbox belongs to someone else, "
        "or this user has no permission for it. Check user in the settings, or sign in as the right person "
        "with: mailmcp login {account_id}",
    ),
    # NetEase (163, 126, yeah.net): `NO EXAMINE Unsafe Login. Please contact kefu@188.com for help`.
    (
        r"unsafe login",
        Reason.PERMISSION_DENIED,
        "You are signed in, but the provider takes this for an unsafe login. Sign in at its website, allow "
        "IMAP in the settings there, create an authorization code, and enter it with: "
        "mailmcp password {account_id}",
    ),
    # Outlook.com and Microsoft 365: `NO Basic authentication is disabled.`
    (r"basic auth(entication)? (is )?(disabled|blocked)", Reason.LOGIN_DISABLED, _OAUTH),
    # Gmail: `NO [ALERT] Application-specific password required: https://… (Failure)`; iCloud: app-specific.
    (
        r"app(lication)?-specific password (is )?required",
        Reason.CREDENTIALS_REJECTED,
        "The server accepts only an app password. Create one at the provider ({page}) and enter it with: "
        "mailmcp password {account_id}",
    ),
    # Gmail: `NO [ALERT] Your account is not enabled for IMAP use.`; Yandex: `IMAP is disabled`.
    (
        r"not enabled for imap|imap (access )?(is )?(disabled|not enabled|turned off)",
        Reason.PERMISSION_DENIED,
        "IMAP is off for this mailbox. Switch it on in the provider's settings, or ask the administrator.",
    ),
)

BRIDGE_CERTIFICATE: Final = (
    "If this is Proton Bridge, export its certificate there (Settings, Advanced settings), "
    'set ca_file to that cert.pem, and set host to "127.0.0.1", the only name in it.'
)


def advise(text: str, *, host: str, account_id: str) -> tuple[Reason, str] | None:
    """Return why a sign-in was refused, and sentences about what helps; None if the table doesn't know.

    Args:
        text: What the server said.
        host: As the settings name it; "" if its provider doesn't matter.
        account_id: For the command that helps.
    """
    provider = provider_of_host(host) or _SERVER
    for pattern, reason, advice in _TABLE:
        if re.search(pattern, text, re.IGNORECASE):
            return reason, _format(advice, provider, account_id)
    if not provider.credential:
        return Reason.LOGIN_DISABLED, _format(_OAUTH, provider, account_id)
    if provider is not _SERVER and provider.credential_page:
        return Reason.CREDENTIALS_REJECTED, _format(_OTHER_CREDENTIAL, provider, account_id)
    return None


def advise_on_token(*, host: str, account_id: str) -> str:
    """Return what to do where a fresh token is refused: iCloud takes none, though it advertises XOAUTH2."""
    provider = provider_of_host(host)
    if provider is None or provider.oauth_provider:
        return (
            "The user may have signed in as someone else, IMAP may be off for the mailbox, or the token may "
            f"lack the scope for IMAP. The user must run: mailmcp login {account_id}"
        )
    return (
        f"{provider.name} accepts only {provider.credential} over IMAP. Remove auth and the keys of OAuth "
        f"2.0 from the settings, then run: mailmcp password {account_id}"
    )


def _format(template: str, provider: MailProvider, account_id: str) -> str:
    return template.format(
        name=provider.name,
        credential=provider.credential,
        page=provider.credential_page or _SERVER.credential_page,
        client_page=provider.client_page or _SERVER.client_page,
        oauth_provider=provider.oauth_provider or _SERVER.oauth_provider,
        account_id=account_id,
    )

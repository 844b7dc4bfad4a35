"""Errors of connections, as the errors that tools raise, with what helps.

The only place that handles errors of sockets, TLS and IMAP libraries.
"""

import imaplib
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from imapclient.exceptions import LoginError

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.client import ByeError, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.model.mail_provider import provider_of_host
from mailmcp.reasons import Reason
from mcp_envelope import (
    AuthFailedError,
    ConflictError,
    DeadlineError,
    InternalError,
    NotFoundError,
    Resource,
    ToolError,
    code,
)
from mcp_envelope.markdown import quote


@contextmanager
def translate_errors(account_id: str, stage: Reason = Reason.COMMAND) -> Iterator[None]:
    """Turn errors of sockets, TLS and IMAP libraries into `ToolError`s.

    `stage` is the reason of a deadline that passes: `connect`, `greeting` or `command`.
    """
    try:
        yield
    except TimeoutError as error:
        raise deadline_error(account_id, stage) from error
    except RefusedError as error:
        raise refused_error(account_id, error) from error
    except ByeError as error:
        raise _bye_error(account_id, stage, error) from error
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError, imaplib.IMAP4.abort, LoginError) as error:
        raise connection_lost_error(account_id) from error  # imaplib's, too: a login that could not be sent
    except ssl.SSLError as error:
        raise _handshake_error(account_id, error) from error
    except (ConnectionRefusedError, socket.gaierror) as error:
        problem = "is unknown" if isinstance(error, socket.gaierror) else "refuses connections"
        what, advice = f"The server's host {problem}", "Check host and port."
        raise _internal(account_id, what, Reason.CONNECTION_REFUSED, advice, retryable=True) from error
    except ProtocolViolationError as error:
        raise protocol_error(account_id, str(error)) from error
    except OSError as error:
        raise connection_lost_error(account_id) from error
    except imaplib.IMAP4.error as error:
        raise protocol_error(account_id, "sent no IMAP greeting") from error


_DEADLINES: Final[Mapping[Reason, str]] = {
    Reason.CONNECT: "Connecting to the server took too long (account {}).",
    Reason.GREETING: "The server accepted the connection but sent no greeting in time (account {}). Check "
    "the port and the tls setting: a server that expects TLS sends nothing without it.",
    Reason.COMMAND: "The server did not finish its response in time (account {}).",
}


def deadline_error(account_id: str, stage: Reason) -> DeadlineError:
    """Build the error for a deadline that passed at `stage`."""
    message, details = _DEADLINES[stage].format(account_id), {"account_id": account_id}
    return DeadlineError(message, reason=stage, details=details)


def _internal(
    account_id: str, what: str, reason: Reason, advice: str = "", *, retryable: bool = False
) -> InternalError:
    message = f"{what} (account {account_id}). {advice}".rstrip()
    return InternalError(message, reason=reason, retryable=retryable, details={"account_id": account_id})


def _bye_error(account_id: str, stage: Reason, error: ByeError) -> InternalError:
    if error.refusal.is_connection_limit:
        return connection_limit_error(account_id)
    if stage is Reason.GREETING:
        what = "The server greeted with BYE: it accepts no connections right now"
        return _internal(account_id, what, Reason.SERVER_REFUSED, retryable=True)
    return connection_lost_error(account_id)


def connection_limit_error(account_id: str) -> InternalError:
    """Build the error for a server that allows no more connections for now."""
    what = "The server allows no more connections right now"
    advice = "Other mail programs may hold some, or max_sessions in the settings is too high."
    return _internal(account_id, what, Reason.CONNECTION_LIMIT, advice, retryable=True)


def protocol_error(account_id: str, what: str) -> InternalError:
    """Build the error for a response that breaks the protocol; `what` follows «The server»."""
    return _internal(account_id, f"The server {what}", Reason.PROTOCOL_VIOLATION)


def connection_lost_error(account_id: str) -> InternalError:
    """Build the error for a connection that ended."""
    what = "The connection to the server was lost"
    return _internal(account_id, what, Reason.CONNECTION_LOST, retryable=True)


def tls_error(account_id: str, message: str) -> InternalError:
    """Build the error for TLS that could not be set up."""
    return InternalError(message, reason=Reason.TLS_FAILED, details={"account_id": account_id})


_SELF_SIGNED: Final = {18, 19}
"""OpenSSL's X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT and X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN."""


def _handshake_error(account_id: str, error: ssl.SSLError) -> InternalError:
    if isinstance(error, ssl.SSLCertVerificationError):
        what = f"The server's certificate was rejected (account {account_id})"
        problem = error.verify_message.rstrip(".")  # only some of OpenSSL's messages end with one
        advice = (
            "Check the host name. For a private certificate authority, set ca_file (mailmcp setup --ca-file)."
        )
        if error.verify_code in _SELF_SIGNED:
            advice += (
                " If this is Proton Bridge, export its certificate there (Settings, Advanced settings), "
                'set ca_file to that cert.pem, and set host to "127.0.0.1", the only name in it.'
            )
    else:
        what = f"TLS with the server failed (account {account_id})"
        problem = getattr(error, "reason", "") or "no reason given"  # Python's own SSLErrors have none
        advice = "Check the port and the tls setting."
    return tls_error(account_id, f"{what}: {problem}. {advice}")


def uidvalidity_conflict(mailbox: str, *, expected: int, found: int) -> ConflictError:
    """Build the error for a mailbox whose UIDVALIDITY has changed (RFC 9051 section 2.3.1.1)."""
    return ConflictError(
        f"Mailbox {code(mailbox)} was rebuilt, or the id is from another one: its UIDVALIDITY was {expected} "
        f"and is now {found}. Earlier ids and cursors are no longer valid; search again.",
        reason=Reason.UIDVALIDITY_CHANGED,
        details={"mailbox": mailbox, "expected_uidvalidity": expected, "found_uidvalidity": found},
    )


def mailbox_missing_error(account_id: str, mailbox: str) -> NotFoundError:
    """Build the error for a mailbox that doesn't exist, or can't be opened."""
    return NotFoundError(
        f"There is no mailbox {code(mailbox)} in account {account_id}. Names are case-sensitive.",
        reason=Reason.MAILBOX_MISSING,
        details={"account_id": account_id, "mailbox": mailbox},
        resource=Resource(type="mailbox", id=mailbox),
    )


def writes_forbidden_error(account: Account, needed: Writes) -> AuthFailedError:
    """Build the error for a change that the settings of an account don't allow."""
    return AuthFailedError(
        f'The settings forbid this in account {account.account_id}: they have writes = "{account.writes}", '
        f'and it takes writes = "{needed}". Only the user can change that, in the settings file; then '
        "mailmcp must be restarted.",
        reason=Reason.WRITES_FORBIDDEN,
        details={"account_id": account.account_id, "writes": account.writes, "needed": needed},
    )


def mailbox_protected_error(account_id: str, mailbox: str) -> AuthFailedError:
    """Build the error for a change in a mailbox where the settings allow none."""
    return AuthFailedError(
        f"Mailbox {code(mailbox)} of account {account_id} is protected (by protected_mailboxes in the "
        "settings; an Outbox always is): nothing in it is changed, and nothing comes into it or leaves it.",
        reason=Reason.MAILBOX_PROTECTED,
        details={"account_id": account_id, "mailbox": mailbox},
    )


# Refusals

_ERRORS: Final[Mapping[Reason, type[InternalError | AuthFailedError | NotFoundError]]] = {
    Reason.CREDENTIALS_REJECTED: AuthFailedError,
    Reason.CREDENTIALS_EXPIRED: AuthFailedError,
    Reason.LOGIN_DISABLED: AuthFailedError,
    Reason.MAILBOX_MISSING: NotFoundError,
}
"""What a refused command raises, by its reason; InternalError for other reasons."""


def refused_error(account_id: str, error: RefusedError) -> ToolError:
    """Build the error for a command that the server completed with NO or BAD."""
    kind = _ERRORS.get(error.reason, InternalError)
    said = f": {format_refusal(error)}."
    if error.is_shut_out:
        kind, said = AuthFailedError, f". {_find_advice(error.text, account_id)}"
    return kind(
        f"The server refused {error.command} (account {account_id}){said}",
        reason=error.reason,
        retryable=error.retryable,
        details={"account_id": account_id, "command": error.command, "status": error.status},
    )


def format_refusal(error: RefusedError) -> str:
    """Format what the server said: NO or BAD, and its text in quotes."""
    return f"{error.status} {quote(error.text)}".rstrip()


_RESTART: Final = "After a change in the settings, restart mailmcp."

_LOGIN_REFUSALS: Final[Mapping[Reason, tuple[str, str]]] = {
    # What is wrong with a login that was refused for good, and what to do if nothing better is known.
    Reason.CREDENTIALS_REJECTED: (
        "The server rejected the user name or password of account {}.",
        f"Check both; many providers require an app password. {_RESTART}",
    ),
    Reason.CREDENTIALS_EXPIRED: (
        "The password of account {} has expired.",
        f"Set a new one at the provider and in the settings. {_RESTART}",
    ),
    Reason.PERMISSION_DENIED: (
        "The server does not let this user sign in, whatever the password (account {}).",
        "Sign in at the provider's website, or ask its support.",
    ),
    Reason.LOGIN_DISABLED: (
        "The server does not accept passwords on this connection (account {}).",
        "You may have to enable IMAP for the account at the provider first.",
    ),
}

_ADVICE: Final = {
    # What helps where no password would. A server's text chooses it and is never repeated: it may hold the
    # command with the password.
    # Exchange: `BAD User is authenticated but not connected.`, to the first command after the login.
    r"user is authenticated but not connected": (
        "You are signed in but can't use this mailbox: IMAP is off, the mailbox belongs to someone else, "
        "or this user has no permission for it. Check user in the settings, or sign in as the right person "
        "with: mailmcp login {account_id}"
    ),
    # NetEase (163, 126, yeah.net): `NO EXAMINE Unsafe Login. Please contact kefu@188.com for help`.
    r"unsafe login": (
        "You are signed in, but the provider takes this for an unsafe login. Sign in at its website, allow "
        "IMAP in the settings there, create an authorization code, and enter it with: "
        "mailmcp password {account_id}"
    ),
    # Gmail: `NO [ALERT] Your account is not enabled for IMAP use.`; Yandex: `IMAP is disabled`.
    r"not enabled for imap|imap (access )?(is )?(disabled|not enabled|turned off)": (
        "IMAP is off for this mailbox. Switch it on in the provider's settings, or ask the administrator."
    ),
}


def _find_advice(text: str, account_id: str) -> str:
    """Return what helps where the server said this; "" if nothing is known."""
    fitting = (advice for pattern, advice in _ADVICE.items() if re.search(pattern, text, re.IGNORECASE))
    return next(fitting, "").format(account_id=account_id)


def _advise_on_provider(account: Account) -> tuple[Reason, str]:
    """Return why the account's provider refuses a password, and what it takes instead; "" if not known."""
    provider, account_id = provider_of_host(account.host), account.account_id
    if provider is not None and not provider.credential:
        return Reason.LOGIN_DISABLED, (
            f"{provider.name} accepts no passwords over IMAP, only OAuth 2.0. Register a client at "
            f'{provider.client_page}, set auth = "oauth2", provider = "{provider.oauth_provider}" and its '
            f"client_id in the settings, then run: mailmcp login {account_id}"
        )
    if provider is not None and provider.credential_page:
        return Reason.CREDENTIALS_REJECTED, (
            f"{provider.name} accepts only {provider.credential} over IMAP, not the password of its website. "
            f"Create one at {provider.credential_page} and enter it with: mailmcp password {account_id}"
        )
    return Reason.CREDENTIALS_REJECTED, ""


def login_refused_error(account: Account, error: RefusedError) -> ToolError:
    """Build the error for a password that the server refused.

    It does not repeat the server's text, which may hold the command with the password.
    """
    account_id = account.account_id
    if error.is_connection_limit:
        return connection_limit_error(account_id)
    if error.is_temporary:
        return refused_error(account_id, RefusedError("login", error.status, f"[{error.code}]"))
    reason = error.reason if error.reason in _LOGIN_REFUSALS else Reason.CREDENTIALS_REJECTED
    advice = ""
    if reason is Reason.CREDENTIALS_REJECTED:
        reason, advice = Reason.PERMISSION_DENIED, _find_advice(error.text, account_id)
        if not advice:
            reason, advice = _advise_on_provider(account)
    return _login_error(account, reason, advice, said=error.code)


def login_disabled_error(account: Account, *, offers_oauth: bool) -> AuthFailedError:
    """Build the error for a server that accepts no password on this connection."""
    reason, advice = _advise_on_provider(account)
    if reason is not Reason.LOGIN_DISABLED:  # Outlook takes no passwords with encryption either
        advice = ""
        if not account.secure:
            advice = 'It may require encryption: set tls to "implicit" or "starttls".'
        elif offers_oauth:
            advice = (
                'It asks for OAuth 2.0, as Outlook does: set auth = "oauth2", then run '
                f"mailmcp login {account.account_id}"
            )
    return _login_error(account, Reason.LOGIN_DISABLED, advice)


def _login_error(account: Account, reason: Reason, advice: str, *, said: str = "") -> AuthFailedError:
    problem, default = _LOGIN_REFUSALS[reason]
    place = account.account_id + (f" ({code(said)})" if said else "")
    message, details = (
        f"{problem.format(place)} {account.remedy or advice or default}",
        {"account_id": account.account_id},
    )
    return AuthFailedError(message, reason=reason, details=details)


def token_refused_error(account: Account, error: RefusedError) -> ToolError:
    """Build the error for a server that refused an access token that was issued a moment ago.

    iCloud takes none, though it advertises XOAUTH2.
    """
    if error.is_connection_limit or error.is_temporary:
        return login_refused_error(account, error)
    account_id, provider = account.account_id, provider_of_host(account.host)
    place = f"account {account_id}" + (f", {code(error.code)}" if error.code else "")
    if provider is None or provider.oauth_provider:
        advice = (
            "The user may have signed in as someone else, IMAP may be off for the mailbox, or the token may "
            f"lack the scope for IMAP. The user must run: mailmcp login {account_id}"
        )
    else:
        advice = (
            f"{provider.name} accepts only {provider.credential} over IMAP. Remove auth and the keys of "
            f"OAuth 2.0 from the settings, then run: mailmcp password {account_id}"
        )
    message = f"The server refused a fresh access token ({place}). {account.remedy or advice}"
    return AuthFailedError(message, reason=Reason.CREDENTIALS_REJECTED, details={"account_id": account_id})

"""Errors of connections, as the errors that tools raise.

The only place that handles errors of sockets, TLS and IMAP libraries.
"""

import imaplib
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum

from mailmcp.imap.account import Account
from mailmcp.imap.advice import BRIDGE_CERTIFICATE, advise, advise_on_token
from mailmcp.imap.client import ProtocolViolationError, ResponseTooLongError
from mailmcp.imap.command import RefusedError, mentions_connection_limit
from mailmcp.reasons import Reason
from mcp_envelope import (
    AuthFailedError,
    ConflictError,
    DeadlineError,
    InternalError,
    NotFoundError,
    ToolError,
    code,
)
from mcp_envelope.markdown import quote


class Stage(StrEnum):
    """What a connection is doing; the reason of a deadline that passes meanwhile."""

    CONNECT = "connect"
    GREETING = "greeting"
    COMMAND = "command"


@contextmanager
def translate_errors(account_id: str, stage: Stage = Stage.COMMAND) -> Iterator[None]:
    """Turn errors of sockets, TLS and IMAP libraries into `ToolError`s."""
    try:
        yield
    except TimeoutError as error:
        raise deadline_error(account_id, stage) from error
    except RefusedError as error:
        raise refused_error(account_id, error) from error
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
        raise connection_lost_error(account_id) from error
    except ssl.SSLError as error:
        raise _handshake_error(account_id, error) from error
    except (ConnectionRefusedError, socket.gaierror) as error:
        problem = "is unknown" if isinstance(error, socket.gaierror) else "refuses connections"
        what, advice = f"The server's host {problem}", "Check host and port."
        raise _internal(account_id, what, Reason.CONNECTION_REFUSED, advice, retryable=True) from error
    except ResponseTooLongError as error:
        raise protocol_error(account_id, "sent a response that is too long") from error
    except ProtocolViolationError as error:
        raise protocol_error(account_id, "sent something that is not IMAP") from error
    except (imaplib.IMAP4.abort, OSError) as error:
        raise connection_lost_error(account_id) from error
    except imaplib.IMAP4.error as error:
        raise _greeting_error(account_id, str(error)) from error


def deadline_error(account_id: str, stage: Stage) -> DeadlineError:
    """Build the error for a deadline that passed at `stage`."""
    message = {
        Stage.CONNECT: "Connecting to the server took too long (account {}).",
        Stage.GREETING: "The server accepted the connection but sent no greeting in time (account {}). Check "
        "the port and the tls setting: a server that expects TLS sends nothing without it.",
        Stage.COMMAND: "The server did not finish its response in time (account {}).",
    }[stage]
    return DeadlineError(
        message.format(account_id), reason=Reason(stage.value), details={"account_id": account_id}
    )


_ERRORS: Mapping[Reason, type[InternalError | AuthFailedError | NotFoundError]] = {
    Reason.CREDENTIALS_REJECTED: AuthFailedError,
    Reason.CREDENTIALS_EXPIRED: AuthFailedError,
    Reason.LOGIN_DISABLED: AuthFailedError,
    Reason.MAILBOX_MISSING: NotFoundError,
}
"""What a refused command raises, by the reason of its response code; InternalError for other reasons."""


def refused_error(account_id: str, error: RefusedError) -> ToolError:
    """Build the error for a command that the server completed with NO or BAD."""
    kind = _ERRORS.get(error.reason, InternalError)
    said = f": {format_refusal(error)}."
    if error.is_shut_out and (advice := advise(error.text, host="", account_id=account_id)):
        kind, said = AuthFailedError, f". {advice[1]}"
    return kind(
        f"The server refused {error.command} (account {account_id}){said}",
        reason=error.reason,
        retryable=error.retryable,
        details={"account_id": account_id, "command": error.command, "status": error.status},
    )


def format_refusal(error: RefusedError) -> str:
    """Format what the server said: NO or BAD, and its text in quotes."""
    return f"{error.status} {quote(error.text)}".rstrip()


_RESTART = "After a change in the settings, restart mailmcp."

_LOGIN_REFUSALS: Mapping[Reason, tuple[str, str]] = {
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
"""What is wrong with a login that was refused for good, and what to do if nothing better is known."""


def login_refused_error(account: Account, error: RefusedError) -> ToolError:
    """Build the error for a password that the server refused with NO or BAD.

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
        reason, advice = advise(error.text, host=account.host, account_id=account_id) or (reason, "")
    return _login_error(account, reason, advice, said=error.code)


def login_disabled_error(account: Account, *, offers_oauth: bool) -> AuthFailedError:
    """Build the error for a server that accepts no password on this connection."""
    reason, advice = advise("", host=account.host, account_id=account.account_id) or (None, "")
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
    return AuthFailedError(
        f"{problem.format(place)} {advice or default}",
        reason=reason,
        details={"account_id": account.account_id},
    )


def token_refused_error(account: Account, error: RefusedError) -> ToolError:
    """Build the error for a server that refused an access token that was issued a moment ago."""
    if error.is_connection_limit or error.is_temporary:
        return login_refused_error(account, error)
    account_id = account.account_id
    said = error.sasl_failure.get("status", "") or error.code
    place = f"account {account_id}" + (f", {code(said)}" if said else "")
    return AuthFailedError(
        f"The server refused a fresh access token ({place}). "
        + advise_on_token(host=account.host, account_id=account_id),
        reason=Reason.CREDENTIALS_REJECTED,
        details={"account_id": account_id},
    )


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


def _internal(
    account_id: str, what: str, reason: Reason, advice: str = "", *, retryable: bool = False
) -> InternalError:
    message = f"{what} (account {account_id}). {advice}".rstrip()
    return InternalError(message, reason=reason, retryable=retryable, details={"account_id": account_id})


def uidvalidity_conflict(mailbox: str, *, expected: int, found: int) -> ConflictError:
    """Build the error for a mailbox whose UIDVALIDITY has changed (RFC 9051 section 2.3.1.1)."""
    return ConflictError(
        f"Mailbox {code(mailbox)} was rebuilt, or the id is from another one: its UIDVALIDITY was {expected} "
        f"and is now {found}. Earlier ids and cursors are no longer valid; search again.",
        reason=Reason.UIDVALIDITY_CHANGED,
        details={"mailbox": mailbox, "expected_uidvalidity": expected, "found_uidvalidity": found},
    )


def tls_error(account_id: str, message: str) -> InternalError:
    """Build the error for TLS that could not be set up."""
    return InternalError(message, reason=Reason.TLS_FAILED, details={"account_id": account_id})


_SELF_SIGNED = {18, 19}
"""OpenSSL's X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT and X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN."""


def _handshake_error(account_id: str, error: ssl.SSLError) -> InternalError:
    if isinstance(error, ssl.SSLCertVerificationError):
        problem = error.verify_message.rstrip(".")  # only some of OpenSSL's messages end with one
        advice = (
            "Check the host name. For a private certificate authority, set ca_file (mailmcp setup --ca-file)."
        )
        if error.verify_code in _SELF_SIGNED:
            advice = f"{advice} {BRIDGE_CERTIFICATE}"
        return tls_error(
            account_id, f"The server's certificate was rejected (account {account_id}): {problem}. {advice}"
        )
    problem = getattr(error, "reason", "") or "no reason given"  # Python's own SSLErrors have none
    return tls_error(
        account_id,
        f"TLS with the server failed (account {account_id}): {problem}. Check the port and the tls setting.",
    )


def _greeting_error(account_id: str, line: str) -> InternalError:
    """Build the error for a greeting that is neither OK nor PREAUTH; imaplib's error holds the line."""
    if "* BYE" not in line:
        return protocol_error(account_id, "sent no IMAP greeting")
    if mentions_connection_limit(line):
        return connection_limit_error(account_id)
    what = "The server greeted with BYE: it accepts no connections right now"
    return _internal(account_id, what, Reason.SERVER_REFUSED, retryable=True)

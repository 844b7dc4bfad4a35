"""What can go wrong on a connection, in the words of the envelope.

The only place where errors of sockets, TLS and IMAP libraries are caught and named.
"""

import imaplib
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum

from mailmcp.imap.command import RefusedError, names_connection_limit
from mailmcp.imap.wire import TooLongError, ViolationError
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


def deadline_error(account_id: str, stage: Stage) -> DeadlineError:
    """Build the error for a deadline that passed at `stage`."""
    what = {
        Stage.CONNECT: "No connection to the server came up",
        Stage.GREETING: "The server connected but did not greet",
        Stage.COMMAND: "The server did not finish answering",
    }[stage]
    hint = {
        Stage.GREETING: " Check the port and the tls setting: a server that expects TLS at once says nothing "
        "without it.",
    }.get(stage, "")
    return DeadlineError(
        f"{what} within the time allowed (account {account_id}).{hint}",
        reason=Reason(stage.value),
        details={"account_id": account_id},
    )


@contextmanager
def translate_errors(account_id: str, stage: Stage = Stage.COMMAND) -> Iterator[None]:
    """Turn errors of the libraries below into `ToolError`s; let those pass through."""
    try:
        yield
    except ToolError:
        raise
    except TimeoutError as error:
        raise deadline_error(account_id, stage) from error
    except RefusedError as error:
        raise refused_error(account_id, error) from error
    except (imaplib.IMAP4.error, OSError) as error:
        raise _name(account_id, error) from error


_ERRORS: Mapping[Reason, type[InternalError | AuthFailedError | NotFoundError]] = {
    Reason.CREDENTIALS_REJECTED: AuthFailedError,
    Reason.CREDENTIALS_EXPIRED: AuthFailedError,
    Reason.LOGIN_DISABLED: AuthFailedError,
    Reason.MAILBOX_MISSING: NotFoundError,
}
"""What a refused command raises by the reason of its response code; InternalError for the others."""


def refused_error(account_id: str, error: RefusedError) -> ToolError:
    """Build the error for a command that the server completed with NO or BAD."""
    return _ERRORS.get(error.reason, InternalError)(
        f"The server refused {error.command} (account {account_id}): {format_refusal(error)}",
        reason=error.reason,
        retryable=error.retryable,
        details={"account_id": account_id, "command": error.command, "status": error.status},
    )


def format_refusal(error: RefusedError) -> str:
    """Return what the server answered, for a line of ours: NO or BAD, and its words in quotes."""
    return f"{error.status} {quote(error.text)}".rstrip()


_LOGIN_REFUSALS: Mapping[Reason, str] = {
    Reason.CREDENTIALS_REJECTED: "The server rejected the user name or password of account {account}. "
    "Check them in the settings; many providers want an app password. "
    "Unless a file or a command gives the password, mailmcp must then be started anew.",
    Reason.CREDENTIALS_EXPIRED: "The password of account {account} has expired. Set a new one at the "
    "provider, then in the settings. Unless a file or a command gives it, mailmcp must then be started anew.",
    Reason.PERMISSION_DENIED: "The server does not let this user in (account {account}), whatever the "
    "password. Sign in at the provider's website, or ask its support.",
}


def login_refused_error(account_id: str, error: RefusedError) -> ToolError:
    """Build the error for a login that the server completed with NO or BAD.

    The server's own words are left out: some repeat the command, password and all.
    """
    said = f" ({code(error.code)})" if error.code else ""
    if error.is_connection_limit:
        return connection_limit_error(account_id)
    if error.is_temporary:
        return refused_error(account_id, RefusedError("login", error.status, f"[{error.code}]"))
    reason = error.reason if error.reason in _LOGIN_REFUSALS else Reason.CREDENTIALS_REJECTED
    return AuthFailedError(
        _LOGIN_REFUSALS[reason].format(account=account_id + said),
        reason=reason,
        details={"account_id": account_id},
    )


def connection_limit_error(account_id: str) -> InternalError:
    """Build the error for a server that allows no more connections at the moment."""
    return InternalError(
        f"The server allows no more connections now (account {account_id}). "
        "Other mail programs may hold some, or max_sessions is too high in the settings.",
        reason=Reason.CONNECTION_LIMIT,
        retryable=True,
        details={"account_id": account_id},
    )


def protocol_error(account_id: str, what: str) -> InternalError:
    """Build the error for an answer that breaks the protocol; `what` completes «The server …»."""
    return InternalError(
        f"The server {what} (account {account_id}).",
        reason=Reason.PROTOCOL_VIOLATION,
        details={"account_id": account_id},
    )


def connection_lost_error(account_id: str) -> InternalError:
    """Build the error for a connection that is gone."""
    return InternalError(
        f"The connection to the server was lost (account {account_id}).",
        reason=Reason.CONNECTION_LOST,
        retryable=True,
        details={"account_id": account_id},
    )


def uidvalidity_conflict(mailbox: str, *, expected: int, found: int) -> ConflictError:
    """Build the error for a mailbox whose UIDVALIDITY is another one (RFC 9051 section 2.3.1.1)."""
    return ConflictError(
        f"Mailbox {code(mailbox)} was rebuilt (or the id is of another one): its UIDVALIDITY was {expected} "
        f"and is now {found}. Ids and cursors from before are void; search again.",
        reason=Reason.UIDVALIDITY_CHANGED,
        details={"mailbox": mailbox, "expected_uidvalidity": expected, "found_uidvalidity": found},
    )


def tls_error(account_id: str, what: str) -> InternalError:
    """Build the error for TLS that does not come up; `what` says why and what to do."""
    return InternalError(what, reason=Reason.TLS_FAILED, details={"account_id": account_id})


def _name(account_id: str, error: Exception) -> InternalError:
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return _name_tls(account_id, error)
    if isinstance(error, ConnectionRefusedError | socket.gaierror):
        why = "is unknown" if isinstance(error, socket.gaierror) else "refuses connections"
        return InternalError(
            f"The server's host {why} (account {account_id}). Check host and port in the settings.",
            reason=Reason.CONNECTION_REFUSED,
            retryable=True,
            details={"account_id": account_id},
        )
    if isinstance(error, TooLongError):
        return protocol_error(account_id, "sent an answer that is too long to be held")
    if isinstance(error, ViolationError):
        return protocol_error(account_id, "sent something that is not IMAP")
    if isinstance(error, imaplib.IMAP4.error) and not isinstance(error, imaplib.IMAP4.abort):
        return _name_greeting(account_id, error)
    return connection_lost_error(account_id)


def _name_tls(account_id: str, error: ssl.SSLError) -> InternalError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return tls_error(
            account_id,
            # Some of OpenSSL's messages are sentences with a full stop, some are not.
            f"The server's certificate was not accepted (account {account_id}): "
            f"{error.verify_message.rstrip('.')}. "
            "Check the host name; for a private authority set ca_file in the settings.",
        )
    why = getattr(error, "reason", "") or "no reason given"  # Python's own SSLErrors have none
    return tls_error(
        account_id,
        f"TLS with the server failed (account {account_id}): {why}. Check the port and the tls setting.",
    )


def _name_greeting(account_id: str, error: imaplib.IMAP4.error) -> InternalError:
    """Name imaplib's error for a greeting that is neither OK nor PREAUTH; it holds the line."""
    greeting = str(error)
    if "* BYE" in greeting and names_connection_limit(greeting):
        return connection_limit_error(account_id)
    if "* BYE" not in greeting:
        return protocol_error(account_id, "did not greet as IMAP servers do")
    return InternalError(
        f"The server greeted with BYE: it takes no connections now (account {account_id}).",
        reason=Reason.SERVER_REFUSED,
        retryable=True,
        details={"account_id": account_id},
    )

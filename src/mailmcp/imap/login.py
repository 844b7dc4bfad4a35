"""One login on a connection, with a password or an access token."""

from mailmcp.imap.account import Account, BearerToken, Password
from mailmcp.imap.advice import advise_on_password
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.connection import Connection
from mailmcp.imap.connection_handle import ConnectionHandle
from mailmcp.imap.errors import (
    Stage,
    connection_lost_error,
    login_refused_error,
    token_refused_error,
)
from mailmcp.imap.sasl import bearer_message
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError


def log_in(connection: Connection, handle: ConnectionHandle) -> None:
    """Log in once; blocks.

    Raises:
        AuthFailedError: The login is refused or not offered, or there is no password.
        DeadlineError: A timeout of the account passed.
        InternalError: The connection or the server failed.
    """
    account = handle.account
    with handle.closing_on_failure():
        if connection.preauthenticated:
            return
        match account.credentials:
            case Password(read=read_password):
                _log_in_with_password(connection, handle, read_password())
            case BearerToken() as bearer:
                _log_in_with_token(connection, handle, bearer)
        handle.login_answered = True
        handle.finish_step("login", Stage.COMMAND)
        connection.learn_capabilities()


def _log_in_with_password(connection: Connection, handle: ConnectionHandle, password: str) -> None:
    account = handle.account
    offers_plain, login_disabled = connection.can("AUTH=PLAIN"), connection.can("LOGINDISABLED")
    if login_disabled and not offers_plain:
        raise _login_disabled_error(connection, account)
    handle.login_sent = True
    try:
        if offers_plain and (login_disabled or not (account.user + password).isascii()):
            connection.authenticate_with("PLAIN", f"\0{account.user}\0{password}".encode())
        else:
            connection.run("LOGIN", quoted(account.user), quoted(password))
    except RefusedError as error:
        if error.is_plain_bye:
            raise connection_lost_error(account.account_id) from None
        handle.login_answered = True
        if error.reason is Reason.LOGIN_DISABLED:
            raise _login_disabled_error(connection, account) from None
        raise login_refused_error(account, error) from None


def _log_in_with_token(connection: Connection, handle: ConnectionHandle, bearer: BearerToken) -> None:
    """Log in with an access token, and with another one if the server refuses the first.

    A token can be revoked before it expires. Dovecot answers UNAVAILABLE where its introspection fails.
    """
    account, refused = handle.account, ""
    while True:
        token = bearer.read(refused)
        message = bearer_message(
            bearer.mechanism, user=account.user, host=account.host, port=account.port, token=token
        )
        handle.login_sent = True
        try:
            connection.authenticate_with(bearer.mechanism, message, initial=bearer.initial_response)
        except RefusedError as error:
            if error.is_plain_bye:
                raise connection_lost_error(account.account_id) from None
            if not refused and not error.is_connection_limit:
                refused = token
                continue
            handle.login_answered = True
            raise token_refused_error(account, error) from None
        return


def _login_disabled_error(connection: Connection, account: Account) -> AuthFailedError:
    """Build the error for a server that accepts no password on this connection."""
    advice = advise_on_password("", host=account.host, account_id=account.account_id)
    if advice is not None and advice.reason is Reason.LOGIN_DISABLED:
        hint = advice.text  # Outlook, which takes no passwords with encryption either
    elif not account.secure:
        hint = 'It may require encryption: set tls to "implicit" or "starttls".'
    elif connection.can("AUTH=XOAUTH2") or connection.can("AUTH=OAUTHBEARER"):
        hint = (
            'It asks for OAuth 2.0, as Outlook does: set auth = "oauth2", then run '
            f"mailmcp login {account.account_id}"
        )
    else:
        hint = "You may have to enable IMAP for the account at the provider first."
    return AuthFailedError(
        f"The server does not accept passwords on this connection (account {account.account_id}). {hint}",
        reason=Reason.LOGIN_DISABLED,
        details={"account_id": account.account_id},
    )

"""From an account to a signed-in connection: TCP, TLS, login, ID.

`connect` and `log_in` are the steps. They block, and raise `DeadlineError` if a timeout of the
account passed, and `InternalError` if the connection, TLS or the server failed.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from threading import Thread
from time import monotonic
from typing import Any

from mailmcp import __version__
from mailmcp.imap.account import Account, BearerToken, Mechanism, Password, Tls
from mailmcp.imap.client import ByeError, Client
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.errors import (
    connection_lost_error,
    login_disabled_error,
    login_refused_error,
    tls_error,
    token_refused_error,
)
from mailmcp.imap.session import Session
from mailmcp.imap.verbs import VERBS
from mailmcp.reasons import Reason


def connect(session: Session) -> None:
    """Connect and secure the connection."""
    account = session.account
    with session.closing_on_failure():
        session.client = Client(
            account.host,
            dial=lambda: _dial(session),
            traffic=session.traffic,
            timeout_s=account.command_timeout_s,
            verbs=VERBS[session.writes],
        )
        session.stage = Reason.COMMAND
        session.client.learn_capabilities()
        if account.tls is Tls.STARTTLS:
            _start_tls(session.client, account)


def log_in(session: Session) -> None:
    """Log in once, and send the client's name if the server knows ID (RFC 2971).

    NetEase opens no mailbox without it. `AuthFailedError` if the login is refused or not offered, or there is
    no password.
    """
    connection = session.connection
    with session.closing_on_failure():
        if not connection.preauthenticated:
            match session.account.credentials:
                case Password() as password:
                    _log_in_with_password(session, password.read(), password.master_user)
                case BearerToken() as bearer:
                    _log_in_with_token(session, bearer)
            connection.learn_capabilities()
        if connection.can("ID"):
            with suppress(RefusedError):  # a server that refuses it still serves
                connection.run("ID", f'("name" "mailmcp" "version" "{__version__}")'.encode())


def tls_context(account: Account) -> ssl.SSLContext:
    """Build the TLS settings of an account, always with verification (RFC 8314 section 5)."""
    try:
        return _trusting(os.fspath(account.ca_file) if account.ca_file else None)
    except OSError as error:
        raise tls_error(
            account.account_id,
            f"The ca_file of account {account.account_id} is not a readable PEM file of certificates. "
            "Correct it in the settings.",
        ) from error


@cache  # reading those of the system takes 30 ms of a core; each session would keep its own 0.8 MB
def _trusting(ca_file: str | None) -> ssl.SSLContext:
    """Trust the certificates of a file; None for those of the system."""
    return ssl.create_default_context(cafile=ca_file)


def _dial(session: Session) -> socket.socket:
    """Look up the host, connect and, for implicit TLS, secure: all within one `connect_timeout_s`."""
    account = session.account
    context = tls_context(account) if account.tls is Tls.IMPLICIT else None
    deadline = monotonic() + account.connect_timeout_s
    sock = _connect_tcp(session, _look_up(account), deadline)
    if context is not None:
        sock.settimeout(_seconds_until(deadline))
        sock = context.wrap_socket(sock, server_hostname=account.host)
    session.stage = Reason.GREETING
    sock.settimeout(account.connect_timeout_s)
    return sock


def _look_up(account: Account) -> list[Any]:
    """Return the host's addresses. None can be ended: one that takes too long stays behind in its thread.

    Raises:
        TimeoutError: `connect_timeout_s` passed.
        OSError: There is no such host.
    """
    found: Future[list[Any]] = Future()

    def look_up() -> None:
        try:
            found.set_result(socket.getaddrinfo(account.host, account.port, type=socket.SOCK_STREAM))
        except Exception as error:  # noqa: BLE001 - raised below
            found.set_exception(error)

    Thread(target=look_up, name=f"look up {account.host}", daemon=True).start()
    return found.result(account.connect_timeout_s)


def _connect_tcp(session: Session, addresses: list[Any], deadline: float) -> socket.socket:
    """Try the host's addresses in turn.

    Each gets its share of the remaining time, so that one that doesn't respond leaves some for the next.
    """
    for left, (family, kind, protocol, _, address) in zip(
        range(len(addresses), 0, -1), addresses, strict=True
    ):
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(_seconds_until(deadline) / left)
        try:
            session.watch(sock)
            sock.connect(address)
        except OSError:
            sock.close()
            if left == 1:
                raise
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise OSError("the host has no address")


def _seconds_until(deadline: float) -> float:
    return max(deadline - monotonic(), 0.001)  # 0 would mean no waiting at all


def _start_tls(connection: Client, account: Account) -> None:
    """Upgrade, or fail: nothing is sent in plain text if the settings ask for TLS."""
    message = (
        f"The settings require STARTTLS, but the server {{}} (account {account.account_id}). "
        'Use tls = "implicit" with the TLS port.'
    )
    # STARTTLS is not possible after PREAUTH, which may come from an attacker (RFC 8314 section 5).
    if not connection.can("STARTTLS") or connection.preauthenticated:
        raise tls_error(account.account_id, message.format("does not offer it"))
    try:
        connection.starttls(tls_context(account))
        connection.learn_capabilities()
    except RefusedError as error:
        raise tls_error(account.account_id, message.format("refuses it")) from error


def _log_in_with_password(session: Session, password: str, master_user: str) -> None:
    account, connection = session.account, session.connection
    offers_plain, login_disabled = connection.can("AUTH=PLAIN"), connection.can("LOGINDISABLED")
    offers_oauth = connection.can("AUTH=XOAUTH2") or connection.can("AUTH=OAUTHBEARER")
    if login_disabled and not offers_plain:
        raise login_disabled_error(account, offers_oauth=offers_oauth)
    try:
        with _login(session):
            if master_user:
                connection.plain_login(master_user, password, account.user)
            # LOGIN knows no charset, and IMAPClient quotes no user name.
            elif (offers_plain and login_disabled) or not (account.user + password).isascii():
                connection.plain_login(account.user, password)
            else:
                connection.login(quoted(account.user).decode(), password)
    except RefusedError as error:
        if error.reason is Reason.LOGIN_DISABLED:
            raise login_disabled_error(account, offers_oauth=offers_oauth) from None
        raise login_refused_error(account, error) from None


def _log_in_with_token(session: Session, bearer: BearerToken) -> None:
    """Log in with an access token, and with another one if the server refuses the first.

    A token can be revoked before it expires. Dovecot answers UNAVAILABLE where its introspection fails.
    """
    account, connection, refused = session.account, session.connection, ""
    has_xoauth2 = bearer.mechanism is Mechanism.XOAUTH2
    send = connection.oauth2_login if has_xoauth2 else connection.oauthbearer_login
    while True:
        token = bearer.read(refused)
        try:
            with _login(session):
                send(account.user, token)
        except RefusedError as error:
            if not refused and (error.code == "UNAVAILABLE" or not error.asks_to_wait):
                refused = token
                continue
            raise token_refused_error(account, error) from None
        return


@contextmanager
def _login(session: Session) -> Iterator[None]:
    """Note whether a login was sent and answered. A BYE that says why is its refusal."""
    session.login_sent, session.login_answered = True, False
    try:
        yield
    except RefusedError:
        session.login_answered = True
        raise
    except ByeError as error:
        if error.refusal.is_plain_bye:
            raise connection_lost_error(session.account.account_id) from None
        session.login_answered = True
        raise error.refusal from None
    session.login_answered = True

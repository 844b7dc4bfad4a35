"""From an account to a signed-in connection: TCP, TLS, login, ID.

`connect` and `log_in` are the steps. They block, and raise `DeadlineError` if a timeout of the
account passed, and `InternalError` if the connection, TLS or the server failed. Another thread can abort a
connection by its handle.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic
from typing import Any

from mailmcp import __version__
from mailmcp.imap.account import Account, BearerToken, Mechanism, Password, Tls
from mailmcp.imap.client import ByeError, Client, Traffic
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.errors import (
    connection_lost_error,
    login_disabled_error,
    login_refused_error,
    tls_error,
    token_refused_error,
    translate_errors,
)
from mailmcp.reasons import Reason


@dataclass(slots=True, eq=False)
class ConnectionHandle:
    """A connection from its first packet to its end; another thread may abort it.

    Closing a socket does not wake a thread that reads from it, but shutting it down does. The handle
    duplicates the socket, so that it can also abort a TLS handshake.
    """

    account: Account
    traffic: Traffic = field(default_factory=Traffic)
    stage: Reason = Reason.CONNECT
    login_sent: bool = False
    """Whether a login was sent, or at least its command without the password."""

    login_answered: bool = False
    """Whether the server answered the login. One that it did not answer may count as a failure there."""

    aborted: bool = False
    connection: Client | None = None
    _socket: socket.socket | None = None

    def watch(self, sock: socket.socket) -> None:
        """Make `sock` the one that `abort` shuts down.

        Raises:
            ConnectionAbortedError: `abort` was called already. A socket that is not connected can't be shut
                down, and would still connect.
        """
        self._release_socket()
        self._socket = sock.dup()
        if self.aborted:
            raise ConnectionAbortedError("aborted before it was connected")

    def abort(self) -> None:
        """Shut the connection down from any thread; blocked reads and writes fail at once."""
        self.aborted = True
        duplicate = self._socket  # the connection's own thread may release it meanwhile
        if duplicate is not None:
            with suppress(OSError):  # not connected yet, or closed by the server
                duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection without a LOGOUT."""
        if self.connection is not None:
            with suppress(OSError):
                self.connection.shutdown()
        self._release_socket()

    @contextmanager
    def closing_on_failure(self) -> Iterator[None]:
        """Close the connection on an error, and translate the error by the stage at which it came."""
        try:
            yield
        except BaseException:
            self.close()
            with translate_errors(self.account.account_id, self.stage):
                raise

    def _release_socket(self) -> None:
        duplicate, self._socket = self._socket, None
        if duplicate is not None:
            duplicate.close()


def connect(handle: ConnectionHandle) -> Client:
    """Connect and secure the connection."""
    account = handle.account
    with handle.closing_on_failure():
        connection = handle.connection = Client(
            account.host,
            dial=lambda: _dial(handle),
            traffic=handle.traffic,
            timeout_s=account.command_timeout_s,
        )
        handle.stage = Reason.COMMAND
        connection.learn_capabilities()
        if account.tls is Tls.STARTTLS:
            _start_tls(connection, account)
    return connection


def log_in(connection: Client, handle: ConnectionHandle) -> None:
    """Log in once, and send the client's name if the server knows ID (RFC 2971).

    NetEase opens no mailbox without it. `AuthFailedError` if the login is refused or not offered, or there is
    no password.
    """
    with handle.closing_on_failure():
        if not connection.preauthenticated:
            match handle.account.credentials:
                case Password(read=read_password):
                    _log_in_with_password(connection, handle, read_password())
                case BearerToken() as bearer:
                    _log_in_with_token(connection, handle, bearer)
            connection.learn_capabilities()
        if connection.can("ID"):
            with suppress(RefusedError):  # a server that refuses it still serves
                connection.run("ID", f'("name" "mailmcp" "version" "{__version__}")'.encode())


def tls_context(account: Account) -> ssl.SSLContext:
    """Build the TLS settings of an account, always with verification (RFC 8314 section 5)."""
    try:
        return ssl.create_default_context(cafile=os.fspath(account.ca_file) if account.ca_file else None)
    except OSError as error:
        raise tls_error(
            account.account_id,
            f"The ca_file of account {account.account_id} is not a readable PEM file of certificates. "
            "Correct it in the settings.",
        ) from error


def _dial(handle: ConnectionHandle) -> socket.socket:
    """Look up the host, connect and, for implicit TLS, secure: all within one `connect_timeout_s`."""
    account = handle.account
    context = tls_context(account) if account.tls is Tls.IMPLICIT else None
    deadline = monotonic() + account.connect_timeout_s
    sock = _connect_tcp(handle, _look_up(account), deadline)
    if context is not None:
        sock.settimeout(_seconds_until(deadline))
        sock = context.wrap_socket(sock, server_hostname=account.host)
    handle.stage = Reason.GREETING
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


def _connect_tcp(handle: ConnectionHandle, addresses: list[Any], deadline: float) -> socket.socket:
    """Try the host's addresses in turn.

    Each gets its share of the remaining time, so that one that doesn't respond leaves some for the next.
    """
    for left, (family, kind, protocol, _, address) in zip(
        range(len(addresses), 0, -1), addresses, strict=True
    ):
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(_seconds_until(deadline) / left)
        try:
            handle.watch(sock)
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


def _log_in_with_password(connection: Client, handle: ConnectionHandle, password: str) -> None:
    account = handle.account
    offers_plain, login_disabled = connection.can("AUTH=PLAIN"), connection.can("LOGINDISABLED")
    offers_oauth = connection.can("AUTH=XOAUTH2") or connection.can("AUTH=OAUTHBEARER")
    if login_disabled and not offers_plain:
        raise login_disabled_error(account, offers_oauth=offers_oauth)
    try:
        with _login(handle):
            # LOGIN knows no charset, and IMAPClient quotes no user name.
            if (offers_plain and login_disabled) or not (account.user + password).isascii():
                connection.plain_login(account.user, password)
            else:
                connection.login(quoted(account.user).decode(), password)
    except RefusedError as error:
        if error.reason is Reason.LOGIN_DISABLED:
            raise login_disabled_error(account, offers_oauth=offers_oauth) from None
        raise login_refused_error(account, error) from None


def _log_in_with_token(connection: Client, handle: ConnectionHandle, bearer: BearerToken) -> None:
    """Log in with an access token, and with another one if the server refuses the first.

    A token can be revoked before it expires. Dovecot answers UNAVAILABLE where its introspection fails.
    """
    account, refused = handle.account, ""
    has_xoauth2 = bearer.mechanism is Mechanism.XOAUTH2
    send = connection.oauth2_login if has_xoauth2 else connection.oauthbearer_login
    while True:
        token = bearer.read(refused)
        try:
            with _login(handle):
                send(account.user, token)
        except RefusedError as error:
            if not refused and (error.code == "UNAVAILABLE" or not error.asks_to_wait):
                refused = token
                continue
            raise token_refused_error(account, error) from None
        return


@contextmanager
def _login(handle: ConnectionHandle) -> Iterator[None]:
    """Note whether a login was sent and answered. A BYE that says why is its refusal."""
    handle.login_sent, handle.login_answered = True, False
    try:
        yield
    except RefusedError:
        handle.login_answered = True
        raise
    except ByeError as error:
        if error.refusal.is_plain_bye:
            raise connection_lost_error(handle.account.account_id) from None
        handle.login_answered = True
        raise error.refusal from None
    handle.login_answered = True

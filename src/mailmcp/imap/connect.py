"""From an account to a logged-in connection: dial, TLS, login, ID.

`connect`, `log_in` and `identify` take the steps in the order of RFC 9051, `open_connection` all of them;
each step can be timed by a caller that wants to show them.
"""

import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Any

from mailmcp import __version__
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.command import RefusedError, quoted
from mailmcp.imap.connection import Connection
from mailmcp.imap.errors import Stage, connection_lost_error, login_refused_error, tls_error, translate_errors
from mailmcp.imap.wire import KillSwitch, Traffic
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, ToolError


@dataclass(slots=True, eq=False)
class ConnectionHandle:
    """What is known of a connection while it comes up; another thread may look and cut."""

    account: Account
    kill_switch: KillSwitch = field(default_factory=KillSwitch)
    traffic: Traffic = field(default_factory=Traffic)
    stage: Stage = Stage.CONNECT
    steps_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each finished step: `connect`, `tls`, `greeting`, `starttls`, `login`, `id`."""

    login_sent: bool = False
    """Whether a login went out, if only its command without the password."""

    login_answered: bool = False
    """Whether the server said what it thinks of the login; a login that it did not answer may count there."""

    _step_began: float = field(default_factory=perf_counter)

    def finished(self, step: str, next_stage: Stage) -> None:
        """Note that `step` is done and what comes next."""
        now = perf_counter()
        self.steps_ms[step] = (now - self._step_began) * 1000
        self._step_began = now
        self.stage = next_stage


def open_connection(handle: ConnectionHandle) -> Connection:
    """Connect, secure, log in and say who we are; blocks. Raises what the steps raise."""
    connection = connect(handle)
    log_in(connection, handle)
    identify(connection, handle)
    return connection


def connect(handle: ConnectionHandle) -> Connection:
    """Connect and secure; blocks.

    Raises:
        DeadlineError: A timeout of the account passed.
        InternalError: The connection, TLS or the server failed.
    """
    account = handle.account
    opened: list[Connection] = []
    with _closed_on_failure(handle, opened):
        connection = Connection(
            account.host, account.port, dial=lambda: _dial(handle), traffic=handle.traffic
        )
        opened.append(connection)
        connection.socket().settimeout(account.command_timeout_s)
        handle.finished("greeting", Stage.COMMAND)
        connection.learn_capabilities()
        if account.tls is Tls.STARTTLS:
            _start_tls(connection, handle)
    return connection


def log_in(connection: Connection, handle: ConnectionHandle) -> None:
    """Log in, once; blocks. The connection is closed if that fails, here as in `identify`.

    Raises:
        AuthFailedError: The login is refused, or not offered, or there is no password.
        DeadlineError: A timeout of the account passed.
        InternalError: The connection or the server failed.
    """
    with _closed_on_failure(handle, [connection]):
        if not connection.preauthenticated:
            _log_in(connection, handle)
            connection.learn_capabilities()


def identify(connection: Connection, handle: ConnectionHandle) -> None:
    """Say who we are where the server asks (RFC 2971); NetEase opens no mailbox without it.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    if not connection.can("ID"):
        return
    with _closed_on_failure(handle, [connection]), suppress(RefusedError):
        # It is a courtesy: a server that refuses it still serves.
        connection.run("ID", f'("name" "mailmcp" "version" "{__version__}")'.encode())
        handle.finished("id", Stage.COMMAND)


@contextmanager
def _closed_on_failure(handle: ConnectionHandle, opened: Sequence[Connection]) -> Iterator[None]:
    """Name faults by the stage at which they came, not the one at which the block began; then close."""
    try:
        try:
            yield
        except Exception:
            with translate_errors(handle.account.account_id, handle.stage):
                raise
    except BaseException:
        for connection in opened:
            close_socket(connection)
        handle.kill_switch.close()
        raise


def close_socket(connection: Connection) -> None:
    """Close a connection without a word to the server."""
    try:
        connection.shutdown()
    except OSError:
        return  # it was closed already, which is what was wanted


def tls_context(account: Account) -> ssl.SSLContext:
    """Make the TLS settings of an account: verification is always on (RFC 8314 section 5).

    Raises:
        InternalError: With reason `tls_failed`: `ca_file` cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=os.fspath(account.ca_file) if account.ca_file else None)
    except OSError as error:
        raise tls_error(
            account.account_id,
            f"The ca_file of account {account.account_id} cannot be read as certificates in PEM. "
            "Correct it in the settings.",
        ) from error


def _dial(handle: ConnectionHandle) -> socket.socket:
    """Connect and, where TLS comes first, secure: all within one `connect_timeout_s`."""
    account = handle.account
    context = tls_context(account) if account.tls is Tls.IMPLICIT else None
    addresses = socket.getaddrinfo(account.host, account.port, type=socket.SOCK_STREAM)
    deadline = monotonic() + account.connect_timeout_s
    sock = _connect_tcp(handle, addresses, deadline)
    handle.finished("connect", Stage.GREETING if context is None else Stage.CONNECT)
    if context is not None:
        sock.settimeout(_seconds_until(deadline))
        sock = context.wrap_socket(sock, server_hostname=account.host)
        handle.finished("tls", Stage.GREETING)
    sock.settimeout(account.connect_timeout_s)  # now for the greeting
    return sock


def _connect_tcp(handle: ConnectionHandle, addresses: Sequence[Any], deadline: float) -> socket.socket:
    """Try the host's addresses in turn, each so that it can be cut.

    Each gets its share of the time that is left: one that is deaf leaves enough for the next.
    """
    last_error: OSError | None = None
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(_seconds_until(deadline) / (len(addresses) - tried))
        try:
            handle.kill_switch.attach(sock)
            sock.connect(address)
        except OSError as error:
            sock.close()
            last_error = error
            continue
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    raise last_error or OSError("the host has no address")


def _seconds_until(deadline: float) -> float:
    """Give a timeout for a socket; never 0, which means none."""
    return max(deadline - monotonic(), 0.001)


def _start_tls(connection: Connection, handle: ConnectionHandle) -> None:
    """Upgrade, or fail: what was asked to be protected is never sent in plain text."""
    account = handle.account
    # A greeting that calls us known leaves no way to TLS: it may be an attacker's (RFC 8314 section 5).
    if not connection.can("STARTTLS") or connection.preauthenticated:
        raise _no_starttls(account, "offers no STARTTLS")
    try:
        connection.upgrade(tls_context(account))
    except RefusedError as error:
        raise _no_starttls(account, f"refuses {error.command}") from error
    handle.finished("starttls", Stage.COMMAND)


def _no_starttls(account: Account, what: str) -> ToolError:
    return tls_error(
        account.account_id,
        f"The server {what} (account {account.account_id}), and the settings ask for it. "
        'Use tls = "implicit" with the TLS port.',
    )


def _log_in(connection: Connection, handle: ConnectionHandle) -> None:
    account = handle.account
    password = account.read_password()
    ascii_only = (account.user + password).isascii()
    plain = connection.can("AUTH=PLAIN")
    if connection.can("LOGINDISABLED") and not plain:
        raise _login_disabled(connection, account)
    handle.login_sent = True
    try:
        if plain and (connection.can("LOGINDISABLED") or not ascii_only):
            connection.authenticate("PLAIN", f"\0{account.user}\0{password}".encode())
        else:
            connection.run("LOGIN", quoted(account.user), quoted(password))
    except RefusedError as error:
        if error.says_nothing_but_bye:
            raise connection_lost_error(account.account_id) from None
        handle.login_answered = True
        if error.reason is Reason.LOGIN_DISABLED:
            raise _login_disabled(connection, account) from None
        raise login_refused_error(account.account_id, error) from None
    handle.login_answered = True
    handle.finished("login", Stage.COMMAND)


def _login_disabled(connection: Connection, account: Account) -> AuthFailedError:
    """Build the error for a server that takes no password on this connection."""
    if not account.secure:
        why = 'It may demand encryption: set tls to "implicit" or "starttls".'
    elif connection.can("AUTH=XOAUTH2") or connection.can("AUTH=OAUTHBEARER"):
        why = "It asks for OAuth 2.0, as Outlook does, which mailmcp does not support."
    else:
        why = "IMAP may have to be enabled for the account at the provider first."
    return AuthFailedError(
        f"The server does not accept passwords on this connection (account {account.account_id}). {why}",
        reason=Reason.LOGIN_DISABLED,
        details={"account_id": account.account_id},
    )

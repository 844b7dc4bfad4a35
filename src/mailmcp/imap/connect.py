"""From an account to a logged-in connection: dial, TLS, login, ID.

One function, `open_connection`, takes the steps in the order of RFC 9051; each
step can be timed by a caller that wants to show them.
"""

import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Any

from mailmcp import __version__
from mailmcp.envelope.errors import AuthFailedError, MailError, Reason
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.command import quoted
from mailmcp.imap.connection import Connection, RefusedError
from mailmcp.imap.faults import Stage, login_refused, named_faults, tls_failed
from mailmcp.imap.wire import Cut, Traffic


@dataclass(slots=True, eq=False)
class Dialling:
    """What is known of a connection while it comes up; another thread may look and cut."""

    account: Account
    cut: Cut = field(default_factory=Cut)
    traffic: Traffic = field(default_factory=Traffic)
    stage: Stage = Stage.CONNECT
    steps_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each finished step: `connect`, `tls`, `greeting`, `starttls`, `login`, `id`."""

    _step_began: float = field(default_factory=perf_counter)

    def finished(self, step: str, next_stage: Stage) -> None:
        """Note that `step` is done and what comes next."""
        now = perf_counter()
        self.steps_ms[step] = (now - self._step_began) * 1000
        self._step_began = now
        self.stage = next_stage


def open_connection(dialling: Dialling) -> Connection:
    """Connect, secure and log in; blocks.

    Raises:
        AuthFailedError: The login is refused, or not offered, or there is no password.
        DeadlineError: A timeout of the account passed.
        InternalError: The connection, TLS or the server failed.
    """
    account = dialling.account
    connection: Connection | None = None
    try:
        with _named_at_stage(dialling):
            connection = Connection(
                account.host, account.port, dial=lambda: _dial(dialling), traffic=dialling.traffic
            )
            connection.socket().settimeout(account.command_timeout_s)
            dialling.finished("greeting", Stage.COMMAND)
            connection.learn_capabilities()
            if account.tls is Tls.STARTTLS:
                _start_tls(connection, dialling)
            if not connection.preauthenticated:
                _log_in(connection, dialling)
                connection.learn_capabilities()
            _identify(connection, dialling)
            return connection
    except BaseException:
        if connection is not None:
            close_socket(connection)
        dialling.cut.close()
        raise


def close_socket(connection: Connection) -> None:
    """Close a connection without a word to the server."""
    try:
        connection.shutdown()
    except OSError:
        return  # it was closed already, which is what was wanted


@contextmanager
def _named_at_stage(dialling: Dialling) -> Iterator[None]:
    """`named_faults` with the stage at which the fault came, not the one at which the block began."""
    try:
        yield
    except Exception:
        with named_faults(dialling.account.account_id, dialling.stage):
            raise


def tls_context(account: Account) -> ssl.SSLContext:
    """Make the TLS settings of an account: verification is always on (RFC 8314 section 5).

    Raises:
        InternalError: With reason `tls_failed`: `ca_file` cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=os.fspath(account.ca_file) if account.ca_file else None)
    except OSError as error:
        raise tls_failed(
            account.account_id,
            f"The ca_file of account {account.account_id} cannot be read as certificates in PEM. "
            "Correct it in the settings.",
        ) from error


def _dial(dialling: Dialling) -> socket.socket:
    """Connect and, where TLS comes first, secure: all within one `connect_timeout_s`."""
    account = dialling.account
    context = tls_context(account) if account.tls is Tls.IMPLICIT else None
    addresses = socket.getaddrinfo(account.host, account.port, type=socket.SOCK_STREAM)
    deadline = monotonic() + account.connect_timeout_s
    sock = _connect_tcp(dialling, addresses, deadline)
    dialling.finished("connect", Stage.GREETING if context is None else Stage.CONNECT)
    if context is not None:
        sock.settimeout(_seconds_until(deadline))
        sock = context.wrap_socket(sock, server_hostname=account.host)
        dialling.finished("tls", Stage.GREETING)
    sock.settimeout(account.connect_timeout_s)  # now for the greeting
    return sock


def _connect_tcp(dialling: Dialling, addresses: Sequence[Any], deadline: float) -> socket.socket:
    """Try the host's addresses in turn, each so that it can be cut.

    Each gets its share of the time that is left: one that is deaf leaves enough for the next.
    """
    last_error: OSError | None = None
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(_seconds_until(deadline) / (len(addresses) - tried))
        try:
            dialling.cut.watch(sock)
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


def _start_tls(connection: Connection, dialling: Dialling) -> None:
    """Upgrade, or fail: what was asked to be protected is never sent in plain text."""
    account = dialling.account
    # A greeting that calls us known leaves no way to TLS: it may be an attacker's (RFC 8314 section 5).
    if not connection.can("STARTTLS") or connection.preauthenticated:
        raise _no_starttls(account, "offers no STARTTLS")
    try:
        connection.upgrade(tls_context(account))
    except RefusedError as error:
        raise _no_starttls(account, f"refuses {error.command}") from error
    dialling.finished("starttls", Stage.COMMAND)


def _no_starttls(account: Account, what: str) -> MailError:
    return tls_failed(
        account.account_id,
        f"The server {what} (account {account.account_id}), and the settings ask for it. "
        'Use tls = "implicit" with the TLS port.',
    )


def _log_in(connection: Connection, dialling: Dialling) -> None:
    account = dialling.account
    password = account.read_password()
    ascii_only = (account.user + password).isascii()
    if connection.can("LOGINDISABLED") or (connection.can("AUTH=PLAIN") and not ascii_only):
        attempt = _authenticate_plain
    else:
        attempt = _login
    try:
        attempt(connection, account, password)
    except RefusedError as error:
        raise login_refused(account.account_id, error) from None
    dialling.finished("login", Stage.COMMAND)


def _login(connection: Connection, account: Account, password: str) -> None:
    connection.run("LOGIN", quoted(account.user), quoted(password))


def _authenticate_plain(connection: Connection, account: Account, password: str) -> None:
    if not connection.can("AUTH=PLAIN"):
        raise AuthFailedError(
            f"The server allows no login on this connection (account {account.account_id}). "
            'It may demand encryption: set tls to "implicit" or "starttls".',
            reason=Reason.LOGIN_DISABLED,
            details={"account_id": account.account_id},
        )
    connection.authenticate("PLAIN", f"\0{account.user}\0{password}".encode())


def _identify(connection: Connection, dialling: Dialling) -> None:
    """Say who we are where the server asks (RFC 2971); NetEase opens no mailbox without it."""
    if not connection.can("ID"):
        return
    try:
        connection.run("ID", f'("name" "mailmcp" "version" "{__version__}")'.encode())
    except RefusedError:
        return  # it is a courtesy: a server that refuses it still serves
    dialling.finished("id", Stage.COMMAND)

"""From an account to a logged-in connection: TCP, TLS, login, ID.

`connect`, `mailmcp.imap.login.log_in` and `identify` are the steps; `open_connection` takes all of them.
"""

import os
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from mailmcp import __version__
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connection import Connection
from mailmcp.imap.connection_handle import ConnectionHandle
from mailmcp.imap.errors import Stage, tls_error
from mailmcp.imap.login import log_in
from mcp_envelope import ToolError


def open_connection(handle: ConnectionHandle) -> Connection:
    """Connect, secure, log in and send ID; blocks. Raises what the steps raise."""
    connection = connect(handle)
    log_in(connection, handle)
    identify(connection, handle)
    return connection


def connect(handle: ConnectionHandle) -> Connection:
    """Connect and secure the connection; blocks.

    Raises:
        DeadlineError: A timeout of the account passed.
        InternalError: The connection, TLS or the server failed.
    """
    account = handle.account
    with handle.closing_on_failure():
        connection = handle.connection = Connection(
            account.host, account.port, dial=lambda: _dial(handle), traffic=handle.traffic
        )
        connection.sock.settimeout(account.command_timeout_s)
        handle.finish_step("greeting", Stage.COMMAND)
        connection.learn_capabilities()
        if account.tls is Tls.STARTTLS:
            _start_tls(connection, handle)
    return connection


def identify(connection: Connection, handle: ConnectionHandle) -> None:
    """Send the client's name if the server knows ID (RFC 2971); NetEase opens no mailbox without it.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    if not connection.can("ID"):
        return
    with handle.closing_on_failure(), suppress(RefusedError):  # a server that refuses it still serves
        response = connection.run("ID", f'("name" "mailmcp" "version" "{__version__}")'.encode())
        connection.software = str(response.lines("ID"))
        handle.finish_step("id", Stage.COMMAND)


def tls_context(account: Account) -> ssl.SSLContext:
    """Build the TLS settings of an account, always with verification (RFC 8314 section 5).

    Raises:
        InternalError: `ca_file` can't be used; the reason is `tls_failed`.
    """
    try:
        return ssl.create_default_context(cafile=os.fspath(account.ca_file) if account.ca_file else None)
    except OSError as error:
        raise tls_error(
            account.account_id,
            f"The ca_file of account {account.account_id} is not a readable PEM file of certificates. "
            "Correct it in the settings.",
        ) from error


def _dial(handle: ConnectionHandle) -> socket.socket:
    """Connect and, for implicit TLS, secure: all within one `connect_timeout_s`."""
    account = handle.account
    context = tls_context(account) if account.tls is Tls.IMPLICIT else None
    addresses = socket.getaddrinfo(account.host, account.port, type=socket.SOCK_STREAM)
    deadline = monotonic() + account.connect_timeout_s
    sock = _connect_tcp(handle, addresses, deadline)
    handle.finish_step("connect", Stage.GREETING if context is None else Stage.CONNECT)
    if context is not None:
        sock.settimeout(_seconds_until(deadline))
        sock = context.wrap_socket(sock, server_hostname=account.host)
        handle.finish_step("tls", Stage.GREETING)
    sock.settimeout(account.connect_timeout_s)  # now for the greeting
    return sock


def _connect_tcp(handle: ConnectionHandle, addresses: Sequence[Any], deadline: float) -> socket.socket:
    """Try the host's addresses in turn.

    Each gets its share of the remaining time, so that one that doesn't respond leaves some for the next.
    """
    last_error: OSError | None = None
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(_seconds_until(deadline) / (len(addresses) - tried))
        try:
            handle.watch(sock)
            sock.connect(address)
        except OSError as error:
            sock.close()
            last_error = error
            continue
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    raise last_error or OSError("the host has no address")


def _seconds_until(deadline: float) -> float:
    """Return a timeout for a socket; never 0, which would mean no waiting at all."""
    return max(deadline - monotonic(), 0.001)


def _start_tls(connection: Connection, handle: ConnectionHandle) -> None:
    """Upgrade, or fail: nothing is sent in plain text if the settings ask for TLS."""
    account = handle.account
    # STARTTLS is not possible after PREAUTH, which may come from an attacker (RFC 8314 section 5).
    if not connection.can("STARTTLS") or connection.preauthenticated:
        raise _no_starttls_error(account, "does not offer it")
    try:
        connection.start_tls(tls_context(account))
    except RefusedError as error:
        raise _no_starttls_error(account, "refuses it") from error
    handle.finish_step("starttls", Stage.COMMAND)


def _no_starttls_error(account: Account, problem: str) -> ToolError:
    return tls_error(
        account.account_id,
        f"The settings require STARTTLS, but the server {problem} (account {account.account_id}). "
        'Use tls = "implicit" with the TLS port.',
    )

"""The handle of a connection, by which another thread can watch or abort it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter

from mailmcp.imap.account import Account
from mailmcp.imap.connection import Connection, Traffic
from mailmcp.imap.errors import Stage, translate_errors


@dataclass(slots=True, eq=False)
class ConnectionHandle:
    """A connection from its first packet to its end; another thread may look at it or abort it.

    Closing a socket does not wake a thread that reads from it, but shutting it down does. The handle
    duplicates the socket, so that it can also abort a TLS handshake.
    """

    account: Account
    traffic: Traffic = field(default_factory=Traffic)
    stage: Stage = Stage.CONNECT
    steps_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each finished step: `connect`, `tls`, `greeting`, `starttls`, `login`, `id`."""

    login_sent: bool = False
    """Whether a login was sent, or at least its command without the password."""

    login_answered: bool = False
    """Whether the server answered the login. One that it did not answer may count as a failure there."""

    aborted: bool = False
    connection: Connection | None = None
    _socket: socket.socket | None = None
    _step_began: float = field(default_factory=perf_counter)

    def finish_step(self, step: str, next_stage: Stage) -> None:
        """Record that `step` is done, and what comes next."""
        now = perf_counter()
        self.steps_ms[step] = (now - self._step_began) * 1000
        self._step_began = now
        self.stage = next_stage

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

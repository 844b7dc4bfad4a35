"""What a scripted peer saw, and waiting until it has seen something."""

import threading
from collections.abc import Callable
from typing import NamedTuple


class Received(NamedTuple):
    """One command a client sent."""

    connection: int
    """From 1, in the order the connections were accepted."""

    name: str
    """In capitals: ``UID FETCH``."""

    line: str
    """Without the tag; literals as sent, octets above 127 as Latin-1."""


class Record:
    """A log that threads can write to and wait on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._commands: list[Received] = []
        self._connections = 0
        self._closed: set[int] = set()

    @property
    def commands(self) -> list[Received]:
        """All commands so far, in order of arrival."""
        with self._changed:
            return list(self._commands)

    @property
    def connections(self) -> int:
        """Number of connections accepted so far."""
        with self._changed:
            return self._connections

    @property
    def open_connections(self) -> int:
        """Number of them that are open, as far as the peer knows."""
        with self._changed:
            return self._connections - len(self._closed)

    def add_connection(self) -> int:
        """Count a new connection and return its number."""
        with self._changed:
            self._connections += 1
            self._changed.notify_all()
            return self._connections

    def add_command(self, received: Received) -> None:
        """Record a command before it is answered."""
        with self._changed:
            self._commands.append(received)
            self._changed.notify_all()

    def add_close(self, connection: int) -> None:
        """Record that a connection has ended, on either side."""
        with self._changed:
            self._closed.add(connection)
            self._changed.notify_all()

    def wait_for(self, name: str, *, nth: int, timeout_s: float) -> Received:
        """Wait for the nth command of this name and return it.

        Raises:
            TimeoutError: It did not.
        """

        def seen() -> list[Received]:
            return [command for command in self._commands if command.name == name]

        self._wait(lambda: len(seen()) >= nth, f"{name} number {nth}", timeout_s)
        with self._changed:
            return seen()[nth - 1]

    def wait_connected(self, connection: int, *, timeout_s: float) -> None:
        """Wait until a connection has come up.

        Raises:
            TimeoutError: It did not.
        """
        self._wait(lambda: self._connections >= connection, f"connection {connection}", timeout_s)

    def wait_closed(self, connection: int, *, timeout_s: float) -> None:
        """Wait until a connection has ended.

        Raises:
            TimeoutError: It did not.
        """
        self._wait(lambda: connection in self._closed, f"the end of connection {connection}", timeout_s)

    def _wait(self, condition: Callable[[], bool], what: str, timeout_s: float) -> None:
        with self._changed:
            if not self._changed.wait_for(condition, timeout_s):
                raise TimeoutError(f"waited {timeout_s} s for {what}; came: {self._commands}")

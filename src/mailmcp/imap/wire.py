"""The octets of one connection: counted, and cut from another thread when a call ends.

Below this file is imaplib; above it, `Connection` speaks IMAP.
"""

import imaplib
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from typing_extensions import Buffer, override

from mailmcp import limits


@dataclass(slots=True)
class Traffic:
    """What went over one connection since it was opened."""

    round_trips: int = 0
    """Times that something was sent after something was received: bursts waited for."""

    octets_received: int = 0


class ViolationError(imaplib.IMAP4.abort):
    """The server sent something that is not IMAP; the connection is out of step."""


class TooLongError(ViolationError):
    """The server sends more than is held of one answer; the rest is not read."""


_LOGIN_COMMANDS = {"LOGIN", "AUTHENTICATE"}
_AFTER_BYE_S = 0.5
"""How long a NO is waited for behind a BYE: servers send both at once, or close."""

_READ_OCTETS = 65_536
_RESPONSE_OCTETS = 100
"""Held of each response besides its octets, about: many short ones cost more than their length."""


class KillSwitch:
    """Ends a connection from another thread, whatever it is blocked in.

    Closing a socket does not wake a thread that reads from it; shutting it down does.
    The duplicate handle outlives the wrapping of the socket in TLS, so a handshake
    can be cut too.
    """

    def __init__(self) -> None:
        self._handle: socket.socket | None = None
        self.tripped = False
        """True once `trip` was called; a connection that comes up later is refused."""

    def attach(self, sock: socket.socket) -> None:
        """Make `sock` the one to cut.

        Raises:
            ConnectionAbortedError: `trip` was called already: a socket that is not connected
                cannot be shut down, and would connect all the same.
        """
        self.close()
        self._handle = sock.dup()
        if self.tripped:
            raise ConnectionAbortedError("cut before it was connected")

    def trip(self) -> None:
        """Shut the connection down; blocked reads and writes fail at once. Safe to repeat."""
        self.tripped = True
        handle = self._handle  # the connection's own thread may give it back meanwhile
        if handle is not None:
            with suppress(OSError):  # not connected yet, or already closed by the server
                handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the duplicate handle back."""
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()


class CountedIMAP4(imaplib.IMAP4):
    """imaplib's connection on a socket that is counted and can be cut, with a budget for each answer.

    Reads the socket itself: imaplib's lines end at 1,000,000 octets, and those of a SEARCH may be longer.
    """

    def __init__(self, host: str, port: int, *, dial: Callable[[], socket.socket], traffic: Traffic) -> None:
        self._dial = dial
        self._traffic = traffic
        self._pending = b""
        self._receiving = True
        self._received = bytearray()
        self._budget = limits.RESPONSE_OCTETS_MAX
        super().__init__(host, port)

    def _create_socket(self, timeout: float | None = None) -> socket.socket:  # noqa: ARG002 - imaplib's signature
        return self._dial()

    def forget_received(self) -> None:
        """Drop what has been received and not been read."""
        self._received.clear()

    def begin_answer(self) -> None:
        """Allow what is to come `limits.RESPONSE_OCTETS_MAX` octets; call before a command or a burst."""
        self._budget = limits.RESPONSE_OCTETS_MAX

    def send_with_next(self, octets: bytes) -> None:
        """Keep `octets` back until the next send, so that both cost one round trip."""
        self._pending += octets

    @override
    def send(self, data: Buffer) -> None:
        octets = self._pending + bytes(data)
        self._pending = b""
        if self._receiving:
            self._traffic.round_trips += 1
            self._receiving = False
        super().send(octets)

    @override
    def read(self, size: int) -> bytes:
        """Read a literal."""
        if size > limits.LITERAL_OCTETS_MAX:
            raise TooLongError(f"a literal of {size} octets")
        self._spend(size)
        while len(self._received) < size:
            self._receive()
        return self._take(size)

    @override
    def readline(self) -> bytes:
        """Read a line with its end."""
        self._spend(_RESPONSE_OCTETS)
        looked_at = 0
        while (end := self._received.find(b"\n", looked_at)) < 0:
            looked_at = len(self._received)
            if looked_at > self._budget:
                break
            self._receive()
        self._spend(end + 1 if end >= 0 else len(self._received))
        return self._take(end + 1)

    def _spend(self, octets: int) -> None:
        """Take octets off the budget before they are held."""
        self._budget -= octets
        if self._budget < 0:
            raise TooLongError(f"an answer of more than {limits.RESPONSE_OCTETS_MAX} octets")

    def _receive(self) -> None:
        octets = self.sock.recv(_READ_OCTETS)
        if not octets:
            # imaplib would take a literal that ends early for a whole one.
            raise self.abort("socket error: EOF")
        self._receiving = True
        self._traffic.octets_received += len(octets)
        self._received += octets

    def _take(self, count: int) -> bytes:
        octets = bytes(memoryview(self._received)[:count])
        del self._received[:count]
        return octets

    def _get_capabilities(self) -> None:
        # `Connection` asks for them where the greeting does not tell; imaplib wants only these.
        self.capabilities = ("IMAP4REV1", "STARTTLS")

    def _get_response(self) -> object:
        """Read one response.

        imaplib tells what is none from a lost connection by its words alone, and repeats the
        line: that may be mail, or the password sent back, and has no place in a traceback.
        """
        try:
            return super()._get_response()  # type: ignore[misc] # private, so not in the stubs
        except ViolationError:
            raise
        except self.abort as error:
            if str(error).startswith("unexpected"):
                raise ViolationError("a line that is no response") from None
            raise self.abort("the connection ended") from None
        except (self.error, ValueError):
            raise ViolationError("a line or a number that is too long") from None

    def _check_bye(self) -> None:
        if "BYE" in self.untagged_responses:
            raise self.abort("the server said BYE")  # not its words, as above

    def _command_complete(self, name: str, tag: bytes) -> tuple[str, list[bytes | None]]:
        """Wait for a command's end, whatever it is: imaplib's mixes BAD with what it cannot read."""
        if name == "LOGOUT":
            return self._completion(tag, expect_bye=True)
        if name in _LOGIN_COMMANDS:
            return self._login_completion(tag)
        self._check_bye()
        completion = self._completion(tag, expect_bye=False)
        self._check_bye()
        return completion

    def _login_completion(self, tag: bytes) -> tuple[str, list[bytes | None]]:
        """Wait for a login's end; BYE is an answer to it, unless a NO comes behind it."""
        status, data = self._completion(tag, expect_bye=True)
        if status == "BYE":
            self.sock.settimeout(_AFTER_BYE_S)
            with suppress(self.abort, OSError):
                behind, said = self._completion(tag, expect_bye=True)
                return (behind, said) if behind != "OK" else (status, data)
        return status, data

    def _completion(self, tag: bytes, *, expect_bye: bool) -> tuple[str, list[bytes | None]]:
        status, data = self._get_tagged_response(tag, expect_bye=expect_bye)
        return str(status), data

    def _log(self, line: Any) -> None:
        """Keep no history of commands: imaplib's would hold the password."""

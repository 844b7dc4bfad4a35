"""One connection of a scripted peer: reads commands and answers them by rule or by the protocol."""

import re
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress

from servers.peer_actions import Action, Bye, Close, FailUid, Respond, Silence, Stall
from servers.peer_answers import Answers, Command, PeerSettings

_COMMAND = re.compile(rb"(?P<tag>[^ ]+) (?P<name>UID [^ ]+|[^ ]+)(?: (?P<raw>.*))?", re.DOTALL)
_LITERAL_AT_END = re.compile(rb"\{(\d+)(\+?)\}$")

GREETING = b"* OK Peer ready\r\n"

ActionChooser = Callable[[Command, list[int]], Action | None]
"""Records a command and returns what to do. It gets the UIDs that a FETCH names."""


class EndOfConnectionError(Exception):
    """The client is gone, or the script says to close."""


class PeerConnection:
    """Serves one socket; `run` is the body of its thread, and never raises.

    Args:
        sock: Just accepted.
        settings: What the peer is.
        choose: Asked at each command.
        tls: For TLS from the first octet; None for none.
        cut: How many octets it sends before it closes; None for no end.
    """

    def __init__(
        self,
        sock: socket.socket,
        settings: PeerSettings,
        choose: ActionChooser,
        tls: ssl.SSLContext | None,
        cut: int | None = None,
    ) -> None:
        self._sock = sock
        self._settings = settings
        self._choose = choose
        self._tls = tls
        self._left = cut
        self._buffer = b""
        self._answers = Answers(settings, self._ask, encrypted=tls is not None)

    def run(self, greeting: Action | None) -> None:
        """Send the greeting, then answer commands until either side closes."""
        try:
            if self._tls is not None:
                self._handshake(self._tls)
            if greeting is None:
                self._send(GREETING)
            else:
                self._act(greeting, None)
            while not self._answers.ended:
                self._serve(self._read_command())
        except (EndOfConnectionError, OSError):
            pass  # how conversations end here
        finally:
            self._sock.close()

    def shutdown(self) -> None:
        """Wake up the thread that waits for this socket; safe from any thread."""
        with suppress(OSError):
            # Of the socket itself: SSLSocket's would pull TLS away from under the reader.
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def _serve(self, command: Command) -> None:
        action = self._choose(command, self._answers.uids_named(command))
        if action is None:
            self._send(self._answers.answer(command))
        else:
            self._act(action, command)
        if self._answers.starttls_due and self._settings.starttls is not None:
            self._answers.starttls_due = False
            self._handshake(self._settings.starttls)
            self._answers.encrypted = True

    def _act(self, action: Action, command: Command | None) -> None:
        """Do an action in place of the answer to a command, or of the greeting (None)."""
        match action:
            case Close(when=when, reset=reset):
                octets = self._proper(command) if when == "within" else b""
                self._send(octets[: len(octets) // 2].rstrip(b"\r\n"))
                if reset:
                    self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise EndOfConnectionError
            case Bye(text=text):
                self._send(f"* BYE {text}\r\n".encode())
                raise EndOfConnectionError
            case Respond(raw=raw):
                self._respond(raw, command)
            case Silence():
                while True:
                    self._receive()
            case Stall(octets=octets, interval_s=interval_s):
                self._drip(self._proper(command), octets, interval_s)
            case FailUid(uid=uid, how="garbage"):
                garbage = b"* 1 FETCH (UID %d FLAGS ((\\Seen BODY[ {no\r\n" % uid
                self._respond(garbage + b"{tag} OK Fetch done\r\n", command)
            case FailUid(how=how):
                self._respond(b"{tag} %b Cannot fetch this\r\n" % how.encode(), command)

    def _respond(self, raw: bytes, command: Command | None) -> None:
        if b"{tag} OK" in raw and command is not None:
            self._answers.answer(command)
        self._send(raw.replace(b"{tag}", command.tag.encode() if command else b"*"))

    def _proper(self, command: Command | None) -> bytes:
        return GREETING if command is None else self._answers.answer(command)

    def _drip(self, octets: bytes, size: int, interval_s: float) -> None:
        for start in range(0, len(octets), size):
            self._send(octets[start : start + size])
            # The wait between two drips is also the watch for the client's end.
            self._sock.settimeout(interval_s)
            with suppress(TimeoutError):
                self._receive()
            self._sock.settimeout(None)

    def _handshake(self, context: ssl.SSLContext) -> None:
        # In two steps, so that `shutdown` finds the socket that is open.
        self._sock = context.wrap_socket(self._sock, server_side=True, do_handshake_on_connect=False)
        self._sock.do_handshake()
        self._buffer = b""

    def _read_command(self) -> Command:
        octets = self._read_line()
        while literal := _LITERAL_AT_END.search(octets):
            if not literal[2]:
                self._send(b"+ OK\r\n")
            octets += b"\r\n" + self._read(int(literal[1])) + self._read_line()
        parsed = _COMMAND.fullmatch(octets)
        if parsed is None:
            return Command(tag="*", name="", raw=octets)
        return Command(
            tag=parsed["tag"].decode("latin-1"),
            name=parsed["name"].decode("latin-1").upper(),
            raw=parsed["raw"] or b"",
        )

    def _ask(self) -> bytes:
        self._send(b"+ \r\n")
        return self._read_line()

    def _read_line(self) -> bytes:
        while b"\r\n" not in self._buffer:
            self._receive()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._receive()
        octets, self._buffer = self._buffer[:count], self._buffer[count:]
        return octets

    def _receive(self) -> None:
        octets = self._sock.recv(65536)
        if not octets:
            raise EndOfConnectionError
        self._buffer += octets

    def _send(self, octets: bytes) -> None:
        self._sock.sendall(octets[: self._left])
        if self._left is not None:
            self._left -= len(octets)
            if self._left <= 0:
                raise EndOfConnectionError

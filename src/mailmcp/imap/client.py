"""One connection to a server, on IMAPClient: commands out, responses in (RFC 9051 section 2.2).

IMAPClient signs in and does STARTTLS; imaplib, below it, splits the stream into responses. Here the socket is
read and written, to count octets, to bound what a server can make the process hold, and to send several
commands in one round trip.
"""

import imaplib
import re
import selectors
import socket
import ssl
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Any, Final, Protocol

from imapclient import IMAPClient, SocketTimeout
from typing_extensions import Buffer, override

from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.verbs import ForbiddenCommandError, verb_of

LITERAL_OCTETS_MAX: Final = 16_777_216
"""One literal: far more than any that is requested, so a longer one is a fault or an attack."""

RESPONSE_OCTETS_MAX: Final = 67_108_864
"""All responses to a command or a burst: four of the longest literals. A search that finds a million messages
takes 7 MB; more than this is a fault or an attack."""

_RESPONSE_OVERHEAD_OCTETS: Final = 100
"""Memory for a response besides its octets: many short ones cost more than their length."""

_READ_OCTETS: Final = 65_536
_TOO_LONG: Final = "sent a response that is too long"

_NUMBER: Final = re.compile(rb"\d{1,20}")
_HAS_STRINGS: Final = re.compile(rb"\* (?:\d{1,10} FETCH|LIST|STATUS) ", re.IGNORECASE)
_LITERAL: Final = re.compile(rb"\{\d+\}\r?\n\Z")
_LINE_END: Final = re.compile(rb"[\r\n]")
"""What would end a command; only a literal may have it."""

_RESPONSE: Final = re.compile(rb"\* (?:\d{1,10} )?[A-Z]|\+|[A-P]{4}\d+ ", re.IGNORECASE)
"""How a response begins; a tag as imaplib makes them."""


class HasFileno(Protocol):
    """A socket, or what is like one."""

    def fileno(self) -> int:
        """Return its file descriptor."""


@dataclass(slots=True)
class Traffic:
    """What went over one connection."""

    round_trips: int = 0
    """Times that the client sent something after it had received something."""

    octets_received: int = 0


class ProtocolViolationError(Exception):
    """What the server sent is not IMAP, or more than the limits allow. The connection is out of step."""

    def __init__(self, what: str = "sent something that is not IMAP") -> None:
        """`what` follows «The server»."""
        super().__init__(what)


class ByeError(ConnectionError):
    """The server said BYE (RFC 9051 section 7.1.5): the connection ends.

    Attributes:
        refusal: What it said, as the refusal of whatever was asked. Not part of the message: it may be
            anything, such as the password sent back.
    """

    def __init__(self, text: str) -> None:
        super().__init__("the server said BYE")
        self.refusal = RefusedError("login", "BYE", text)


class Client(IMAPClient):  # type: ignore[misc] # it has no types
    """One connection to a server; for one thread at a time.

    `starttls` and the methods that sign in are IMAPClient's. They raise `RefusedError` where the server says
    NO or BAD; `login` quotes no user name.

    All methods raise `OSError` if the connection failed or timed out, `ByeError` where the server says BYE,
    and `ProtocolViolationError` where what it sends is not IMAP.
    """

    def __init__(
        self,
        host: str,
        *,
        dial: Callable[[], socket.socket],
        traffic: Traffic,
        timeout_s: float,
        verbs: Collection[str],
    ) -> None:
        """Connect and read the greeting; an `imaplib.IMAP4.error` if it is none.

        Args:
            host: Its name, for TLS.
            dial: Returns a connected socket, whose timeout is that of the greeting.
            traffic: Counts what goes over the connection.
            timeout_s: Of everything after the greeting.
            verbs: The commands that may be sent, as `verb_of` names them.
        """
        self._make_wire = partial(_Wire, host, dial, traffic, verbs)
        self.partial_results: Sequence[Response | RefusedError] = ()
        """Results of the latest `run_all` when the connection failed; the last one may be incomplete."""

        self._known: tuple[bytes, ...] = ()
        super().__init__(host, ssl=False, timeout=SocketTimeout(None, timeout_s))
        self._wire.debug = 0  # IMAPClient's log would hold mail and passwords

    @override
    def _create_IMAP4(self) -> "_Wire":
        self._wire = self._make_wire()
        return self._wire

    def learn_capabilities(self) -> None:
        """Read the capabilities from the latest response, or ask for them.

        They change with TLS and with the login (RFC 9051 section 6.1.1). Raises what `run` raises.
        """
        latest = self._wire.untagged_responses.pop("CAPABILITY", None)
        said = latest or self.run("CAPABILITY").untagged.get("CAPABILITY", ())
        lines = [each for each in said if isinstance(each, bytes)]
        self._known = tuple(lines[-1].upper().split()) if lines else ()

    def can(self, capability: str) -> bool:
        """Return whether the server advertises `capability`, in upper case."""
        return capability.encode() in self._known

    @property
    def message_limit(self) -> int:
        """How many messages the server looks at in one command (RFC 9738); 0 for any number."""
        return self._number_of(b"MESSAGELIMIT=")

    @property
    def append_limit(self) -> int:
        """How many octets a message may have that is stored (RFC 7889); 0 for any number."""
        return self._number_of(b"APPENDLIMIT=")

    def _number_of(self, capability: bytes) -> int:
        said = next((each for each in self._known if each.startswith(capability)), b"")
        number = said.removeprefix(capability)
        return int(number) if _NUMBER.fullmatch(number) else 0

    @property
    def preauthenticated(self) -> bool:
        """Whether the greeting was PREAUTH (RFC 9051 section 7.1.4)."""
        return bool(self._wire.state == "AUTH")

    def run(self, name: str, *arguments: bytes) -> Response:
        """Send one command and wait for its completion; raise `RefusedError` if that is NO or BAD."""
        [result] = self.run_all([Command(name=name, arguments=arguments)])
        if isinstance(result, RefusedError):
            raise result
        return result

    def run_all(self, commands: Sequence[Command]) -> list[Response | RefusedError]:
        """Send several commands at once and wait for all completions.

        One round trip, and one more for each literal that has to wait. Commands may complete in any order,
        unless a mailbox is opened between them; untagged responses may then be in the wrong result (RFC 9051
        section 5.5). If the connection fails, see `partial_results`.

        Raises `ForbiddenCommandError`, and sends nothing, if this connection may not send one of them.
        """
        wire = self._begin(commands)
        tags: list[bytes] = []
        try:
            self._send_all(commands, tags)
            while wire.pending:
                wire._get_response()  # noqa: SLF001 - ours
        except OSError:
            complete = [wire.results[tag] for tag in takewhile(wire.results.__contains__, tags)]
            self.partial_results = [*complete, Response(untagged=dict(wire.untagged_responses))]
            raise
        return [wire.results[tag] for tag in tags]

    def idle(self, seconds: float, waker: HasFileno) -> Response | RefusedError:
        """Let the server say what happens in the open mailbox (RFC 2177); end it as `wait` does."""
        commands = [Command(name="IDLE")]
        wire, tags = self._begin(commands), list[bytes]()
        self._send_all(commands, tags)
        while wire.pending and wire._get_response() is not None:  # noqa: SLF001 - ours
            pass
        if wire.pending:
            self.wait(seconds, waker)
            wire.send(b"DONE\r\n")
        while wire.pending:
            wire._get_response()  # noqa: SLF001 - ours
        return wire.results[tags[0]]

    def wait(self, seconds: float, waker: HasFileno) -> bool:
        """Wait until the server sends something, time is up, or `waker` can be read; read nothing.

        Return whether the server has sent something, or ended the connection.
        """
        if self._wire.has_unread:
            return True
        with selectors.DefaultSelector() as selector:
            for each in (self._wire.sock, waker):
                selector.register(each, selectors.EVENT_READ)
            return any(key.fileobj is self._wire.sock for key, _ in selector.select(seconds))

    def _begin(self, commands: Sequence[Command]) -> "_Wire":
        """Prepare to send commands, if this connection may."""
        wire = self._wire
        for command in commands:
            wire.check_verb(command.words)
        for earlier in (wire.untagged_responses, wire.pending, wire.results):
            earlier.clear()
        wire.octets_left = RESPONSE_OCTETS_MAX
        self.partial_results = ()
        return wire

    def _send_all(self, commands: Sequence[Command], tags: list[bytes]) -> None:
        """Send commands; add their tags."""
        wire = self._wire
        unsent = bytearray()
        for command in commands:
            tag: bytes = wire._new_tag()  # noqa: SLF001 - imaplib's
            wire.pending[tag] = command
            tags.append(tag)
            unsent += tag
            for word in command.words:
                if word.isascii() and not _LINE_END.search(word):
                    unsent += b" " + word
                    continue
                at_once = self.can("LITERAL+")
                unsent += b" {%d%b}\r\n" % (len(word), b"+" if at_once else b"")
                if not at_once:
                    wire.send(bytes(unsent))
                    unsent.clear()
                    while tag in wire.pending and wire._get_response() is not None:  # noqa: SLF001 - ours
                        pass
                    if tag not in wire.pending:
                        break  # refused before its literal, so the command is over
                unsent += word
            else:
                unsent += b"\r\n"
        if unsent:
            wire.send(bytes(unsent))

    def _raw_command(self, command: bytes, args: Any, uid: bool = True) -> Any:  # noqa: FBT001, FBT002 - as IMAPClient's
        """Send a command of IMAPClient's that doesn't go through imaplib: SEARCH, MULTIAPPEND and others."""
        self._wire.check_verb([*([b"UID"] if uid else []), command])
        return super()._raw_command(command, args, uid)

    def set_timeout(self, seconds: float) -> None:
        """Bound the waits for the server from now on."""
        self._wire.sock.settimeout(seconds)


class _Wire(imaplib.IMAP4):
    """What IMAPClient sends commands with: imaplib, which splits the stream into responses."""

    def __init__(
        self, host: str, dial: Callable[[], socket.socket], traffic: Traffic, verbs: Collection[str]
    ) -> None:
        self._dial, self._traffic, self._verbs = dial, traffic, verbs
        self._was_receiving = True
        self._received = bytearray()
        self.octets_left = RESPONSE_OCTETS_MAX
        """How much may still be received in response to this burst."""

        self._next_line = b""
        self._continues = False
        """Whether the next line continues a response, after a literal."""

        self.pending: dict[bytes, Command] = {}
        """The commands of the burst that aren't complete, by tag."""

        self.results: dict[bytes, Response | RefusedError] = {}
        """Of those that are."""

        super().__init__(host)

    @property
    def has_unread(self) -> bool:
        """Whether something has come that wasn't read."""
        decrypted = self.sock.pending() if isinstance(self.sock, ssl.SSLSocket) else 0
        return bool(self._next_line or self._received or decrypted)

    def _end_command(self, tag: bytes) -> None:
        """Record the result of a command, with the untagged responses since the one that ended before it."""
        earlier = [each.name for each in self.pending.values()][: list(self.pending).index(tag)]
        command = self.pending.pop(tag)
        if earlier and not {"EXAMINE", "SELECT"}.isdisjoint({command.name, *earlier}):
            raise ProtocolViolationError
        self.results[tag] = self._take_refusal(command.name, tag) or Response(
            tag=tag, untagged=self.untagged_responses
        )
        self.untagged_responses = {}

    def _take_refusal(self, name: str, tag: bytes) -> RefusedError | None:
        """Return what a completed command was refused with; None if it wasn't."""
        ended: Any = self.tagged_commands.pop(tag)
        status, [text] = ended
        response = Response(tag=tag, untagged=self.untagged_responses)
        return None if status == "OK" else RefusedError(name, status, str(text, "utf-8", "replace"), response)

    def check_verb(self, words: Sequence[bytes]) -> None:
        """Raise `ForbiddenCommandError` unless a command of these words may be sent."""
        if (verb := verb_of(words)) not in self._verbs:
            raise ForbiddenCommandError(f"{verb} may not be sent on this connection")

    # What imaplib and IMAPClient call

    def _command(self, name: str, *arguments: Any) -> bytes:
        """Send a command of theirs."""
        words = [str(each).encode() if isinstance(each, str) else each for each in arguments if each]
        self.check_verb([name.encode(), *words])
        tag: bytes = super()._command(name, *arguments)  # type: ignore[misc] # private, so not in the stubs
        return tag

    def _command_complete(self, name: str, tag: bytes) -> tuple[str, list[bytes]]:
        """Wait for the completion of a command of theirs; raise `RefusedError` if that is NO or BAD."""
        while self.tagged_commands.get(tag) is None:
            self._get_response()
        if refusal := self._take_refusal(name, tag):
            raise refusal
        if name == "STARTTLS":
            # Anything received before was not protected, and may have been injected.
            self._received.clear()
            self.untagged_responses.clear()
        return "OK", [b""]

    @override
    def authenticate(self, mechanism: str, authobject: Callable[[bytes], bytes | None]) -> tuple[str, str]:
        """Answer the first challenge; a second one announces a failure (RFC 7628 section 3.2.3)."""
        acknowledgement = b"\x01" if mechanism == "OAUTHBEARER" else b""
        answers = [authobject, lambda _: acknowledgement]

        def answer(challenge: bytes) -> bytes | None:
            if not answers:
                raise ProtocolViolationError
            return answers.pop(0)(challenge)  # type: ignore[no-untyped-call] # IMAPClient's

        try:
            return super().authenticate(mechanism, answer)
        except ValueError:
            raise ProtocolViolationError from None

    def _get_capabilities(self) -> None:
        # `Client.learn_capabilities` asks if it has to. They need only these.
        self.capabilities = ("IMAP4REV1", "STARTTLS")

    @override
    def send(self, data: Buffer) -> None:
        if self._was_receiving:
            self._traffic.round_trips += 1
            self._was_receiving = False
        super().send(data)

    @override
    def read(self, size: int) -> bytes:
        """Read a literal."""
        if size > LITERAL_OCTETS_MAX:
            raise ProtocolViolationError(_TOO_LONG)
        self._spend(size)
        while len(self._received) < size:
            self._receive()
        self._continues = True
        return self._take(size)

    @override
    def readline(self) -> bytes:
        """Read a line with its end, of any length: imaplib's own limit is too short for SEARCH.

        Servers put names of files into FETCH responses with the line ends that were in them. Such a response
        is joined into one line, without these line ends, as unfolding does (RFC 5322 section 2.2.3). It ends
        before the line that begins the next response. One must come: the completion at last.
        """
        line, self._next_line = self._next_line or self._read_line(), b""
        has_strings = self._continues or _HAS_STRINGS.match(line)
        self._continues = False
        while has_strings and not _LITERAL.search(line):
            following = self._read_line()
            if _RESPONSE.match(following):
                self._next_line = following
                break
            line = line.rstrip(b"\r\n") + following
        return line.rstrip(b"\r\n") + b"\r\n"

    def _read_line(self) -> bytes:
        self._spend(_RESPONSE_OVERHEAD_OCTETS)
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > self.octets_left:
                break
            self._receive()
        self._spend(end + 1 or searched)
        return self._take(end + 1)

    def _spend(self, octets: int) -> None:
        self.octets_left -= octets
        if self.octets_left < 0:
            raise ProtocolViolationError(_TOO_LONG)

    def _receive(self) -> None:
        octets = self.sock.recv(_READ_OCTETS)
        if not octets:
            # imaplib would take a literal that ends early for a whole one.
            raise ConnectionResetError("the server closed the connection")
        self._was_receiving = True
        self._traffic.octets_received += len(octets)
        self._received += octets

    def _take(self, count: int) -> bytes:
        octets = bytes(memoryview(self._received)[:count])
        del self._received[:count]
        return octets

    def _create_socket(self, timeout: float | None = None) -> socket.socket:  # noqa: ARG002 - imaplib's signature
        return self._dial()

    def _get_response(self) -> bytes | None:
        """Read one response and return its first line; None for a continuation request.

        imaplib's errors repeat the line, which may be mail, or the password sent back. They must not
        reach a traceback.
        """
        try:
            line: bytes | None = super()._get_response()  # type: ignore[misc] # private, so not in the stubs
        except (self.error, ValueError):
            raise ProtocolViolationError from None
        bye: Any = self.untagged_responses.get("BYE")
        if bye:
            raise ByeError(str(bye[-1], "utf-8", "replace"))
        if line is not None and (tag := line.partition(b" ")[0]) in self.pending:
            self._end_command(tag)
        return line

    def _log(self, line: Any) -> None:
        """Keep no history of commands: imaplib's would hold the password."""

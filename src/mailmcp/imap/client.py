"""One connection to a server, on IMAPClient: commands out, responses in (RFC 9051 section 2.2).

IMAPClient and imaplib do STARTTLS and SASL, and split the stream into responses. Here the socket is read and
written, to count octets, to bound what a server can make the process hold, and to send several commands in
one round trip.
"""

import imaplib
import json
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import LoginError
from typing_extensions import Buffer, override

from mailmcp.imap.command import Command, RefusedError, Response, quoted

LITERAL_OCTETS_MAX: Final = 16_777_216
"""One literal: far more than any that is requested, so a longer one is a fault or an attack."""

RESPONSE_OCTETS_MAX: Final = 67_108_864
"""All responses to a command or a burst: four of the longest literals. A search that finds a million messages
takes 7 MB; more than this is a fault or an attack."""

_NUMBER: Final = re.compile(rb"\d{1,20}")
_WITH_LISTS: Final = re.compile(rb"\* (?:\d{1,10} FETCH \(|LIST |STATUS )", re.IGNORECASE)
_QUOTED: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LITERAL: Final = re.compile(rb"\{\d+\}\r?\n\Z")
_RESPONSE: Final = re.compile(rb"\* (?:\d{1,10} )?[A-Z]|[A-P]{4}\d+ ", re.IGNORECASE)
"""How a response begins; a tag as imaplib makes them."""

_READ_OCTETS: Final = 65_536
_SASL_VALUE_CHARS: Final = 200

_RESPONSE_OVERHEAD_OCTETS: Final = 100
"""Memory for a response besides its octets: many short ones cost more than their length."""

_AFTER_BYE_S: Final = 0.5
"""To wait for the NO behind a BYE that refuses a login: servers send both at once, or just close."""

_LITERAL_MINUS_OCTETS: Final = 4096
"""Longest literal that LITERAL- lets a client send without waiting (RFC 7888 section 5)."""

_ACKNOWLEDGEMENTS: Final[Mapping[str, bytes]] = {"OAUTHBEARER": b"\x01", "XOAUTH2": b""}
"""What a mechanism answers to the challenge that announces a failure (RFC 7628 section 3.2.3)."""


@dataclass(slots=True)
class Traffic:
    """What went over one connection."""

    round_trips: int = 0
    """Times that the client sent something after it had received something."""

    octets_received: int = 0


class ProtocolViolationError(Exception):
    """The server sent something that is not IMAP. The connection is out of step."""


class ResponseTooLongError(ProtocolViolationError):
    """The server sends more than the limits allow. The rest is not read."""


class Client(IMAPClient):  # type: ignore[misc] # it has no types
    """One connection to a server; for one thread at a time."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        dial: Callable[[], socket.socket],
        traffic: Traffic,
        timeout_s: float,
    ) -> None:
        """Connect and read the greeting.

        Args:
            host: Its name, for TLS.
            port: Its port.
            dial: Returns a connected socket, whose timeout is that of the greeting.
            traffic: Counts what goes over the connection.
            timeout_s: Of everything after the greeting.

        Raises:
            OSError: The socket failed or timed out.
            imaplib.IMAP4.error: The server sent no proper greeting.
            ProtocolViolationError: What it sent is not IMAP.
        """
        self._dial, self._traffic = dial, traffic
        self.partial_results: Sequence[Response | RefusedError] = ()
        """Results of the latest `run_all` when the connection failed; the last one may be incomplete."""

        self._known: tuple[bytes, ...] = ()
        super().__init__(host, port, ssl=False, timeout=SocketTimeout(None, timeout_s))
        self._wire.debug = 0  # IMAPClient's log would hold mail and passwords

    @override
    def _create_IMAP4(self) -> "_Wire":
        return _Wire(self.host, self.port, self._dial, self._traffic)

    @property
    def _wire(self) -> "_Wire":
        assert isinstance(self._imap, _Wire)  # noqa: S101 - made above
        return self._imap

    # Capabilities

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

    def capability_value(self, name: str) -> int:
        """Return the number in a capability such as `MESSAGELIMIT=1000`, or 0."""
        values = [each.partition(b"=")[2] for each in self._known if each.startswith(name.encode() + b"=")]
        return int(values[0]) if values and _NUMBER.fullmatch(values[0]) else 0

    @property
    def preauthenticated(self) -> bool:
        """Whether the greeting was PREAUTH (RFC 9051 section 7.1.4)."""
        return bool(self._wire.state == "AUTH")

    # Signing in

    @override
    def login(self, username: str, password: str) -> None:
        """Send LOGIN with ASCII credentials; raise RefusedError if the server says NO, BAD or BYE."""
        # imaplib's own login quotes no user names.
        arguments = quoted(username), quoted(password)
        self._sign_in("LOGIN", lambda: self._wire._simple_command("LOGIN", *arguments))  # noqa: SLF001 - its API

    def authenticate(self, mechanism: str, message: bytes) -> None:
        """Log in by a SASL mechanism with one client message (RFC 9051 section 6.2.2).

        Args:
            mechanism: In upper case, such as `PLAIN`.
            message: Before Base64.

        Raises:
            RefusedError: The server said NO, BAD or BYE; `sasl_failure` is what the mechanism reported.
        """
        wire = self._wire
        answers = [message, _ACKNOWLEDGEMENTS.get(mechanism)]  # None cancels
        wire.sasl_failure = {}

        def answer(challenge: bytes) -> bytes | None:
            if not answers:
                raise ProtocolViolationError("a login that never ends")
            if len(answers) == 1:
                # The message was sent, so this announces a failure. The NO comes only after an answer.
                wire.sasl_failure = parse_sasl_failure(challenge)
            return answers.pop(0)

        self._sign_in("AUTHENTICATE", lambda: self.sasl_login(mechanism, answer))

    def _sign_in(self, name: str, send: Callable[[], object]) -> None:
        """Run a login, which BYE may complete, too."""
        wire = self._wire
        wire.begin()
        wire.is_signing_in = True
        try:
            send()
        except LoginError:
            # All other errors are ours: imaplib could not send.
            raise ConnectionResetError("the connection ended during the login") from None
        except OSError:
            bye: Any = wire.untagged_responses.get("BYE")
            if bye is None:
                raise
            raise RefusedError(name, "BYE", str(bye[-1], "utf-8", "replace")) from None
        except ValueError:
            raise ProtocolViolationError("a challenge that isn't Base64") from None
        finally:
            wire.is_signing_in = False
        wire.state = "AUTH"

    # Commands

    def run(self, name: str, *arguments: bytes) -> Response:
        """Send one command and wait for its completion.

        Raises:
            RefusedError: The server completed it with NO or BAD.
            OSError: The connection failed or timed out.
            ProtocolViolationError: The connection is out of step.
        """
        [result] = self.run_all([Command(name=name, arguments=arguments)])
        if isinstance(result, RefusedError):
            raise result
        return result

    def run_all(self, commands: Sequence[Command]) -> list[Response | RefusedError]:
        """Send several commands at once and wait for all completions.

        One round trip, and one more for each literal that has to wait; see `sends_at_once`. Commands may
        complete in any order, unless an EXAMINE is between them; untagged responses may then be in the wrong
        result (RFC 9051 section 5.5).

        Raises:
            ProtocolViolationError: A command completed on the wrong side of an EXAMINE.
            OSError: The connection failed; see `partial_results`.
        """
        wire = self._wire
        wire.begin()
        self.partial_results = ()
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

    def _send_all(self, commands: Sequence[Command], tags: list[bytes]) -> None:
        """Send commands; add their tags."""
        wire = self._wire
        unsent = bytearray()
        for command in commands:
            tag = wire.begin_command(command)
            tags.append(tag)
            unsent += tag
            for word in command.words:
                if word.isascii():
                    unsent += b" " + word
                    continue
                at_once = self._sends_literal_at_once(word)
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

    def sends_at_once(self, command: Command) -> bool:
        """Return whether a command can be sent whole, with no wait before a literal."""
        return all(word.isascii() or self._sends_literal_at_once(word) for word in command.words)

    def _sends_literal_at_once(self, word: bytes) -> bool:
        return self.can("LITERAL+") or (self.can("LITERAL-") and len(word) <= _LITERAL_MINUS_OCTETS)

    def set_timeout(self, seconds: float) -> None:
        """Bound the waits for the server from now on."""
        self._wire.sock.settimeout(seconds)


class _Wire(imaplib.IMAP4):
    """What IMAPClient sends commands with: imaplib, which splits the stream into responses."""

    def __init__(self, host: str, port: int, dial: Callable[[], socket.socket], traffic: Traffic) -> None:
        self._dial, self._traffic = dial, traffic
        self._was_receiving = True
        self._received = bytearray()
        self._octets_left = RESPONSE_OCTETS_MAX
        self._open_lists = 0
        self.pending: dict[bytes, Command] = {}
        """The commands of the burst that aren't complete, by tag."""

        self.results: dict[bytes, Response | RefusedError] = {}
        """Of those that are."""

        self.is_signing_in = True
        """Whether BYE completes a command, such as a login; the greeting may be one, too."""

        self.sasl_failure: Mapping[str, str] = {}
        """What the latest mechanism reported."""

        super().__init__(host, port)
        self.is_signing_in = False

    def begin(self) -> None:
        """Forget earlier responses and allow a new `RESPONSE_OCTETS_MAX`."""
        self.untagged_responses.clear()
        self.pending.clear()
        self.results.clear()
        self._octets_left = RESPONSE_OCTETS_MAX

    def begin_command(self, command: Command) -> bytes:
        """Return the tag of a command that is about to be sent."""
        tag: bytes = self._new_tag()
        self.pending[tag] = command
        return tag

    def _end_command(self, tag: bytes) -> None:
        """Record the result of a command, with the untagged responses since the one that ended before it."""
        earlier = {
            each.name for each in takewhile(lambda each: each is not self.pending[tag], self.pending.values())
        }
        command = self.pending.pop(tag)
        if earlier and "EXAMINE" in {command.name, *earlier}:
            raise ProtocolViolationError("a command completed on the wrong side of an EXAMINE")
        self.results[tag] = self._take_result(command.name, tag)

    def _take_result(self, name: str, tag: bytes) -> Response | RefusedError:
        ended: Any = self.tagged_commands.pop(tag)
        status, [text] = ended
        response = Response(tag=tag, untagged=self.untagged_responses)
        self.untagged_responses = {}
        if status == "OK":
            return response
        failure = self.sasl_failure if name == "AUTHENTICATE" else {}
        return RefusedError(name, status, str(text, "utf-8", "replace"), response, sasl_failure=failure)

    # What imaplib and IMAPClient call

    def _command_complete(self, name: str, tag: bytes) -> tuple[str, list[bytes]]:
        """Wait for the completion of a command of theirs.

        Raises:
            RefusedError: The server completed it with NO or BAD.
        """
        while self.tagged_commands.get(tag) is None:
            self._get_response()
        untagged = self.untagged_responses
        result = self._take_result(name, tag)
        if isinstance(result, RefusedError):
            raise result
        if name == "STARTTLS":
            # Anything received before was not protected, and may have been injected.
            self._received.clear()
        else:
            self.untagged_responses = untagged
        return "OK", [b""]

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
            raise ResponseTooLongError(f"a literal of {size} octets")
        self._spend(size)
        while len(self._received) < size:
            self._receive()
        return self._take(size)

    @override
    def readline(self) -> bytes:
        """Read a line with its end, of any length: imaplib's own limit is too short for SEARCH.

        Servers put names of files into FETCH responses with the line ends that were in them. Such a response
        is joined into one line, without these line ends, as unfolding does (RFC 5322 section 2.2.3).
        """
        line = self._read_line()
        if not self._open_lists and not _WITH_LISTS.match(line):
            return line
        open_lists = self._open_lists
        while True:
            rest = _QUOTED.sub(b"", line)
            self._open_lists = max(0, open_lists + rest.count(b"(") - rest.count(b")"))
            if _LITERAL.search(line):
                return line
            is_whole = not self._open_lists and b'"' not in rest
            if is_whole or self._next_begins_response():  # else it ends too early, which spoils one message
                self._open_lists = 0
                return line.rstrip(b"\r\n") + b"\r\n"
            line = line.rstrip(b"\r\n") + self._read_line()

    def _read_line(self) -> bytes:
        self._spend(_RESPONSE_OVERHEAD_OCTETS)
        end = self._find_line_end()
        self._spend(end)
        return self._take(end)

    def _next_begins_response(self) -> bool:
        return _RESPONSE.match(self._received, 0, self._find_line_end()) is not None

    def _find_line_end(self) -> int:
        """Receive the next line, and return its length; more than is allowed if it is too long."""
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > self._octets_left:
                return searched
            self._receive()
        return end + 1

    def _spend(self, octets: int) -> None:
        self._octets_left -= octets
        if self._octets_left < 0:
            raise ResponseTooLongError(f"a response of more than {RESPONSE_OCTETS_MAX} octets")

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
        except self.abort as error:
            # Only imaplib's words tell a malformed line from a lost connection.
            if str(error).startswith("unexpected"):
                raise ProtocolViolationError("a line that is not a response") from None
            raise ConnectionResetError("the connection ended") from None
        except (self.error, ValueError):
            raise ProtocolViolationError("a line or a number that is too long") from None
        if "BYE" in self.untagged_responses:
            if not self.is_signing_in:
                raise ConnectionResetError("the server said BYE")  # without its words, as above
            self.sock.settimeout(_AFTER_BYE_S)
        if line is not None and (tag := line.partition(b" ")[0]) in self.pending:
            self._end_command(tag)
        return line

    def _log(self, line: Any) -> None:
        """Keep no history of commands: imaplib's would hold the password."""


def bearer_message(mechanism: str, *, user: str, host: str, port: int, token: str) -> bytes:
    """Build the message that carries an OAuth 2.0 access token, before Base64.

    OAUTHBEARER: RFC 7628 section 3.1; XOAUTH2: Google's and Microsoft's documents.
    """
    if mechanism == "XOAUTH2":
        return f"user={user}\x01auth=Bearer {token}\x01\x01".encode()
    # RFC 5801 section 4: "," and "=" of a name are escaped.
    name = user.replace("=", "=3D").replace(",", "=2C")
    return f"n,a={name},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01".encode()


def parse_sasl_failure(challenge: bytes) -> Mapping[str, str]:
    """Read the JSON of a failure: `status` as `invalid_token` or `401`, `scope`, `openid-configuration`.

    Returns:
        Only strings, printable and short; empty if the challenge has none.
    """
    try:
        values = json.loads(challenge)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {name: _printable(value) for name, value in values.items() if isinstance(value, str)}


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text[:_SASL_VALUE_CHARS])

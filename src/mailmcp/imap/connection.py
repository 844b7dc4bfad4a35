"""One connection to a server: commands out, responses in (RFC 9051 section 2.2).

Built on imaplib, which splits the stream into responses. This class reads and writes the socket
itself, to count octets, to bound what a server can make it hold, and to send several commands in one
round trip.
"""

import imaplib
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from typing_extensions import Buffer, override

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.sasl import answer_to_failure, parse_failure

_NUMBER = re.compile(rb"\d{1,20}")
_FETCH = re.compile(rb"\* \d{1,10} FETCH \(", re.IGNORECASE)
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LITERAL = re.compile(rb"\{\d+\}\r?\n\Z")
_RESPONSE = re.compile(rb"\* (?:\d{1,10} )?[A-Z]|[A-P]{4}\d+ (?:OK|NO|BAD)\b", re.IGNORECASE)
"""How a response begins; a tag as imaplib makes them."""

_READ_OCTETS = 65_536

_RESPONSE_OVERHEAD_OCTETS = 100
"""Memory for a response besides its octets: many short ones cost more than their length."""

_AFTER_BYE_S = 0.5
"""To wait for the NO behind a BYE: servers send both at once, or just close."""

_LITERAL_MINUS_OCTETS = 4096
"""Longest literal that LITERAL- lets a client send without waiting (RFC 7888 section 5)."""


@dataclass(slots=True)
class Traffic:
    """What went over one connection."""

    round_trips: int = 0
    """Times that the client sent something after it had received something."""

    octets_received: int = 0


class ProtocolViolationError(imaplib.IMAP4.abort):
    """The server sent something that is not IMAP. The connection is out of step."""


class ResponseTooLongError(ProtocolViolationError):
    """The server sends more than the limits allow. The rest is not read."""


class Connection(imaplib.IMAP4):
    """One connection to a server; for one thread at a time."""

    def __init__(self, host: str, port: int, *, dial: Callable[[], socket.socket], traffic: Traffic) -> None:
        """Connect and read the greeting.

        Args:
            host: Its name, for TLS.
            port: Its port.
            dial: Returns a connected socket.
            traffic: Counts what goes over the connection.

        Raises:
            OSError: The socket failed or timed out.
            imaplib.IMAP4.error: The server sent no proper greeting.
        """
        self._dial = dial
        self._traffic = traffic
        self._was_receiving = True
        self._received = bytearray()
        self._octets_left = limits.RESPONSE_OCTETS_MAX
        self._open_lists = 0
        self._known: tuple[bytes, ...] = ()
        self.software = ""
        """What the server says that it is (ID, RFC 2971), as sent; "" if it doesn't."""

        self.partial_results: Sequence[Response | RefusedError] = ()
        """Results of the latest `run_all` when the connection failed; the last one may be incomplete."""

        super().__init__(host, port)

    # Capabilities

    def learn_capabilities(self) -> None:
        """Read the capabilities from the latest response, or ask for them.

        They change with TLS and with the login (RFC 9051 section 6.1.1). Raises what `run` raises.
        """
        if not self.untagged_responses.get("CAPABILITY"):
            self.run("CAPABILITY")
        lines = [each for each in self.untagged_responses.pop("CAPABILITY", []) if isinstance(each, bytes)]
        self._known = tuple(lines[-1].upper().split()) if lines else ()

    def can(self, capability: str) -> bool:
        """Return whether the server advertises `capability`, in upper case."""
        return capability.encode() in self._known

    @property
    def capabilities_line(self) -> str:
        """All capabilities, in upper case and sorted."""
        return b" ".join(sorted(self._known)).decode("ascii", "replace")

    def capability_value(self, name: str) -> int:
        """Return the number in a capability such as `MESSAGELIMIT=1000`, or 0."""
        values = [known.partition(b"=")[2] for known in self._known if known.startswith(name.encode() + b"=")]
        return int(values[0]) if values and _NUMBER.fullmatch(values[0]) else 0

    @property
    def preauthenticated(self) -> bool:
        """Whether the greeting was PREAUTH (RFC 9051 section 7.1.4)."""
        return bool(self.state == "AUTH")

    # Commands

    def run(self, name: str, *arguments: bytes) -> Response:
        """Send one command and wait for its completion.

        Raises:
            RefusedError: The server completed it with NO or BAD.
            OSError: The connection failed or timed out.
            imaplib.IMAP4.abort: The connection is lost or out of step.
        """
        [result] = self.run_all([Command(name=name, arguments=arguments)], in_order=False)
        if isinstance(result, RefusedError):
            raise result
        return result

    def run_all(self, commands: Sequence[Command], *, in_order: bool) -> list[Response | RefusedError]:
        """Send several commands at once, in one round trip if possible, and wait for all completions.

        Args:
            commands: One that has to wait before it sends a literal ends its round trip; see `sends_at_once`.
            in_order: Whether commands depend on an EXAMINE before them, so that a completion on the wrong
                side of one is an error. Other commands may complete in any order, and untagged responses
                may then be in the wrong result (RFC 9051 section 5.5).

        Raises:
            ProtocolViolationError: A command completed before an EXAMINE in front of it.
            OSError, imaplib.IMAP4.abort: The connection failed; see `partial_results`.
        """
        self.partial_results = ()
        results: list[Response | RefusedError] = []
        burst: list[Command] = []
        for command in commands:
            waits = not self.sends_at_once(command)
            # Waiting mixes the responses up to then, which is harmless behind a lone EXAMINE.
            if waits and burst and [each.name for each in burst] != ["EXAMINE"]:
                self._run_burst(burst, results, in_order=in_order)
                burst = []
            burst.append(command)
            if waits:
                self._run_burst(burst, results, in_order=in_order)
                burst = []
        if burst:
            self._run_burst(burst, results, in_order=in_order)
        return results

    def _run_burst(
        self, commands: Sequence[Command], results: list[Response | RefusedError], *, in_order: bool
    ) -> None:
        """Send commands of which only the last may have to wait; add their results."""
        self._begin()
        tags = self._send_all(commands)
        for number, command in enumerate(commands):
            if number:
                self.untagged_responses.clear()
            # Until the next EXAMINE completes, no command from there on may.
            examines = [later for later in range(number, len(tags)) if commands[later].name == "EXAMINE"]
            barred = tags[max(examines[0], number + 1) :] if in_order and examines else []
            try:
                while self._is_continued(tags[number], barred):
                    pass  # a stray continuation request
                results.append(self._complete(command.name, tags[number]))
            except RefusedError as error:
                results.append(error)
            except ProtocolViolationError:
                raise
            except (OSError, imaplib.IMAP4.abort):
                self.partial_results = [*results, Response(untagged=dict(self.untagged_responses))]
                raise

    def _send_all(self, commands: Sequence[Command]) -> list[bytes]:
        """Send commands; return their tags."""
        tags: list[bytes] = []
        unsent = bytearray()
        for command in commands:
            tags.append(self._new_tag())
            unsent += tags[-1]
            for word in command.words:
                if word.isascii():
                    unsent += b" " + word
                    continue
                at_once = self._sends_literal_at_once(word)
                unsent += b" {%d%b}\r\n" % (len(word), b"+" if at_once else b"")
                if not at_once:
                    self.send(bytes(unsent))
                    unsent.clear()
                    if not self._is_continued(tags[-1]):
                        break  # refused before its literal, so the command is over
                unsent += word
            else:
                unsent += b"\r\n"
        if unsent:
            self.send(bytes(unsent))
        return tags

    def sends_at_once(self, command: Command) -> bool:
        """Return whether a command can be sent whole, with no wait before a literal."""
        return all(word.isascii() or self._sends_literal_at_once(word) for word in command.words)

    def _sends_literal_at_once(self, word: bytes) -> bool:
        return self.can("LITERAL+") or (self.can("LITERAL-") and len(word) <= _LITERAL_MINUS_OCTETS)

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Send STARTTLS, shake hands and ask for the capabilities (RFC 9051 section 6.2.1).

        Raises:
            RefusedError: The server refused it.
            OSError: TLS failed.
        """
        self.run("STARTTLS")
        self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
        # Anything received before was not protected, and may have been injected.
        self._received.clear()
        self.untagged_responses.clear()
        self.learn_capabilities()

    def authenticate_with(self, mechanism: str, message: bytes, *, initial: bool = False) -> None:
        """Log in by a SASL mechanism with one client message (RFC 9051 section 6.2.2).

        Args:
            mechanism: In upper case, such as `PLAIN`.
            message: Before Base64.
            initial: Send the message with the command if the server advertises SASL-IR (RFC 4959). Some
                servers advertise SASL-IR and refuse it.

        Raises:
            RefusedError: The server said NO, BAD or BYE; `sasl_failure` is what the mechanism reported.
        """
        self._begin()
        tag = self._new_tag()
        encoded = b64encode(message)
        command = b"%b AUTHENTICATE %b" % (tag, mechanism.encode())
        if initial and self.can("SASL-IR"):
            # "=" is an empty message, as opposed to none (RFC 4959 section 3).
            self.send(b"%b %b\r\n" % (command, encoded or b"="))
        else:
            self.send(command + b"\r\n")
            if self._is_continued(tag):
                self.send(encoded + b"\r\n")
        failure: Mapping[str, str] = {}
        if self._is_continued(tag):
            # The message was sent, so this announces a failure. The NO comes only after an answer.
            failure = parse_failure(bytes(self.continuation_response))  # type: ignore[arg-type] # stubs say str
            self.send(answer_to_failure(mechanism) + b"\r\n")
            if self._is_continued(tag):
                raise ProtocolViolationError("a login that never ends")
        self._complete("AUTHENTICATE", tag, sasl_failure=failure)

    def _begin(self) -> None:
        """Forget earlier responses and allow a new `limits.RESPONSE_OCTETS_MAX`."""
        self.untagged_responses.clear()
        self._octets_left = limits.RESPONSE_OCTETS_MAX

    def _is_continued(self, tag: bytes, barred: Sequence[bytes] = ()) -> bool:
        """Wait until the server asks for the rest of a command; return False if it completes it instead.

        Raises:
            ProtocolViolationError: A command with one of the tags `barred` completed first.
        """
        while self.tagged_commands.get(tag) is None and "BYE" not in self.untagged_responses:
            if any(self.tagged_commands.get(each) for each in barred):
                raise ProtocolViolationError("a command completed before the EXAMINE in front of it")
            if self._get_response() is None:
                return True
        return False

    def _complete(self, name: str, tag: bytes, *, sasl_failure: Mapping[str, str] | None = None) -> Response:
        """Wait for the completion of a command; raise RefusedError unless it is OK."""
        is_login = name in {"LOGIN", "AUTHENTICATE"}
        expects_bye = is_login or name == "LOGOUT"
        if not expects_bye:
            self._check_bye()
        status, data = self._get_tagged_response(tag, expect_bye=expects_bye)
        if not expects_bye:
            self._check_bye()
        if is_login and status == "BYE":
            # BYE completes a login, unless a NO comes behind it.
            self.sock.settimeout(_AFTER_BYE_S)
            with suppress(self.abort, OSError):
                later_status, later_data = self._get_tagged_response(tag, expect_bye=True)
                if later_status != "OK":
                    status, data = later_status, later_data
        response = Response(tag=tag, untagged=dict(self.untagged_responses))
        if status != "OK":
            text = (data[0] or b"").decode("utf-8", "replace") if data else ""
            raise RefusedError(name, str(status), text, response, sasl_failure=sasl_failure)
        return response

    # What imaplib calls

    @override
    def send(self, data: Buffer) -> None:
        if self._was_receiving:
            self._traffic.round_trips += 1
            self._was_receiving = False
        super().send(data)

    @override
    def read(self, size: int) -> bytes:
        """Read a literal."""
        if size > limits.LITERAL_OCTETS_MAX:
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
        if not self._open_lists and not _FETCH.match(line):
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
            raise ResponseTooLongError(f"a response of more than {limits.RESPONSE_OCTETS_MAX} octets")

    def _receive(self) -> None:
        octets = self.sock.recv(_READ_OCTETS)
        if not octets:
            # imaplib would take a literal that ends early for a whole one.
            raise self.abort("socket error: EOF")
        self._was_receiving = True
        self._traffic.octets_received += len(octets)
        self._received += octets

    def _take(self, count: int) -> bytes:
        octets = bytes(memoryview(self._received)[:count])
        del self._received[:count]
        return octets

    def _create_socket(self, timeout: float | None = None) -> socket.socket:  # noqa: ARG002 - imaplib's signature
        return self._dial()

    def _get_capabilities(self) -> None:
        # `learn_capabilities` asks if the greeting doesn't list them. imaplib needs only this one.
        self.capabilities = ("IMAP4REV1",)

    def _get_response(self) -> object:
        """Read one response; return None for a continuation request.

        imaplib's errors repeat the line, which may be mail, or the password sent back. They must not
        reach a traceback.
        """
        try:
            return super()._get_response()  # type: ignore[misc] # private, so not in the stubs
        except ProtocolViolationError:
            raise
        except self.abort as error:
            # Only imaplib's words tell a malformed line from a lost connection.
            if str(error).startswith("unexpected"):
                raise ProtocolViolationError("a line that is not a response") from None
            raise self.abort("the connection ended") from None
        except (self.error, ValueError):
            raise ProtocolViolationError("a line or a number that is too long") from None

    def _check_bye(self) -> None:
        if "BYE" in self.untagged_responses:
            raise self.abort("the server said BYE")  # without its words, as above

    def _log(self, line: Any) -> None:
        """Keep no history of commands: imaplib's would hold the password."""

"""Commands over one connection: IMAPClient, with answers taken as the server sent them.

IMAPClient builds, quotes and parses; this class adds what it lacks: answers of any
name, refusals told from failures, a command that rides along with another, commands in one burst.
"""

import imaplib
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence

from imapclient import IMAPClient
from typing_extensions import override

from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.sasl import answer_to_failure, parse_failure
from mailmcp.imap.wire import CountedIMAP4, Traffic, ViolationError

_NUMBER = re.compile(rb"\d{1,20}")

_LITERAL_MINUS_OCTETS = 4096
"""Longest literal that LITERAL- lets a client send without waiting (RFC 7888 section 5)."""


class Connection(IMAPClient):  # type: ignore[misc] # IMAPClient ships no types
    """One connection to a server, from dialling to closing; used by one thread at a time."""

    def __init__(self, host: str, port: int, *, dial: Callable[[], socket.socket], traffic: Traffic) -> None:
        """Connect and read the greeting; `dial` gives a connected socket.

        Raises:
            OSError: The socket failed, or a timeout passed.
            imaplib.IMAP4.error: The greeting is not one.
        """
        self._dial = dial
        self._traffic = traffic
        self._known: tuple[bytes, ...] = ()
        self.interrupted: Sequence[Response | RefusedError] = ()
        """What the latest burst had brought when the connection failed; the last answer has no end."""

        super().__init__(host, port, ssl=False)
        # IMAPClient turns imaplib's tracing on: it formats each line for a logger that is off.
        self._imap.debug = 0

    @override
    def _create_IMAP4(self) -> CountedIMAP4:
        return CountedIMAP4(self.host, self.port, dial=self._dial, traffic=self._traffic)

    @override
    def _set_read_timeout(self) -> None:
        """Leave the timeout as `dial` and the session set it."""

    def learn_capabilities(self) -> None:
        """Read the capabilities that the last answer brought along, else ask for them.

        They change with TLS and with the login (RFC 9051 section 6.1.1).

        Raises:
            RefusedError, OSError, imaplib.IMAP4.abort: As `run`.
        """
        lines = self._imap.untagged_responses.pop("CAPABILITY", None)
        if not lines:
            lines = self.run("CAPABILITY").untagged.get("CAPABILITY", [b""])
        self._known = tuple(lines[-1].upper().split())

    def can(self, capability: str) -> bool:
        """Whether the server advertises `capability`, given in upper case."""
        return capability.encode() in self._known

    def capability_value(self, name: str) -> int:
        """Give the number that is advertised with a capability, as in `MESSAGELIMIT=1000`; 0 for none."""
        values = [known.partition(b"=")[2] for known in self._known if known.startswith(name.encode() + b"=")]
        return int(values[0]) if values and _NUMBER.fullmatch(values[0]) else 0

    @property
    def preauthenticated(self) -> bool:
        """Whether the server knew us before any login (RFC 9051 section 7.1.4)."""
        return bool(self._imap.state == "AUTH")

    def upgrade(self, context: ssl.SSLContext) -> None:
        """Send STARTTLS, shake hands and ask for the capabilities (RFC 9051 section 6.2.1).

        Raises:
            RefusedError: The server advertised it and refuses it.
            OSError: TLS failed.
        """
        try:
            self._imap.starttls(ssl_context=context)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise RefusedError("STARTTLS", "NO", str(error)) from error
        # What was said before was not protected, so it is not believed.
        self._imap.forget_received()
        self._forget_untagged()
        self.learn_capabilities()

    def authenticate(self, mechanism: str, response: bytes, *, initial: bool = False) -> None:
        """Log in by a SASL mechanism of one client message (RFC 9051 section 6.2.2).

        Args:
            mechanism: In upper case, as `PLAIN`.
            response: The message, before Base64.
            initial: Send it along with the command where the server advertises SASL-IR (RFC 4959).
                Servers exist that advertise SASL-IR and refuse it.

        Raises:
            RefusedError: The server said NO, BAD or BYE; `sasl_failure` is what the mechanism said.
        """
        self._begin_answer()
        tag = self._new_tag()
        message = b64encode(response)
        if initial and self.can("SASL-IR"):
            # A message of no octets is "=", to be told from none (RFC 4959 section 3).
            self._imap.send(b"%b AUTHENTICATE %b %b\r\n" % (tag, mechanism.encode(), message or b"="))
        else:
            self._imap.send(b"%b AUTHENTICATE %b\r\n" % (tag, mechanism.encode()))
            if self._continued(tag):
                self._imap.send(message + b"\r\n")
        failure: Mapping[str, str] = {}
        if self._continued(tag):
            # All has been sent: this announces a failure, and is to be answered before the NO comes.
            failure = parse_failure(bytes(self._imap.continuation_response))
            self._imap.send(answer_to_failure(mechanism) + b"\r\n")
            if self._continued(tag):
                raise ViolationError("a login that never ends")
        try:
            self._complete("AUTHENTICATE", tag)
        except RefusedError as error:
            error.sasl_failure = failure
            raise

    def run(self, name: str, *arguments: bytes, uid: bool = False, ride: bytes = b"") -> Response:
        """Send a command and wait for its end.

        Args:
            name: The command, as `FETCH`.
            arguments: Sent as they are; 8-bit ones as literals. Quote strings with `quoted`.
            uid: Send the UID form (RFC 9051 section 6.4.9).
            ride: Another command, 7-bit, that is sent in front without waiting for its end;
                costs no round trip. Its untagged responses are in the answer too.

        Raises:
            RefusedError: The server said NO or BAD; to `ride`, if it did to both.
            OSError: The connection failed, or a timeout passed.
            imaplib.IMAP4.abort: The connection is lost or out of step.
        """
        self._begin_answer()
        rider = self._new_tag() if ride else b""
        if ride:
            self._imap.send_with_next(rider + b" " + ride + b"\r\n")
        tag = self._new_tag()
        self._send(tag, [*([b"UID"] if uid else []), name.encode(), *arguments])
        answer: Response | RefusedError
        try:
            answer = self._complete(name, tag)
        except RefusedError as error:
            answer = error
        if ride:
            self._check_rider(ride, rider)
        if isinstance(answer, RefusedError):
            raise answer
        return answer

    def _check_rider(self, ride: bytes, tag: bytes) -> None:
        """Raise for a command that rode along and was refused; by now the server has ended it."""
        rode = self._imap.tagged_commands.pop(tag, None)
        if rode is None:
            raise ViolationError("commands that depend on each other, ended out of order")
        if rode[0] != "OK":
            raise RefusedError(ride.partition(b" ")[0].decode(), rode[0], _text(rode[1]))

    def run_burst(self, commands: Sequence[Command], *, in_order: bool) -> list[Response | RefusedError]:
        """Send several commands at once; one round trip for all. Refusals stand in their places.

        Args:
            commands: Such as `sends_at_once` holds for.
            in_order: Whether commands depend on the EXAMINE before them: nothing may be ended on the
                wrong side of one. Others may be ended in any order, and untagged responses then stand
                with the wrong one (RFC 9051 section 5.5).

        Raises:
            ViolationError: Commands `in_order` were ended out of it.
            OSError, imaplib.IMAP4.abort: As `run`.
        """
        self._begin_answer()
        self.interrupted = ()
        tags: list[bytes] = []
        for command in commands:
            tags.append(self._new_tag())
            self._send(tags[-1], command.words, with_next=True)
        self._imap.send(b"")
        results: list[Response | RefusedError] = []
        for number, command in enumerate(commands):
            self._forget_untagged()
            try:
                results.append(self._complete(command.name, tags[number]))
            except RefusedError as error:
                results.append(error)
            except ViolationError:
                raise
            except (OSError, imaplib.IMAP4.abort):
                self.interrupted = [*results, Response(untagged=dict(self._imap.untagged_responses))]
                raise
            ended = [later for later, tag in enumerate(tags) if self._imap.tagged_commands.get(tag)]
            overtaken = commands[number : max(ended, default=number - 1) + 1]
            if in_order and any(each.name == "EXAMINE" for each in overtaken):
                raise ViolationError("commands that depend on each other, ended out of order")
        return results

    def _new_tag(self) -> bytes:
        # imaplib has no public way to send more than one command at a time.
        return bytes(self._imap._new_tag())  # noqa: SLF001

    def sends_at_once(self, command: Command) -> bool:
        """Whether a command needs no wait for the server to ask for more of it."""
        return all(word.isascii() or self._literal_at_once(word) for word in command.words)

    def _literal_at_once(self, word: bytes) -> bool:
        return self.can("LITERAL+") or (self.can("LITERAL-") and len(word) <= _LITERAL_MINUS_OCTETS)

    def _send(self, tag: bytes, words: Sequence[bytes], *, with_next: bool = False) -> None:
        """Send a command, its 8-bit words as literals (RFC 9051 section 4.3).

        Not by IMAPClient's own way, which writes the words to a log, passwords too.
        """
        line = tag
        for word in words:
            if word.isascii():
                line += b" " + word
                continue
            at_once = self._literal_at_once(word)
            line += b" {%d%b}\r\n" % (len(word), b"+" if at_once else b"")
            if not at_once:
                self._imap.send(line)
                line = b""
                if not self._continued(tag):
                    return  # refused at its literal: that is an answer, and the command is over
            line += word
        (self._imap.send_with_next if with_next else self._imap.send)(line + b"\r\n")

    def _continued(self, tag: bytes) -> bool:
        """Wait until the server asks for more of a command; False if it ends the command instead."""
        while not self._ended(tag):
            if self._imap._get_response() is None:  # noqa: SLF001 - as in _new_tag
                return True
        return False

    def _ended(self, tag: bytes) -> bool:
        """Whether the server has ended a command, or takes its leave."""
        return self._imap.tagged_commands.get(tag) is not None or "BYE" in self._imap.untagged_responses

    def _complete(self, name: str, tag: bytes) -> Response:
        status, data = self._imap._command_complete(name, tag)  # noqa: SLF001 - as in _new_tag
        answer = Response(tag=tag, untagged=dict(self._imap.untagged_responses))
        if status != "OK":
            raise RefusedError(name, status, _text(data), answer)
        return answer

    def _begin_answer(self) -> None:
        self._forget_untagged()
        self._imap.begin_answer()

    def _forget_untagged(self) -> None:
        """Leave nothing of earlier commands that could be taken for an answer."""
        self._imap.untagged_responses.clear()


def _text(data: Sequence[bytes | None]) -> str:
    return (data[0] or b"").decode("utf-8", "replace") if data else ""

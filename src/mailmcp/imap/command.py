"""Commands, the responses to them, and what a refusal means (RFC 9051 sections 6 and 7)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from imapclient.imap_utf7 import encode as encode_utf7

from mailmcp.reasons import Reason

Piece = bytes | tuple[bytes, bytes]
"""A line of a response, or a line up to a literal together with the literal: what imaplib returns."""

_RESPONSE_CODE = re.compile(r"\[([A-Z0-9-]+)", re.IGNORECASE)
_NUMBER = re.compile(rb"\d{1,20}")
_LINE_END = re.compile(r"\\x(0[0ad]|5c)")
_SERVER_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is ready to be sent."""

    name: str
    arguments: Sequence[bytes] = ()
    """Sent as they are; 8-bit ones as literals. Quote strings with `quoted`."""

    uid: bool = False
    """Whether to send the UID form (RFC 9051 section 6.4.9)."""

    @property
    def words(self) -> list[bytes]:
        """Everything after the tag."""
        return [*([b"UID"] if self.uid else []), self.name.encode(), *self.arguments]


def canonical_name(name: str) -> str:
    """Return the name of a mailbox, with `inbox` in any case as INBOX (RFC 9051 section 5.1)."""
    return "INBOX" if name.lower() == "inbox" else name


def quoted(text: str) -> bytes:
    """Format a string argument (RFC 9051 section 4.3): quoted if it is ASCII, else as UTF-8 for a literal.

    Raises:
        ValueError: `text` has a CR, LF or NUL, which would end the command. Callers refuse these before.
    """
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a string argument with CR, LF or NUL")
    octets = text.encode()
    if not octets.isascii():
        return octets
    return b'"' + octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def encode_mailbox(name: str) -> bytes:
    r"""Encode a mailbox name in modified UTF-7 (RFC 3501 section 5.1.3).

    CR, LF and NUL are `\x0d`, `\x0a` and `\x00` in the name, and a backslash before one of these is `\x5c`.
    """
    return bytes(encode_utf7(_LINE_END.sub(lambda found: chr(int(found[1], 16)), name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The untagged responses to a completed command."""

    tag: bytes = b""
    untagged: Mapping[str, Sequence[Piece]] = field(default_factory=dict)

    def lines(self, name: str) -> list[list[Piece]]:
        """Return the responses called `name`, each as its pieces."""
        lines: list[list[Piece]] = []
        pieces: list[Piece] = []
        for piece in self.untagged.get(name, ()):
            pieces.append(piece)
            if isinstance(piece, bytes):
                lines.append(pieces)
                pieces = []
        return lines

    def number(self, name: str) -> int | None:
        """Return the last response called `name` that is a number."""
        for piece in reversed(self.untagged.get(name, ())):
            if isinstance(piece, bytes) and _NUMBER.fullmatch(piece.strip()):
                return int(piece)
        return None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a response code says about the command that was refused."""

    temporary: bool
    """Whether the same command may succeed later. A temporary refusal says nothing about the command, the
    credentials or what the server can do."""

    reason: Reason = Reason.SERVER_REFUSED
    unsupported: bool = False
    """Whether the server may not know the command or one of its arguments."""

    asks_to_wait: bool = False
    """Whether the same is true of any other command: whoever goes on sending is served even later."""


_LATER = Meaning(temporary=True)
_WAIT = Meaning(temporary=True, asks_to_wait=True)
_NEVER = Meaning(temporary=False)
_UNSUPPORTED = Meaning(temporary=False, unsupported=True)
_FORBIDDEN = Meaning(temporary=False, reason=Reason.PERMISSION_DENIED)

_MEANINGS: Final[Mapping[str, Meaning]] = {
    # RFC 5530, RFC 9051 section 7.1, and codes seen in the wild. A code that is not here says nothing; ALERT
    # is not: Gmail uses it for wrong passwords and for too many connections alike.
    # The server has a problem.
    "UNAVAILABLE": _WAIT,
    "INUSE": _WAIT,
    "SERVERBUG": _LATER,  # Dovecot's "Internal error occurred": usually a lock or a timeout
    "EXPUNGEISSUED": _LATER,
    "THROTTLED": _WAIT,  # Exchange Online, Gmail
    "LIMIT": _WAIT,  # a limit of the implementation in RFC 5530; of rates or connections in the wild (Yahoo)
    "OVERQUOTA": _WAIT,  # a reader stores nothing: Gmail limits commands and bandwidth per day
    # The credentials are wrong.
    "AUTHENTICATIONFAILED": Meaning(temporary=False, reason=Reason.CREDENTIALS_REJECTED),
    "EXPIRED": Meaning(temporary=False, reason=Reason.CREDENTIALS_EXPIRED),
    "PRIVACYREQUIRED": Meaning(temporary=False, reason=Reason.LOGIN_DISABLED),
    # The user has no right to it. A person has to change that.
    "AUTHORIZATIONFAILED": _FORBIDDEN,
    "CONTACTADMIN": _FORBIDDEN,
    "NOPERM": _FORBIDDEN,
    "WEBALERT": _FORBIDDEN,  # Gmail: sign in with a browser first
    # The request is wrong.
    "NONEXISTENT": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "TRYCREATE": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "ALREADYEXISTS": _NEVER,
    "BADCHARSET": _UNSUPPORTED,
    "CANNOT": _UNSUPPORTED,
    "CLIENTBUG": _UNSUPPORTED,
    "CORRUPTION": _NEVER,
    "PARSE": _NEVER,
    "REFERRAL": _NEVER,  # RFC 2221: the account is on another server
    "UNKNOWN-CTE": _NEVER,  # RFC 3516: BINARY of a part with an unknown transfer encoding
}

_CONNECTION_LIMIT = re.compile(
    r"(too many|max(imum)?|limit|exceed).{0,60}\b(connections?|sessions?)\b"
    r"|\b(connections?|sessions?)\b.{0,60}(limit|exceed|too many|maximum)",
    re.IGNORECASE,
)


_SHUT_OUT = re.compile("user is authenticated but not connected|unsafe login", re.IGNORECASE)


def mentions_connection_limit(text: str) -> bool:
    """Return whether a server's text complains about too many connections; no response code does.

    Dovecot: `[LIMIT] Maximum number of connections from user+IP exceeded`; Gmail: `[ALERT] Too many
    simultaneous connections`.
    """
    return _CONNECTION_LIMIT.search(text) is not None


class RefusedError(Exception):
    """The server completed a command with NO or BAD; the connection is in order.

    A login may also be completed with BYE, which ends the connection.

    Attributes:
        code: The response code in upper case, or "".
        is_shut_out: Whether the server took the login and now refuses every mailbox, as Exchange and NetEase
            do without a code; see `advice`.
        meaning: What the code means; None if it says nothing.
        text: The server's text, printable and short.
        response: The untagged responses before the refusal.
        sasl_failure: What the SASL mechanism reported, as `sasl.parse_failure` returns it.
    """

    def __init__(
        self,
        command: str,
        status: str,
        text: str,
        response: Response | None = None,
        *,
        sasl_failure: Mapping[str, str] | None = None,
    ) -> None:
        match = _RESPONSE_CODE.match(text)
        self.command, self.status = command, status
        self.code = match[1].upper() if match else ""
        self.is_shut_out = _SHUT_OUT.search(text) is not None
        self.meaning = _FORBIDDEN if self.is_shut_out else _MEANINGS.get(self.code)
        shown = "".join(c if c.isprintable() else " " for c in text)
        self.text = shown if len(shown) <= _SERVER_TEXT_CHARS else f"{shown[: _SERVER_TEXT_CHARS - 1]}…"
        self.response = response or Response()
        self.sasl_failure = sasl_failure or {}
        super().__init__(f"{command}: {status} {self.text}")

    @property
    def is_temporary(self) -> bool:
        """Whether the response code says that the same command may succeed later."""
        return self.meaning is not None and self.meaning.temporary

    @property
    def retryable(self) -> bool:
        """Whether the same command may succeed later, as it may after a NO without a reason."""
        return self.is_temporary or (self.meaning is None and self.status == "NO")

    @property
    def asks_to_wait(self) -> bool:
        """Whether the server wants no more commands for now."""
        return self.meaning is not None and self.meaning.asks_to_wait

    @property
    def is_connection_limit(self) -> bool:
        """Whether a login was refused because there are too many connections."""
        if self.code == "LIMIT":
            return True
        return (self.is_temporary or self.meaning is None) and mentions_connection_limit(self.text)

    @property
    def is_plain_bye(self) -> bool:
        """Whether it only ends the connection and says nothing about the command."""
        return self.status == "BYE" and self.meaning is None and not self.is_connection_limit

    @property
    def reason(self) -> Reason:
        """The reason for the error that this becomes."""
        return self.meaning.reason if self.meaning else Reason.SERVER_REFUSED

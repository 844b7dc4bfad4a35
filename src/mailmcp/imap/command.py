"""Commands, the responses to them, and what a refusal means (RFC 9051 sections 6 and 7)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from imapclient.imap_utf7 import encode as encode_utf7

from mailmcp.reasons import Reason

Piece = bytes | tuple[bytes, bytes]
"""A line of a response, or a line up to a literal together with the literal: what imaplib returns."""

_RESPONSE_CODE: Final = re.compile(r"\[([A-Z0-9-]+)", re.IGNORECASE)
_NUMBER: Final = re.compile(rb"\d{1,20}")
_SERVER_TEXT_CHARS: Final = 200

# Servers write what isn't quoted as they like, so an unquoted word may hold any character but white space,
# controls and `()%"`.
_TOKEN: Final = re.compile(
    rb"""
      ( (?: BODY (?:\.[A-Z]+)? \[ [\w.]*+ (?:[ ]\([^()]*+\))? \]  # names of fields belong to it
          | [^\x00-\x20()%"] )++ ) (?!")                 # a word; that of a keyword may have any bracket
    | ( "(?: [^"\\] | \\. )*+ ) "                         # a quoted string, without its last quote
    | ( [()%\x00-\x08\x0b\x0c\x0e-\x1f] )                 # a parenthesis, or a stray special
    | ( [^ \t\r\n] .*+ )                                  # malformed: the rest isn't read, so time is linear
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ESCAPED: Final = re.compile(rb'\\(["\\])')
_DEPTH_MAX: Final = 400
"""Far beyond `limits.STRUCTURE_DEPTH_MAX`, and within what Python can compare and print."""

_MALFORMED: Final = "a malformed response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is ready to be sent."""

    name: str
    arguments: Sequence[bytes] = ()
    """Sent as they are; as literals if they have 8-bit octets or line ends. Quote strings with `quoted`."""

    uid: bool = False
    """Whether to send the UID form (RFC 9051 section 6.4.9)."""

    @property
    def words(self) -> list[bytes]:
        """Everything after the tag."""
        return [*([b"UID"] if self.uid else []), self.name.encode(), *self.arguments]

    @property
    def octets(self) -> int:
        """How long it is, about."""
        return sum(len(word) + 1 for word in self.words)


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
    """Encode a mailbox name in modified UTF-7 (RFC 3501 section 5.1.3)."""
    return bytes(encode_utf7(name))


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


def parse_line(line: Sequence[Piece]) -> tuple[Any, ...]:
    """Parse a response into octets, numbers, None, and tuples of these (RFC 9051 section 4).

    Raises:
        ValueError: It is malformed, or nested deeper than any real one.
    """
    values: list[Any] = []
    outer: list[list[Any]] = []
    for piece in line:
        text, literal = piece if isinstance(piece, tuple) else (piece, None)
        length = None if literal is None else b"{%d}" % len(literal)
        if length is not None and not text.endswith(b"}"):
            raise ValueError(_MALFORMED)
        for word, string, special, malformed in _TOKEN.findall(text):
            if word:
                values.append(literal if word == length else _value_of(word))
            elif string:
                values.append(_ESCAPED.sub(rb"\1", string[1:]) if b"\\" in string else string[1:])
            elif special == b"(" and len(outer) < _DEPTH_MAX:
                outer.append(values)
                values = []
            elif special == b")" and outer:
                inner, values = tuple(values), outer.pop()
                values.append(inner)
            elif malformed or special == b"(":
                raise ValueError(_MALFORMED)
            else:
                values.append(special)
    if outer:
        raise ValueError(_MALFORMED)
    return tuple(values)


def _value_of(word: bytes) -> bytes | int | None:
    """Return the number that a word is, None for NIL, or else the word."""
    if word.isdigit() and (word[:1] != b"0" or len(word) == 1):
        return int(word)
    if word[:1] == b"{":
        raise ValueError(_MALFORMED)
    return None if word == b"NIL" else word


# Response codes: RFC 5530, RFC 9051 section 7.1, and some seen in the wild. One that is in none of these sets
# says nothing; ALERT is not: Gmail uses it for wrong passwords and for too many connections alike.

_ASKS_TO_WAIT: Final = {
    "UNAVAILABLE",
    "INUSE",
    "THROTTLED",  # Exchange Online, Gmail
    "LIMIT",  # a limit of the implementation in RFC 5530; of rates or connections in the wild (Yahoo)
    "OVERQUOTA",  # a reader stores nothing: Gmail limits commands and bandwidth per day
}
_TEMPORARY: Final = {
    *_ASKS_TO_WAIT,
    "SERVERBUG",  # Dovecot's "Internal error occurred": usually a lock or a timeout
    "EXPUNGEISSUED",
}
_REASONS: Final[Mapping[str, Reason]] = {
    "AUTHENTICATIONFAILED": Reason.CREDENTIALS_REJECTED,
    "EXPIRED": Reason.CREDENTIALS_EXPIRED,
    "PRIVACYREQUIRED": Reason.LOGIN_DISABLED,
    "AUTHORIZATIONFAILED": Reason.PERMISSION_DENIED,
    "CONTACTADMIN": Reason.PERMISSION_DENIED,
    "NOPERM": Reason.PERMISSION_DENIED,
    "WEBALERT": Reason.PERMISSION_DENIED,  # Gmail: sign in with a browser first
    "NONEXISTENT": Reason.MAILBOX_MISSING,
    "TRYCREATE": Reason.MAILBOX_MISSING,
}
_FINAL: Final = {
    *_REASONS,
    *("ALREADYEXISTS", "BADCHARSET", "CANNOT", "CLIENTBUG", "CORRUPTION", "PARSE", "REFERRAL", "UNKNOWN-CTE"),
}

_CONNECTION_LIMIT: Final = re.compile(
    r"(too many|max(imum)?|limit|exceed).{0,60}\b(connections?|sessions?)\b"
    r"|\b(connections?|sessions?)\b.{0,60}(limit|exceed|too many|maximum)",
    re.IGNORECASE,
)
_SHUT_OUT: Final = re.compile("user is authenticated but not connected|unsafe login", re.IGNORECASE)


class RefusedError(Exception):
    """The server completed a command with NO or BAD; the connection is in order.

    A login may also be answered with BYE, which ends the connection.

    Attributes:
        code: The response code in upper case, or "".
        is_shut_out: Whether the server took the login and now refuses every mailbox. Exchange and NetEase do
            so without a code; it is NOPERM here.
        reason: The reason of the error that this becomes.
        text: The server's text, printable and short.
        response: The untagged responses before the refusal.
    """

    def __init__(self, command: str, status: str, text: str, response: Response | None = None) -> None:
        match = _RESPONSE_CODE.match(text)
        self.command, self.status = command, status
        self.is_shut_out = _SHUT_OUT.search(text) is not None
        self.code = "NOPERM" if self.is_shut_out else match[1].upper() if match else ""
        self.reason = _REASONS.get(self.code, Reason.SERVER_REFUSED)
        shown = "".join(c if c.isprintable() else " " for c in text)
        self.text = shown if len(shown) <= _SERVER_TEXT_CHARS else f"{shown[: _SERVER_TEXT_CHARS - 1]}…"
        self.response = response or Response()
        super().__init__(f"{command}: {status} {self.text}")

    @property
    def is_final(self) -> bool:
        """Whether the server says that the same command will never succeed."""
        return self.code in _FINAL

    @property
    def is_temporary(self) -> bool:
        """Whether the response code says that the same command may succeed later.

        Such a refusal says nothing about the command, the credentials or what the server can do.
        """
        return self.code in _TEMPORARY

    @property
    def retryable(self) -> bool:
        """Whether the same command may succeed later, as it may after a NO without a reason."""
        return self.is_temporary or (not self.is_final and self.status == "NO")

    @property
    def is_unsupported(self) -> bool:
        """Whether it may mean that the server doesn't know the command or an argument.

        Other response codes are about passing troubles, limits or rights. Without a code it may be either.
        """
        return self.code in {"", "BADCHARSET", "CANNOT", "CLIENTBUG"}

    @property
    def asks_to_wait(self) -> bool:
        """Whether the server wants no more commands for now: whoever goes on is served even later."""
        return self.code in _ASKS_TO_WAIT

    @property
    def is_connection_limit(self) -> bool:
        """Whether a login was refused because there are too many connections; no response code says that.

        Dovecot: `[LIMIT] Maximum number of connections from user+IP exceeded`; Gmail: `[ALERT] Too many
        simultaneous connections`.
        """
        return self.code == "LIMIT" or (not self.is_final and _CONNECTION_LIMIT.search(self.text) is not None)

    @property
    def is_plain_bye(self) -> bool:
        """Whether it only ends the connection and says nothing about the command."""
        says = self.is_final or self.is_temporary or self.is_connection_limit
        return self.status == "BYE" and not says

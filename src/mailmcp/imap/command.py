"""Commands, the responses to them, and what a refusal means (RFC 9051 sections 6 and 7)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from imapclient.exceptions import ProtocolError
from imapclient.imap_utf7 import encode as encode_utf7
from imapclient.response_parser import parse_response

from mailmcp.reasons import Reason


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a response code says about the command that was refused."""

    temporary: bool
    """Whether the same command may succeed later. A temporary refusal is no verdict on the command,
    on the credentials or on the server's abilities."""

    reason: Reason = Reason.SERVER_REFUSED
    unsupported: bool = False
    """Whether the server may not know the command or one of its arguments."""


_LATER = Meaning(temporary=True)
_NEVER = Meaning(temporary=False)
_UNSUPPORTED = Meaning(temporary=False, unsupported=True)
_FORBIDDEN = Meaning(temporary=False, reason=Reason.PERMISSION_DENIED)

_MEANINGS: Final[Mapping[str, Meaning]] = {
    # The server, not the request.
    "UNAVAILABLE": _LATER,
    "INUSE": _LATER,
    "SERVERBUG": _LATER,  # Dovecot's "Internal error occurred", mostly a lock or a timeout
    "EXPUNGEISSUED": _LATER,
    "THROTTLED": _LATER,  # Exchange Online, Gmail
    "LIMIT": _LATER,  # an implementation's limit in RFC 5530; in the wild one of rates or connections (Yahoo)
    "OVERQUOTA": _LATER,  # what only reads stores nothing: Gmail says it of commands and bandwidth per day
    # The credentials.
    "AUTHENTICATIONFAILED": Meaning(temporary=False, reason=Reason.CREDENTIALS_REJECTED),
    "EXPIRED": Meaning(temporary=False, reason=Reason.CREDENTIALS_EXPIRED),
    "PRIVACYREQUIRED": Meaning(temporary=False, reason=Reason.LOGIN_DISABLED),
    # What the user may do; a person has to change that.
    "AUTHORIZATIONFAILED": _FORBIDDEN,
    "CONTACTADMIN": _FORBIDDEN,
    "NOPERM": _FORBIDDEN,
    "WEBALERT": _FORBIDDEN,  # Gmail: sign in with a browser first
    # The request.
    "NONEXISTENT": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "TRYCREATE": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "ALREADYEXISTS": _NEVER,
    "BADCHARSET": _UNSUPPORTED,
    "CANNOT": _UNSUPPORTED,
    "CLIENTBUG": _UNSUPPORTED,
    "CORRUPTION": _NEVER,
    "PARSE": _NEVER,
    "REFERRAL": _NEVER,  # RFC 2221: the account is on another server
    "UNKNOWN-CTE": _NEVER,  # RFC 3516: BINARY of a part whose transfer encoding the server does not know
    # ALERT only asks that its text be shown: Gmail says it of wrong passwords and of too many connections.
}


def meaning_of(code: str) -> Meaning | None:
    """Look up a response code, in upper case; None for one that says nothing, as "" does."""
    return _MEANINGS.get(code)


_CONNECTION_LIMIT = re.compile(
    r"(too many|max(imum)?|limit|exceed).{0,60}\b(connections?|sessions?)\b"
    r"|\b(connections?|sessions?)\b.{0,60}(limit|exceed|too many|maximum)",
    re.IGNORECASE,
)


def names_connection_limit(text: str) -> bool:
    """Whether a refused login, or BYE, says that there are too many connections: no code is reserved for it.

    Dovecot: `[LIMIT] Maximum number of connections from user+IP exceeded`; Gmail: `[ALERT] Too many
    simultaneous connections`.
    """
    return _CONNECTION_LIMIT.search(text) is not None


Piece = bytes | tuple[bytes, bytes]
"""What imaplib gives of an answer: a line, or a line up to a literal with the literal."""

_RESPONSE_CODE = re.compile(r"\[([A-Z0-9-]+)", re.IGNORECASE)
_NUMBER = re.compile(rb"\d{1,20}")
_SERVER_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The untagged responses that came with a completed command."""

    tag: bytes = b""
    untagged: Mapping[str, Sequence[Piece]] = field(default_factory=dict)

    def lines(self, name: str) -> list[list[Piece]]:
        """Group the pieces of the responses called `name`: one list a response, literals in place."""
        grouped: list[list[Piece]] = []
        current: list[Piece] = []
        for piece in self.untagged.get(name, ()):
            current.append(piece)
            if isinstance(piece, bytes):
                grouped.append(current)
                current = []
        return grouped

    def number(self, name: str) -> int | None:
        """Read the last response called `name` as a number; None where there is none."""
        for piece in reversed(self.untagged.get(name, ())):
            if isinstance(piece, bytes) and _NUMBER.fullmatch(piece.strip()):
                return int(piece)
        return None


class RefusedError(Exception):
    """The server completed a command with NO or BAD; the connection is in order.

    A login may be completed with BYE, too, and the connection is then at its end.
    `code` is the response code (RFC 9051 section 7.1) in upper case, "" for none; `text` is
    the server's sentence, printable and short. `answer` is what came before the refusal;
    `sasl_failure` as `sasl.parse_failure` reads it.
    """

    def __init__(self, command: str, status: str, text: str, answer: Response | None = None) -> None:
        self.command, self.status = command, status
        self.sasl_failure: Mapping[str, str] = {}
        self.answer = answer or Response()
        match = _RESPONSE_CODE.match(text)
        self.code = match[1].upper() if match else ""
        self.text = "".join(c if c.isprintable() else " " for c in text)[:_SERVER_TEXT_CHARS]
        super().__init__(f"{command}: {status} {self.text}")

    @property
    def is_temporary(self) -> bool:
        """Whether the server says that it refuses for now only: no verdict on what was asked."""
        meaning = meaning_of(self.code)
        return meaning is not None and meaning.temporary

    @property
    def retryable(self) -> bool:
        """Whether the same command may succeed later; a NO that does not say why may."""
        return self.is_temporary or (meaning_of(self.code) is None and self.status == "NO")

    @property
    def says_nothing_but_bye(self) -> bool:
        """Whether it is the end of the connection, and no word on the command."""
        return self.status == "BYE" and meaning_of(self.code) is None and not self.is_connection_limit

    @property
    def is_connection_limit(self) -> bool:
        """Whether a login was refused for the number of connections there are."""
        if self.code == "LIMIT":
            return True
        return (self.is_temporary or meaning_of(self.code) is None) and names_connection_limit(self.text)

    @property
    def reason(self) -> Reason:
        """The reason of its error."""
        meaning = meaning_of(self.code)
        return meaning.reason if meaning else Reason.SERVER_REFUSED


def parse_line(line: Sequence[Piece]) -> tuple[Any, ...]:
    """Read the values of a response: octets, numbers, None, and tuples of these.

    Raises:
        ValueError: It is not well-formed, or nested deeper than any real one.
    """
    try:
        return tuple(parse_response(line))
    except (ProtocolError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("a response that cannot be read") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is ready to be sent."""

    name: str
    arguments: Sequence[bytes] = ()
    """Sent as they are; 8-bit ones as literals. Strings are quoted by `quoted`."""

    uid: bool = False
    """Whether to send the UID form (RFC 9051 section 6.4.9)."""

    @property
    def words(self) -> list[bytes]:
        """All that stands after the tag."""
        return [*([b"UID"] if self.uid else []), self.name.encode(), *self.arguments]


def canonical_name(name: str) -> str:
    """Give a mailbox's one name: `inbox` in any case is INBOX (RFC 9051 section 5.1)."""
    return "INBOX" if name.lower() == "inbox" else name


def quoted(text: str) -> bytes:
    """Write a string argument (RFC 9051 section 4.3): quoted, or as it is for a literal when not ASCII.

    Raises:
        ValueError: `text` holds CR, LF or NUL, which would end the command: callers refuse
            them before, in words for whoever sent them.
    """
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a string argument holds CR, LF or NUL")
    octets = text.encode()
    if not octets.isascii():
        return octets
    return b'"' + octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def encode_mailbox(name: str) -> bytes:
    """Write a mailbox name in modified UTF-7 (RFC 3501 section 5.1.3), as the server keeps it."""
    return bytes(encode_utf7(name))

"""What comes back for a command: untagged responses as the server sent them, or a refusal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from imapclient.exceptions import ProtocolError
from imapclient.response_parser import parse_response

from mailmcp.imap.response_codes import meaning_of, names_connection_limit
from mailmcp.reasons import Reason

Piece = bytes | tuple[bytes, bytes]
"""What imaplib gives of an answer: a line, or a line up to a literal with the literal."""

_RESPONSE_CODE = re.compile(r"\[([A-Z0-9-]+)", re.IGNORECASE)
_NUMBER = re.compile(rb"\d{1,20}")
_SERVER_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
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

    def __init__(self, command: str, status: str, text: str, answer: Answer | None = None) -> None:
        self.command, self.status = command, status
        self.sasl_failure: Mapping[str, str] = {}
        self.answer = answer or Answer()
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

"""The values in a response: octets, numbers, NIL and lists (RFC 9051 section 4).

Servers write what isn't quoted as they like, so an unquoted word may hold any character but white space,
controls and `()%"`.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from mailmcp.imap.command import Piece

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


def parse_line(line: Sequence[Piece]) -> tuple[Any, ...]:
    """Parse a response into octets, numbers, None, and tuples of these.

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

"""The part of IMAP's grammar that a peer needs: arguments, strings and UID sets."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

Argument: TypeAlias = "str | list[Argument]"
"""An atom, a string without its quotes, or a parenthesised list."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""IMAP's, whatever the process's locale."""

_TOKEN = re.compile(
    rb"""[ ]*(?:
      (?P<open>\() | (?P<close>\))
    | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | \{(?P<literal>\d+)\+?\}\r\n
    | (?P<atom>[^\s()"{\[]+ (?:\[[^\]]*\] (?:<[\d.]+>)? )?)
    )""",
    re.VERBOSE,
)


class BadCommandError(Exception):
    """The command is not understood; the peer answers BAD with this text."""


def parse_arguments(raw: bytes) -> list[Argument]:
    """Parse all that follows a command's name.

    A FETCH item is one atom with its section: ``BODY.PEEK[HEADER.FIELDS (FROM)]<0.10>``.

    Args:
        raw: With each literal as it was sent: its length in braces, CRLF, its octets.

    Raises:
        BadCommandError: A token is none of these.
    """
    stack: list[list[Argument]] = [[]]
    for kind, octets in _tokens(raw):
        if kind == "open":
            stack.append([])
        elif kind == "close":
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(octets.decode("utf-8", "surrogateescape"))
    return stack[0]


def format_string(text: str | bytes) -> bytes:
    """Write a string, quoted where IMAP allows that and as a literal where not."""
    octets = text.encode() if isinstance(text, str) else text
    if re.search(rb"[\x00\r\n\x80-\xff]", octets):
        return b"{%d}\r\n%b" % (len(octets), octets)
    return b'"%b"' % re.sub(rb'(["\\])', rb"\\\1", octets)


def select_uids(uid_set: str, existing: Iterable[int]) -> list[int]:
    """Return the existing UIDs in a set like ``1,4:7,9:*``, lowest first."""
    uids = sorted(existing)
    if not uids:
        return []
    chosen: set[int] = set()
    for span in uid_set.split(","):
        ends = [uids[-1] if end == "*" else int(end) for end in span.split(":")]
        low, high = min(ends), max(ends)
        chosen.update(uid for uid in uids if low <= uid <= high)
    return sorted(chosen)


def _tokens(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Split into tokens, each with the name of its group in `_TOKEN`."""
    position = 0
    while position < len(raw):
        token = _TOKEN.match(raw, position)
        if token is None:
            raise BadCommandError("Syntax error")
        kind, position = str(token.lastgroup), token.end()
        octets: bytes = token[kind]
        if kind == "literal":
            start, position = position, position + int(octets)
            octets = raw[start:position]
        elif kind == "quoted":
            octets = re.sub(rb"\\(.)", rb"\1", octets)
        yield kind, octets

"""Rows of plain items are read by one pattern: it reads what the general parser reads, or leaves it alone."""

from itertools import permutations

import pytest

from mailmcp.imap.command import Piece
from mailmcp.imap.rows import _parse_simple
from mailmcp.imap.values import parse_line

HEADER = b"From: Ann <ann@example.org>\r\n\r\n"
ITEMS = (
    b"UID 77",
    b"FLAGS (\\Seen $Forwarded project-x)",
    b'INTERNALDATE " 1-Jan-2024 12:00:00 +0000"',
    b"RFC822.SIZE 1234",
)
FIELDS = b"BODY[HEADER.FIELDS (FROM LIST-ID)] {%d}" % len(HEADER)


def parsed(line: list[Piece]) -> dict[bytes, object]:
    _, values = parse_line(line)
    return {name.upper(): value for name, value in zip(values[::2], values[1::2], strict=True)}


@pytest.mark.parametrize("order", list(permutations(ITEMS)))
def test_items_in_any_order(order: tuple[bytes, ...]) -> None:
    items = b" ".join(order)
    line: list[Piece] = [b"3 (" + items + b")"]
    assert _parse_simple(line) == parsed(line)
    with_header: list[Piece] = [(b"3 (" + items + b" " + FIELDS, HEADER), b")"]
    assert _parse_simple(with_header) == parsed(with_header)


@pytest.mark.parametrize(
    "line",
    [
        [b"3 (FLAGS () UID 77)"],
        [b"3 (uid 77 flags (\\Seen))"],
        [(b"3 (UID 77 body[header.fields (from)] {2}", b"\r\n"), b")"],
    ],
)
def test_other_spellings(line: list[Piece]) -> None:
    assert _parse_simple(line) == parsed(line)


@pytest.mark.parametrize(
    "line",
    [
        [b"3 (FLAGS (\\Seen))"],
        [b"3 (UID 77 EMAILID (M6d99ac3275bb4e))"],
        [b'3 (UID 77 BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 1 1))'],
        [b"3 (UID 77 FLAGS (a(b))"],
        [b'3 (UID 77 INTERNALDATE "1-Jan-2024\\"")'],
        [b"3 (UID 77 INTERNALDATE NIL)"],
        [b"3 (UID 77 RFC822.SIZE 99999999999)"],
        [b"3 (UID 77 )"],
        [b"3 (UID 77  FLAGS ())"],
        [b"3 UID 77"],
        [b'3 (UID 77 BODY[HEADER.FIELDS (FROM)] "From: a")'],
        [b"3 (UID 77 BODY[HEADER.FIELDS (FROM)] {2})"],
        [(b"3 (UID 77 BODY[HEADER.FIELDS (FROM)] {2}", b"\r\n"), b" FLAGS ())"],
        [(b"3 (UID 77 BODY[TEXT] {2}", b"\r\n"), b")"],
        [(b"3 (UID 77 BODY[HEADER.FIELDS (FROM)]<0> {2}", b"\r\n"), b")"],
        [(b"3 (BODY[HEADER.FIELDS (FROM)] {2}", b"\r\n"), b" UID 77)"],
        [(b"3 (UID 77 BODY[1] {1}", b"a"), (b" BODY[HEADER.FIELDS (FROM)] {2}", b"\r\n"), b")"],
        [b""],
    ],
)
def test_anything_else_is_left_to_the_parser(line: list[Piece]) -> None:
    assert _parse_simple(line) is None

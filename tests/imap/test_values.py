"""The values in a response are those that IMAPClient's parser reads, which takes three times as long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imapclient.exceptions import ProtocolError
from imapclient.response_parser import parse_response

from mailmcp.imap.command import Piece, parse_line


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ([b""], ()),
        ([b"1 (UID 7 FLAGS (\\Seen) X NIL)"], (1, (b"UID", 7, b"FLAGS", (b"\\Seen",), b"X", None))),
        ([b'"NIL" "7" "" nil 07 0'], (b"NIL", b"7", b"", b"nil", b"07", 0)),
        ([rb'"a \"b\" \\ \n"'], (rb'a "b" \ \n',)),
        ([b'BODY[HEADER.FIELDS (DATE "X")]<0> a'], (b'BODY[HEADER.FIELDS (DATE "X")]<0>', b"a")),
        ([(b"(A {3}", b'("x'), (b" B {1}", b"\0"), b")"], ((b"A", b'("x', b"B", b"\0"),)),
        ([b"a" + b" " * 300_000], (b"a",)),
        ([b"50%) \xff"], (50, b"%", b")", b"\xff")),
        # Keywords of other programs: Dovecot takes any bracket, and IMAPClient doesn't.
        ([b"(a[b c]d BODY[ [) body[1.mime] x"], ((b"a[b", b"c]d", b"BODY[", b"["), b"body[1.mime]", b"x")),
        ([b"[" * 300_000], (b"[" * 300_000,)),
    ],
)
def test_values(line: list[Piece], values: tuple[object, ...]) -> None:
    assert parse_line(line) == values


@pytest.mark.parametrize(
    "line",
    [
        [b"(" * 50_000],
        [(b"{3}", b"ab")],
        [b"9" * 5_000],
        [b'"' + b'\\"' * 300_000],
        [b'a"' * 300_000],
    ],
)
def test_what_cannot_be_read_is_a_value_error(line: list[Piece]) -> None:
    with pytest.raises(ValueError, match=r"malformed|Exceeds the limit"):
        parse_line(line)


_WORDS = st.sampled_from([b"NIL", b"12", b"{3}", *(bytes([each]) for each in b'() \t\0"\\%0a{\xff')])
_TEXT = st.lists(_WORDS, max_size=15).map(b"".join)
_PIECES = st.one_of(_TEXT, st.tuples(_TEXT.map(lambda text: text + b"{3}"), st.sampled_from([b"abc", b"ab"])))


@given(st.lists(_PIECES, max_size=3))
def test_imapclients_parser_agrees(line: list[Piece]) -> None:
    try:
        expected = parse_response(line)
    except ProtocolError:
        with pytest.raises(ValueError, match="malformed"):
            parse_line(line)
    else:
        assert parse_line(line) == expected

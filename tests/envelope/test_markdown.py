import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_envelope import code, escape
from mcp_envelope.markdown import unescape


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("two\r\nlines", "two lines"),
        ("next\u2028line\u2029and\x85more\x0bhere", "next line and more here"),
        ("**bold** _it_ `code`", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\`"),
        ("# heading", "\\# heading"),
        ("[link](http://x)", "\\[link\\](http://x)"),
        ("<<<body_text", "\\<\\<\\<body_text"),
        ("KM_C258_2.pdf _x_ a__b_ ü_ü", "KM_C258_2.pdf \\_x\\_ a\\_\\_b\\_ ü_ü"),
        ("a|b", "a\\|b"),
        ("  \t ", ""),
        ("", ""),
    ],
)
def test_escape_leaves_a_value_that_starts_nothing(value: str, expected: str) -> None:
    assert escape(value) == expected
    assert unescape(expected) == " ".join(value.split())


@given(st.text(alphabet="ab1é \\`*_[]<>#|~:."))
def test_what_was_escaped_can_be_sent_back(value: str) -> None:
    assert unescape(escape(value)) == " ".join(value.split())


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (r"C:\temp\x", r"C:\temp\x"),
        (r"C:\\temp", r"C:\temp"),
        (r"\\server\share", r"\\server\share"),
        (r"\\\\server\\share", r"\\server\share"),
        (r"[dev] a\_b", r"[dev] a\_b"),
        (r'"C:\_x"', r'"C:\_x"'),
    ],
)
def test_backslashes_of_ones_own_stay(sent: str, meant: str) -> None:
    assert unescape(sent) == meant


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("imap:a:INBOX:1:2", "`imap:a:INBOX:1:2`"),
        ("with `ticks`", "`` with `ticks` ``"),
        ("``", "``` `` ```"),
        ("two\nlines", "`two lines`"),
        ("two  spaces\u3000wide", "`two  spaces\u3000wide`"),
    ],
)
def test_code_cannot_be_left_by_its_value(value: str, expected: str) -> None:
    """CommonMark 0.31 section 6.1: a span ends at a run of as many backticks as began it."""
    assert code(value) == expected

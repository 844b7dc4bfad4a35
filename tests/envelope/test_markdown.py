import pytest

from mailmcp.envelope.markdown import code, escape


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("two\r\nlines", "two lines"),
        ("next\u2028line\u2029and\x85more\x0bhere", "next line and more here"),
        ("**bold** _it_ `code`", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\`"),
        ("# heading", "\\# heading"),
        ("[link](http://x)", "\\[link\\](http://x)"),
        ("<<<body_text", "\\<\\<\\<body\\_text"),
        ("a|b", "a\\|b"),
        ("  \t ", ""),
        ("", ""),
    ],
)
def test_escape_leaves_a_value_that_starts_nothing(value: str, expected: str) -> None:
    assert escape(value) == expected


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

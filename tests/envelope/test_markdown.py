import json
import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mcp_envelope import code
from mcp_envelope.markdown import code_json, escape, quote, unescape

HOSTILE_TEXT = st.text(
    st.sampled_from('ab "`\\|;*_[<>&\n\r\t\x85\u2028\u2029\u202e\u2066\u200b\u3000é\u1fef\u037e\uff40')
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("two\r\nlines", "two lines"),
        ("next\u2028line\u2029and\x85more\x0bhere", "next line and more here"),
        ("**bold** _it_ `code`", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\`"),
        ("[link](http://x)", "\\[link](http://x)"),
        ("&lt; &#124; AT&T a & b;", "\\&lt; \\&#124; AT&T a & b;"),
        ("<2 <=ann@a.example> <2@a.example>", "<2 \\<=ann@a.example> \\<2@a.example>"),
        ("</b> <!-- <?x <ann@a.example>", "\\</b> \\<!-- \\<?x \\<ann@a.example>"),
        ("KM_C258_2.pdf _x_ a__b_ ü_ü", "KM_C258_2.pdf \\_x\\_ a__b\\_ ü_ü"),
        ("\u1fefcode\u1fef &lt\u037e", "\\`code\\` \\&lt;"),
        ("* a *** b ___ ~~~~~ c *", "\\* a *** b ___ ~~~~~ c \\*"),
        ("~5 ~~gone~~ ~~~x~~~ ~/y", "\\~5 \\~\\~gone\\~\\~ \\~\\~\\~x\\~\\~\\~ \\~/y"),
        ("", ""),
    ],
)
def test_escape_leaves_a_value_that_starts_nothing(value: str, expected: str) -> None:
    assert escape(value) == expected
    assert unescape(expected) == " ".join(normalize("NFC", value).split())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('Say "no" | Next: x', '"Say \\"no\\" | Next: x"'),
        ("ends with \\", '"ends with \\\\"'),
        ("txt\u202egpj.exe", '"txt\ufffdgpj.exe"'),
        (" \n", ""),
    ],
)
def test_a_quoted_value_shows_where_it_begins_and_ends(value: str, expected: str) -> None:
    assert quote(value) == expected


@given(HOSTILE_TEXT)
def test_a_quoted_value_cannot_end_its_quotes_or_its_line(value: str) -> None:
    quoted = quote(value)
    assert quoted == "" or re.fullmatch(r'"(?:[^"\\]|\\.)+"', quoted)
    assert quoted.splitlines() == ([quoted] if quoted else [])
    assert not re.search("[\u200b\u202e\u2066]", quoted)


MARKDOWN = MarkdownIt("commonmark").enable(["strikethrough", "table"])


VALUES = st.text(alphabet='ab1 \\`*_[]()<>!#|~:.-&;"/@=', min_size=1).filter(str.strip)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_nothing_in_quotes_is_markup_whatever_stands_beside_it(values: list[str]) -> None:
    """Rendered, the line reads as the values do: a delimiter in one must not find its partner in another."""
    quoted = [quote(value) for value in values]
    [_, inline, _] = MARKDOWN.parse(f"Subject: {' | to '.join(quoted)}")
    assert {each.type for each in inline.children or ()} <= {"text", "text_special"}
    rendered = "".join(each.content for each in inline.children or ())
    shown = [f'"{" ".join(value.split())}"' for value in values]
    assert rendered == f"Subject: {' | to '.join(shown)}"


@given(st.text(alphabet="ab1é \\`*_[]<>#|~:.&;"))
def test_what_was_escaped_can_be_sent_back(value: str) -> None:
    assert unescape(escape(value)) == " ".join(value.split())


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (r"C:\temp\x", r"C:\temp\x"),
        (r"C:\\temp", r"C:\temp"),
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
        ("with `ticks`", '`"with \\u0060ticks\\u0060"`'),
        ('"quoted"', '`"\\"quoted\\""`'),
        ("two\nlines", r'`"two\nlines"`'),
        ("IN\u202eXOB", r'`"IN\u202eXOB"`'),
        (" space ", '`" space "`'),
        ("a\u1fefb\uff40c", r'`"a\u1fefb\uff40c"`'),
        ("IN\u00a0BOX\u202f", r'`"IN\u00a0BOX\u202f"`'),
        ("two  spaces\u3000wide", "`two  spaces\u3000wide`"),
        ("e\u0301", r'`"e\u0301"`'),
        ("\u212am", r'`"\u212am"`'),
        ("IN\U0001d173BOX\ufffe", r'`"IN\ud834\udd73BOX\ufffe"`'),
        ("", '`""`'),
    ],
)
def test_code_shows_a_value_that_can_be_copied(value: str, expected: str) -> None:
    assert code(value) == expected


@given(HOSTILE_TEXT)
def test_code_is_one_span_that_holds_the_value_exactly(value: str) -> None:
    """CommonMark 0.31 section 6.1: a span ends at the next backtick."""
    for span, held in ((code(value), value), (code_json({"a": value}), {"a": value})):
        for shown in (span, normalize("NFC", span), normalize("NFKC", span)):
            assert re.fullmatch(r"`[^`\x00-\x1f\x85\u2028\u2029\u202e\u2066\u200b]+`", shown)
        inside = span[1:-1]
        assert held == (json.loads(inside) if inside.startswith(('"', "{")) else inside)

"""Marks around text that may be hidden, where a text is taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.marks import is_in_mark, mark_lines
from mailmcp.mail.text.quotes import collapse_quotes
from mailmcp.mail.text.snippet import make_snippet_around

DIM = "opacity:.05;opacity:foo"


@pytest.mark.parametrize(
    "passage",
    [
        f'<p>&gt; <span style="{DIM}">a<br>&gt; b<br>&gt; c<br>&gt; d<br>&gt; e<br>SECRET</span></p>',
        f'<pre style="{DIM}">x\n&gt; a\n&gt; b\n\n&gt; c\n&gt; d\nSECRET</pre>',
        f'<div style="{DIM}">a<br><br><span style="display:block">SECRET</span></div>',
        f'<blockquote><p style="{DIM}">a<br>SECRET</p></blockquote>',
    ],
)
def test_each_line_of_a_passage_has_a_mark(passage: str) -> None:
    text = html_to_text(f"<p>Words of the author.</p>{passage}<p>The end.</p>").text
    for seen in (text, collapse_quotes(text).text, make_snippet_around(text, ["secret"], 60)):
        assert all("[may be hidden: SECRET]" in line for line in seen.split("\n") if "SECRET" in line)
    assert "[may be hidden: SECRET]" in text
    assert text.endswith("\n\nThe end.")


@pytest.mark.parametrize("max_chars", [50, 80, 500])
def test_a_snippet_from_within_a_mark_has_one(max_chars: int) -> None:
    text = html_to_text(f'<p style="{DIM}">{"word " * 200} SECRET {"word " * 200}</p>').text
    snippet = make_snippet_around(text, ["secret"], max_chars)
    assert snippet.startswith("…[may be hidden: ")
    assert "SECRET" in snippet
    assert len(snippet) <= max_chars


@given(
    st.lists(
        st.sampled_from(["", "> ", "a", "> a", "[may be hidden: a", "b]", "> b] c", "[may be hidden: d] e"])
    )
)
def test_no_line_begins_within_a_mark(lines: list[str]) -> None:
    marked = mark_lines(lines)
    text = "\n".join(marked)
    assert len(marked) == len(lines)
    starts = [0]
    for line in marked:
        starts.append(starts[-1] + len(line) + 1)
    assert not any(is_in_mark(text, start) for start in starts[:-1])
    assert mark_lines(marked) == marked

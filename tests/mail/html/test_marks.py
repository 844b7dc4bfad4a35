"""Marks around text that may be hidden, where a text is taken apart."""

import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.marks import is_in_mark, mark, without_marked, write_marks
from mailmcp.mail.text.quotes import collapse_quotes
from mailmcp.mail.text.snippet import make_snippet_around

DIM = "opacity:var(--x)"


@pytest.mark.parametrize(
    "passage",
    [
        f'<p>&gt; <span style="{DIM}">a<br>&gt; b<br>&gt; c<br>&gt; d<br>&gt; e<br>SECRET</span></p>',
        f'<pre style="{DIM}">x\n&gt; a\n&gt; b\n\n&gt; c\n&gt; d\nSECRET</pre>',
        f'<blockquote><p style="{DIM}">a<br>SECRET</p></blockquote>',
    ],
)
def test_each_line_of_a_passage_has_a_mark(passage: str) -> None:
    text = html_to_text(f"<p>Words of the author.</p>{passage}<p>The end.</p>").text
    for seen in (text, collapse_quotes(text).text, make_snippet_around(text, ["secret"], 60)):
        assert all("[may be hidden: SECRET]" in line for line in seen.split("\n") if "SECRET" in line)
    assert "[may be hidden: SECRET]" in text
    assert text.endswith("\n\nThe end.")


def test_a_snippet_from_within_a_mark_has_one() -> None:
    text = html_to_text(f'<p style="{DIM}">{"word " * 200} SECRET {"word " * 200}</p>').text
    snippet = make_snippet_around(text, ["secret"], 80)
    assert snippet.startswith("…[may be hidden: ")
    assert "SECRET" in snippet
    assert len(snippet) <= 80


def test_neighbouring_passages_are_one() -> None:
    text, passages, chars = write_marks(f"{mark('a]')} {mark('b')} | {mark('c')}\n{mark('d')}")
    assert (text, passages, chars) == ("[may be hidden: a) b | c]\n[may be hidden: d]", 2, 9)


def test_a_place_is_in_a_mark_or_not() -> None:
    text = "a [may be hidden: b] c"
    assert [at for at in range(len(text)) if is_in_mark(text, at)] == list(range(3, text.index("]") + 1))
    assert without_marked(text) == "a   c"

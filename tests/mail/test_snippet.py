import pytest

from mailmcp.mail.snippet import make_snippet


@pytest.mark.parametrize(
    ("text", "max_chars", "snippet"),
    [
        ("", 50, ""),
        (" \n\t ", 50, ""),
        ("short", 5, "short"),
        ("two\n\n  lines\there", 50, "two lines here"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("one, two three", 7, "one…"),
        ("unbreakableword", 6, "unbre…"),
        ("a unbreakableword", 8, "a unbre…"),
        ("> quoted\n> more\nmy answer", 50, "my answer"),
        ("> only\n> quoted", 50, "> only > quoted"),
        ("a\u200bb \u202ec", 50, "ab c"),
        ("long", 1, "…"),
    ],
)
def test_a_snippet_is_one_line_cut_at_a_word(text: str, max_chars: int, snippet: str) -> None:
    assert make_snippet(text, max_chars) == snippet


@pytest.mark.parametrize("max_chars", range(1, 60))
def test_it_is_never_longer_than_asked(max_chars: int) -> None:
    snippet = make_snippet(
        "Words of several lengths, incomprehensibilities and a, b, c and so on and on", max_chars
    )
    assert 0 < len(snippet) <= max_chars

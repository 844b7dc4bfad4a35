import pytest

from mailmcp.mail.text.snippet import ELLIPSIS, find_words, make_snippet, make_snippet_around


@pytest.mark.parametrize(
    ("text", "max_chars", "snippet"),
    [
        ("", 50, ""),
        ("one two three", 8, "one two…"),
        ("unbreakableword", 6, "unbre…"),
        ("a\u200bb \u202ec", 50, "ab c"),
        ("aa\U0001f468\u200d\U0001f469a", 5, "aa\U0001f468…"),
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


WORDS = " ".join(f"word{number}" for number in range(100))


@pytest.mark.parametrize(
    ("text", "words", "max_chars", "snippet"),
    [
        ("one two three", ["three"], 50, "one two three"),
        ("one two three", ["nowhere"], 8, "one two…"),
        (WORDS, ["word50"], 30, "…word49 word50 word51 word52…"),
        (WORDS, ["word99"], 30, "…word98 word99"),
        (WORDS, ["word0", "word50", "word1 "], 30, "…word49 word50 word51 word52…"),
        ("\U0001f468\u200d\U0001f469" * 9 + "nee" + "y" * 9, ["nee"], 7, "…\U0001f469neey…"),
    ],
)
def test_a_snippet_shows_what_was_found(text: str, words: list[str], max_chars: int, snippet: str) -> None:
    assert make_snippet_around(text, words, max_chars) == snippet


def test_patterns_in_words_are_letters() -> None:
    assert find_words("a+b (c) (C)", ["(c)"]) == [range(4, 7), range(8, 11)]
    assert find_words("aab", ["a+b", ".*"]) == []
    assert ELLIPSIS not in make_snippet_around("a.b", ["."], 50)

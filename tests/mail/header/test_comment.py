import pytest

from mailmcp.mail.header.address import blank_comments, comment_end


@pytest.mark.parametrize(
    ("value", "blanked"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a(b)c", "a c"),
        ("a (b (c) d) e", "a   e"),
        ('"(a)" (b) "c', '"(a)"   "c'),
        (r'"\"(a)"(b)', r'"\"(a)" '),
        ("a) (b", "a) (b"),
        ("a(b)c (d", "a c (d"),
        ("a(b\\", "a(b\\"),
    ],
)
def test_whole_comments_become_a_space(value: str, blanked: str) -> None:
    assert blank_comments(value) == blanked


def test_a_comment_ends_at_its_own_parenthesis() -> None:
    assert comment_end("a(b(c)d)e", 1) == 8
    assert comment_end("a(b(c)d", 1) == -1

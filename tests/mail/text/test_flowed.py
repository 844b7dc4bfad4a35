import pytest

from mailmcp.mail.text.plain import unflow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("fixed\nlines", "fixed\nlines"),
        ("one \nparagraph \nhere\nnext", "one paragraph here\nnext"),
        (" stuffed\n >not a quote", "stuffed\n>not a quote"),
        ("> quoted \n> on\n> end", "> quoted on\n> end"),
        ("> quoted \n>> deeper \nplain", "> quoted\n>> deeper\nplain"),
        (">> a \n>> b", ">> a b"),
        ("text \n-- \nAda", "text\n-- \nAda"),
        ("ends flowing ", "ends flowing"),
        ("a \n\nb", "a \nb".replace(" \n", "\n")),
    ],
)
def test_soft_breaks_are_joined(text: str, expected: str) -> None:
    """RFC 3676 section 4."""
    assert unflow(text, delete_space=False) == expected


def test_with_delsp_the_space_is_not_part_of_the_text() -> None:
    """RFC 3676 section 4.1: for languages without spaces."""
    assert unflow("明日の \n会議", delete_space=True) == "明日の会議"

import pytest

from mailmcp.mail.text.plain import unflow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("fixed\nlines", "fixed\nlines"),
        ("one \nparagraph \nhere\nnext", "one paragraph here\nnext"),
        ("> quoted \n> on\n> end", "> quoted on\n> end"),
    ],
)
def test_soft_breaks_are_joined(text: str, expected: str) -> None:
    """RFC 3676 section 4."""
    assert unflow(text, delete_space=False) == expected


def test_with_delsp_the_space_is_not_part_of_the_text() -> None:
    """RFC 3676 section 4.1: for languages without spaces."""
    assert unflow("明日の \n会議", delete_space=True) == "明日の会議"

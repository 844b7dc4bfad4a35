import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.font import font_px, is_squeezed


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("12px", 12.0),
        ("50%", 10.0),
        ("2em", 40.0),
        ("medium", 16.0),
        ("larger", 24.0),
        ("", 20.0),
        ("-3px", 20.0),
        ("auto", 20.0),
        ("0", 0.0),
    ],
)
def test_sizes_are_reckoned_by_what_stands_around(size: str, expected: float) -> None:
    assert font_px(size, 20.0) == expected


@pytest.mark.parametrize(
    ("spacing", "expected"),
    [
        ("-1em", True),
        ("-8px", True),
        ("-100%", True),
        ("-0.5px", False),
        ("2px", False),
        ("normal", False),
        ("", False),
    ],
)
def test_letters_on_each_other_are_not_read(spacing: str, *, expected: bool) -> None:
    assert is_squeezed(spacing, 16.0) is expected


def test_letters_of_no_size_have_no_width_to_lose() -> None:
    assert not is_squeezed("0", 0.0)


def test_spacing_is_inherited_until_another_is_set() -> None:
    html = "<div style='letter-spacing:-1em'>secret<b>secret</b><p style='letter-spacing:0'>shown</p></div>"
    converted = html_to_text(html)
    assert (converted.text, dict(converted.hidden_by)) == ("shown", {"font size": 1})

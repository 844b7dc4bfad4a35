"""What is written, within its ceilings."""

import pytest

from documents.reading import writer
from mailmcp.documents.writer import section_title


def test_offsets_hold_when_characters_are_taken_out() -> None:
    out = writer()
    out.begin_section(section_title("Sheet", "A\u200b", hidden=False))
    out.write_line("in\u200bvis\u202eible")
    out.begin_section("B")
    out.write_line("b")
    result = out.result()
    assert result["text"] == "[Sheet A]\ninvisible\n\n[B]\nb"
    assert result["sections"] == [("Sheet A", 0), ("B", 21)]
    assert result["notes"] == ["Removed 2 invisible characters."]


@pytest.mark.parametrize(
    ("name", "hidden", "title"),
    [
        ("Totals", False, "Sheet Totals"),
        ("Totals", True, "Sheet Totals (hidden)"),
        ("Totals (hidden)", False, 'Sheet "Totals (hidden)"'),
        ('"Totals" (hidden)', False, r'Sheet "\"Totals\" (hidden)"'),
        ("Totals（hidden）", False, 'Sheet "Totals（hidden）"'),  # noqa: RUF001 - brackets that look like ours
        ("A at 19; Sheet B", False, 'Sheet "A at 19; Sheet B"'),
        ("R&D 2024/25, Q1", False, "Sheet R&D 2024/25, Q1"),
        ("", True, "Sheet  (hidden)"),
    ],
)
def test_no_name_says_that_a_sheet_is_hidden(name: str, title: str, *, hidden: bool) -> None:
    assert section_title("Sheet", name, hidden=hidden) == title

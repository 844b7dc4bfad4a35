"""What is written, within its ceilings."""

import pytest

from documents.reading import writer
from mailmcp import limits
from mailmcp.documents.writer import StopReading, section_title


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


def test_there_are_only_so_many_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_SECTIONS_MAX", 2)
    out = writer()
    out.begin_section("1")
    out.begin_section("2")
    with pytest.raises(StopReading):
        out.begin_section("3")
    assert out.result()["notes"] == ["Only the first 2 pages, sheets or slides were read."]


def test_names_count_too() -> None:
    out = writer(max_chars=20)
    out.begin_section("Page 1")
    with pytest.raises(StopReading):
        out.begin_section("Page 2")
    assert out.truncated
    assert len(str(out.result()["text"])) <= 20


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

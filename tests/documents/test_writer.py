"""What is written, within its ceilings."""

import pytest

from documents.reading import writer
from mailmcp import limits
from mailmcp.documents.writer import StopReading, section_title

QUOTE = r"\""


def test_sections_begin_where_they_say() -> None:
    out = writer()
    out.write_line("preface")
    out.begin_section("Page 1")
    out.write_line("one  ")
    out.write_line("")
    out.begin_section("Page 2")
    out.begin_section("Page 3")
    out.write_line("three")
    result = out.result()
    text = str(result["text"])
    assert text == "preface\n\n[Page 1]\none\n\n[Page 2]\n[Page 3]\nthree"
    assert result["sections"] == [(name, text.index(f"[{name}]")) for name in ("Page 1", "Page 2", "Page 3")]


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


def test_the_text_ends_at_the_ceiling() -> None:
    out = writer(max_chars=5)
    out.write_line("abc")
    with pytest.raises(StopReading):
        out.write_line("defg")
    out.add_note("Another note.")
    assert (out.result()["text"], out.truncated) == ("abc\nd", True)
    assert out.notes == ["Only the first 5 characters of the document were read.", "Another note."]


def test_the_reading_ends_when_time_is_up() -> None:
    out = writer(time_s=-1)
    with pytest.raises(StopReading):
        out.write_line("late")
    assert out.result()["notes"] == ["Reading the document took too long: only its beginning was read."]
    assert out.truncated


def test_there_are_only_so_many_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_SECTIONS_MAX", 2)
    out = writer()
    out.begin_section("1")
    out.begin_section("2")
    with pytest.raises(StopReading):
        out.begin_section("3")
    assert out.result()["notes"] == ["Only the first 2 pages, sheets or slides were read."]


def test_notes_are_said_once() -> None:
    out = writer()
    out.add_note("So.")
    out.add_note("So.")
    out.count_hidden("a")
    assert out.result()["notes"] == ["So.", "Removed 1 hidden character."]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("n" * 1_000, f"Sheet {'n' * 99}… (hidden)"),
        ('"' * 1_000, f'Sheet "{QUOTE * 99}…" (hidden)'),
        (f"{'n' * 80} (hidden) {'n' * 100}", f'Sheet "{"n" * 80} (hidden)…" (hidden)'),
    ],
)
def test_a_long_name_is_cut_before_it_is_quoted(name: str, title: str) -> None:
    assert section_title("Sheet", name, hidden=True) == title


def test_emptiness_is_of_text() -> None:
    out = writer()
    out.begin_section("Page 1")
    out.write_line(" ")
    assert out.is_empty
    out.write_line("x")
    assert not out.is_empty


def test_names_count_too() -> None:
    out = writer(max_chars=20)
    out.begin_section("Page 1")
    with pytest.raises(StopReading):
        out.begin_section("Page 2")
    assert out.truncated
    assert len(str(out.result()["text"])) <= 20


def test_an_interrupt_counts_only_while_it_is_read() -> None:
    out = writer()
    out.write_line("x")
    with pytest.raises(StopReading):
        out.interrupt()
    assert out.result()["notes"] == ["Reading the document took too long: only its beginning was read."]
    out.close()
    out.interrupt()


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

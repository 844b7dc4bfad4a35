"""XLSX as the rows that a person sees."""

import io
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from documents.documents import xlsx
from documents.reading import read_with
from mailmcp.documents.formats.sheet import read
from mailmcp.documents.formats.sheet_numbers import Formats


def test_a_workbook_written_by_another_program() -> None:
    workbook = Workbook()
    prices = workbook.active
    assert prices is not None
    prices.title = "Prices"
    prices.append(["Name", "Since", "Share"])
    prices.append(["Öl", date(2026, 11, 21), 0.125])
    prices["C2"].number_format = "0.0%"
    prices["A9"] = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - cells have no time zone
    prices["E9"] = True
    prices["F9"] = "=SUM(C2:C2)"
    prices["A10"] = "in a hidden row"
    prices.row_dimensions[10].hidden = True
    prices["G2"] = "in a hidden column"
    prices.column_dimensions["G"].hidden = True
    workbook.create_sheet("Old").sheet_state = "hidden"
    saved = io.BytesIO()
    workbook.save(saved)
    reading = read_with(read, saved.getvalue())
    assert reading.text.split("\n") == [
        "[Sheet Prices]",
        "Name | Since | Share",
        "Öl | 2026-11-21 | 12.5%",
        "2026-01-02 03:04:05 |  |  |  | TRUE | =SUM(C2:C2)",
        "",
        "[Sheet Old (hidden)]",
    ]
    assert reading.sections == [("Sheet Prices", 0), ("Sheet Old (hidden)", reading.text.index("[Sheet Old"))]
    assert reading.notes == ["Removed 33 hidden characters."]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('<c t="s"><v>0</v></c>', "rich text"),
        ('<c t="s"><v>9</v></c>', ""),
        ('<c t="s"><v>x</v></c>', ""),
        ('<c t="inlineStr"><is><t>in </t><t>line</t></is></c>', "in line"),
        ('<c t="str"><f>A1</f><v>2.50</v></c>', "2.50"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
        ('<c t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ("<c><v>0.30000000000000004</v></c>", "0.3"),
        ('<c s="1"><v>1</v></c>', "1904-01-02"),  # as old Macs count
        ('<c s="1"><v>0.5</v></c>', "12:00:00"),
        ('<c r="ZZZZ9"><v>4</v></c>', "4"),
        ('<c r="C1"><v>5</v></c>', " |  | 5"),
    ],
)
def test_cells(cell: str, shown: str) -> None:
    strings = "<si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si>"
    styles = (
        '<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    )
    document = xlsx(
        {"A": f"<sheetData> <row> {cell}</row></sheetData>"},
        strings=strings,
        styles=styles,
        workbook='<workbookPr date1904="1"/>',
    )
    assert read_with(read, document).text == f"[Sheet A]\n{shown}".rstrip()


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("46347", "yyyy-mm-dd", "2026-11-21"),
        ("46347.5", "dd/mm/yy hh:mm", "2026-11-21 12:00:00"),
        ("0.75", "[h]:mm", "18:00:00"),
        ("46347", '"day "0', "46347"),
        ("46347", "[$-407]0.00", "46347"),
        ("46347", "[Red]0", "46347"),
        ("0.5", "0.00%", "50%"),
        ("-3", "yyyy", "-3"),
        ("9e9", "yyyy", "9000000000"),
        ("1e300", "0", "1e+300"),
        ("inf", "0", "inf"),
        ("nan", "yyyy", "nan"),
        ("not a number", "0", "not a number"),
        ("2.5", "General", "2.5"),
    ],
)
def test_shown_values(value: str, code: str, shown: str) -> None:
    assert Formats(codes={200: code}, styles=[0, 200]).show(value, 1) == shown

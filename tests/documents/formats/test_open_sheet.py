"""Spreadsheets in OpenDocument form."""

from documents.documents import open_document
from documents.reading import Reading, read_with
from mailmcp.documents.formats.open_document import read

_STYLES = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'


def _cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def _read(rows: str, attributes: str = 'table:name="S"') -> Reading:
    document = open_document("spreadsheet", f"<table:table {attributes}>{rows}</table:table>", styles=_STYLES)
    return read_with(read, document)


def _row(cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{cells}</table:table-row>"


def test_shown_values_stand_in_their_columns_and_dates_are_iso() -> None:
    date = _cell("2. Jan", 'office:date-value="2026-01-02T03:04:05"')
    empty = '<table:table-cell table:number-columns-repeated="2"/>'
    several = "<table:table-cell><text:p>12<text:s/>%</text:p><text:p>b</text:p></table:table-cell>"
    assert _read(_row(date + empty + several)).text == "[Sheet S]\n2026-01-02 03:04:05 |  |  | 12 % b"


def test_repeated_cells_and_rows_are_bounded() -> None:
    """LibreOffice ends every sheet with a million empty rows, and a stranger may fill them."""
    empty = _row(
        '<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048576"'
    )
    full = _row(_cell("x", 'table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048576"')
    odd = _row(_cell("y", 'table:number-columns-repeated="-3"'), 'table:number-rows-repeated="0"')
    lines = _read(empty + odd + full).text.split("\n")
    assert lines[:3] == ["[Sheet S]", "y", " | ".join("x" * 100)]
    assert len(lines) == 2 + 100


def test_what_is_hidden_is_left_out_and_hidden_sheets_are_named_so() -> None:
    column = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    rows = _row(_cell("a") + _cell("column") + _cell("c")) + _row(_cell("row"), 'table:visibility="filter"')
    reading = _read(column + rows, 'table:name="Old" table:style-name="ta2"')
    assert reading.text == "[Sheet Old (hidden)]\na |  | c"
    assert reading.notes == ["Removed 9 hidden characters."]

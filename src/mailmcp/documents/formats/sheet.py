"""Reads XLSX (SpreadsheetML, ECMA-376 part 1, clause 18) as rows of the displayed values.

Not with a library: calamine expands a sheet's whole range, and openpyxl in its streaming mode doesn't tell
which rows and columns are hidden.
"""

import re
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.archive import Archive
from mailmcp.documents.formats.sheet_grid import Grid
from mailmcp.documents.formats.sheet_numbers import Formats, read_formats
from mailmcp.documents.writer import Writer, section_title
from mailmcp.documents.xml_elements import Element, parse_number

_COLUMN: Final = re.compile(r"([A-Z]{1,3})[0-9]")
_TRUE: Final = frozenset({"1", "true"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the sheets in order; the titles of hidden ones say so."""
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    parts = dict(relations.values())
    sheets: list[tuple[str, str]] = []
    since_1904 = False
    for each in archive.elements(main):
        if each.name == "workbookPr":
            since_1904 = each.get("date1904") in _TRUE
        elif each.name == "sheet":
            hidden = each.get("state", "visible") != "visible"
            title = section_title("Sheet", each.get("name"), hidden=hidden)
            sheets.append((title, relations.get(each.get("r:id"), ("", ""))[1]))
    formats = read_formats(archive.elements(parts.get("styles", ""), {"cellXfs"}), since_1904=since_1904)
    strings = [
        "".join(text.text() for text in each.find("t", skipped={"rPh"}))  # without phonetic runs
        for each in archive.elements(parts.get("sharedStrings", ""), {"si"})
        if each.name == "si"
    ]
    for title, path in sheets:
        out.begin_section(title)
        _Sheet(out, strings, formats).read(archive, path)


class _Sheet:
    """Reads the cells of one sheet."""

    def __init__(self, out: Writer, strings: list[str], formats: Formats) -> None:
        self._grid = Grid(out)
        self._strings = strings
        self._formats = formats

    def read(self, archive: Archive, path: str) -> None:
        hidden_columns: set[int] = set()
        for each in archive.elements(path, {"row"}):
            if each.name == "col" and each.get("hidden") in _TRUE:
                first, last = each.number("min"), each.number("max")
                hidden_columns.update(range(first - 1, min(last, limits.SHEET_COLUMNS_MAX)))
            elif each.name == "row":
                column = 0
                for cell in each.elements:
                    place = _COLUMN.match(cell.get("r"))
                    column = _column_number(place[1]) if place else column
                    hidden = each.get("hidden") in _TRUE or column in hidden_columns
                    self._grid.put(column, self._value(cell), hidden=hidden)
                    column += 1
                self._grid.end_row()

    def _value(self, cell: Element) -> str:
        """Return what a cell displays; a formula that was never computed is shown itself."""
        kind, value = cell.get("t", "n"), cell.child("v").text()
        if kind == "inlineStr":
            return "".join(each.text() for each in cell.find("t", skipped={"rPh"}))
        if kind == "s":
            index = parse_number(value, len(self._strings))
            return self._strings[index] if index < len(self._strings) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        formula = cell.child("f").text()
        if not value and formula:
            return f"={formula}"
        return self._formats.show(value, cell.number("s")) if kind == "n" else value


def _column_number(letters: str) -> int:
    """Count columns from 0: A is 0, Z 25, AA 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1

"""Reads XLSX (SpreadsheetML, ECMA-376 part 1, clause 18) as rows of the displayed values.

Not with a library: calamine expands a sheet's whole range, and openpyxl in its streaming mode doesn't tell
which rows and columns are hidden.
"""

import re
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.archive import Archive
from mailmcp.documents.formats.sheet_grid import Grid
from mailmcp.documents.formats.sheet_numbers import Formats, parse_index, read_formats
from mailmcp.documents.writer import Writer, section_title
from mailmcp.documents.xml_stream import End, Start, without

_COLUMN: Final = re.compile(r"([A-Z]{1,3})[0-9]")


def read(content: BinaryIO, out: Writer) -> None:
    """Write the sheets in order; the titles of hidden ones say so.

    Raises:
        UnreadableError: It is not an XLSX, or is too large.
        StopReading: A limit is reached.
    """
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    parts = dict(relations.values())
    sheets: list[tuple[str, str]] = []
    since_1904 = False
    for event in archive.events(main):
        if not isinstance(event, Start):
            continue
        if event.name == "workbookPr":
            since_1904 = event.attributes.get("date1904", "0") in {"1", "true"}
        elif event.name == "sheet":
            hidden = event.attributes.get("state", "visible") != "visible"
            title = section_title("Sheet", event.attributes.get("name", ""), hidden=hidden)
            sheets.append((title, relations.get(event.attributes.get("r:id", ""), ("", ""))[1]))
    formats = read_formats(archive.events(parts.get("styles", "")), since_1904=since_1904)
    strings = _read_strings(archive, parts.get("sharedStrings", ""))
    for title, path in sheets:
        out.begin_section(title)
        _Sheet(out, strings, formats).read(archive, path)


def _read_strings(archive: Archive, path: str) -> list[str]:
    """Read the shared strings, without their phonetic runs."""
    strings: list[str] = []
    pieces: list[str] = []
    in_text = False
    for event in without(archive.events(path), {"rPh"}):
        if isinstance(event, str):
            if in_text:
                pieces.append(event)
        elif event.name == "t":
            in_text = isinstance(event, Start)
        elif event == End("si"):
            strings.append("".join(pieces))
            pieces.clear()
    return strings


class _Sheet:
    """Reads the cells of one sheet."""

    def __init__(self, out: Writer, strings: list[str], formats: Formats) -> None:
        self._grid = Grid(out)
        self._strings = strings
        self._formats = formats
        self._hidden_columns: set[int] = set()
        self._row_hidden = False
        self._column = 0
        self._type = ""
        self._style = 0
        self._into = ""
        self._found: dict[str, list[str]] = {}

    def read(self, archive: Archive, path: str) -> None:
        for event in archive.events(path):
            if isinstance(event, str):
                if self._into:
                    self._found[self._into].append(event)
            elif isinstance(event, Start):
                self._start(event)
            else:
                self._end(event.name)

    def _start(self, event: Start) -> None:
        attributes = event.attributes
        if event.name == "c":
            self._begin_cell(event)
        elif event.name in {"v", "f", "t"}:
            self._into = event.name
        elif event.name == "row":
            self._row_hidden = attributes.get("hidden") in {"1", "true"}
            self._column = 0
        elif event.name == "col" and attributes.get("hidden") in {"1", "true"}:
            first, last = parse_index(attributes.get("min", "")), parse_index(attributes.get("max", ""))
            self._hidden_columns.update(range(first - 1, min(last, limits.SHEET_COLUMNS_MAX)))

    def _begin_cell(self, event: Start) -> None:
        place = _COLUMN.match(event.attributes.get("r", ""))
        if place:
            self._column = _column_number(place[1])
        self._type = event.attributes.get("t", "n")
        self._style = parse_index(event.attributes.get("s", ""))
        self._found = {"v": [], "f": [], "t": []}

    def _end(self, name: str) -> None:
        if name in {"v", "f", "t"}:
            self._into = ""
        elif name == "c":
            hidden = self._row_hidden or self._column in self._hidden_columns
            self._grid.put(self._column, self._value(), hidden=hidden)
            self._column += 1
        elif name == "row":
            self._grid.end_row()

    def _value(self) -> str:
        """Return what the cell displays; a formula that was never computed is shown itself."""
        value = "".join(self._found["v"])
        if self._type == "inlineStr":
            return "".join(self._found["t"])
        if self._type == "s":
            index = parse_index(value, default=len(self._strings))
            return self._strings[index] if index < len(self._strings) else ""
        if self._type == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        formula = "".join(self._found["f"])
        if not value and formula:
            return f"={formula}"
        return self._formats.show(value, self._style) if self._type == "n" else value


def _column_number(letters: str) -> int:
    """Count columns from 0: A is 0, Z 25, AA 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1

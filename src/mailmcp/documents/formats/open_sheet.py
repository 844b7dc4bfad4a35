"""Reads the sheets of an OpenDocument spreadsheet.

A cell or row can stand for thousands of equal ones. Empty ones are skipped, others are written a few times.
"""

from collections.abc import Iterable
from typing import Final

from mailmcp import limits
from mailmcp.documents.formats.sheet_grid import Grid
from mailmcp.documents.writer import Writer, section_title
from mailmcp.documents.xml_elements import Element

_SKIPPED: Final = frozenset({"annotation", "tracked-changes", "shapes", "forms", "database-ranges"})
WHOLE: Final = _SKIPPED | {"table-row"}
"""The elements to read as a whole."""

_CELLS: Final = frozenset({"table-cell", "covered-table-cell"})
_REPEATED_MAX: Final = 100
"""Times that a cell or row with text is written."""


class SheetReader:
    """Writes rows of the displayed values, with dates in ISO 8601."""

    def __init__(self, out: Writer, hidden_styles: frozenset[str]) -> None:
        """Write to `out`; a table in one of the `hidden_styles` is a hidden sheet."""
        self._out = out
        self._grid = Grid(out)
        self._hidden_styles = hidden_styles

    def read(self, elements: Iterable[Element]) -> None:
        """Read to the end."""
        hidden_columns: set[int] = set()
        columns = 0
        for each in elements:
            if each.name == "table":
                hidden = each.get("style-name") in self._hidden_styles
                self._out.begin_section(section_title("Sheet", each.get("name"), hidden=hidden))
                hidden_columns, columns = set(), 0
            elif each.name == "table-column":
                times = each.number("number-columns-repeated") or 1
                if _is_hidden(each):
                    hidden_columns.update(range(columns, min(columns + times, limits.SHEET_COLUMNS_MAX)))
                columns += times
            elif each.name == "table-row":
                self._row(each, hidden_columns)

    def _row(self, row: Element, hidden_columns: set[int]) -> None:
        hidden = _is_hidden(row)
        column = 0
        for cell in row.elements:
            if cell.name not in _CELLS:
                continue
            times = cell.number("number-columns-repeated") or 1
            if text := cell.get("date-value").replace("T", " ") or _text(cell):
                for at in range(column, column + min(times, _REPEATED_MAX)):
                    self._grid.put(at, text, hidden=hidden or at in hidden_columns)
            column += times
        self._grid.end_row(times=min(row.number("number-rows-repeated") or 1, _REPEATED_MAX))


def _text(cell: Element) -> str:
    """Return the text of a cell: paragraphs, and elements that stand for spaces, are separated."""
    pieces = (each if isinstance(each, str) else _space(each) for each in cell.walk(_SKIPPED))
    return "".join(pieces).strip()


def _space(element: Element) -> str:
    return " " if element.name in {"p", "s", "tab", "line-break"} else ""


def _is_hidden(element: Element) -> bool:
    return element.get("visibility", "visible") != "visible"

"""Reads the sheets of an OpenDocument spreadsheet.

A cell or row can stand for thousands of equal ones. Empty ones are skipped, others are written a few times.
"""

from collections.abc import Iterable
from typing import Final

from mailmcp import limits
from mailmcp.documents.formats.sheet_grid import Grid
from mailmcp.documents.writer import Writer, section_title
from mailmcp.documents.xml_stream import Event, Start, without

_SKIPPED: Final = frozenset({"annotation", "tracked-changes", "shapes", "forms", "database-ranges"})
_REPEATED_MAX: Final = 100
"""Times that a cell or row with text is written."""


class SheetReader:
    """Writes rows of the displayed values, with dates in ISO 8601."""

    def __init__(self, out: Writer, hidden_styles: frozenset[str]) -> None:
        """Write to `out`; a table in one of the `hidden_styles` is a hidden sheet."""
        self._out = out
        self._grid = Grid(out)
        self._hidden_styles = hidden_styles
        self._hidden_columns: set[int] = set()
        self._columns = 0
        self._column = 0
        self._row = (1, False)
        """How often the row repeats, and whether it is hidden."""

        self._cell: Start | None = None
        self._pieces: list[str] = []

    def read(self, events: Iterable[Event]) -> None:
        """Read to the end."""
        for event in without(events, _SKIPPED):
            if isinstance(event, str):
                if self._cell is not None:
                    self._pieces.append(event)
            elif isinstance(event, Start):
                self._start(event)
            else:
                self._end(event.name)

    def _start(self, event: Start) -> None:
        attributes = event.attributes
        if event.name == "table":
            hidden = attributes.get("style-name") in self._hidden_styles
            self._out.begin_section(section_title("Sheet", attributes.get("name", ""), hidden=hidden))
            self._hidden_columns, self._columns = set(), 0
        elif event.name == "table-column":
            times = _count(event, "number-columns-repeated", limits.SHEET_COLUMNS_MAX)
            if _is_hidden(event):
                self._hidden_columns.update(
                    range(self._columns, min(self._columns + times, limits.SHEET_COLUMNS_MAX))
                )
            self._columns += times
        elif event.name == "table-row":
            self._row = (_count(event, "number-rows-repeated", _REPEATED_MAX), _is_hidden(event))
            self._column = 0
        elif event.name in {"table-cell", "covered-table-cell"}:
            self._cell = event
            self._pieces.clear()
        elif event.name in {"s", "tab", "line-break"}:
            self._pieces.append(" ")

    def _end(self, name: str) -> None:
        if name in {"table-cell", "covered-table-cell"} and self._cell is not None:
            self._put(self._cell)
            self._cell = None
        elif name == "p":
            self._pieces.append(" ")
        elif name == "table-row":
            self._grid.end_row(times=self._row[0])

    def _put(self, cell: Start) -> None:
        text = cell.attributes.get("date-value", "").replace("T", " ") or "".join(self._pieces)
        times = _count(cell, "number-columns-repeated", limits.SHEET_COLUMNS_MAX)
        if text.strip():
            for column in range(self._column, self._column + min(times, _REPEATED_MAX)):
                self._grid.put(column, text, hidden=self._row[1] or column in self._hidden_columns)
        self._column += times


def _is_hidden(event: Start) -> bool:
    return event.attributes.get("visibility", "visible") != "visible"


def _count(event: Start, name: str, limit: int) -> int:
    """Read how often an element repeats, at least once."""
    text = event.attributes.get(name, "1")
    return min(max(int(text[:9]), 1), limit) if text.isascii() and text.isdigit() else 1

"""Writes rows of a spreadsheet as lines, with cells in their columns and empty rows left out."""

from typing import Final

from mailmcp import limits
from mailmcp.documents.blocks import CELL_BREAK
from mailmcp.documents.writer import Writer

CELL_CHARS_MAX: Final = 32_767
"""As in Excel."""

_GAP_MAX: Final = 20
"""Empty cells between others that are written out; more become one "…"."""


class Grid:
    """Collects one row at a time."""

    def __init__(self, out: Writer) -> None:
        """Write each row that isn't empty as a line."""
        self._out = out
        self._cells: list[str] = []
        self._next = 0

    def put(self, column: int, text: str, *, hidden: bool = False) -> None:
        """Put text into a column, from 0; columns come in order."""
        shown = " ".join(text[:CELL_CHARS_MAX].split())
        if not shown or not self._next <= column < limits.SHEET_COLUMNS_MAX:
            return
        if hidden:
            self._out.count_hidden(shown)
            return
        gap = column - self._next
        self._cells += [""] * gap if gap <= _GAP_MAX else ["…"]
        self._cells.append(shown)
        self._next = column + 1

    def end_row(self, *, times: int = 1) -> None:
        """Write the row as often as it repeats."""
        if self._cells:
            line = CELL_BREAK.join(self._cells)
            for _ in range(times):
                self._out.write_line(line)
        self._cells = []
        self._next = 0

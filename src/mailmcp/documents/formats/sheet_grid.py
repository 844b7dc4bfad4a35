"""Rows of a spreadsheet as lines: cells in their columns, what is empty left out."""

from typing import Final

from mailmcp import limits
from mailmcp.documents.flow import CELL_BREAK
from mailmcp.documents.writer import Writer

_GAP_MAX: Final = 20
"""Empty cells in a row that are shown as such; more are one "…"."""


class Grid:
    """The row being read, and those before it."""

    def __init__(self, out: Writer) -> None:
        """Write each row that holds something as a line."""
        self._out = out
        self._cells: list[str] = []
        self._next = 0

    def put(self, column: int, text: str, *, hidden: bool = False) -> None:
        """Put text into a column, from 0; columns come in order."""
        shown = " ".join(text[: limits.CELL_CHARS_MAX].split())
        if not shown or not self._next <= column < limits.SHEET_COLUMNS_MAX:
            return
        if hidden:
            self._out.hide(shown)
            return
        gap = column - self._next
        self._cells += [""] * gap if gap <= _GAP_MAX else ["…"]
        self._cells.append(shown)
        self._next = column + 1

    def end_row(self, *, times: int = 1) -> None:
        """Write the row, as many times as it stands there."""
        if self._cells:
            line = CELL_BREAK.join(self._cells)
            for _ in range(times):
                self._out.line(line)
        self._cells = []
        self._next = 0

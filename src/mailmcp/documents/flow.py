"""Paragraphs and tables on their way to the text: tables become rows of cells.

A table within a cell becomes part of that cell's text. Paragraphs that hold nothing
but white space are dropped.
"""

from collections.abc import Callable
from typing import Final

CELL_BREAK: Final = " | "


class Flow:
    """Takes paragraphs in order, and the borders of tables around them."""

    def __init__(self, line: Callable[[str], None], hide: Callable[[str], None]) -> None:
        """Write rows and paragraphs by `line`; `hide` gets the text of hidden rows."""
        self._line = line
        self._hide = hide
        self._rows: list[list[list[str]]] = []

    def paragraph(self, text: str, *, mark: str = "") -> None:
        """Take one paragraph; `mark` stands before it (a heading's, a list's) unless it is in a table."""
        if not text.strip():
            return
        if self._rows and self._rows[-1]:
            self._rows[-1][-1].append(text.strip())
        else:
            self._line(mark + text)

    def heading(self, text: str, level: int) -> None:
        """Take a heading; `level` from 1."""
        self.paragraph(" ".join(text.split()), mark="#" * min(level, 6) + " ")

    def item(self, text: str, level: int) -> None:
        """Take an item of a list; `level` from 0."""
        self.paragraph(text, mark="  " * min(level, 8) + "- ")

    def begin_row(self) -> None:
        """Begin a row: of a table, or of one within a cell."""
        self._rows.append([])

    def begin_cell(self) -> None:
        """Begin the next cell of the row."""
        if self._rows:
            self._rows[-1].append([])

    def end_row(self, *, hidden: bool = False) -> None:
        """End the row and hand it on: to the text, or to the cell around the table."""
        cells = [" ".join(" ".join(each).split()) for each in self._rows.pop()]
        row = CELL_BREAK.join(cells)
        if not any(cells):
            return
        if hidden:
            self._hide("".join(cells))
            return
        self.paragraph(row)

"""Writes paragraphs, headings, list items and tables as lines.

Tables become rows of cells; a table in a cell becomes text of that cell. Blank paragraphs are dropped.
"""

from collections.abc import Callable
from typing import Final

CELL_BREAK: Final = " | "


def picture_mark(described: str) -> str:
    """Write the alternative text of a picture; "" if there is none."""
    described = " ".join(described.split())
    return f"[picture: {described}]" if described else ""


class BlockWriter:
    """Takes paragraphs in order, and where rows and cells begin."""

    def __init__(self, line: Callable[[str], None], hide: Callable[[str], None]) -> None:
        """Write with `line`; `hide` gets the text of hidden rows."""
        self._line = line
        self._hide = hide
        self._rows: list[list[list[str]]] = []

    def paragraph(self, text: str, *, mark: str = "") -> None:
        """Write a paragraph, after `mark` (of a heading or a list item) unless it is in a table."""
        if not text.strip():
            return
        if self._rows and self._rows[-1]:
            self._rows[-1][-1].append(text.strip())
        else:
            self._line(mark + text)

    def heading(self, text: str, level: int) -> None:
        """Write a heading; `level` from 1."""
        self.paragraph(" ".join(text.split()), mark="#" * min(level, 6) + " ")

    def item(self, text: str, level: int) -> None:
        """Write a list item; `level` from 0."""
        self.paragraph(text, mark="  " * min(level, 8) + "- ")

    def begin_row(self) -> None:
        """Begin a row, of a table or of a table in a cell."""
        self._rows.append([])

    def begin_cell(self) -> None:
        """Begin the next cell of the row."""
        if self._rows:
            self._rows[-1].append([])

    def end_row(self, *, hidden: bool = False) -> None:
        """Write the row, as a line or into the cell around its table."""
        cells = [" ".join(" ".join(each).split()) for each in self._rows.pop()]
        row = CELL_BREAK.join(cells)
        if not any(cells):
            return
        if hidden:
            self._hide("".join(cells))
            return
        self.paragraph(row)

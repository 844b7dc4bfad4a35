"""Tables of HTML mail as lines: rows of data stay rows, layout flows.

Most tables of mail only place things on the page. The shape of their content tells data from layout: a row
whose cells are short is one line, its cells separated by `` | ``; a row with a cell of several paragraphs or
its own table is written cell by cell.
"""

from dataclasses import dataclass
from typing import Final

_SPAN_MAX: Final = 30  # columns and rows of one cell; wider tables are never read as rows
_CELL_LINES_MAX: Final = 3  # a name, a size and a colour; an address has more
_ROW_CHARS_MAX: Final = 300  # of a row whose cells have several lines
_BAR: Final = " | "


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row: its lines, and how many columns and rows it covers."""

    lines: list[str]
    columns: int = 1
    rows: int = 1


def write_table(rows: list[list[Cell]]) -> list[list[str]]:
    """Return the lines of a table in blocks; a block of several lines is a paragraph.

    Cells keep their columns: those that a wide cell covers and those below a high one are empty. Columns
    that are empty in all rows are left out.
    """
    grid = _place(rows)
    used = sorted({column for row in grid for column in row})
    blocks: list[list[str]] = []
    for row in grid:
        if len(row) > 1 and _fits_a_line(list(row.values())):
            texts = [" / ".join(row.get(column, ())) for column in used[: used.index(max(row)) + 1]]
            blocks.append([_BAR.join(texts).strip()])
        else:
            blocks.extend(row.values())
    return blocks


def _place(rows: list[list[Cell]]) -> list[dict[int, list[str]]]:
    """Return the cells of each row that aren't empty, by column (HTML standard, section 4.9.12)."""
    grid: list[dict[int, list[str]]] = []
    covered: dict[int, int] = {}  # column to the rows that a cell above still covers
    for row in rows:
        placed: dict[int, list[str]] = {}
        below = {column: count - 1 for column, count in covered.items() if count > 1}
        column = 0
        for cell in row:
            while column in covered:
                column += 1
            if any(cell.lines):
                placed[column] = cell.lines
            end = column + min(cell.columns, _SPAN_MAX)
            if cell.rows > 1:
                below |= dict.fromkeys(range(column, end), min(cell.rows, _SPAN_MAX) - 1)
            column = end
        covered = below
        grid.append(placed)
    return grid


def _fits_a_line(cells: list[list[str]]) -> bool:
    """Return whether a row can be read as one line."""
    if all(len(lines) == 1 for lines in cells):
        return True
    lines = [line for cell in cells for line in cell]
    is_plain = all(line and _BAR not in line and line[:2] not in ("- ", "> ", "# ", "##") for line in lines)
    return is_plain and max(map(len, cells)) <= _CELL_LINES_MAX and sum(map(len, lines)) <= _ROW_CHARS_MAX

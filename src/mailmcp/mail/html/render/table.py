"""Tables of HTML mail as lines: rows of data stay rows, layout flows.

Most tables of mail only place things on the page. The shape of their content tells data from layout: a row
whose cells are short is one line, its cells separated by `` | ``; a row
with a cell of several paragraphs or its own table is written cell by cell.
"""

from dataclasses import dataclass, field
from typing import Final

_SPAN_MAX: Final = 30  # of columns and rows; wider tables are never read as rows
_CELL_LINES_MAX: Final = 3  # a name, a size and a colour; an address has more
_ROW_CHARS_MAX: Final = 300  # of a row whose cells have several lines
_BAR: Final = " | "
_STROKE: Final = " / "


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row: its lines, and how many columns and rows it covers."""

    lines: list[str]
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """The rows of one open table."""

    rows: list[list[Cell]] = field(default_factory=list)

    def blocks(self) -> list[list[str]]:
        """Return the lines of the table in blocks; a block of several lines is a paragraph.

        Cells keep their columns: those that a wide cell covers and those below a high one
        are empty. Columns that are empty in all rows are left out.
        """
        grid = self._grid()
        used = sorted({column for row in grid for column, cell in row.items() if cell})
        blocks: list[list[str]] = []
        for row in grid:
            filled = [cell for _, cell in sorted(row.items()) if cell]
            if len(filled) > 1 and _fits_a_line(filled):
                texts = [_STROKE.join(row.get(column, ())) for column in used]
                while not texts[-1]:
                    texts.pop()
                blocks.append([_BAR.join(texts).strip()])
            else:
                blocks.extend(filled)
        return blocks

    def _grid(self) -> list[dict[int, list[str]]]:
        """Place the cells of each row in their columns (HTML standard, section 4.9.12)."""
        grid: list[dict[int, list[str]]] = []
        covered: dict[int, int] = {}  # column to rows that a cell above still covers
        for row in self.rows:
            placed: dict[int, list[str]] = {}
            begun: dict[int, int] = {}
            column = 0
            for cell in row:
                while covered.get(column):
                    column += 1
                placed[column] = cell.lines if any(cell.lines) else []
                for each in range(column, column + min(cell.columns, _SPAN_MAX)):
                    begun[each] = min(cell.rows, _SPAN_MAX) - 1
                column += min(cell.columns, _SPAN_MAX)
            covered = {each: rows - 1 for each, rows in covered.items() if rows > 1} | {
                each: rows for each, rows in begun.items() if rows
            }
            grid.append(placed)
        return grid


def _fits_a_line(cells: list[list[str]]) -> bool:
    """Return whether a row can be read as one line."""
    if all(len(lines) == 1 for lines in cells):
        return True
    if any(len(lines) > _CELL_LINES_MAX for lines in cells):
        return False
    lines = [line for cell in cells for line in cell]
    plain = all(line and _BAR not in line and line[:2] not in ("- ", "> ", "# ", "##") for line in lines)
    return plain and sum(map(len, lines)) <= _ROW_CHARS_MAX

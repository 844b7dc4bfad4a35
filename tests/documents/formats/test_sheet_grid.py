"""Cells in their columns."""

from documents.reading import writer
from mailmcp import limits
from mailmcp.documents.formats.sheet_grid import Grid


def _row(*cells: tuple[int, str]) -> str:
    out = writer()
    grid = Grid(out)
    for column, text in cells:
        grid.put(column, text)
    grid.end_row()
    return str(out.result()["text"])


def test_empty_cells_keep_the_columns_in_their_places() -> None:
    assert _row((0, "a"), (2, " c \n d ")) == "a |  | c d"


def test_a_far_cell_costs_nothing() -> None:
    assert _row((0, "a"), (limits.SHEET_COLUMNS_MAX - 1, "z")) == "a | … | z"


def test_cells_that_no_sheet_has_are_dropped() -> None:
    assert _row((3, "a"), (1, "back"), (-1, "before"), (limits.SHEET_COLUMNS_MAX, "beyond")) == " |  |  | a"


def test_rows_that_hold_nothing_are_dropped_and_hidden_cells_counted() -> None:
    out = writer()
    grid = Grid(out)
    grid.end_row()
    grid.put(0, "secret", hidden=True)
    grid.put(1, "  ")
    grid.end_row()
    grid.put(0, "x")
    grid.end_row(times=2)
    assert out.result()["text"] == "x\nx"
    assert out.result()["notes"] == ["Removed 6 hidden characters."]

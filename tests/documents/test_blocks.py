"""Paragraphs, and rows of cells."""

from mailmcp.documents.blocks import BlockWriter


def _blocks() -> tuple[BlockWriter, list[str], list[str]]:
    lines: list[str] = []
    hidden: list[str] = []
    return BlockWriter(lines.append, hidden.append), lines, hidden


def test_marks_stand_before_paragraphs() -> None:
    blocks, lines, _ = _blocks()
    blocks.heading("A \n title", 2)
    blocks.heading("deep", 99)
    blocks.item("one", 0)
    blocks.item("deep", 99)
    blocks.paragraph("  ")
    blocks.paragraph("text")
    assert lines == ["## A title", "###### deep", "- one", " " * 16 + "- deep", "text"]


def test_rows_have_no_marks_and_tables_in_cells_are_text() -> None:
    blocks, lines, _ = _blocks()
    blocks.begin_row()
    blocks.begin_cell()
    blocks.heading("Head", 1)
    blocks.begin_row()
    blocks.begin_cell()
    blocks.paragraph("in")
    blocks.begin_cell()
    blocks.paragraph("ner")
    blocks.end_row()
    blocks.begin_cell()
    blocks.item("b\nc", 0)
    blocks.end_row()
    blocks.begin_row()
    blocks.begin_cell()
    blocks.end_row()
    assert lines == ["Head in | ner | b c"]


def test_cells_and_paragraphs_outside_their_places() -> None:
    blocks, lines, _ = _blocks()
    blocks.begin_cell()
    blocks.begin_row()
    blocks.paragraph("between")
    blocks.end_row()
    assert lines == ["between"]


def test_hidden_rows_are_handed_over() -> None:
    blocks, lines, hidden = _blocks()
    blocks.begin_row()
    blocks.begin_cell()
    blocks.paragraph("unseen")
    blocks.end_row(hidden=True)
    assert (lines, hidden) == ([], ["unseen"])

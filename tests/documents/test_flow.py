"""Paragraphs, and rows of cells."""

from mailmcp.documents.flow import Flow


def _flow() -> tuple[Flow, list[str], list[str]]:
    lines: list[str] = []
    hidden: list[str] = []
    return Flow(lines.append, hidden.append), lines, hidden


def test_marks_stand_before_paragraphs() -> None:
    flow, lines, _ = _flow()
    flow.heading("A \n title", 2)
    flow.heading("deep", 99)
    flow.item("one", 0)
    flow.item("deep", 99)
    flow.paragraph("  ")
    flow.paragraph("text")
    assert lines == ["## A title", "###### deep", "- one", " " * 16 + "- deep", "text"]


def test_rows_have_no_marks_and_tables_in_cells_are_text() -> None:
    flow, lines, _ = _flow()
    flow.begin_row()
    flow.begin_cell()
    flow.heading("Head", 1)
    flow.begin_row()
    flow.begin_cell()
    flow.paragraph("in")
    flow.begin_cell()
    flow.paragraph("ner")
    flow.end_row()
    flow.begin_cell()
    flow.item("b\nc", 0)
    flow.end_row()
    flow.begin_row()
    flow.begin_cell()
    flow.end_row()
    assert lines == ["Head in | ner | b c"]


def test_cells_and_paragraphs_outside_their_places() -> None:
    flow, lines, _ = _flow()
    flow.begin_cell()
    flow.begin_row()
    flow.paragraph("between")
    flow.end_row()
    assert lines == ["between"]


def test_hidden_rows_are_handed_over() -> None:
    flow, lines, hidden = _flow()
    flow.begin_row()
    flow.begin_cell()
    flow.paragraph("unseen")
    flow.end_row(hidden=True)
    assert (lines, hidden) == ([], ["unseen"])

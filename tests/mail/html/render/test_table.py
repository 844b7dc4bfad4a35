import pytest

from mailmcp.mail.html.render.table import Cell, Table


def cells(*texts: str) -> list[Cell]:
    return [Cell(text.split("\n") if text else []) for text in texts]


@pytest.mark.parametrize(
    ("rows", "blocks"),
    [
        ([], []),
        ([cells()], []),
        ([cells("", "")], []),
        ([cells("a", "b"), cells("c", "d")], [["a | b"], ["c | d"]]),
        ([cells("a", "", "b"), cells("c", "", "d")], [["a | b"], ["c | d"]]),
        (
            [cells("a", "b", "c"), cells("d", "", "f"), cells("g", "h")],
            [["a | b | c"], ["d |  | f"], ["g | h"]],
        ),
        ([cells("", "x"), cells("r", "1")], [["x"], ["r | 1"]]),
        ([cells("", "x", "y"), cells("r", "1", "2")], [["| x | y"], ["r | 1 | 2"]]),
        ([cells("a")], [["a"]]),
        ([cells("a\nb", "c")], [["a / b | c"]]),
        ([cells("a\nb\nc\nd", "e")], [["a", "b", "c", "d"], ["e"]]),
        ([cells("a\n\nb", "c")], [["a", "", "b"], ["c"]]),
        ([cells("- a\n- b", "c")], [["- a", "- b"], ["c"]]),
        ([cells("a | b\nc", "d")], [["a | b", "c"], ["d"]]),
        ([cells("a\n" + "b" * 300, "c")], [["a", "b" * 300], ["c"]]),
        ([cells("a" * 300, "c")], [[f"{'a' * 300} | c"]]),
    ],
)
def test_short_cells_stay_in_their_row(rows: list[list[Cell]], blocks: list[list[str]]) -> None:
    assert Table(rows).blocks() == blocks


def test_spans_keep_columns_apart() -> None:
    table = Table(
        [
            cells("a", "b", "c"),
            [Cell(["wide"], columns=2), Cell(["d"])],
            [Cell(["high"], rows=2), Cell(["e"]), Cell(["f"])],
            cells("g", "h"),
            cells("i", "j", "k"),
        ]
    )
    assert [line for (line,) in table.blocks()] == [
        "a | b | c",
        "wide |  | d",
        "high | e | f",
        "| g | h",
        "i | j | k",
    ]


def test_spans_are_bounded() -> None:
    table = Table(
        [[Cell(["a"], columns=10**6, rows=10**6), Cell(["b"])], *(cells("c", "d") for _ in range(40))]
    )
    assert table.blocks()[0] == ["a | b"] or len(table.blocks()[0][0]) < 200


def test_cells_of_blank_lines_are_empty() -> None:
    assert Table([[Cell([""]), Cell(["", ""])], [Cell([""]), Cell(["a"])]]).blocks() == [["a"]]

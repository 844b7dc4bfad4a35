"""What was taken out is counted in words."""

import pytest

from mailmcp.tools.taken_out import counted, say_taken_out


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0), []),
        ((1, 0, 0), ["1 hidden passage was taken out of the body."]),
        ((0, 2, 0), ["2 invisible characters were taken out of the body."]),
        ((0, 0, 1), ["In the body 1 link misleads: where it goes is shown, unless it runs code."]),
        ((0, 0, 3), ["In the body 3 links mislead: where they go is shown, unless they run code."]),
    ],
)
def test_what_was_taken_out_is_said(counts: tuple[int, int, int], expected: list[str]) -> None:
    assert say_taken_out(*counts, where="the body") == expected


def test_counting() -> None:
    assert (counted(1, "line"), counted(2, "line")) == ("1 line was", "2 lines were")

"""Sharing a budget of characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.thread.text_budget import share_out


@pytest.mark.parametrize(
    ("lengths", "budget", "expected"),
    [
        ([], 100, []),
        ([10, 20], 100, [10, 20]),
        ([10, 20], 30, [10, 20]),
        ([100, 100], 50, [25, 25]),
        ([100, 100, 100], 50, [17, 17, 16]),
        ([5, 1000, 1000], 105, [5, 50, 50]),
        ([1000, 5, 40], 100, [55, 5, 40]),
        ([0, 0, 7], 3, [0, 0, 3]),
        ([3, 3], 0, [0, 0]),
    ],
)
def test_short_texts_come_whole_and_long_ones_share(
    lengths: list[int], budget: int, expected: list[int]
) -> None:
    assert share_out(lengths, budget) == expected


@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(0, 20_000))
def test_the_budget_is_kept_to_the_character(lengths: list[int], budget: int) -> None:
    shares = share_out(lengths, budget)
    assert sum(shares) == min(budget, sum(lengths))
    assert all(0 <= share <= length for share, length in zip(shares, lengths, strict=True))
    cut = [share for share, length in zip(shares, lengths, strict=True) if share < length]
    assert max(cut, default=0) - min(cut, default=0) <= 1, "what is cut is cut evenly"
    assert all(share >= budget // len(lengths) for share in cut), "each shows its fair share at least"

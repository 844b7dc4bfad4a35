"""Counting steps distinguishes linear from quadratic work and restores the trace function."""

import sys

import pytest

from steps import assert_linear, count_steps


def linear(size: int) -> int:
    total = 0
    for number in range(size):
        total += number
    return total


def quadratic(size: int) -> int:
    return sum(linear(size) for _ in range(size))


def test_linear_work_passes_and_gives_its_result() -> None:
    assert assert_linear(linear, size=100, large=1_000) == linear(1_000)


def test_quadratic_work_does_not() -> None:
    with pytest.raises(AssertionError, match="steps for 20"):
        assert_linear(quadratic, size=20, large=20)


def test_the_same_work_takes_the_same_steps() -> None:
    before = sys.gettrace()
    assert count_steps(lambda: linear(100)) == count_steps(lambda: linear(100)) > 100
    assert sys.gettrace() is before

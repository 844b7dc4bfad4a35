"""Counting what code does, where a clock would depend on what else the machine does."""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

_GROWTH = 4
_LINEAR = 1.5 * _GROWTH
"""Quadratic would be 16; some tables are filled, and some limits on nesting reached, along the way."""


def count_steps(work: Callable[[], object]) -> int:
    """Count the lines of Python that run in this thread; C code, such as a regular expression, has none."""
    steps = 0

    def count(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def assert_linear(work: Callable[[int], ResultT], *, size: int = 500, large: int) -> ResultT:
    """Check that the steps of `work` grow with the size that it is given, not with its square.

    Regular expressions are not counted: `large` is a size for which quadratic ones would need longer than
    any test may take (`timeout` in pyproject.toml). What it gives is returned.
    """
    work(size)  # what is loaded or remembered once
    few, many = (count_steps(partial(work, length)) for length in (size, _GROWTH * size))
    assert many <= _LINEAR * few, f"{few} steps for {size}, {many} for {_GROWTH * size}"
    return work(large)

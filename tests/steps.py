"""Counts the steps of code, because a clock also measures what else the machine does."""

import gc
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

_GROWTH = 4
_LINEAR = 1.5 * _GROWTH
"""Quadratic work would give 16. Linear work may give a little more than 4."""


def count_steps(work: Callable[[], object]) -> int:
    """Count the lines of Python that run in this thread. C code, such as regular expressions, has none."""
    steps = 0

    def count(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += 1
        return count

    before, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # the finalizers of other tests' garbage are Python, too
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return steps


def assert_linear(work: Callable[[int], ResultT], *, size: int = 500, large: int) -> ResultT:
    """Check that the steps of `work` grow linearly with its argument, and return its result for `large`.

    Regular expressions aren't counted. `large` is a size for which quadratic ones would exceed the timeout
    of tests in pyproject.toml.
    """
    work(size)  # fills caches, so that they aren't counted
    few, many = (count_steps(partial(work, length)) for length in (size, _GROWTH * size))
    assert many <= _LINEAR * few, f"{few} steps for {size}, {many} for {_GROWTH * size}"
    return work(large)

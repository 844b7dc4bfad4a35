"""Long tables of cases, of which a run without `--full` takes a part."""

from collections.abc import Iterable
from typing import Any

import pytest


def thin(cases: Iterable[Any], *, keep_every: int) -> list[Any]:
    """Return cases for `pytest.mark.parametrize`: every n-th as it is, the others marked `full`.

    Args:
        cases: Values of one argument, or tuples for several.
        keep_every: n; the first case is kept. The number of cases keeps the first one alone.
    """
    return [
        case
        if number % keep_every == 0
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.full)
        for number, case in enumerate(cases)
    ]

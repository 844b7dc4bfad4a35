"""What all tests of the extraction begin with."""

import pytest

from documents.stand_in import leave_aside_what_runs


@pytest.fixture(autouse=True)
def _only_own_children() -> None:
    leave_aside_what_runs()

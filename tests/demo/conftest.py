"""One moment for all tests of the sample account, so that its messages are always the same."""

from datetime import UTC, datetime

import pytest


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

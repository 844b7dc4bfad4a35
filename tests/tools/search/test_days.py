"""When days begin; more, with daylight saving, in the tables of queries."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.tools.search.days import begin_of

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "days_later", "begins"),
    [
        ("", 0, None),
        ("soon", 0, None),
        ("2024-07-01", 0, "2024-06-30T22:00:00"),
        ("2024-07-01", 1, "2024-07-01T22:00:00"),
        ("2024-07-01T10:00:00+05:00", 0, "2024-07-01T05:00:00"),
        ("0001-01-01", 0, f"{YEAR_FIRST - 1}-12-31T23:00:00"),
        ("9999-12-31T23:59:59Z", 0, f"{YEAR_LAST}-12-30T00:00:00"),
    ],
)
def test_a_day_begins_in_the_zone_and_a_moment_is_itself(
    text: str, days_later: int, begins: str | None
) -> None:
    begun = begin_of(text, BERLIN, days_later=days_later)
    if begins is None:
        assert begun is None
    else:
        assert begun is not None
        # 1900 had local mean time, which is not what this is about.
        assert abs((begun - datetime.fromisoformat(begins).replace(tzinfo=UTC)).total_seconds()) < 3600

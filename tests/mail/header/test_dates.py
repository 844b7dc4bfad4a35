from datetime import UTC, datetime, timedelta, timezone

import pytest

from mailmcp.mail.header.dates import format_rfc3339, parse_date


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Thu, 5 Nov 2026 10:11:12 +0100", "2026-11-05T10:11:12+01:00"),
        ("Thu, 05 Nov 2026 10:11:12 -0000", "2026-11-05T10:11:12Z"),
        ("Thu (day) , 5 (x) Nov 2026 10:11:12 GMT", "2026-11-05T10:11:12Z"),
        ("5 Nov 126 10:11:12 Z", "2026-11-05T10:11:12Z"),
        ("Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T09:55:06-06:00"),
        ("Thu, 5 Nov 2026 10:11:12 GMT+0200", "2026-11-05T10:11:12+02:00"),
        ("Thursday, November 5, 2026 1:02:03 PM +0530", "2026-11-05T13:02:03+05:30"),
        ("5 Nov 2026 12:05 am", "2026-11-05T00:05:00Z"),
        ("2026-11-05T10:11:12.123+02:00", "2026-11-05T10:11:12+02:00"),
        ("Thu, 31 Dec 2026 23:59:60 +0000", "2026-12-31T23:59:59Z"),
    ],
)
def test_dates_of_real_mail_are_read(value: str, expected: str) -> None:
    moment = parse_date(value)
    assert moment is not None
    assert format_rfc3339(moment) == expected


@pytest.mark.parametrize(
    "value",
    [
        "",
        "32 Nov 2026 10:00",
        "Thu, 5 Nov 2026",
        "2026-11-05",
        "(" * 500,
    ],
)
def test_what_is_no_date_is_none(value: str) -> None:
    assert parse_date(value) is None


def test_a_naive_datetime_counts_as_utc() -> None:
    assert format_rfc3339(datetime(2026, 11, 5, 10, 11, 12, 999_999)) == "2026-11-05T10:11:12Z"  # noqa: DTZ001 - the point of the test
    assert (
        format_rfc3339(datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=-3))))
        == "2026-01-02T00:00:00-03:00"
    )
    assert format_rfc3339(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00Z"

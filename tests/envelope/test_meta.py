from datetime import UTC, datetime, timedelta, timezone

from mcp_envelope import Meta


def meta_at(moment: datetime) -> Meta:
    return Meta(now=moment, duration_ms=1, request_id="r")


def test_now_is_utc_with_milliseconds() -> None:
    """RFC 3339 section 5.6."""
    assert meta_at(datetime(2026, 11, 5, 9, 30, tzinfo=UTC)).now_utc == "2026-11-05T09:30:00.000Z"


def test_another_zone_is_converted() -> None:
    moment = datetime(2026, 11, 5, 9, 30, 0, 987654, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert meta_at(moment).now_utc == "2026-11-05T04:00:00.987Z"

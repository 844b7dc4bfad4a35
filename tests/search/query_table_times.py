"""Queries for times of arrival: days in zones, of 23 and 25 hours too, and moments to the second."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from search.known_mail import Known
from search.query import Matches, Query, both, in_field

_ZONES = {
    "UTC": "UTC",
    "B": "Europe/Berlin",
    "N": "America/New_York",
    "K": "Pacific/Kiritimati",
    "I": "Asia/Kolkata",
    "C": "Africa/Cairo",
    "H": "America/Havana",
}


def _zone(letter: str) -> ZoneInfo:
    return ZoneInfo(_ZONES[letter])


def _on_days(first: str, last: str, letter: str) -> Matches:
    """Say it by the calendar of the place: each message arrived on a day there."""
    zone = _zone(letter)
    return lambda message, _rules: (
        date.fromisoformat(first) <= message.received.astimezone(zone).date() <= date.fromisoformat(last)
    )


def _days(first: str, last: str, letter: str) -> Query:
    """Ask for whole days, both included."""
    return Query({"start_date": first, "end_date": last}, _on_days(first, last, letter), zone=_zone(letter))


def _since_before(since: str, before: str, letter: str) -> Query:
    """Ask for days, the second excluded."""
    last = (date.fromisoformat(before) - timedelta(days=1)).isoformat()
    return Query(
        {"since": since, "before": before}, _on_days(since, last, letter), limit=2, zone=_zone(letter)
    )


def _seconds(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return round(moment.timestamp())


def _moments(since: str, before: str, *, empty: bool = False) -> Query:
    """Ask for a span of time, to the second."""

    def matches(message: Known, _rules: object) -> bool:
        return _seconds(since) <= round(message.received.timestamp()) < _seconds(before)

    return Query({"since": since, "before": before}, matches, limit=4, zone=_zone("K"), empty=empty)


def _last(days: int, letter: str) -> Query:
    today = date(2026, 7, 1)
    first = (today - timedelta(days=days)).isoformat()
    return Query({"last_days": days}, _on_days(first, "9999-12-31", letter), limit=100, zone=_zone(letter))


_EDGES = {
    "B": ("2024-03-31", "2024-10-27"),
    "N": ("2024-03-10", "2024-11-02", "2024-11-03", "2024-07-01"),
    "K": ("2024-07-01",),
    "I": ("2024-07-01",),
    "C": ("2024-04-25", "2024-04-26"),
    "H": ("2024-11-03",),
    "UTC": ("2024-02-29", "2024-03-31", "2024-12-31"),
}
"""Days on which clocks are put forward or back there, and days that begin elsewhere at other times."""

DAYS = (
    *(_days(day, day, letter) for letter, days in _EDGES.items() for day in days),
    _days("2024-03-30", "2024-04-01", "B"),
    _days("2023-01-01", "2023-01-31", "I"),
    _days("2024-01-01", "2024-06-30", "K"),
    _since_before("2024-03-31", "2024-04-01", "B"),
    _since_before("2024-10-27", "2024-10-28", "B"),
    _since_before("2024-11-03", "2024-11-04", "N"),
    _since_before("2024-07-01", "2024-07-02", "K"),
    Query({"since": "2026-09-20"}, _on_days("2026-09-20", "9999-12-31", "N"), limit=100, zone=_zone("N")),
    Query({"before": "2023-01-05"}, _on_days("1900-01-01", "2023-01-04", "K"), zone=_zone("K")),
    Query({"end_date": "2023-01-05"}, _on_days("1900-01-01", "2023-01-05", "B"), zone=_zone("B")),
    Query(
        {"start_date": "2030-01-01"}, _on_days("2030-01-01", "9999-12-31", "B"), zone=_zone("B"), empty=True
    ),
)
MOMENTS = (
    _moments("2024-03-30T23:59:59+01:00", "2024-03-31T00:00:00+01:00"),
    _moments("2024-03-31T00:00:00+01:00", "2024-03-31T03:00:00+02:00"),
    _moments("2024-03-31T01:00:00Z", "2024-03-31T01:00:01Z"),
    _moments("2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"),
    _moments("2024-10-27T02:30:00+02:00", "2024-10-27T02:30:01+01:00"),
    _moments("2024-11-03T01:30:00-05:00", "2024-11-03T01:30:01-05:00"),
    _moments("2024-06-30T23:59:59+14:00", "2024-07-01T00:00:01+14:00"),
    _moments("2024-07-01T05:30:00+05:30", "2024-07-01T23:59:59+05:30"),
    _moments("2024-12-31T23:59:59Z", "2025-01-01T00:00:00Z"),
    _moments("2024-12-31T23:59:58Z", "2024-12-31T23:59:59Z", empty=True),
    _moments("2024-02-29T00:00:00-12:00", "2024-03-01T12:00:00+14:00"),
)
LAST = (_last(1, "UTC"), _last(7, "K"), _last(30, "N"), _last(365, "B"))
TOGETHER = (
    Query(
        {"start_date": "2024-01-01", "end_date": "2024-12-31", "subject": "newsletter"},
        both(_on_days("2024-01-01", "2024-12-31", "B"), in_field("subject", "newsletter")),
        zone=_zone("B"),
    ),
    Query(
        {"start_date": "2024-01-01", "end_date": "2024-12-31", "has_attachment": True, "sort": "oldest"},
        both(_on_days("2024-01-01", "2024-12-31", "K"), lambda message, _rules: message.written.files),
        zone=_zone("K"),
        limit=40,
    ),
    Query(
        {"since": "2024-03-01", "before": "2024-05-01", "sort": "largest"},
        _on_days("2024-03-01", "2024-04-30", "I"),
        zone=_zone("I"),
        limit=30,
    ),
    Query(
        {"last_days": 30, "unread_only": True, "sort": "largest"},
        both(
            _on_days("2026-06-01", "9999-12-31", "N"), lambda message, _rules: "\\Seen" not in message.flags
        ),
        zone=_zone("N"),
        limit=100,
    ),
)

TABLE = (*DAYS, *MOMENTS, *LAST, *TOGETHER)

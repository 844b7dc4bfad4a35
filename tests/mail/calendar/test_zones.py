"""Zones by their VTIMEZONE, compared with what the system knows of the same zones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from mailmcp.mail.calendar.zones import Observance, known_zone, offset_at, read_observance

RULE = "FREQ=YEARLY;BYMONTH"
HOUR = timedelta(hours=1)


def observance(start: str, before: str, offset: str, rule: str = "", **more: str) -> Observance | None:
    values = {"dtstart": start, "tzoffsetfrom": before, "tzoffsetto": offset, "rrule": rule, **more}
    return read_observance(values)


EUROPE = [
    observance("16011028T030000", "+0200", "+0100", "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"),
    observance("16010325T020000", "+0100", "+0200", "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3"),
]
ZONES = {
    "Europe/Berlin": EUROPE,
    "America/New_York": [
        observance("20070311T020000", "-0500", "-0400", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
        observance("20071104T020000", "-0400", "-0500", "FREQ=YEARLY;BYMONTH=11;BYDAY=1SU;INTERVAL=1"),
        # The rules before 2007, which have ended.
        observance("19870405T020000", "-0500", "-0400", f"{RULE}=4;BYDAY=1SU;UNTIL=20060402T070000Z"),
        observance("19671029T020000", "-0400", "-0500", f"{RULE}=10;BYDAY=-1SU;UNTIL=20061029T060000Z"),
    ],
    "Australia/Sydney": [
        observance("20080406T030000", "+1100", "+1000", "FREQ=YEARLY;BYMONTH=4;BYDAY=SU"),
        observance("20081005T020000", "+1000", "+1100", f"{RULE}=10;BYDAY=1SU"),
    ],
    "Asia/Kolkata": [observance("19700101T000000", "+0530", "+0530")],
}  # fmt: skip


@pytest.mark.parametrize("name", ZONES)
def test_rules_give_the_offsets_of_the_zone(name: str) -> None:
    wrong = []
    for hour in range(7, 24 * 365 * 26, 1_001):
        moment = (datetime(2000, 1, 1, tzinfo=UTC) + hour * HOUR).astimezone(ZoneInfo(name))
        expected, clock = moment.utcoffset(), moment.replace(tzinfo=None)
        if (name != "Australia/Sydney" or clock.year > 2008) and offset_at(ZONES[name], clock) != expected:
            wrong.append(clock)
    assert wrong == []


@pytest.mark.parametrize(
    ("observances", "hours"),
    [
        ([], None),
        (EUROPE, 2),
        ([observance("20300101T000000", "+0300", "+0400")], 3),
        ([observance("20200101T000000", "+0300", "+0400", "FREQ=MONTHLY")], None),
        ([observance("20200101T000000", "+0300", "+0400", "FREQ=YEARLY;BYSETPOS=1")], None),
        ([observance("20200101T000000", "+0300", "+0400", rdate="20210101T000000")], None),
        ([observance("20200101T000000", "+0300", "+0400", "FREQ=YEARLY;INTERVAL=2")], None),
        ([observance("20200101T000000", "+0300", "+0400", "FREQ=YEARLY;BYMONTH=13")], 4),
        ([observance("20200229T000000", "+0300", "+0400", "FREQ=YEARLY")], 4),
    ],
)
def test_what_is_not_understood_has_no_offset(
    observances: list[Observance | None], hours: int | None
) -> None:
    expected = None if hours is None else hours * HOUR
    assert offset_at(observances, datetime(2026, 7, 8, 9)) == expected  # noqa: DTZ001 - of a clock


@pytest.mark.parametrize(
    ("tzid", "name"),
    [
        ("W. Europe Standard Time", "W. Europe Standard Time"),
        ("/example.org/20200101/Europe/Oslo", "Europe/Oslo"),
    ],
)
def test_zones_are_known_by_name(tzid: str, name: str) -> None:
    found = known_zone(tzid)
    assert found is not None
    shown, zone = found
    assert shown == name
    assert zone.utcoffset(datetime(2026, 7, 8)) == 2 * HOUR  # noqa: DTZ001 - of a clock

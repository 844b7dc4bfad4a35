from zoneinfo import ZoneInfo

import pytest

from mailmcp.mail.calendar.events import CalendarItem, read_calendar
from mailmcp.mail.calendar.times import (
    describe_recurrence,
    describe_stamp,
    describe_times,
    describe_when,
    describe_when_in,
)


def _item(*lines: str, kind: str = "VEVENT") -> CalendarItem:
    (item,) = read_calendar("\n".join([f"BEGIN:{kind}", *lines, f"END:{kind}"])).items
    return item


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ""),
        (["SUMMARY:x"], ""),
        (["DTSTART:20261106T1400", "DTEND:20261106T1500"], "2026-11-06 14:00 to 15:00 (no time zone given)"),
        (["DTSTART:20261106T140000Z", "DTEND:20261107"], "2026-11-06 14:00 (UTC)"),
        (["DTSTART:20261106T140000Z", "DURATION:PT1H30M"], "2026-11-06 14:00 to 15:30 (UTC)"),
        (["DTSTART:99991231T140000Z", "DURATION:P9999W"], "9999-12-31 14:00 (UTC)"),
        (["DTSTART;VALUE=DATE:20261106"], "2026-11-06 (all day)"),
        (["DTSTART;VALUE=DATE:20261224", "DURATION:P2D"], "2026-12-24 to 2026-12-25 (all day)"),
        (["DTSTART:20261399T140000"], '"20261399T140000"'),
    ],
)
def test_times_are_told_as_the_organiser_wrote_them(lines: list[str], words: str) -> None:
    assert describe_when(_item(*lines)) == words


@pytest.mark.parametrize(
    "zone",
    [
        "moved to Friday",
        "moved-to-Friday-5-pm",
        "America/Cancelled_By_Boss",
    ],
)
def test_any_other_name_of_a_zone_is_quoted(zone: str) -> None:
    when = f'2026-11-06 14:00 ("{zone}")'
    assert describe_when(_item(f'DTSTART;TZID="{zone}":20261106T140000')) == when
    assert describe_stamp(_item(f'DUE;TZID="{zone}":20261106T140000').get("due")) == when


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("", ""),
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;COUNT=²", 'RRULE "FREQ=WEEKLY;COUNT=²"'),
        ("FREQ=SECONDLY", 'RRULE "FREQ=SECONDLY"'),
        ("FREQ=WEEKLY;BYDAY=XX", 'RRULE "FREQ=WEEKLY;BYDAY=XX"'),
        ("FREQ=WEEKLY;UNTIL=never", 'RRULE "FREQ=WEEKLY;UNTIL=never"'),
    ],
)
def test_simple_rules_are_described_in_words(rule: str, words: str) -> None:
    assert describe_recurrence(rule) == words


OSLO = ZoneInfo("Europe/Oslo")


@pytest.mark.parametrize(
    ("lines", "here", "both"),
    [
        (
            ["DTSTART;TZID=America/New_York:20261106T090000", "DTEND;TZID=America/New_York:20261106T100000"],
            "2026-11-06 15:00 to 16:00 (Europe/Oslo)",
            "2026-11-06 15:00 to 16:00 (Europe/Oslo); "
            "organizer: 2026-11-06 09:00 to 10:00 (America/New_York)",
        ),
        (
            ["DTSTART;TZID=Europe/London:20261106T090000", "DTEND;TZID=Asia/Tokyo:20261106T220000"],
            "2026-11-06 10:00 to 14:00 (Europe/Oslo)",
            "2026-11-06 10:00 to 14:00 (Europe/Oslo); "
            "organizer: 2026-11-06 09:00 (Europe/London) to 2026-11-06 22:00 (Asia/Tokyo)",
        ),
        (["DTSTART;TZID=Berlin Time:20261106T140000"], "", '2026-11-06 14:00 ("Berlin Time")'),
        (["DTSTART:99991231T235959Z"], "", "9999-12-31 23:59 (UTC)"),
        (
            ["DTSTART;TZID=Europe/Oslo:20261106T140000", "RRULE:FREQ=WEEKLY;COUNT=3"],
            "",
            "2026-11-06 14:00 (Europe/Oslo), every week, 3 times",
        ),
    ],
)
def test_times_in_the_readers_zone(lines: list[str], here: str, both: str) -> None:
    assert describe_when_in(_item(*lines), OSLO) == here
    assert describe_times(_item(*lines), OSLO) == both

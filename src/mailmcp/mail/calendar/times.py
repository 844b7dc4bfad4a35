"""When an event takes place, in words: start and end, time zone, recurrence (RFC 5545 section 3.3).

Nothing is converted and no rule is expanded: a time stands as the organiser wrote
it, with the name of its zone, which is what a reader compares with a calendar.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mailmcp.mail.calendar.events import CalendarItem, Property

_STAMP: Final = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?")
_DURATION: Final = re.compile(
    r"\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?"
)
_DAYS: Final = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_UNITS: Final = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_ORDINALS: Final = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_BY_DAY: Final = re.compile(r"([+-]?\d)?(MO|TU|WE|TH|FR|SA|SU)")
_ZONE: Final = re.compile(r"[^\W\d][\w./+\- ]{0,63}|\(UTC[+-]\d\d:\d\d\) [^\W\d][\w./,&\- ]{0,63}")
"""As programs write them: Europe/Oslo, W. Europe Standard Time, (UTC+01:00) Amsterdam, Berlin."""

_ZONE_PATH: Final = re.compile(r"^/(?:[^/]+/)+(?=[A-Za-z]+/[A-Za-z_]+$)")  # /example.org/20200101/Europe/Oslo


@dataclass(frozen=True, slots=True)
class _Stamp:
    moment: datetime
    all_day: bool
    zone: str


def describe_when(item: CalendarItem) -> str:
    """Write when an event takes place.

    Returns:
        ``2026-11-06 14:00 to 15:00 (Europe/Berlin)``, ``2026-11-06 (all day)``,
        ``2026-12-24 to 2026-12-26 (all day)``: the last day included. A time
        without a zone says so. "" when there is no start; what cannot be read is quoted
        as it was sent.
    """
    start_property = item.get("dtstart") or (item.get("due") if item.is_task else None)
    if start_property is None:
        return ""
    start = _read(start_property)
    if start is None:
        return _quoted(start_property.value)
    end = _end(item, start)
    if start.all_day:
        last = end.moment - timedelta(days=1) if end is not None else start.moment
        until = f" to {last:%Y-%m-%d}" if last > start.moment else ""
        return f"{_day(start.moment)}{until} (all day)"
    if end is None or end.moment <= start.moment:
        return f"{_minute(start.moment)} ({start.zone})"
    if end.zone != start.zone:
        return f"{_minute(start.moment)} ({start.zone}) to {_minute(end.moment)} ({end.zone})"
    same_day = end.moment.date() == start.moment.date()
    until = f"{end.moment:%H:%M}" if same_day else _minute(end.moment)
    return f"{_minute(start.moment)} to {until} ({start.zone})"


def describe_stamp(found: Property | None) -> str:
    """Write one point in time, such as RECURRENCE-ID or DUE; "" when there is none."""
    if found is None:
        return ""
    stamp = _read(found)
    if stamp is None:
        return _quoted(found.value)
    return _day(stamp.moment) if stamp.all_day else f"{_minute(stamp.moment)} ({stamp.zone})"


def describe_recurrence(rule: str) -> str:
    """Write a recurrence rule: in words where it is a plain one, else as it was sent.

    Returns:
        ``every 2 weeks on Monday, Friday, until 2026-12-31``; "" for "".
    """
    if not rule:
        return ""
    fields = dict(part.partition("=")[::2] for part in rule.upper().split(";") if part)
    unit = _UNITS.get(fields.pop("FREQ", ""), "")
    interval = fields.pop("INTERVAL", "1").strip()
    days = _days(fields.pop("BYDAY", ""))
    fields.pop("WKST", None)
    end = _rule_end(fields.pop("COUNT", ""), fields.pop("UNTIL", ""))
    if not unit or fields or days is None or end is None or not interval.isdigit():
        return f"RRULE {rule}"
    every = f"every {unit}" if interval == "1" else f"every {interval[:4]} {unit}s"
    return every + (f" on {days}" if days else "") + end


def _read(found: Property) -> _Stamp | None:
    match = _STAMP.fullmatch(found.value.strip())
    if match is None:
        return None
    try:
        moment = datetime(*(int(digits or 0) for digits in match.groups()[:5]))  # type: ignore[arg-type]  # noqa: DTZ001 - its zone is a name
    except ValueError:
        return None
    zone = "UTC" if match[7] else _ZONE_PATH.sub("", found.params.get("tzid", "")) or "no time zone given"
    return _Stamp(moment, match[4] is None, zone if _ZONE.fullmatch(zone) else _quoted(zone))


def _quoted(value: str) -> str:
    """Write what a sender made up in quotes, so that it passes for no time."""
    return json.dumps(value, ensure_ascii=False)


def _end(item: CalendarItem, start: _Stamp) -> _Stamp | None:
    end_property = item.get("dtend") or (item.get("due") if item.is_task else None)
    if end_property is not None:
        end = _read(end_property)
        return end if end is not None and end.all_day == start.all_day else None
    match = _DURATION.fullmatch(item.text("duration").strip())
    if match is None:
        return None
    weeks, days, hours, minutes, seconds = (int(digits or 0) for digits in match.groups())
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    try:
        return _Stamp(start.moment + length, start.all_day, start.zone)
    except OverflowError:
        return None


def _days(value: str) -> str | None:
    """Write BYDAY in words; None when it holds something else than days."""
    words: list[str] = []
    for day in value.split(",") if value else ():
        match = _BY_DAY.fullmatch(day.strip())
        ordinal = _ORDINALS.get((match[1] or "").lstrip("+"), "") if match else ""
        if match is None or (match[1] and not ordinal):
            return None
        words.append(f"the {ordinal} {_DAYS[match[2]]}" if ordinal else _DAYS[match[2]])
    return ", ".join(words)


def _rule_end(count: str, until: str) -> str | None:
    """Write COUNT or UNTIL in words; None when it cannot be read."""
    if count:
        return f", {count} times" if count.isdigit() and len(count) < len("100000") else None
    if not until:
        return ""
    stamp = _read(Property(value=until))
    return f", until {stamp.moment:%Y-%m-%d}" if stamp is not None else None


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"

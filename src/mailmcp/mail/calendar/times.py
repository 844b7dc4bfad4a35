"""When an event takes place, in words (RFC 5545 section 3.3).

A time is as the organiser wrote it, with the name of its zone, and on request in the reader's zone
as well (`mailmcp.mail.calendar.zones`). No recurrence is expanded: a hostile object would take hours.
"""

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from mailmcp.mail.calendar.events import NO_ZONES, CalendarItem, Property, Zones
from mailmcp.mail.calendar.zones import known_zone, offset_at, zone_key
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.wording import counted

_STAMP: Final = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?")
_DURATION: Final = re.compile(
    r"\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?"
)
_DAYS: Final = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday"} | {
    "SA": "Saturday", "SU": "Sunday"
}  # fmt: skip
_RULE: Final = "RRULE "
# Escaped, two zones and a time fit NOTICE_CHARS_MAX, and so does a rule.
_QUOTED_CHARS_MAX: Final = 80
_QUOTED_RULE_CHARS_MAX: Final = 240
_INTERVAL: Final = re.compile("[1-9][0-9]{0,3}")
_UNITS: Final = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_ORDINALS: Final = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_BY_DAY: Final = re.compile(r"([+-]?\d)?(MO|TU|WE|TH|FR|SA|SU)")

_NO_ZONE: Final = "no time zone given"
_UTC: Final = "UTC"


@dataclass(frozen=True, slots=True)
class _Stamp:
    moment: datetime
    all_day: bool
    zone: str
    """As it is shown."""

    own: tzinfo | None
    """None if it isn't known."""


@dataclass(frozen=True, slots=True)
class _Span:
    start: _Stamp
    end: _Stamp | None
    """None if there is none after the start."""


def describe_when(item: CalendarItem) -> str:
    """Describe when an event takes place, as its organiser wrote it.

    Returns:
        ``2026-11-06 14:00 to 15:00 (Europe/Berlin)``, ``2026-11-06 (all day)``,
        ``2026-12-24 to 2026-12-26 (all day)``, with the last day included. A time without a zone
        says so. "" if there is no start. A value that can't be read is quoted as it was sent.
    """
    span = _span(item)
    if span is None:
        found = _start(item)
        return _quoted(found.value) if found is not None else ""
    start, end = span.start, span.end
    if start.all_day:
        last = end.moment - timedelta(days=1) if end is not None else start.moment
        until = f" to {last:%Y-%m-%d}" if last > start.moment else ""
        return f"{_day(start.moment)}{until} (all day)"
    if end is not None and end.zone != start.zone:
        return f"{_minute(start.moment)} ({start.zone}) to {_minute(end.moment)} ({end.zone})"
    return _describe_span(start.moment, end.moment if end else None, start.zone)


def describe_when_in(item: CalendarItem, zone: tzinfo) -> str:
    """Describe the same in a reader's zone.

    Returns:
        ``2026-11-06 15:00 to 16:00 (Europe/Helsinki)``; "" if the clock shows the same there, or if that
        can't be known: whole days have no zone, and the organiser's may have no known name.
    """
    span = _span(item)
    if span is None or span.start.all_day:
        return ""
    stamps = [span.start, span.end] if span.end else [span.start]
    moments = [moment for each in stamps if (moment := _convert(each, zone))]
    is_same = moments == [each.moment for each in stamps] and not span.start.zone.startswith('"')
    if len(moments) < len(stamps) or is_same:
        return ""
    start, end = moments[0], moments[-1]
    return _describe_span(start, end if end > start else None, str(zone))


def describe_times(item: CalendarItem, zone: tzinfo) -> str:
    """Describe when an event takes place for a reader, in one line; "" if it doesn't say.

    Returns:
        The time in the reader's zone, then the organiser's if the clock there shows another one, and how
        the event repeats.
    """
    here, written = describe_when_in(item, zone), describe_when(item)
    span = _span(item)
    # UTC is what programs write, not where somebody is.
    is_elsewhere = here and span is not None and span.start.zone != _UTC
    times = f"{here}; organizer: {written}" if is_elsewhere else here or written
    repeats = describe_recurrence(item.text("rrule"))
    if repeats and times:
        times += ", repeats" if repeats.startswith(_RULE) else f", {repeats}"
    return times


def describe_stamp(found: Property | None) -> str:
    """Describe one point in time, such as RECURRENCE-ID or DUE; "" if there is none."""
    if found is None:
        return ""
    stamp = _read(found)
    if stamp is None:
        return _quoted(found.value)
    return _day(stamp.moment) if stamp.all_day else f"{_minute(stamp.moment)} ({stamp.zone})"


def describe_recurrence(rule: str) -> str:
    """Describe a recurrence rule: a simple one in words, any other in quotes, as it was sent.

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
    if not unit or fields or days is None or end is None or not _INTERVAL.fullmatch(interval):
        return _RULE + _quoted(rule, _QUOTED_RULE_CHARS_MAX)
    every = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
    return every + (f" on {days}" if days else "") + end


def _span(item: CalendarItem) -> _Span | None:
    """Read start and end; None if there is no start that can be read."""
    found = _start(item)
    start = _read(found, item.zones) if found is not None else None
    if start is None:
        return None
    end = _end(item, start)
    if end is not None and end.zone == start.zone and end.moment <= start.moment:
        end = None
    return _Span(start, end)


def _start(item: CalendarItem) -> Property | None:
    return item.get("dtstart") or (item.get("due") if item.is_task else None)


def _describe_span(start: datetime, end: datetime | None, zone: str) -> str:
    if end is None:
        return f"{_minute(start)} ({zone})"
    until = f"{end:%H:%M}" if end.date() == start.date() else _minute(end)
    return f"{_minute(start)} to {until} ({zone})"


def _convert(stamp: _Stamp, zone: tzinfo) -> datetime | None:
    """Return what a clock in a zone shows; None if the zone of the time is unknown."""
    if stamp.own is None:
        return None
    try:
        return stamp.moment.replace(tzinfo=stamp.own).astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # at the ends of the calendar
        return None


def _read(found: Property, zones: Zones = NO_ZONES) -> _Stamp | None:
    match = _STAMP.fullmatch(found.value.strip())
    if match is None:
        return None
    try:
        moment = datetime(*(int(digits or 0) for digits in match.groups()[:5]))  # type: ignore[arg-type]  # noqa: DTZ001 - its zone is a name
    except ValueError:
        return None
    shown, own = (_UTC, UTC) if match[7] else _zone(found.params.get("tzid", ""), zones, moment)
    return _Stamp(moment, match[4] is None, shown, own)


def _zone(tzid: str, zones: Zones, moment: datetime) -> tuple[str, tzinfo | None]:
    """Return a zone with the name to show; an unknown name is quoted, because it could say anything."""
    if not tzid:
        return _NO_ZONE, None
    known = known_zone(tzid)
    if known is not None:
        return known
    offset = offset_at(zones.get(zone_key(tzid), ()), moment)
    if offset is None:
        return _quoted(tzid), None
    own = timezone(offset)
    return f"{_quoted(tzid)}, {own if offset else 'UTC+00:00'}", own


def _quoted(value: str, max_chars: int = _QUOTED_CHARS_MAX) -> str:
    """Cut what a sender made up, then quote it, so that it does not pass for a time."""
    return json.dumps(make_snippet(value, max_chars), ensure_ascii=False)


def _end(item: CalendarItem, start: _Stamp) -> _Stamp | None:
    end_property = item.get("dtend") or (item.get("due") if item.is_task else None)
    if end_property is not None:
        end = _read(end_property, item.zones)
        return end if end is not None and end.all_day == start.all_day else None
    match = _DURATION.fullmatch(item.text("duration").strip())
    if match is None:
        return None
    weeks, days, hours, minutes, seconds = (int(digits or 0) for digits in match.groups())
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    try:
        return replace(start, moment=start.moment + length)
    except OverflowError:
        return None


def _days(value: str) -> str | None:
    """Describe BYDAY in words; None if it holds anything but days."""
    words: list[str] = []
    for day in value.split(",") if value else ():
        match = _BY_DAY.fullmatch(day.strip())
        ordinal = _ORDINALS.get((match[1] or "").lstrip("+"), "") if match else ""
        if match is None or (match[1] and not ordinal):
            return None
        words.append(f"the {ordinal} {_DAYS[match[2]]}" if ordinal else _DAYS[match[2]])
    return ", ".join(words)


def _rule_end(count: str, until: str) -> str | None:
    """Describe COUNT or UNTIL in words; None if it can't be read."""
    if count:
        return f", {counted(int(count), 'time')}" if count.isdecimal() and len(count) < 6 else None
    if not until:
        return ""
    stamp = _read(Property(value=until))
    return f", until {stamp.moment:%Y-%m-%d}" if stamp is not None else None


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"

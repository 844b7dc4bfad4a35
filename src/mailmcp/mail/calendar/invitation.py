"""Calendar objects in words: invitations as a few fields, calendar files as text.

Methods are those of RFC 5546, times and recurrences those of RFC 5545 section 3.3. Nothing is
converted and no rule is expanded: a time is as the organiser wrote it, with the name of its zone,
which a reader compares with a calendar. `mailmcp.mail.calendar.events` parses the object.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mailmcp.limits import ATTENDEES_MAX, NOTICE_CHARS_MAX, NOTICE_OCTETS_MAX
from mailmcp.mail.calendar.events import Calendar, CalendarItem, Property, read_calendar
from mailmcp.mail.clean import bounded_line, clean_line, clean_text
from mailmcp.mail.header.address import Address, format_address
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.text.body import BodyText, decode_part

_MAILTO: Final = re.compile(r"(?i)^\s*mailto:\s*")
_ADDRESS: Final = re.compile(r'[^\s<>,;"()\\]+')
_ANSWERS: Final = frozenset(
    {"needs-action", "accepted", "declined", "tentative", "delegated", "completed", "in-process"}
)
"""RFC 5545 section 3.2.12; anything else is not shown."""

_INVITING: Final = {"request", "cancel", "reply", "add", "refresh", "counter", "declinecounter"}
_JOIN: Final = ("x-google-conference", "x-microsoft-skypeteamsmeetingurl", "conference", "url")

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


def invitation_method(root: Part | None) -> str:
    """Return the method of an invitation, by the structure of its message; "" for any other message.

    As in RFC 5546, in lower case. Events that are merely published are not invitations.
    """
    methods = (
        part.params.get("method", "").strip().lower()
        for part in leaf_parts(root)
        if part.content_type == "text/calendar"
    )
    return next((each for each in methods if each in _INVITING), "")


def decode_calendar(octets: bytes, part: Part) -> Calendar:
    """Read the calendar object in a part. The method may be in the content type alone.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: The part; its charset is UTF-8 if it declares none (RFC 5545 section 3.1.4).
    """
    source = decode_part(octets[: NOTICE_OCTETS_MAX * 2], part)
    calendar = read_calendar(source.text)
    return Calendar(
        method=calendar.method or part.params.get("method", "").strip().lower(),
        items=calendar.items,
        defects=tuple(dict.fromkeys((*source.defects, *calendar.defects))),
    )


def describe_item(item: CalendarItem, method: str = "") -> dict[str, str]:
    """Describe an event or a task in a few fields, in reading order, without empty ones.

    Values are one clean line of at most NOTICE_CHARS_MAX characters.
    """
    links = (item.text(name) for name in _JOIN)
    fields = {
        "method": _describe_method(method, item.text("sequence")),
        "status": item.text("status").lower(),
        "what": item.text("summary"),
        "when": describe_when(item),
        "repeats": describe_recurrence(item.text("rrule")),
        "occurrence": describe_stamp(item.get("recurrence-id")),
        "where": item.text("location"),
        "join": next((link for link in links if link.startswith(("http://", "https://"))), ""),
        "organizer": _describe_person(item.get("organizer")),
        "attendees": _describe_attendees(item.properties.get("attendee", ())),
    }
    lines = {key: bounded_line(value) for key, value in fields.items()}
    return {key: value for key, value in lines.items() if value}


def calendar_text(octets: bytes, part: Part) -> BodyText:
    """Write the events of a calendar file as text: a block of lines for each, with its description.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: The part.
    """
    calendar = decode_calendar(octets, part)
    blocks = [_write(item, calendar.method) for item in calendar.items]
    cleaned = clean_text("\n\n".join(blocks))
    return BodyText(
        text=cleaned.text,
        html="",
        from_html=False,
        hidden_removed=0,
        invisible_removed=cleaned.removed,
        defects=calendar.defects,
    )


def describe_when(item: CalendarItem) -> str:
    """Describe when an event takes place.

    Returns:
        ``2026-11-06 14:00 to 15:00 (Europe/Berlin)``, ``2026-11-06 (all day)``,
        ``2026-12-24 to 2026-12-26 (all day)``, with the last day included. A time without a zone
        says so. "" if there is no start. A value that can't be read is quoted as it was sent.
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
    """Describe one point in time, such as RECURRENCE-ID or DUE; "" if there is none."""
    if found is None:
        return ""
    stamp = _read(found)
    if stamp is None:
        return _quoted(found.value)
    return _day(stamp.moment) if stamp.all_day else f"{_minute(stamp.moment)} ({stamp.zone})"


def describe_recurrence(rule: str) -> str:
    """Describe a recurrence rule: a simple one in words, any other as it was sent.

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


def _write(item: CalendarItem, method: str) -> str:
    lines = [f"{key}: {value}" for key, value in describe_item(item, method).items()]
    description = item.text("description").strip()
    return "\n".join([*lines, "", description] if description else lines)


def _describe_method(method: str, sequence: str) -> str:
    """Name the method. A request with a sequence number changes an earlier one (RFC 5546 section 2.1.4)."""
    number = sequence.strip()
    if method == "request" and number.isdigit() and number.strip("0"):
        return "request (update)"
    return method


def _describe_person(found: Property | None) -> str:
    if found is None:
        return ""
    address = _quote_address(_MAILTO.sub("", found.value).strip())
    name = found.params.get("cn", "").strip().strip('"').strip()
    return format_address(Address(name="" if name.lower() == address.lower() else name, address=address))


def _quote_address(address: str) -> str:
    """Quote an address that could be taken for several."""
    return address if not address or _ADDRESS.fullmatch(address) else json.dumps(address, ensure_ascii=False)


def _describe_attendees(attendees: Sequence[Property]) -> str:
    """Name as many attendees as fit, with their answers, and count the rest."""
    named: list[str] = []
    room = NOTICE_CHARS_MAX - len(", and 1000 more")
    for attendee in attendees[:ATTENDEES_MAX]:
        status = attendee.params.get("partstat", "").lower()
        status = status.replace("-", " ") if status in _ANSWERS else ""
        person = clean_line(_describe_person(attendee)[:NOTICE_CHARS_MAX]).text
        text = f"{person} ({status})" if status else person
        room -= len(text) + len(", ")
        if room < 0:
            break
        named.append(text)
    more = len(attendees) - len(named)
    return ", ".join([*named, f"and {more} more"] if more else named)


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
    """Quote what a sender made up, so that it does not pass for a time."""
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
        return f", {count} times" if count.isdigit() and len(count) < 6 else None
    if not until:
        return ""
    stamp = _read(Property(value=until))
    return f", until {stamp.moment:%Y-%m-%d}" if stamp is not None else None


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"

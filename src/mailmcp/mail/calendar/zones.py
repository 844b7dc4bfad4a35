"""Time zones: known ones by name, others by the VTIMEZONE that explains them (RFC 5545 section 3.6.5).

Rules are applied to one moment and never expanded, since a hostile rule has endless occurrences.
"""

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

OBSERVANCES_MAX: Final = 100
"""Of one zone. Real ones have two, or one for each change of the law."""

_PATH: Final = re.compile(r"^/(?:[^/]+/)+(?=[A-Za-z]+/[A-Za-z_]+$)")  # /example.org/20200101/Europe/Oslo
_IANA: Final = re.compile(r"[A-Z][A-Za-z]{1,20}(/[A-Za-z0-9_+-]{1,30}){1,2}|[A-Z]{3}([0-9][A-Z]{3})?")
"""Not names such as `localtime`, which a system may have beside them."""

_OFFSET: Final = re.compile(r"([+-])(\d{2}):?(\d{2})(?::?\d{2})?")
_ONSET: Final = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:\d{2})?Z?")
_UNTIL: Final = re.compile(r"\d{8}(?:T\d{6}Z?)?")
_ORDINAL_DAY: Final = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNDERSTOOD: Final = {"FREQ", "INTERVAL", "BYMONTH", "BYDAY", "UNTIL", "WKST"}
_YEARS_BACK: Final = 2
"""A rule's latest onset is in the year of the moment, or in one before: there is no fifth Sunday in each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observance:
    """A STANDARD or DAYLIGHT of a VTIMEZONE: from when on clocks have which offset."""

    start: datetime
    """On the clock before the change, without a zone."""

    offset: timedelta
    before: timedelta
    rule: Mapping[str, str]
    """Of RRULE, by upper-case name; empty if there is none."""


def known_zone(tzid: str) -> tuple[str, tzinfo] | None:
    """Return a zone by its IANA or Windows name, with the name as it is known."""
    name = _PATH.sub("", tzid)
    zone = _zone_named(name)
    return (name, zone) if zone is not None else None


def zone_key(tzid: str) -> str:
    """Return what a TZID parameter and the TZID of its VTIMEZONE share, however each was escaped."""
    return re.sub(r'[\s\\"]+', "", tzid).casefold()


def read_observance(properties: Mapping[str, str]) -> Observance | None:
    """Read a STANDARD or DAYLIGHT from its values by lower-case name; None if it can't be read."""
    start = _parse_onset(properties.get("dtstart", ""))
    offset = _read_offset(properties.get("tzoffsetto", ""))
    before = _read_offset(properties.get("tzoffsetfrom", ""))
    if start is None or offset is None or "rdate" in properties:
        return None
    written = properties.get("rrule", "").upper()
    rule = dict(each.partition("=")[::2] for each in written.split(";") if each)
    return Observance(start=start, offset=offset, before=offset if before is None else before, rule=rule)


def offset_at(observances: Sequence[Observance | None], moment: datetime) -> timedelta | None:
    """Return the offset from UTC at a time of the zone's clock; None if it isn't completely understood."""
    read = [each for each in observances if each is not None]
    if len(read) < len(observances) or len(read) == OBSERVANCES_MAX:
        return None
    latest: tuple[datetime, timedelta] | None = None
    for each in read:
        if each.rule and not _is_understood(each.rule):
            return None
        onset = max((onset for onset in _onsets(each, moment.year) if onset <= moment), default=None)
        if onset is not None and (latest is None or onset >= latest[0]):
            latest = onset, each.offset
    if latest is not None:
        return latest[1]
    first = min(read, key=lambda each: each.start, default=None)
    return first.before if first else None


def _is_understood(rule: Mapping[str, str]) -> bool:
    """Return whether a rule has one onset a year, such as the last Sunday of a month."""
    by_day = rule.get("BYDAY", "").strip()
    return (
        rule.get("FREQ") == "YEARLY"
        and rule.keys() <= _UNDERSTOOD
        and rule.get("INTERVAL", "1").strip() == "1"
        and (not by_day or _ORDINAL_DAY.fullmatch(by_day) is not None)
    )


def _onsets(observance: Observance, year: int) -> Iterator[datetime]:
    """Yield the onsets of a few years up to one, and the first."""
    yield observance.start
    if not observance.rule:
        return
    until = observance.rule.get("UNTIL", "")
    last = until[:15] if _UNTIL.fullmatch(until) else "9"
    year = min(year, int(last[:4]) if len(last) > 1 else year)
    for each in range(year, max(year - _YEARS_BACK, observance.start.year) - 1, -1):
        onset = _onset_in(observance, each)
        # UNTIL is in UTC, and the onset isn't: a day more makes up for it.
        if onset is not None and onset >= observance.start and f"{onset - timedelta(days=1):%Y%m%d}" <= last:
            yield onset


def _onset_in(observance: Observance, year: int) -> datetime | None:
    rule, start = observance.rule, observance.start
    month = int(rule["BYMONTH"]) if rule.get("BYMONTH", "").isdecimal() else start.month
    if not 1 <= month <= 12:
        return None
    days = range(1, calendar.monthrange(year, month)[1] + 1)
    at = start.day - 1
    if by_day := _ORDINAL_DAY.fullmatch(rule.get("BYDAY", "").strip()):
        first = (_WEEKDAYS.index(by_day[2]) - calendar.weekday(year, month, 1)) % 7
        days = days[first::7]
        at = int(by_day[1]) if by_day[1] else 1
        at = at - 1 if at > 0 else at
    if not -len(days) <= at < len(days):
        return None
    return start.replace(year=year, month=month, day=days[at])


def _parse_onset(value: str) -> datetime | None:
    match = _ONSET.fullmatch(value.strip())
    try:
        return datetime(*map(int, match.groups())) if match else None  # type: ignore[arg-type]  # noqa: DTZ001 - of a clock
    except ValueError:
        return None


def _read_offset(value: str) -> timedelta | None:
    match = _OFFSET.fullmatch(value.strip())
    if match is None:
        return None
    offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return (-offset if match[1] == "-" else offset) if offset < timedelta(days=1) else None


@lru_cache(maxsize=64)
def _zone_named(name: str) -> tzinfo | None:
    """Find a zone by its IANA name, or by its name in Windows (CLDR's windowsZones)."""
    name = _windows_names().get(name, name)
    if not _IANA.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # OSError: the name is that of a folder
        return None


def _windows_names() -> Mapping[str, str]:
    # Imported here: it takes 60 ms, and few messages hold a calendar object.
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON  # noqa: PLC0415

    return WINDOWS_TO_OLSON

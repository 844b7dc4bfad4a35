"""Dates: parsed from header fields, written for replies.

Reads RFC 5322 section 3.3 with the obsolete forms of 4.3, and the common breakages.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.mail.header.address import blank_comments

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Hours east of UTC. Without military zones, which are read as UTC (RFC 5322 section 4.3).
_ZONE_HOURS: Final = (
    {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
    | {"CET": 1, "MET": 1, "CEST": 2, "MEST": 2, "BST": 1, "EET": 2, "EEST": 3, "MSK": 3}
    | {"JST": 9, "KST": 9}
)
_CENTURY_TURN: Final = 50  # two-digit years below it are of this century (RFC 5322 section 4.3)
_LEAP_SECOND: Final = 60
_DATE_CHARS_MAX: Final = 1_000

_COLON: Final = re.compile(r"\s*:\s*")
_TIME: Final = re.compile(
    r"(?<!\d)(\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2}))?(?:[.,]\d+)?(?!\d)\s*(?:([ap])\.?\s?m\b)?",
    re.IGNORECASE,
)
_DAY_MONTH_YEAR: Final = re.compile(r"(?<!\d)(\d{1,2})[\s\-/.,]*([A-Za-z]{3})[a-z]*[\s\-/.,]+(\d{2,4})(?!\d)")
_MONTH_DAY: Final = re.compile(r"\b([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2})(?!\d)")
_YEAR: Final = re.compile(r"(?<![\d+-])(\d{4})(?!\d)")
_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_ZONE: Final = re.compile(r"([+-])(\d{2}):?(\d{2})(?!\d)|\b([A-Za-z]{1,5})\b")


def parse_date(value: str) -> datetime | None:
    """Parse the value of a Date header.

    Accepts obsolete and missing zones (UTC), two-digit years (RFC 5322 section 4.3), comments and
    white space between any two tokens, `asctime` and ISO 8601 order, and full month names.

    Returns:
        An aware datetime in the sender's zone, to the second; None if the day or the time of day
        can't be read, as in another language, or the year is not between 1900 and 9998.
    """
    text = _COLON.sub(":", blank_comments(value[:_DATE_CHARS_MAX]))
    day, time = _parse_day(text), _parse_time(text)
    if day is None or time is None or not YEAR_FIRST <= day[0] <= YEAR_LAST:
        return None
    hour, minute, second, zone = time
    try:
        return datetime(*day, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def format_rfc3339(moment: datetime) -> str:
    """Write ``2026-11-05T09:30:00+01:00``: whole seconds, ``Z`` for UTC. A naive value counts as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    text = aware.isoformat(timespec="seconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _parse_day(text: str) -> tuple[int, int, int] | None:
    """Find (year, month, day) in any of the orders mail has used."""
    iso = _ISO.search(text)
    if iso is not None:
        return int(iso[1]), int(iso[2]), int(iso[3])
    usual = _DAY_MONTH_YEAR.search(text)
    if usual is not None and usual[2].lower() in _MONTHS:
        year = int(usual[3])
        if len(usual[3]) < 4:
            year += 2000 if len(usual[3]) == 2 and year < _CENTURY_TURN else 1900
        return year, _month(usual[2]), int(usual[1])
    year_alone = _YEAR.search(text)
    for match in _MONTH_DAY.finditer(text):
        if year_alone is not None and match[1].lower() in _MONTHS:
            return int(year_alone[1]), _month(match[1]), int(match[2])
    return None


def _month(name: str) -> int:
    return _MONTHS.index(name.lower()) + 1


def _parse_time(text: str) -> tuple[int, int, int, timezone] | None:
    # A "T" separates an ISO date from its time; no other form has one after a digit.
    found = _TIME.search(re.sub(r"(?<=\d)[Tt](?=\d)", " ", text))
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4]:
        hour = hour % 12 + (12 if found[4] in "pP" else 0)
    if second == _LEAP_SECOND:  # datetime has none
        second -= 1
    return hour, minute, second, _parse_zone(text[found.end() :])


def _parse_zone(text: str) -> timezone:
    for match in _ZONE.finditer(text):
        if match[1]:
            offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
            if not offset or offset >= timedelta(days=1):
                return UTC
            return timezone(-offset if match[1] == "-" else offset)
        hours = _ZONE_HOURS.get(match[4].upper())
        if hours is not None:
            return timezone(timedelta(hours=hours))
    return UTC

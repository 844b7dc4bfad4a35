"""Dates: parsed from header fields, written for replies.

Reads RFC 5322 section 3.3 with the obsolete forms of 4.3, and the common breakages: month names may be in
another language (`month_names`).
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.mail.header.address import blank_comments
from mailmcp.mail.header.month_names import MONTHS, with_english_months

_MONTH_NUMBERS: Final = {name.lower(): number for number, name in enumerate(MONTHS, start=1)}

# Hours east of UTC. Without military zones, which are read as UTC (RFC 5322 section 4.3).
_ZONE_HOURS: Final = {
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
    "CET": 1,
    "MET": 1,
    "CEST": 2,
    "MEST": 2,
    "BST": 1,
    "EET": 2,
    "EEST": 3,
    "MSK": 3,
    "JST": 9,
    "KST": 9,
}
_CENTURY_TURN: Final = 50  # two-digit years below it are of this century (RFC 5322 section 4.3)
_LEAP_SECOND: Final = 60
_DATE_CHARS_MAX: Final = 1_000

_COLON: Final = re.compile(r"\s*:\s*")
_MORNING: Final = r"a\.?\s?m\b|π\.?μ\b|ص\b"
_AFTERNOON: Final = r"p\.?\s?m\b|μ\.?μ\b|م\b"
_TIME: Final = re.compile(
    r"(?:(上午|午前|오전)|(下午|午後|오후))?\s*"
    r"(?<!\d)(\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2}))?(?:[.,]\d+)?(?!\d)\s*"
    rf"(?:({_MORNING})|({_AFTERNOON}))?",
    re.IGNORECASE,
)
_DAY_MONTH_YEAR: Final = re.compile(r"(?<!\d)(\d{1,2})[\s\-/.,]*([A-Za-z]{3})[a-z]*[\s\-/.,]+(\d{2,4})(?!\d)")
_MONTH_DAY: Final = re.compile(r"\b([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2})(?!\d)")
_YEAR: Final = re.compile(r"(?<![\d+-])(\d{4})(?!\d)")
_DOTTED: Final = re.compile(r"(?<![\d.])(\d{1,2})\. ?(0?[1-9]|1[0-2])\. ?(\d{4})(?!\d)")
"""With dots, the day comes first wherever it is written; with slashes, it depends on the country."""

_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_ZONE: Final = re.compile(r"([+-])(\d{2}):?(\d{2})(?!\d)|\b([A-Za-z]{1,5})\b")


def parse_date(value: str) -> datetime | None:
    """Parse the value of a Date header.

    Accepts obsolete and missing zones (UTC), two-digit years (RFC 5322 section 4.3), comments and
    white space between any two tokens, `asctime` and ISO 8601 order, full month names, and the
    months and halves of the day of other languages.

    Returns:
        An aware datetime in the sender's zone, to the second; None if the day or the time of day
        can't be read, or the year is not between 1900 and 9998.
    """
    text = _COLON.sub(":", blank_comments(value[:_DATE_CHARS_MAX]))
    text = _DOTTED.sub(lambda match: f"{match[1]} {MONTHS[int(match[2]) - 1]} {match[3]}", text)
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
    text = with_english_months(text)
    iso = _ISO.search(text)
    if iso is not None:
        return int(iso[1]), int(iso[2]), int(iso[3])
    usual = _DAY_MONTH_YEAR.search(text)
    if usual is not None and usual[2].lower() in _MONTH_NUMBERS:
        year = int(usual[3])
        if len(usual[3]) < 4:
            year += 2000 if len(usual[3]) == 2 and year < _CENTURY_TURN else 1900
        return year, _MONTH_NUMBERS[usual[2].lower()], int(usual[1])
    four_digits = _YEAR.search(text)
    for match in _MONTH_DAY.finditer(text):
        if four_digits is not None and match[1].lower() in _MONTH_NUMBERS:
            return int(four_digits[1]), _MONTH_NUMBERS[match[1].lower()], int(match[2])
    return None


def _parse_time(text: str) -> tuple[int, int, int, timezone] | None:
    # A "T" separates an ISO date from its time; no other form has one after a digit.
    found = _TIME.search(re.sub(r"(?<=\d)[Tt](?=\d)", " ", text))
    if found is None:
        return None
    hour, minute, second = int(found[3]), int(found[4]), int(found[5] or 0)
    is_morning, is_afternoon = found[1] or found[6], found[2] or found[7]
    if is_morning or is_afternoon:
        hour = hour % 12 + (12 if is_afternoon else 0)
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

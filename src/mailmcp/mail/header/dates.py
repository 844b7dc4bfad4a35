"""Dates: parsed from header fields, written for replies.

The standard library reads RFC 5322 section 3.3 with the obsolete forms of 4.3. White space and comments where
they don't belong, ISO 8601 and halves of the day are added here.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz
from typing import Final

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.mail.header.address import blank_comments

_DATE_CHARS_MAX: Final = 1_000
_MINUTE_S: Final = 60
_DAY_S: Final = 86_400
_MARK: Final = re.compile(r"\s*([:,])\s*")
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d")
_ZONE_PREFIX: Final = re.compile(r"\b(?:GMT|UTC)(?=[+-]\d)")  # as JavaScript writes it
_HALF_DAY: Final = re.compile(r"(?<=\d)\s*([ap])\.?m\b\.?", re.IGNORECASE)


def parse_date(value: str) -> datetime | None:
    """Parse the value of a Date header.

    Accepts missing and unknown zones (UTC), two-digit years (RFC 5322 section 4.3), comments and
    white space between any two tokens, `asctime` and ISO 8601 order, and full month names.

    Returns:
        An aware datetime in the sender's zone, to the second; None if the day or the time of day
        can't be read, as in another language, or the year is not between 1900 and 9998.
    """
    text = _MARK.sub(lambda mark: ", " if mark[1] == "," else ":", blank_comments(value[:_DATE_CHARS_MAX]))
    text = _ZONE_PREFIX.sub("", text)
    half = _HALF_DAY.search(text)
    try:
        moment = _parse_iso(text.strip()) if _ISO.match(text.strip()) else _parse(_HALF_DAY.sub("", text))
        if half:
            moment = moment.replace(hour=moment.hour % 12 + (12 if half[1] in "pP" else 0))
    except (ValueError, TypeError, IndexError, OverflowError):  # the library expects dates
        return None
    return moment if YEAR_FIRST <= moment.year <= YEAR_LAST else None


def _parse_iso(text: str) -> datetime:
    moment = datetime.fromisoformat(text).replace(microsecond=0)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse(text: str) -> datetime:
    read = parsedate_tz(text)
    if read is None:
        raise ValueError
    year, month, day, hour, minute, second = read[:6]
    year += 1900 if 100 <= year < 1000 else 0
    offset_s = read[9] or 0
    zone = timezone(timedelta(seconds=offset_s)) if offset_s and abs(offset_s) < _DAY_S else UTC
    # Of a leap second datetime knows nothing.
    return datetime(year, month, day, hour, minute, min(second, _MINUTE_S - 1), tzinfo=zone)


def format_rfc3339(moment: datetime) -> str:
    """Write ``2026-11-05T09:30:00+01:00``: whole seconds, ``Z`` for UTC. A naive value counts as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    text = aware.isoformat(timespec="seconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text

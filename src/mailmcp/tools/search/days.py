"""When the days and moments that a caller names begin."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.tools.search.arguments import read_day, read_moment


def begin_of(text: str, zone: tzinfo, *, days_later: int = 0) -> datetime | None:
    """Give the moment that a text says, or at which its day begins; None for none.

    A day whose midnight a clock change skips or doubles begins with its first moment
    (PEP 495: `fold` is 0). What is outside the years of mail becomes their edge.
    """
    moment = read_moment(text)
    if moment is not None:
        inside = YEAR_FIRST < moment.year < YEAR_LAST
        return moment if inside else datetime.combine(_within_years(moment.date()), time(), UTC)
    day = read_day(text)
    if day is None:
        return None
    inside_day = _within_years(day)
    return datetime.combine(inside_day + timedelta(days=days_later), time(), zone)


def _within_years(day: date) -> date:
    return min(max(day, date(YEAR_FIRST, 1, 1)), date(YEAR_LAST, 12, 30))

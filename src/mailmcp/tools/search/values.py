"""Values as people write them: words and phrases, days and times, sizes."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal

from mailmcp.limits import YEAR_FIRST, YEAR_LAST

_WORD = re.compile(
    r"""
    (?P<plain> \\?" (?P<between> (?: (?!\\?") . )* ) (?:\\?")? )  # as typed, or as JSON escapes it twice
    | [“”„«»] (?P<typeset> [^“”„«»]* ) [“”„«»]?
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)([Zz]|[+-]\d\d:\d\d)?", re.ASCII
)
"""RFC 3339 section 5.6; seconds may be left out."""

_SIZE = re.compile(r"(\d{1,10}(?:\.\d{1,3})?) ?(?:([kmg]?)(i?)b?|bytes|octets)", re.ASCII | re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}


def parse_words(text: str, *, ignored: frozenset[str]) -> tuple[str, ...]:
    """Split a text at its spaces into words and quoted phrases.

    Commas and asterisks at the ends of words are dropped: parts of words are found anyway. So are blank
    phrases, which servers find everywhere.

    Args:
        text: What was sent.
        ignored: Operators that change nothing between two words.
    """
    words = _split(text)
    ends = {0, len(words) - 1}
    kept = (
        (word, quoted)
        for index, (word, quoted) in enumerate(words)
        if quoted or index in ends or word not in ignored
    )
    terms = (word if quoted else _trim(word) for word, quoted in kept)
    return tuple(term for term in terms if term.strip())


def parse_phrase(text: str) -> str:
    """Return a text as one phrase, without quotes around the whole of it; "" if it is blank."""
    words = _split(text)
    phrase = words[0][0] if len(words) == 1 and words[0][1] else _trim(text)
    return phrase if phrase.strip() else ""


def _split(text: str) -> list[tuple[str, bool]]:
    """Split a text into words, each with whether it was quoted; an open quote ends with the text."""
    words = []
    for match in _WORD.finditer(text):
        if match["word"] is not None:
            words.append((match["word"], False))
        else:
            phrase = match["typeset"].strip() if match["plain"] is None else match["between"]  # « comme ça »
            words.append((phrase, True))
    return words


def _trim(text: str) -> str:
    return text.rstrip("*,;").lstrip("*")


def has_no_offset(text: str) -> bool:
    """Return whether a text is a date-time without its offset from UTC."""
    match = _MOMENT.fullmatch(text)
    return match is not None and match[3] is None


def parse_moment(text: str) -> datetime | None:
    """Parse a date-time with its offset; None for anything else."""
    match = _MOMENT.fullmatch(text)
    if match is None or match[3] is None:
        return None
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}{match[3].upper()}")
    except ValueError:
        return None


def parse_day(text: str) -> date | None:
    """Parse a date written as YYYY-MM-DD; None for anything else."""
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.isoformat() == text else None


def start_of(text: str, zone: tzinfo, *, days_later: int = 0) -> datetime | None:
    """Return the moment that a text names, or at which its day starts in a zone; None for neither.

    A day whose midnight a clock change skips or doubles starts with its first moment (PEP 495: `fold` is
    0). A moment outside the years of mail becomes their edge.
    """
    moment = parse_moment(text)
    if moment is not None:
        inside = YEAR_FIRST < moment.year < YEAR_LAST
        return moment if inside else datetime.combine(_clip(moment.date()), time(), UTC)
    day = parse_day(text)
    return None if day is None else datetime.combine(_clip(day) + timedelta(days=days_later), time(), zone)


def _clip(day: date) -> date:
    return min(max(day, date(YEAR_FIRST, 1, 1)), date(YEAR_LAST, 12, 30))


def parse_octets(text: str) -> int | None:
    """Parse a size such as `200kB` or `1.5 MiB`; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    power = _POWERS[(match[2] or "").lower()]
    return int(Decimal(match[1]) * (1024 if match[3] else 1000) ** power)

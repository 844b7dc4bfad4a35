"""Values as people write them: words and phrases, days and times."""

import re
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from mailmcp.limits import YEAR_FIRST, YEAR_LAST

_WORD: Final = re.compile(
    r"""
    (?P<plain> \\?" (?P<between> (?: (?!\\?") . )* ) (?:\\?")? )  # as typed, or as JSON escapes it twice
    | [“”„«»] (?P<typeset> [^“”„«»]* ) [“”„«»]?
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)


def parse_words(text: str, *, ignored: Collection[str]) -> tuple[str, ...]:
    """Split a text at its spaces into words and quoted phrases.

    Commas and asterisks at the ends of words are dropped: parts of words are found anyway. So are blank
    phrases, which servers find everywhere, and words to be ignored between two others.
    """
    words = split_words(text)
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
    words = split_words(text)
    phrase = words[0][0] if len(words) == 1 and words[0][1] else _trim(text)
    return phrase if phrase.strip() else ""


def split_words(text: str) -> list[tuple[str, bool]]:
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


def parse_time(text: str) -> date | datetime | None:
    """Parse a day or a time of ISO 8601; a time may lack its offset. None for anything else."""
    for read in (date.fromisoformat, datetime.fromisoformat):
        with suppress(ValueError):
            return read(text.upper())
    return None


def start_of(text: str, zone: tzinfo) -> datetime | None:
    """Return the moment that a text names, or at which its day starts in a zone; None for neither.

    A day whose midnight a clock change skips or doubles starts with its first moment (PEP 495: `fold` is
    0). A moment outside the years of mail becomes their edge.
    """
    parsed = parse_time(text)
    if isinstance(parsed, datetime):
        if YEAR_FIRST < parsed.year < YEAR_LAST:
            return parsed
        parsed, zone = parsed.date(), UTC
    return None if parsed is None else datetime.combine(_clip(parsed), time(), zone)


def day_after(text: str) -> str | None:
    """Return the day after one, as text; None if it is no day."""
    day = parse_time(text)
    if day is None or isinstance(day, datetime):
        return None
    return (_clip(day) + timedelta(days=1)).isoformat()


def _clip(day: date) -> date:
    return min(max(day, date(YEAR_FIRST, 1, 1)), date(YEAR_LAST, 12, 30))

"""Messages whose Date headers say when they were written, in all the ways of mail, or don't.

What a header means is known from how it was made: no parser of dates is asked.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from random import Random

from search.composing import Leaf, compose
from search.known_mail import EDGES, Known

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_IMPORTED = datetime(2026, 6, 29, 9, 30, tzinfo=UTC)
_FAR_OFF = ("1965-04-01T12:00:00+00:00", "2040-01-19T03:14:08+00:00", "2099-12-31T23:59:59-11:00")
"""Not after February 2106: Dovecot takes later dates for dates of a hundred years ago."""

_OFFSETS = (0, 60, 120, -300, -480, 330, 840, -720)
_BAD = ("", "garbage", "Mon, 32 Feb 2024 10:00:00 +0000", "Mon, 05 Feb 2024 25:00:00 +0000", "yesterday")


def _usual(when: datetime) -> str:
    return f"{_DAYS[when.weekday()]}, {when.day:02} {_in_words(when)} {when:%H:%M:%S} {_offset(when)}"


def _bare(when: datetime) -> str:
    return f"{when.day} {_in_words(when)} {when:%H:%M:%S} {_offset(when)} (summer time)"


def _in_words(when: datetime) -> str:
    return f"{_MONTHS[when.month - 1]} {when.year}"


def _offset(when: datetime) -> str:
    return f"{when:%z}"


def _obsolete(when: datetime) -> str:
    eastern = when.astimezone(timezone(timedelta(hours=-5)))
    return f"{eastern.day} {_in_words(eastern)} {eastern:%H:%M:%S} EST"


def _iso(when: datetime) -> str:
    """A form that mail programs read and most servers don't."""
    return f"{when:%Y-%m-%d %H:%M:%S} {_offset(when)}"


_FORMS: tuple[Callable[[datetime], str], ...] = (_usual, _usual, _usual, _bare, _obsolete, _iso)


def make_dated(count: int, random: Random, *, plain: bool = False) -> list[Known]:
    """Make messages 1 to `count`; with `plain` all have dates that every server can read."""
    return [_make(number, random, plain=plain) for number in range(1, count + 1)]


def _make(number: int, random: Random, *, plain: bool) -> Known:
    written = _moment(random, plain=plain)
    header: str | None = (_usual if plain else random.choice(_FORMS))(written)
    moment: datetime | None = written
    if random.random() < 0.1 and not plain:
        header, moment = random.choice((None, *_BAD)), None
    received = _received(moment, random)
    message_id, from_ = f"<dated{number}@mail.example>", f"sender{number % 3}@mail.example"
    subject = f"{'report' if number % 2 else 'letter'} {number}"
    fields = [("From", from_), ("To", "me@home.example"), ("Subject", subject), ("Message-ID", message_id)]
    fields += [] if header is None else [("Date", header)]
    return Known(
        number=number,
        written=compose(fields, Leaf(text="x" * random.randrange(500))),
        from_=from_,
        to="me@home.example",
        cc="",
        subject=subject,
        list_id="",
        message_id=message_id,
        received=received,
        dated=moment,
        flags=frozenset(random.sample(("\\Seen", "\\Flagged"), random.randrange(3))),
    )


def _moment(random: Random, *, plain: bool) -> datetime:
    zone = timezone(timedelta(minutes=random.choice(_OFFSETS)))
    chance = random.random()
    if chance < 0.3:
        return datetime.fromisoformat(random.choice(EDGES)).astimezone(zone)
    if chance < 0.35 and not plain:
        return datetime.fromisoformat(random.choice(_FAR_OFF))
    start = datetime(2022, 1, 1, tzinfo=zone)
    return start + timedelta(seconds=random.randrange(4 * 365 * 86_400))


def _received(moment: datetime | None, random: Random) -> datetime:
    """Half was imported in one day; the rest arrived when it was written, or a little later."""
    delay = timedelta(seconds=random.randrange(7_200))
    if moment is None or moment.year not in range(1990, 2030) or random.random() < 0.5:
        return _IMPORTED + delay
    return moment + delay

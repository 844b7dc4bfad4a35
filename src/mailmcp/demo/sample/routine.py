"""What arrives every day and week: alerts, standups, reports, reviews, support tickets.

Each kind is a small table that is walked with a step of its own, so that the
same words meet different numbers.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count, islice
from typing import Final

from mailmcp.demo.sample.letter import SEEN, Letter, Placed, flags_by_age, place
from mailmcp.demo.sample.people import ELENA, FORGE, HELPDESK, JONAS, MONITOR, PRIYA, TEAM, TOM

_CHECKS: Final = (
    ("ingest-2", "disk space below {n} %", 12),
    ("api.example.com", "p95 response time above {n} ms", 800),
    ("ST-117", "no data for {n} minutes", 45),
    ("db-1", "replication {n} s behind", 90),
    ("mail-relay", "{n} messages queued", 250),
)
"""Host, what is wrong, a number that goes with it."""

_ALERTS: Final = 14

_STANDUPS: Final = (
    (JONAS, "radiation shield in the chamber", "write up the result", "waiting for the reference probe"),
    (PRIYA, "averaging fix, 2 tests red", "get the tests green", "none"),
    (TOM, "packed 12 stations", "customs papers for the two to Oslo", "printer is out of labels"),
    (ELENA, "roadmap slides", "customer call at 10", "none"),
)
"""Who, yesterday, today, blockers."""

_STANDUP_DAYS: Final = 6
_FRIDAY: Final = 5

_WEEKS: Final = 12
_FINDINGS: Final = (
    "The two stations in Oslo passed acceptance.",
    "Battery tests at -20 °C finished; the spare cell wins by nine hours.",
    "We lost a day to the broken label printer.",
    "Eastwold asks for a second mast; the quote is out.",
    "The new averaging is on all test stations.",
)

_REVIEWS: Final = (
    (812, "Averaging keeps negative samples", PRIYA, "approved"),
    (809, "Export as CSV, second half", JONAS, "commented"),
    (803, "Bump the radio library to 5.2", TOM, "requested changes on"),
    (797, "Service port: read out 30 days", PRIYA, "merged"),
    (788, "Log the supply voltage hourly", JONAS, "merged"),
    (781, "Remove the old time server", PRIYA, "merged"),
)
"""Number, title, who, what they did."""

_TICKETS: Final = (
    (
        4471,
        "Station shows 85.0 degrees",
        "open",
        "The display shows 85.0 all day, and it is not hot.",
    ),
    (4466, "Invoice address is wrong", "solved", "Our name has changed; the invoice has the old one."),
    (4460, "Wie lese ich die Daten aus?", "open", "Das Kabel ist da, aber ich finde die Software nicht."),
    (4452, "Mast too short", "waiting", "We ordered four metres and got three. See the delivery note."),
    (4449, "Password reset does not arrive", "solved", "I have tried it three times and looked in the junk."),
)
"""Number, subject, state, what the customer wrote."""


def make_routine(now: datetime) -> Iterator[Placed]:
    """Make all of it; what is older than three weeks is in Archive."""
    yield from _make_alerts(now)
    yield from _make_standups(now)
    yield from _make_weekly_reports(now)
    yield from _make_reviews(now)
    yield from _make_tickets(now)


def _file(letter: Letter, index: int, now: datetime) -> Placed:
    age = now - letter.when
    if age > timedelta(days=21):
        return place(letter, mailbox="Archive", flags=(SEEN,))
    return place(letter, flags=flags_by_age(index, age))


def _make_alerts(now: datetime) -> Iterator[Placed]:
    for index in range(_ALERTS):
        host, wrong, number = _CHECKS[index % len(_CHECKS)]
        what = wrong.format(n=number - (index * 7) % 10)
        again = index % 3 == 1
        state = "RESOLVED" if again else "PROBLEM"
        when = now - timedelta(hours=4 + 29 * index, minutes=(index * 17) % 60)
        letter = Letter(
            when=when,
            sender=MONITOR,
            subject=f"[{state}] {host}: {what}",
            text=f"State:   {state}\nHost:    {host}\nCheck:   {what}\nSince:   {when:%Y-%m-%d %H:%M} UTC\n"
            f"Lasted:  {(index * 23) % 57 + 3} minutes\n\n"
            f"Acknowledge: https://watchpost.example.net/a/{90210 + index}\n",
            headers=(("Auto-Submitted", "auto-generated"), ("X-Watchpost-Severity", "1" if again else "2")),
        )
        yield _file(letter, index, now)


def _make_standups(now: datetime) -> Iterator[Placed]:
    for day, date in enumerate(islice(_workdays_before(now), _STANDUP_DAYS)):
        when = date.replace(hour=8, minute=45, second=0)
        turns = [_STANDUPS[(seat + day) % len(_STANDUPS)] for seat in range(len(_STANDUPS) - day % 2)]
        text = "\n\n".join(
            f"{who.display_name}\n  Yesterday: {done}\n  Today: {todo}\n  Blockers: {blockers}"
            for who, done, todo, blockers in turns
        )
        letter = Letter(
            when=when,
            sender=TEAM,
            subject=f"Standup {when:%a %d %b}",
            text=f"{text}\n\n-- \nSent by the standup bot at 08:45\n",
            message_id=f"<standup.{when:%Y%m%d}@example.com>",
        )
        yield place(letter, mailbox="Projects/Apollo", flags=(SEEN,) if day else ())


def _make_weekly_reports(now: datetime) -> Iterator[Placed]:
    fridays = (date for date in _workdays_before(now) if date.isoweekday() == _FRIDAY)
    for week, friday in enumerate(islice(fridays, _WEEKS)):
        when = friday.replace(hour=16, minute=5, second=0)
        shipped, tickets, uptime = 9 + (week * 5) % 8, 3 + (week * 4) % 7, 99.99 - (week % 4) * 0.07
        notes = "\n".join(f"- {_FINDINGS[(week + step) % len(_FINDINGS)]}" for step in (0, 2, 3))
        letter = Letter(
            when=when,
            sender=ELENA,
            to=(TEAM,),
            subject=f"Weekly report, week {when.isocalendar().week}",
            text=f"Hello all,\n\nshipped: {shipped} stations\nopen tickets: {tickets}\n"
            f"uptime: {uptime:.2f} %\n\n{notes}\n\nHave a good weekend!\nElena\n",
        )
        yield _file(letter, week + 1, now)


def _workdays_before(now: datetime) -> Iterator[datetime]:
    """Give the working days before today, newest first, without end."""
    days = (now - timedelta(days=day) for day in count(1))
    return (day for day in days if day.isoweekday() <= _FRIDAY)


def _make_reviews(now: datetime) -> Iterator[Placed]:
    for index, (number, title, who, did) in enumerate(_REVIEWS):
        request = f"<station/pull/{number}@forge.example.net>"
        link = f"https://forge.example.net/fernhill/station/pull/{number}"
        letter = Letter(
            when=now - timedelta(hours=3 + 41 * index),
            sender=FORGE,
            subject=f"Re: [fernhill/station] {title} (PR #{number})",
            text=f"{who.display_name} {did} this pull request.\n\n-- \nView it: {link}\n",
            html=f"<p><strong>{who.display_name}</strong> {did} this pull request.</p>"
            f'<p style="font-size:small;color:#666">&mdash;<br><a href="{link}">View it</a></p>',
            message_id=f"<station/pull/{number}/review/{7000 + index * 31}@forge.example.net>",
            references=(request,),
            headers=(("List-Id", "fernhill/station <station.fernhill.forge.example.net>"),),
        )
        yield _file(letter, index + 2, now)


def _make_tickets(now: datetime) -> Iterator[Placed]:
    for index, (number, subject, state, text) in enumerate(_TICKETS):
        letter = Letter(
            when=now - timedelta(days=1 + 3 * index, hours=2 + index),
            sender=HELPDESK,
            subject=f"[#{number}] {subject} ({state})",
            text=f"Ticket #{number} is {state}.\n\nThe customer wrote:\n\n> {text}\n\n"
            f"Answer above this line, or at https://support.example.com/t/{number}\n",
            headers=(("X-Ticket", str(number)), ("Auto-Submitted", "auto-generated")),
        )
        yield _file(letter, index + 3, now)

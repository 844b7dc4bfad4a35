"""What lies around an account's edges: drafts, junk, the bin, and what was filed in 2025."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from typing import Final

from mailmcp.demo.sample.letter import DRAFT, FLAGGED, SEEN, Letter, Placed, place
from mailmcp.demo.sample.people import BOARDS, ELENA, GRUEN, HAYES, JONAS, LUCAS, OWNER, PRIYA, TOM

_DRAFTS: Final = (
    ((BOARDS,), "Re: Quote for 250 main boards, rev C", "Dear Ms Brandt,\n\nwe hereby confirm"),
    ((), "Ideas for the autumn release", "- snow depth\n- a smaller mast\n- "),
    ((HAYES,), "", "Dear Caroline,\n\n"),
    ((TOM, JONAS), "Works outing", "Hi both,\n\nboat or bicycle?\n"),
)
"""To whom, subject, how far it got."""

_JUNK: Final = (
    ("Golden Wheel Casino", "spin@wheel.example.net", "€€€ 200 free spins are waiting, {name}!!!"),
    ("SEO Experts", "grow@rank.example.net", "I found 17 errors on your website"),
    ("Dr. Obi Lawson", "barrister@estate.example.net", "CONFIDENTIAL: estate of the late Mr Lindqvist"),
    ("Pharmacy Direct", "no-reply@pills.example.net", "V1tamins at h4lf price"),
    ("Account Team", "security@verify.example.net", "Your mailbox is 99% full: verify now"),
    ("Crypto Daily", "alpha@coins.example.net", "This coin did 40x, the next one is here"),
    ("Toner King", "sales@toner.example.net", "Toner for your office from 9.99"),
    ("Miss Olga", "olga@hearts.example.net", "hello {name}, I saw your photo"),
)
"""Name, address, subject."""

_THROWN_AWAY: Final = (
    (TOM, "Cake in the kitchen", "It is lemon."),
    (TOM, "Cake is gone", "It was lemon."),
    (JONAS, "Wrong window", "Sorry, that was meant for Priya."),
    (ELENA, "Lunch?", "Noodles at 12:15, downstairs."),
    (PRIYA, "Build server restarts at 18:00", "Five minutes, nothing to do."),
    (TOM, "Blue car in the yard", "The lights are on."),
)
"""Who, subject, text."""

_FILED: Final = (
    (1, 14, HAYES, "Renewal of the service contract", "we renew for another year on the same terms"),
    (2, 3, LUCAS, "Slides of the winter school", "they are on the server, the password is the usual one"),
    (2, 20, BOARDS, "Order 7702 confirmed", "120 pieces, rev B, delivery in calendar week 14"),
    (3, 9, GRUEN, "Besuch der Klasse 5b", "es war ein wunderbarer Vormittag, die Kinder reden noch davon"),
    (4, 1, TOM, "New address from today", "the mail room is now in building C"),
    (4, 28, ELENA, "Results of the first quarter", "214 stations, 9 returns, and one very happy lighthouse"),
    (5, 16, JONAS, "Chamber calibration", "valid for twelve months, the sheet is in the folder"),
    (6, 11, PRIYA, "Summary of the radio tests", "868 MHz wins beyond four kilometres, as we thought"),
    (7, 7, HAYES, "The mast after the storm", "it stands; the old shed does not"),
    (8, 22, BOARDS, "Order 7731 confirmed", "250 pieces, rev B, the stencil is kept for you"),
    (9, 18, LUCAS, "Thank you for the talk", "the recording is online, with far too many of my questions"),
    (10, 6, ELENA, "Budget for next year", "the two mast lines are merged, the rest is as discussed"),
    (11, 2, JONAS, "Humidity sensors, batch 11", "6 of 200 drift; I would return the whole batch"),
    (12, 19, TOM, "Closed until 2 January", "the last parcel goes out on the 20th at noon"),
)
"""Month and day of 2025, who, subject, what it was about."""


def make_margins(now: datetime) -> Iterator[Placed]:
    """Make the contents of Drafts, Junk, Trash and Archive/2025."""
    yield from _make_drafts(now)
    yield from _make_junk(now)
    yield from _make_trash(now)
    yield from _make_filed()


def _make_drafts(now: datetime) -> Iterator[Placed]:
    for index, (to, subject, text) in enumerate(_DRAFTS):
        letter = Letter(
            when=now - timedelta(days=index, minutes=25), sender=OWNER, to=to, subject=subject, text=text
        )
        yield place(letter, mailbox="Drafts", flags=(DRAFT, SEEN))


def _make_junk(now: datetime) -> Iterator[Placed]:
    for index, (name, address, subject) in enumerate(_JUNK):
        host = address.partition("@")[2]
        link = f"https://{host}/{index * 7919 + 104729:x}"
        letter = Letter(
            when=now - timedelta(days=1 + 2 * index, hours=index),
            sender=Address(name, addr_spec=address),
            subject=subject.format(name="mara"),
            html=f'<center><h1><a href="{link}">{name}</a></h1><font color="red" size="5">ONLY TODAY</font>'
            f'<br><a href="{link}?go"><img src="{link}.png" alt="OPEN"></a></center>',
            headers=(("X-Spam-Flag", "YES"), ("X-Spam-Score", f"{7.5 + index * 1.3:.1f}")),
        )
        yield place(letter, mailbox="Junk", flags=("$Junk",) if index % 3 else ("$Junk", SEEN))


def _make_trash(now: datetime) -> Iterator[Placed]:
    for index, (sender, subject, text) in enumerate(_THROWN_AWAY):
        letter = Letter(
            when=now - timedelta(days=2 + 5 * index), sender=sender, subject=subject, text=f"{text}\n"
        )
        yield place(letter, mailbox="Trash", flags=(SEEN,))


def _make_filed() -> Iterator[Placed]:
    for month, day, sender, subject, text in _FILED:
        letter = Letter(
            when=datetime(2025, month, day, 8 + day % 9, (day * 7) % 60, tzinfo=UTC),
            sender=sender,
            subject=subject,
            text=f"Hello Mara,\n\n{text}.\n\n{sender.display_name}\n",
        )
        yield place(letter, mailbox="Archive/2025", flags=(SEEN, FLAGGED) if month % 5 == 0 else (SEEN,))

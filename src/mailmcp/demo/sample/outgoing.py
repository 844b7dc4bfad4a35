"""What the owner sent without being asked, and what her first school station reports."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.headerregistry import Address
from typing import Final

from mailmcp.demo.sample.files import make_csv
from mailmcp.demo.sample.letter import SEEN, Attachment, Letter, Placed, place
from mailmcp.demo.sample.people import (
    BOARDS,
    ELENA,
    GRUEN,
    HAYES,
    JONAS,
    LUCAS,
    OWNER,
    PRIYA,
    SATO,
    TEAM,
    TOM,
)

_SENT: Final = (
    (0.4, (TEAM,), "Customer call moved to 11:00", "The customer asked for an hour later. Same room."),
    (1.2, (TOM,), "Shields stay at the dock", "Please do not ship the 40 shields before I say so."),
    (2.6, (ELENA,), "Numbers for the call", "ST-114, ST-117, ST-121: +0.9 K since the update. Fix: 2.4.2."),
    (4.1, (HAYES,), "Second mast", "The quote is on its way. Four weeks from your order."),
    (6.3, (PRIYA, JONAS), "Thank you", "That was quick. Cake is on me."),
    (8.0, (LUCAS,), "Prize!", "Please take a photo of her with the cup, she will not do it herself."),
    (11.5, (BOARDS,), "Wrong colour", "Box 2 of 7731-2 has green boards, we ordered black. We keep them."),
    (15.2, (SATO,), "Second station", "The second station left today; customs need about a week."),
    (21.7, (TOM,), "Label printer", "Buy the larger one, on the office budget."),
    (28.4, (JONAS,), "Chamber on Monday", "The chamber is ours from 9 to 15."),
    (36.9, (ELENA, TOM), "Away from Thursday", "Until Tuesday. Priya decides, Jonas complains."),
    (47.3, (GRUEN,), "Schulgarten", "Der Mast steht bereit. Passt Ihnen Dienstag um zehn?"),
    (
        61.0,
        (TEAM,),
        "Where the probes are",
        'In the grey cupboard, in the box "cables".',
    ),
    (88.5, (HAYES,), "Service contract", "Signed, on its way to you by post."),
)
"""Days ago, to whom, subject, text."""

_STATION: Final = Address("Wolke 7", addr_spec="wolke7@stations.example.com")
_STATION_WEEKS: Final = 4


def make_outgoing(now: datetime) -> Iterator[Placed]:
    """Make the owner's own letters, and the weekly readings in Projects/Grün."""
    for days_ago, to, subject, text in _SENT:
        when = now - timedelta(days=days_ago)
        letter = Letter(when=when, sender=OWNER, to=to, subject=subject, text=f"{text}\n\nMara\n")
        yield place(letter, mailbox="Sent", flags=(SEEN,))
    for week in range(_STATION_WEEKS):
        yield _make_readings(now - timedelta(days=3 + 7 * week, hours=2), week)


def _make_readings(when: datetime, week: int) -> Placed:
    rows = [
        (f"{when - timedelta(days=day):%Y-%m-%d}", (day * 5 + week * 3) % 11 + 2, (day * 7 + week) % 6)
        for day in range(7, 0, -1)
    ]
    warmest = max(rows, key=lambda row: row[1])
    letter = Letter(
        when=when,
        sender=_STATION,
        cc=(GRUEN,),
        subject=f"Wochenwerte „Wolke 7“, KW {when.isocalendar().week}",
        text=f"Wärmster Tag: {warmest[0]} mit {warmest[1]} °C\n"
        f"Niederschlag: {sum(row[2] for row in rows)} mm\n\nAlle Werte im Anhang.\n",
        attachments=(
            Attachment(
                filename=f"wolke7-kw{when.isocalendar().week:02}.csv",
                content_type="text/csv",
                data=make_csv(("tag", "temperatur_c", "niederschlag_mm"), rows),
            ),
        ),
        headers=(("Auto-Submitted", "auto-generated"),),
    )
    return place(letter, mailbox="Projects/Grün", flags=(SEEN,) if week else ())

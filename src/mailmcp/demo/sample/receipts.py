"""Orders, invoices, tickets and reports: the mail whose point is a file or a number."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from mailmcp.demo.sample.files import make_csv, make_ics, make_lump, make_pdf, make_png
from mailmcp.demo.sample.letter import FLAGGED, SEEN, Attachment, Letter, Placed, flags_by_age, place
from mailmcp.demo.sample.people import BOARDS, ELENA, HOSTING, JONAS, PRIYA, RAIL, SHOP, TOM
from mailmcp.demo.sample.thread_texts import VISIT_IN_DAYS

_ORDERS: Final = (
    ("P-20871", "Bench power supply, 30 V / 5 A", 1, 119.00),
    ("P-20790", "Label tape 12 mm, black on white", 6, 8.90),
    ("P-20664", "Hiking boots, size 41", 1, 134.50),
    ("P-20512", "Paper filters, 100 pieces", 3, 2.95),
    ("P-20448", "Desk lamp, warm white", 2, 42.00),
)
"""Number, article, quantity, price of one."""

_JOURNEYS: Final = (
    ("Fernhill Central", "Eastwold", 9, "7F3K2", 38.40),
    ("Eastwold", "Fernhill Central", 17, "7F3K3", 38.40),
)
"""From, to, hour of departure, booking reference, price."""

_HOSTING_MONTHS: Final = 12
_BIG_OCTETS: Final = 300_000
"""Above the 128 KiB that the first look at a message brings."""


def make_receipts(now: datetime) -> Iterator[Placed]:
    """Make the orders, hosting invoices and tickets, and the letters that carry larger files."""
    yield from _make_orders(now)
    yield from _make_hosting_invoices(now)
    yield from _make_tickets(now)
    yield from _make_reports(now)


def _make_orders(now: datetime) -> Iterator[Placed]:
    for index, (number, article, quantity, price) in enumerate(_ORDERS):
        age = timedelta(days=3 + 11 * index, hours=5)
        total = f"{quantity * price:.2f} EUR"
        text = (
            f"Thank you for your order {number}.\n\n  {quantity} x {article}\n  {price:.2f} EUR each\n\n"
            f"Total: {total} including VAT. The invoice is attached.\n"
            f"Track it: https://shop.example.net/track/{number}\n"
        )
        rows = f"<tr><td>{quantity} x {article}</td><td align='right'>{price:.2f}</td></tr>"
        invoice = make_pdf(
            ["Parcel & Post", f"Invoice {number}", f"{quantity} x {article}", f"Total {total}"]
        )
        letter = Letter(
            when=now - age,
            sender=SHOP,
            subject=f"Your order {number}: {total}",
            text=text,
            html=f"<html><body><h1>Thank you!</h1><p>Order <b>{number}</b></p><table>{rows}"
            f"<tr><td>Total</td><td align='right'><b>{total}</b></td></tr></table></body></html>",
            attachments=(
                Attachment(filename=f"Invoice-{number}.pdf", content_type="application/pdf", data=invoice),
            ),
        )
        mailbox = "INBOX" if age < timedelta(days=40) else "Archive"
        yield place(letter, mailbox=mailbox, flags=flags_by_age(index, age))


def _make_hosting_invoices(now: datetime) -> Iterator[Placed]:
    for index in range(_HOSTING_MONTHS):
        age = timedelta(days=6 + 30 * index, hours=8)
        when = now - age
        due = when + timedelta(days=14)
        amount = f"{84.5 + 3.25 * ((index * 5) % 4):.2f}"
        number = f"SH-{when:%Y%m}-0417"
        pdf = make_pdf(
            ["Stratus Hosting", f"Invoice {number}", f"Amount due: {amount} EUR", f"By {due:%Y-%m-%d}"]
        )
        letter = Letter(
            when=when,
            sender=HOSTING,
            subject=f"Invoice {number} is due on {due:%d %B}",
            text=f"Hello Mara Lindqvist,\n\nyour invoice for {when:%B %Y} over {amount} EUR is attached.\n"
            f"It will be charged to the card ending in 4417 on {due:%Y-%m-%d}.\n\nStratus Hosting\n",
            attachments=(Attachment(filename=f"{number}.pdf", content_type="application/pdf", data=pdf),),
        )
        mailbox = "INBOX" if index < 2 else "Archive"  # older ones are filed
        yield place(letter, mailbox=mailbox, flags=(SEEN,) if index else ())


def _make_tickets(now: datetime) -> Iterator[Placed]:
    for index, (start, end, hour, reference, price) in enumerate(_JOURNEYS):
        when = now - timedelta(days=2, hours=1, minutes=4 * (2 - index))
        departs = (now + timedelta(days=VISIT_IN_DAYS)).replace(hour=hour, minute=12, second=0, microsecond=0)
        journey, platform = f"Train {start} to {end}", f"{start}, main station"
        calendar = make_ics(journey, departs, hours=2.5, organizer=RAIL, place=platform, method="PUBLISH")
        ticket = make_pdf(["Overland Rail", f"{start} - {end}", f"{departs:%d %b %Y, %H:%M}", reference])
        letter = Letter(
            when=when,
            sender=RAIL,
            subject=f"Ticket {reference}: {start} → {end}, {departs:%d %b}",
            text=f"Your booking {reference}\n\n{departs:%A, %d %B %Y, %H:%M}\n{start} to {end}\n"
            f"2 adults, second class, {price:.2f} EUR\n\nPlease show the attached ticket.\n",
            attachments=(
                Attachment(filename=f"ticket-{reference}.pdf", content_type="application/pdf", data=ticket),
                Attachment(filename="journey.ics", content_type="text/calendar", data=calendar),
            ),
        )
        yield place(letter, flags=(SEEN, FLAGGED))


def _make_reports(now: datetime) -> Iterator[Placed]:
    letters = (
        _firmware(now - timedelta(hours=7)),
        _gaps(now - timedelta(days=4, hours=2)),
        _delivery_note(now - timedelta(days=12, hours=6)),
        _scan(now - timedelta(days=20)),
    )
    for index, letter in enumerate(letters):
        yield place(letter, flags=(SEEN,) if index else ())


def _firmware(when: datetime) -> Letter:
    firmware = Attachment(
        filename="station-fw-2.4.2-rc1.bin",
        content_type="application/octet-stream",
        data=make_lump("station-fw-2.4.2-rc1", _BIG_OCTETS),
    )
    return Letter(
        when=when,
        sender=PRIYA,
        cc=(JONAS,),
        subject="Firmware 2.4.2-rc1 for the bench",
        text="Hi Mara,\n\nthe candidate is attached (293 KiB). Flash it over the service port only, the"
        " radio update would take an hour.\n\nSHA-256 is on the wiki.\n\nPriya\n",
        attachments=(firmware,),
    )


def _gaps(when: datetime) -> Letter:
    rows = [
        (f"ST-{100 + station}", f"{(station * 37) % 100 / 10 + 4:.1f}", (station * 13) % 9)
        for station in range(1, 41)
    ]
    table = Attachment(
        filename="Übersicht Stationen März.csv",
        content_type="text/csv",
        data=make_csv(("station", "mean_temperature_c", "gaps"), rows),
    )
    chart = Attachment(
        filename="gaps.png",
        content_type="image/png",
        data=make_png([(hour * 29) % 44 + 4 for hour in range(24)]),
        content_id="gaps.chart@example.com",
    )
    return Letter(
        when=when,
        sender=ELENA,
        subject="Gaps in the station data",
        text="Hi,\n\nthe chart shows gaps by hour of the day, the table has all stations.\n\nElena\n",
        html="<p>Hi,</p><p>the chart shows gaps by hour of the day:</p>"
        '<p><img src="cid:gaps.chart@example.com" alt="Gaps by hour"></p>'
        "<p>The table has all stations.</p><p>Elena</p>",
        attachments=(chart, table),
    )


def _delivery_note(when: datetime) -> Letter:
    note = Attachment(
        filename="7731-2.pdf",
        content_type="application/pdf",
        data=make_pdf(["Calder Boards", "Delivery note 7731-2", "2 boxes, 19 kg"]),
    )
    serials = Attachment(
        filename="serials.csv",
        content_type="text/csv",
        data=make_csv(("board", "serial"), [(n, f"C-{7731000 + n}") for n in range(1, 26)]),
    )
    return Letter(
        when=when,
        sender=BOARDS,
        subject="Delivery note 7731-2",
        text="Dear Ms Lindqvist,\n\n2 boxes, 19 kg, are on their way to you.\n\nCalder Boards\n",
        attachments=(note, serials),
    )


def _scan(when: datetime) -> Letter:
    scan = Attachment(
        filename="scan0042.pdf",
        content_type="application/pdf",
        data=make_pdf([f"Clause {number}: as before." for number in range(1, 30)]),
    )
    return Letter(
        when=when,
        sender=TOM,
        subject="Scanned: contract with the landlord",
        html="<p>See attachment. Sent from the copier on the 2nd floor.</p>",
        attachments=(scan,),
    )

"""An e-ticket as an airline's booking system sends it: nested tables, a sum for each tax, and rules in small print."""

import base64

from newsletters.kit import Envelope, Newsletter, opaque, pixel, publish

HOST = "t.crm.nordwind-air.example"

LEGS = (
    (
        "NW 418",
        "Tue 24 Nov 2026",
        "06:55",
        "Linz (LNZ)",
        "08:20",
        "Frankfurt (FRA)",
        "Terminal 1",
        "14C",
        "Economy Flex (M)",
        "23 kg",
    ),
    (
        "NW 862",
        "Tue 24 Nov 2026",
        "10:10",
        "Frankfurt (FRA)",
        "12:15",
        "Bergen (BGO)",
        "Terminal 1, gate B22",
        "21A",
        "Economy Flex (M)",
        "23 kg",
    ),
    (
        "NW 867",
        "Sun 29 Nov 2026",
        "16:40",
        "Bergen (BGO)",
        "18:55",
        "Frankfurt (FRA)",
        "opens 14:40",
        "09F",
        "Economy Light (K)",
        "none",
    ),
    (
        "NW 425",
        "Sun 29 Nov 2026",
        "21:05",
        "Frankfurt (FRA)",
        "22:15",
        "Linz (LNZ)",
        "Terminal 1",
        "11D",
        "Economy Light (K)",
        "none",
    ),
)
FARE = (
    ("Fare", "214.00"),
    ("Carrier surcharge (YQ)", "58.00"),
    ("Passenger service, Linz (AT)", "17.43"),
    ("Passenger service, Frankfurt (RA)", "29.81"),
    ("Security charge (DE)", "10.00"),
    ("Air passenger tax, Norway (G6)", "8.12"),
    ("Seats 14C, 21A, 09F, 11D", "44.00"),
    ("Total in EUR", "381.36"),
)
RULES = (
    "Check-in opens 23 hours before departure and closes 40 minutes before it; at Bergen bags are taken until 15:55.",
    "Flex legs may be changed without a fee until two hours before departure, Light legs for 70 EUR and the difference in fare.",
    "Refunds: Flex in full to the card that paid, Light taxes alone. Apply within 12 months of the date of issue.",
    "One cabin bag of 55 × 40 × 23 cm and 8 kg is included, and one small item. Power banks travel in the cabin only.",
    "If a flight is cancelled or more than three hours late, you have rights under Regulation (EC) 261/2004; the form is linked below.",
    "Names cannot be changed. Please carry an identity card or passport; at the border of Norway it is looked at.",
    "Times are local. Terminals and gates may change: the app and the screens know more than this mail.",
)
CSS_NAMES = (
    "flight",
    "segment",
    "passenger",
    "fare",
    "rule",
    "ancillary",
    "banner",
    "offer",
    "miles",
    "payment",
)


def make() -> Newsletter:
    """Make the ticket."""
    legs = "".join(_leg(*leg) for leg in LEGS)
    fare = "".join(
        f'<tr><td style="{_CELL}">{name}</td><td align="right" style="{_CELL}font-family:Courier New,monospace">{amount}</td></tr>'
        for name, amount in FARE
    )
    rules = "".join(
        f'<p style="margin:0 0 6px;font:8px/12px Verdana,Geneva,sans-serif;color:#5c6670">{rule}</p>'
        for rule in RULES
    )
    barcode = base64.b64encode(opaque("barcode", 21_000).encode()).decode()
    html = f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"><html><head><title>Your booking X7KQ2M</title><meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<style type="text/css">{_css()}</style></head><body bgcolor="#e9edf1" leftmargin="0" topmargin="0" marginwidth="0" marginheight="0">
<div style="display:none!important;max-height:0;overflow:hidden;font-size:0;color:#e9edf1">Check in from Monday, 07:55</div>
<table width="100%" bgcolor="#e9edf1" border="0" cellspacing="0" cellpadding="0"><tr><td align="center"><table width="640" border="0" cellspacing="0" cellpadding="0" bgcolor="#ffffff">
<tr><td bgcolor="#0b2545" style="padding:18px 24px"><table width="100%"><tr><td><a href="{_link("home")}"><img src="https://img.nordwind-air.example/{opaque("logo", 80)}.png" alt="Nordwind" width="140" height="36" border="0"></a></td>
<td align="right"><font color="#ffffff" face="Verdana" size="2">Booking code <b style="font-size:20px;letter-spacing:2px">X7KQ2M</b></font></td></tr></table></td></tr>
<tr><td style="{_PAD}"><h1 style="font:bold 24px Verdana;color:#0b2545;margin:0">Your journey to Bergen is booked</h1><p style="{_TEXT}">Dear Ms Byron, thank you for flying with Nordwind. This mail is your electronic ticket; please keep it until you are back.</p></td></tr>
<tr><td style="{_PAD}"><table width="100%" border="0" cellspacing="0"><tr><th align="left" style="{_CELL}">Passenger</th><th align="left" style="{_CELL}">Ticket number</th><th align="left" style="{_CELL}">Frequent flyer</th></tr>
<tr><td style="{_CELL}">BYRON / ADA MS</td><td style="{_CELL}">220-4417 902 113</td><td style="{_CELL}">NW 3391 0087</td></tr><tr><td style="{_CELL}">LOVELACE / TOM MR</td><td style="{_CELL}">220-4417 902 114</td><td style="{_CELL}">–</td></tr></table></td></tr>
<tr><td style="{_PAD}"><h2 style="{_HEAD}">Flights</h2>{legs}</td></tr>
<tr><td align="center" style="{_PAD}"><img alt="Boarding code, open it in the app" width="180" height="180" src="data:image/png;base64,{barcode}"><br>{_button("Add to wallet", "wallet")} {_button("Check in online", "checkin")}</td></tr>
<tr><td style="{_PAD}"><h2 style="{_HEAD}">What you paid, for each passenger</h2><table width="100%" border="0" cellspacing="0">{fare}</table><p style="{_TEXT}">Paid on 3 November 2026 by card ending in 4242; both tickets together 762.72 EUR. Issued by Nordwind Luftfahrt AG, Flughafenring 1, 4063 Hörsching.</p></td></tr>
<tr><td style="{_PAD}"><h2 style="{_HEAD}">Conditions</h2>{rules}</td></tr>
<tr><td style="{_PAD}"><p style="{_TEXT}"><a href="{_link("manage")}">Manage booking</a> | <a href="https://nordwind-air.example/rights">Passenger rights</a> | <a href="tel:+43722155500">+43 7221 555 00</a> | <a href="{_link("off")}">Unsubscribe from offers</a></p></td></tr>
</table></td></tr></table>{pixel(HOST, "ticket")}</body></html>"""
    facts = [
        "Nordwind",
        "X7KQ2M",
        "Your journey to Bergen is booked",
        "BYRON / ADA MS | 220-4417 902 113 | NW 3391 0087",
        "LOVELACE / TOM MR | 220-4417 902 114",
    ]
    for number, day, leaves, origin, arrives, goal, gate, seat, cabin, bag in LEGS:
        facts += [number, day, leaves, origin, arrives, goal, gate, seat, cabin, bag]
    facts += [
        "Boarding code",
        "Add to wallet",
        "Check in online",
        *(" | ".join(line) for line in FARE),
        "4242",
        "762.72 EUR",
        *RULES,
        "Manage booking",
        "https://nordwind-air.example/rights",
        "+43 7221 555 00",
        "Unsubscribe from offers",
    ]
    return publish(
        Envelope(
            name="ticket",
            sender="Nordwind <tickets@nordwind-air.example>",
            subject="E-ticket X7KQ2M: Linz–Bergen, 24 Nov",
            encoding="base64",
        ),
        html,
        facts=facts,
        absent=["Check in from Monday", "base64", "letter-spacing"],
    )


_CELL = (
    "font:12px/18px Verdana,Geneva,sans-serif;color:#1d2b36;padding:4px 8px;border-bottom:1px solid #d5dce2;"
)
_TEXT = "font:13px/20px Verdana,Geneva,sans-serif;color:#1d2b36;"
_HEAD = "font:bold 16px Verdana,Geneva,sans-serif;color:#0b2545;margin:0 0 8px;"
_PAD = "padding:16px 24px;mso-table-lspace:0pt;mso-table-rspace:0pt;-ms-text-size-adjust:100%;"


def _link(key: str) -> str:
    return f"https://{HOST}/r/?id=h{opaque(key, 8)},{opaque(key + 'p', 8)},1&amp;p1={opaque(key + 'q', 200)}&amp;p2=X7KQ2M&amp;utm_medium=email&amp;utm_campaign=ticket"


def _leg(
    number: str,
    day: str,
    leaves: str,
    origin: str,
    arrives: str,
    goal: str,
    gate: str,
    seat: str,
    cabin: str,
    bag: str,
) -> str:
    return f"""<table width="100%" border="0" cellspacing="0" cellpadding="0" class="segment" style="margin-bottom:12px;border:1px solid #d5dce2"><tr bgcolor="#f3f6f9"><td style="{_CELL}"><b>{number}</b></td><td style="{_CELL}">{day}</td><td style="{_CELL}" colspan="2" align="right">confirmed</td></tr>
<tr><td style="{_CELL}" rowspan="2"><img src="https://img.nordwind-air.example/plane.gif" alt="" width="32" height="32"></td><td style="{_CELL}"><b>{leaves}</b></td><td style="{_CELL}" colspan="2">{origin}</td></tr>
<tr><td style="{_CELL}"><b>{arrives}</b></td><td style="{_CELL}" colspan="2">{goal}</td></tr>
<tr><td style="{_CELL}">{gate}</td><td style="{_CELL}">Seat {seat}</td><td style="{_CELL}">{cabin}</td><td style="{_CELL}">Bag: {bag}</td></tr></table>"""


def _button(text: str, key: str) -> str:
    return f'<a href="{_link(key)}" style="background-color:#e4572e;border:10px solid #e4572e;color:#ffffff;display:inline-block;font:bold 14px Verdana,Geneva,sans-serif;text-decoration:none">{text}</a>'


def _css() -> str:
    return "".join(
        f".{name}-{size} {{ font-family: Verdana, Geneva, sans-serif; font-size: {size}px; line-height: {size + 6}px; color: #1d2b36; padding: 0 {size}px; }}\n@media print {{ .{name}-{size} {{ color: #000000; display: none; }} }}\n"
        for name in CSS_NAMES
        for size in (10, 11, 12, 13, 14, 16)
    )

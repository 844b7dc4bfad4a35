"""Newsletters as mailing houses build them: HTML made of tables, and much around the text.

A hidden preheader padded with invisible characters, styles and comments for
single clients, every link through a counter, a tracking pixel, an unsubscribe
footer. Most have no plain-text part, as in life.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.headerregistry import Address
from typing import Final

from mailmcp.demo.sample.letter import SEEN, Letter, Placed, flags_by_age, place


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Who sends a newsletter, and how it looks."""

    sender: Address
    name: str
    colour: str
    has_text_part: bool
    every_days: int
    issues: tuple[str, ...]
    """One text an issue, newest first: title | preheader | headline: sentence; headline: sentence; …"""


PUBLISHERS: Final = (
    Publisher(
        sender=Address("The Field Notebook", addr_spec="hello@notebook.example.net"),
        name="The Field Notebook",
        colour="#1f4e5f",
        has_text_part=False,
        every_days=7,
        issues=(
            "Rain gauges that count drops|Plus: a mast you can carry up a hill alone|A gauge without a"
            " bucket: A small firm counts drops by sound and is within 2 % of the reference.; The folding"
            " mast, tested: Four metres, seven kilos, one pair of hands.; Reader question: Why does my"
            " barometer jump when the door closes?",
            "What a volt costs|Solar panels in November, honestly measured|Panels in the fog: We logged"
            " six panels for a month; the cheapest won.; Batteries and frost: The curve nobody prints on"
            " the box.; Seen: A station on a buoy, three years without a visit.",
            "The calibration issue|Everything drifts, the question is where to|Salt baths at home: Three"
            " humidities for the price of a kitchen scale.; When to throw a sensor away: Five signs.;"
            " Interview: Forty years of the same thermometer.",
            "Lightning, and what is left|Surge protection without superstition|Earth first: Why most"
            " stations die through the data cable.; A look inside: Three dead boards, three different"
            " reasons.; Numbers: Strikes per square kilometre, by region.",
        ),
    ),
    Publisher(
        sender=Address("Workbench Weekly", addr_spec="news@workbench.example.net"),
        name="Workbench Weekly",
        colour="#8a2be2",
        has_text_part=False,
        every_days=9,
        issues=(
            "🔧 Up to 30% off soldering stations|Only until Sunday, while stocks last|The quiet station:"
            " 70 watts, warm in eight seconds. Now 129.00.; Tips, mixed box of ten: Now 19.90.; Flux, the"
            " kind that does not stink: Now 7.50.",
            "New: the pocket oscilloscope|Two channels, one hand|Pocket scope: 50 MHz and a battery for a"
            " day. 189.00.; Probe clips: Twelve colours. 9.90.; Free shipping above 60: Use the code"
            " BENCH60.",
            "Your favourites are back in stock|We kept our promise|Bench vice, small: Back at 39.00.;"
            " Magnifier lamp: Back at 54.00.; Third hand: Back at 24.50.",
        ),
    ),
    Publisher(
        sender=Address("Eastwold Science Society", addr_spec="society@example.org"),
        name="Eastwold Science Society",
        colour="#2e7d32",
        has_text_part=True,
        every_days=30,
        issues=(
            "Winter programme|Six evenings, one excursion|The sky in winter: A walk with Dr Hayes, warm"
            " clothes needed.; Members' evening: Bring what you have built.; Library: New opening hours on"
            " Tuesdays.",
            "Annual meeting: agenda|Please register for the supper|Agenda: Reports, elections, the roof.;"
            " The roof: Two quotes are in.; Supper: 18.00 a head, with a vegetarian dish.",
        ),
    ),
)

_PADDING: Final = "&#847;&zwnj;&nbsp;" * 40


def make_newsletters(now: datetime) -> Iterator[Placed]:
    """Make all issues; the older ones are in Archive, and two of the shop's were thrown away."""
    index = 0
    for publisher in PUBLISHERS:
        for number, issue in enumerate(publisher.issues):
            age = timedelta(days=1 + number * publisher.every_days, hours=3 + 2 * number)
            letter = _make_issue(publisher, issue, now - age)
            if age < timedelta(days=20):
                yield place(letter, flags=flags_by_age(index, age))
            else:
                yield place(letter, mailbox="Archive", flags=(SEEN,))
            index += 1


def _make_issue(publisher: Publisher, issue: str, when: datetime) -> Letter:
    title, preheader, rest = issue.split("|")
    stories = [(part.partition(": ")[0].strip(), part.partition(": ")[2]) for part in rest.split("; ")]
    host = publisher.sender.domain
    key = hashlib.sha256(f"{title}{when.isoformat()}".encode()).hexdigest()
    leave = f"https://{host}/unsubscribe?u={key[:12]}"
    text = ""
    if publisher.has_text_part:
        told = "\n\n".join(f"* {headline}\n  {sentence}" for headline, sentence in stories)
        text = f"{publisher.name}\n{title}\n\n{told}\n\n--\nUnsubscribe: {leave}\n"
    return Letter(
        when=when,
        sender=publisher.sender,
        subject=title,
        text=text,
        html=_make_html(publisher, title, preheader, stories, key),
        message_id=f"<{key[:24]}@{host}>",
        headers=(
            ("List-Unsubscribe", f"<{leave}>, <mailto:leave@{host}?subject={key[:12]}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
            ("List-Id", f"{publisher.name} <news.{host}>"),
            ("Precedence", "bulk"),
        ),
        cte="quoted-printable",
    )


def _make_html(
    publisher: Publisher, title: str, preheader: str, stories: list[tuple[str, str]], key: str
) -> str:
    host = publisher.sender.domain
    rows = "\n".join(
        _STORY.format(
            headline=headline,
            sentence=sentence,
            colour=publisher.colour,
            link=f"https://click.{host}/t/{key[:16]}/{number}?utm_source=newsletter&amp;utm_medium=email",
            image=f"https://img.{host}/{key[16:24]}-{number}.jpg",
        )
        for number, (headline, sentence) in enumerate(stories, 1)
    )
    return _PAGE.format(
        title=title,
        preheader=preheader,
        padding=_PADDING,
        name=publisher.name,
        colour=publisher.colour,
        rows=rows,
        host=host,
        key=key[:12],
    )


_PAGE: Final = """\
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>{title}</title>
<style type="text/css">
  body {{ margin:0; padding:0; -webkit-text-size-adjust:100%; }}
  @media only screen and (max-width:600px) {{ .wrap {{ width:100% !important; }} }}
</style>
<!--[if mso]><style>td {{ font-family: Arial, sans-serif !important; }}</style><![endif]-->
</head><body bgcolor="#f2f2f2">
<div style="display:none;font-size:1px;line-height:1px;max-height:0;overflow:hidden;opacity:0;mso-hide:all">\
{preheader}{padding}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table class="wrap" width="600" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff">
<tr><td align="right" style="padding:8px 24px;font-size:11px">
<a href="https://click.{host}/view/{key}" style="color:#999999">View in browser</a></td></tr>
<tr><td style="padding:24px;background:{colour}">
<a href="https://click.{host}/t/{key}/0"><img src="https://img.{host}/logo.png" width="180" height="40" \
alt="{name}" border="0"></a></td></tr>
<tr><td style="padding:24px 24px 0"><h1 style="margin:0;font:bold 26px Georgia,serif">{title}</h1></td></tr>
{rows}
<tr><td style="padding:24px;border-top:1px solid #dddddd;font:11px Arial;color:#777777">
You get this mail because you signed up at {host}.<br>
<a href="https://{host}/preferences?u={key}">Preferences</a> |
<a href="https://{host}/unsubscribe?u={key}">Unsubscribe</a> |
<a href="https://{host}/imprint">Imprint</a></td></tr>
</table></td></tr></table>
<img src="https://open.{host}/o/{key}.gif" width="1" height="1" alt="" style="display:block">
</body></html>
"""

_STORY: Final = """\
<tr><td style="padding:24px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>
<td width="140" valign="top">
<a href="{link}"><img src="{image}" width="120" height="90" alt="" border="0"></a></td>
<td valign="top" style="font:15px/22px Arial,sans-serif;color:#333333">
<h2 style="margin:0 0 6px;font-size:18px">
<a href="{link}" style="color:{colour};text-decoration:none">{headline}</a></h2>
<p style="margin:0 0 10px">{sentence}</p>
<!--[if mso]><v:rect href="{link}" fillcolor="{colour}"><center>Read on</center></v:rect><![endif]-->
<a href="{link}" style="background:{colour};color:#ffffff;padding:6px 14px;border-radius:3px">Read on</a>
</td></tr></table></td></tr>"""

"""Invitations whose time zone only their VTIMEZONE explains, and zones that are written oddly."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from mailmcp.tools.preferences import DEFAULTS
from tools.conftest import DeskFactory
from tools.stores import Store

CENTRAL_EUROPE = """BEGIN:STANDARD
DTSTART:16011028T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010325T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
"""
IN_OSLO = "2026-07-08 {} to {} (Europe/Oslo)"


def invite(tzid: str, zone: str, *, last: bool = False) -> bytes:
    """Make an invitation for 9 to 10 on 8 July; `last` puts the zone below the event."""
    escaped = tzid.replace(",", "\\,")
    definition = f"BEGIN:VTIMEZONE\nTZID:{escaped}\n{zone}END:VTIMEZONE\n" if zone else ""
    event = (
        f'BEGIN:VEVENT\nUID:1\nSUMMARY:Work\nDTSTART;TZID="{tzid}":20260708T090000\n'
        f'DTEND;TZID="{tzid}":20260708T100000\nEND:VEVENT\n'
    )
    parts = [event, definition] if last else [definition, event]
    return (
        "From: Ann <ann@a.example>\nSubject: Work\nMIME-Version: 1.0\n"
        'Content-Type: text/calendar; method=REQUEST; charset="utf-8"\n\n'
        f"BEGIN:VCALENDAR\nMETHOD:REQUEST\n{''.join(parts)}END:VCALENDAR\n"
    ).replace("\n", "\r\n").encode()  # fmt: skip


CUSTOMIZED = '"Customized Time Zone", UTC+02:00'
CASES = [
    (invite("Customized Time Zone", CENTRAL_EUROPE), ("09:00", "10:00"), CUSTOMIZED),
    (invite("Customized Time Zone", CENTRAL_EUROPE, last=True), ("09:00", "10:00"), CUSTOMIZED),
    (
        invite("(UTC+00:00) Dublin, Edinburgh, Lisbon, London", CENTRAL_EUROPE),
        ("09:00", "10:00"),
        '"(UTC+00:00) Dublin, Edinburgh, Lisbon, London", UTC+02:00',
    ),
    (invite("Unexplained", ""), None, '"Unexplained"'),
]


@pytest.mark.parametrize(("invitation", "times", "zone"), CASES)
def test_times_are_in_the_readers_zone(
    dovecot_mail: Store,
    open_desk: DeskFactory,
    invitation: bytes,
    times: tuple[str, str] | None,
    zone: str,
) -> None:
    dovecot_mail.fill("INBOX", [invitation])
    desk = open_desk(dovecot_mail.account)
    desk.preferences = replace(DEFAULTS, zone=ZoneInfo("Europe/Oslo"))
    [row] = desk.search(kind="invitation").data["messages"]
    here = IN_OSLO.format(*times) if times else ""
    there = f"2026-07-08 09:00 to 10:00 ({zone})"
    [notice] = desk.message(row["message_id"])["notices"]
    assert notice["fields"]["when"] == there
    assert notice["fields"].get("your_time", "") == here
    assert row["when"] == (f"{here}; organizer: {there}" if times else there)

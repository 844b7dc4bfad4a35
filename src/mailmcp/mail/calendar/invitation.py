"""What a calendar object tells a reader: invitations in short, calendar files as text.

The methods are those of RFC 5546; `calendar` takes the object apart and
`calendar_time` writes its times.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from mailmcp.limits import ATTENDEES_MAX, NOTICE_CHARS_MAX, NOTICE_OCTETS_MAX
from mailmcp.mail.calendar.events import Calendar, CalendarItem, Property, read_calendar
from mailmcp.mail.calendar.times import describe_recurrence, describe_stamp, describe_when
from mailmcp.mail.clean import bounded_line, clean_line, clean_text
from mailmcp.mail.header.address import Address, format_address
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.text.body import BodyText, decode_part

_MAILTO: Final = re.compile(r"(?i)^\s*mailto:\s*")
_ADDRESS: Final = re.compile(r'[^\s<>,;"()\\]+')
_ANSWERS: Final = frozenset(
    {"needs-action", "accepted", "declined", "tentative", "delegated", "completed", "in-process"}
)
"""RFC 5545 section 3.2.12; what else stands there is not shown."""

_INVITING: Final = {"request", "cancel", "reply", "add", "refresh", "counter", "declinecounter"}
_JOIN: Final = ("x-google-conference", "x-microsoft-skypeteamsmeetingurl", "conference", "url")


def invitation_method(root: Part | None) -> str:
    """Give the method of a message that is about an invitation, by its structure alone; "" for any other.

    Of RFC 5546, in lower case. Events that are merely published are no invitations.
    """
    methods = (
        part.params.get("method", "").strip().lower()
        for part in leaf_parts(root)
        if part.content_type == "text/calendar"
    )
    return next((each for each in methods if each in _INVITING), "")


def decode_calendar(octets: bytes, part: Part) -> Calendar:
    """Read the calendar object in a part; the method may stand in the content type alone.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: What it is; its charset is UTF-8 where it declares none (RFC 5545 section 3.1.4).
    """
    source = decode_part(octets[: NOTICE_OCTETS_MAX * 2], part)
    calendar = read_calendar(source.text)
    return Calendar(
        method=calendar.method or part.params.get("method", "").strip().lower(),
        items=calendar.items,
        defects=tuple(dict.fromkeys((*source.defects, *calendar.defects))),
    )


def describe_item(item: CalendarItem, method: str = "") -> dict[str, str]:
    """Write what matters of an event or a task, in reading order; empty values are left out.

    Values are one clean line of at most NOTICE_CHARS_MAX characters.
    """
    links = (item.text(name) for name in _JOIN)
    fields = {
        "method": _describe_method(method, item.text("sequence")),
        "status": item.text("status").lower(),
        "what": item.text("summary"),
        "when": describe_when(item),
        "repeats": describe_recurrence(item.text("rrule")),
        "occurrence": describe_stamp(item.get("recurrence-id")),
        "where": item.text("location"),
        "join": next((link for link in links if link.startswith(("http://", "https://"))), ""),
        "organizer": _describe_person(item.get("organizer")),
        "attendees": _describe_attendees(item.properties.get("attendee", ())),
    }
    lines = {key: bounded_line(value) for key, value in fields.items()}
    return {key: value for key, value in lines.items() if value}


def calendar_text(octets: bytes, part: Part) -> BodyText:
    """Write the events of a calendar file as text: a block of lines each, with its description.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: What it is.
    """
    calendar = decode_calendar(octets, part)
    blocks = [_write(item, calendar.method) for item in calendar.items]
    cleaned = clean_text("\n\n".join(blocks))
    return BodyText(
        text=cleaned.text,
        html="",
        from_html=False,
        hidden_removed=0,
        invisible_removed=cleaned.removed,
        defects=calendar.defects,
    )


def _write(item: CalendarItem, method: str) -> str:
    lines = [f"{key}: {value}" for key, value in describe_item(item, method).items()]
    description = item.text("description").strip()
    return "\n".join([*lines, "", description] if description else lines)


def _describe_method(method: str, sequence: str) -> str:
    """Name the method; a request with a sequence number changes one that was sent before (RFC 5546 2.1.4)."""
    number = sequence.strip()
    if method == "request" and number.isdigit() and number.strip("0"):
        return "request (update)"
    return method


def _describe_person(found: Property | None) -> str:
    if found is None:
        return ""
    address = _quote_address(_MAILTO.sub("", found.value).strip())
    name = found.params.get("cn", "").strip().strip('"').strip()
    return format_address(Address(name="" if name.lower() == address.lower() else name, address=address))


def _quote_address(address: str) -> str:
    """Leave an address as it is; quote what could be taken for several."""
    return address if not address or _ADDRESS.fullmatch(address) else json.dumps(address, ensure_ascii=False)


def _describe_attendees(attendees: Sequence[Property]) -> str:
    """Name the attendees with their answers, as many as fit; the rest is counted."""
    named: list[str] = []
    room = NOTICE_CHARS_MAX - len(", and 1000 more")
    for attendee in attendees[:ATTENDEES_MAX]:
        status = attendee.params.get("partstat", "").lower()
        status = status.replace("-", " ") if status in _ANSWERS else ""
        person = clean_line(_describe_person(attendee)[:NOTICE_CHARS_MAX]).text
        text = f"{person} ({status})" if status else person
        room -= len(text) + len(", ")
        if room < 0:
            break
        named.append(text)
    more = len(attendees) - len(named)
    return ", ".join([*named, f"and {more} more"] if more else named)

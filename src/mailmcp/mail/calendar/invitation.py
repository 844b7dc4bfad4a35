"""Calendar objects in words: invitations as a few fields, calendar files as text.

Methods are those of RFC 5546. `mailmcp.mail.calendar.events` parses the object, and
`mailmcp.mail.calendar.times` says when an event takes place.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final, TypeVar

from mailmcp.limits import NOTICE_CHARS_MAX, NOTICE_OCTETS_MAX
from mailmcp.mail.calendar.events import Calendar, CalendarItem, Property, read_calendar
from mailmcp.mail.calendar.meeting import is_winmail, meeting_method, read_meeting
from mailmcp.mail.calendar.times import (
    describe_recurrence,
    describe_stamp,
    describe_times,
    describe_when,
    describe_when_in,
)
from mailmcp.mail.clean import bounded_line, clean_line, clean_text
from mailmcp.mail.header.address import Address, could_be_misread, is_seen_whole
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.people import fit_address, quote_address
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.text.body import BodyText, decode_part

_Key = TypeVar("_Key")

ATTENDEES_MAX: Final = 20
"""Attendees of an event that are named; the others are counted."""

NO_CONTENTS: Final[Mapping[str, bytes]] = {}

_MAILTO: Final = re.compile("(?ai)^ *mailto: *")
_ADDRESS: Final = re.compile(r"[^\s@]+@[^\s@]+")
_ANSWERS: Final = frozenset(
    {"needs-action", "accepted", "declined", "tentative", "delegated", "completed", "in-process"}
)
"""RFC 5545 section 3.2.12; anything else is not shown."""

_INVITING: Final = {"request", "cancel", "reply", "add", "refresh", "counter", "declinecounter"}
_METHODS: Final = _INVITING | {"publish"}
"""RFC 5546 section 1.4."""

_JOIN: Final = ("x-google-conference", "x-microsoft-skypeteamsmeetingurl", "conference", "url")


def invitation_method(root: Part | None, contents: Mapping[str, bytes] = NO_CONTENTS) -> str:
    """Return the method of an invitation, by the structure of its message; "" for any other message.

    As in RFC 5546, in lower case. Events that are merely published are not invitations.

    Args:
        root: The structure.
        contents: By part id, still transfer-encoded, perhaps cut: that of `undecided_part`, which is no
            invitation without it.
    """
    part = invitation_part(root, contents)
    return _method_of(part) or _meeting_method(part, contents) if part else ""


def invitation_part(root: Part | None, contents: Mapping[str, bytes] = NO_CONTENTS) -> Part | None:
    """Return the part that makes a message an invitation; None for any other message."""
    parts = (part for part in leaf_parts(root) if part.content_type == "text/calendar")
    declared = next((each for each in parts if _method_of(each) in _INVITING), None)
    if declared is not None or not contents:
        return declared
    undecided = undecided_part(root)
    return undecided if undecided and _meeting_method(undecided, contents) else None


def undecided_part(root: Part | None) -> Part | None:
    """Return the winmail.dat whose content decides whether its message is an invitation; else None."""
    if invitation_part(root) is not None:
        return None
    return next(filter(is_winmail, leaf_parts(root)), None)


def _meeting_method(part: Part, contents: Mapping[str, bytes]) -> str:
    return meeting_method(decode_transfer(contents.get(part.part_id, b""), part.encoding).octets)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationVersion:
    """When an event takes place, by one of the messages about it."""

    times: str
    """In the reader's zone and the organiser's; "" if it isn't said."""

    event: tuple[str, str]
    """UID and RECURRENCE-ID; the first is "" if there is none."""

    version: tuple[int, str]
    """SEQUENCE and DTSTAMP: whatever arrived first, the higher one counts (RFC 5546 section 2.1.5)."""


def read_invitation(octets: bytes, part: Part, zone: tzinfo) -> InvitationVersion | None:
    """Read an invitation; None without an event. Of several, which are occurrences of one, the first counts.

    Args:
        octets: Of `invitation_part`, still transfer-encoded; may be cut.
        part: The part.
        zone: The reader's.
    """
    item = next(iter(decode_calendar(octets, part).items), None)
    if item is None:
        return None
    return InvitationVersion(
        times=bounded_line(describe_times(item, zone)),
        event=(item.text("uid").strip(), item.text("recurrence-id").strip()),
        version=(_sequence(item), item.text("dtstamp").strip()),
    )


def find_replaced(read: Mapping[_Key, InvitationVersion]) -> dict[_Key, _Key]:
    """Find the messages about an event of which a newer version is there, each with the newest."""
    newest: dict[tuple[str, str], _Key] = {}
    for key, each in read.items():
        if each.event not in newest or each.version > read[newest[each.event]].version:
            newest[each.event] = key
    return {
        key: newest[each.event]
        for key, each in read.items()
        if each.event[0] and each.version < read[newest[each.event]].version
    }


def decode_calendar(octets: bytes, part: Part) -> Calendar:
    """Read the calendar object or the meeting request in a part. The method may be in the content type alone.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: The part; its charset is UTF-8 if it declares none (RFC 5545 section 3.1.4).
    """
    if is_winmail(part):
        decoded = decode_transfer(octets, part.encoding)
        meeting = read_meeting(decoded.octets)
        return replace(meeting, defects=(*decoded.defects, *meeting.defects)) if meeting.items else meeting
    source = decode_part(octets[: NOTICE_OCTETS_MAX * 2], part)
    calendar = read_calendar(source.text)
    return Calendar(
        method=_known_method(calendar.method) or _method_of(part),
        items=calendar.items,
        defects=tuple(dict.fromkeys((*source.defects, *calendar.defects))),
    )


def describe_item(item: CalendarItem, method: str = "", zone: tzinfo | None = None) -> dict[str, str]:
    """Describe an event or a task in a few fields, in reading order, without empty ones.

    With `zone`, ``your_time`` is when it takes place there, if the clock shows another time than at the
    organiser's. Values are one clean line of at most NOTICE_CHARS_MAX characters.
    """
    links = (item.text(name) for name in _JOIN)
    fields = {
        "method": "request (update)" if method == "request" and _sequence(item) else method,
        "version": _describe_version(item) if method in ("request", "cancel") else "",
        "status": item.text("status").lower(),
        "what": item.text("summary"),
        "when": describe_when(item),
        "your_time": describe_when_in(item, zone) if zone else "",
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
    """Write the events of a calendar file as text: a block of lines for each, with its description.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: The part.
    """
    calendar = decode_calendar(octets, part)
    blocks = [_write(item, calendar.method) for item in calendar.items]
    cleaned = clean_text("\n\n".join(blocks))
    return BodyText(
        text=cleaned.text,
        html=(),
        from_html=False,
        removed=Removed(invisible=cleaned.removed),
        defects=calendar.defects,
    )


def _write(item: CalendarItem, method: str) -> str:
    lines = [f"{key}: {value}" for key, value in describe_item(item, method).items()]
    description = item.text("description").strip()
    return "\n".join([*lines, "", description] if description else lines)


def _method_of(part: Part) -> str:
    return _known_method(part.params.get("method", "").strip(" "))


def _known_method(method: str) -> str:
    """Return a method in lower case; "" for any other word, which could say anything."""
    return method.lower() if method.isascii() and method.lower() in _METHODS else ""


def _sequence(item: CalendarItem) -> int:
    """Return how many times an event was changed (RFC 5546 section 2.1.4)."""
    number = item.text("sequence").strip()
    return int(number) if re.fullmatch("[0-9]{1,9}", number) else 0


def _describe_version(item: CalendarItem) -> str:
    """Name the version of a changed event: mail may arrive in another order."""
    written = describe_stamp(item.get("dtstamp"))
    return f"{_sequence(item)}{f', of {written}' if written else ''}" if _sequence(item) else ""


def _describe_person(found: Property | None) -> str:
    if found is None:
        return ""
    address = _write_address(_MAILTO.sub("", found.value).strip(" "))
    name = clean_line(found.params.get("cn", "").strip().strip('"')).text
    name = "" if name.lower() == address.lower() else name
    return fit_address(Address(name=name, address=address), NOTICE_CHARS_MAX)


def _write_address(address: str) -> str:
    local, _, domain = address.partition("@")
    is_plain = _ADDRESS.fullmatch(address) and not could_be_misread(local + domain)
    if not address or (is_plain and is_seen_whole(address)):
        return address
    return quote_address(address)


def _describe_attendees(attendees: Sequence[Property]) -> str:
    """Name as many attendees as fit, with their answers, and count the rest."""
    named: list[str] = []
    room = NOTICE_CHARS_MAX - len(", and 1000 more")
    for attendee in attendees[:ATTENDEES_MAX]:
        status = attendee.params.get("partstat", "").lower()
        status = status.replace("-", " ") if status in _ANSWERS else ""
        person = _describe_person(attendee)
        person = person or '""'  # else the answer would be that of the attendee before
        text = f"{person} ({status})" if status else person
        room -= len(text) + len(", ")
        if room < 0:
            break
        named.append(text)
    more = len(attendees) - len(named)
    return ", ".join([*named, f"and {more} more"] if more else named)

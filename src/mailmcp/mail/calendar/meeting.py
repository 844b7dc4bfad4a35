"""Meeting requests in winmail.dat: Exchange's form of an invitation ([MS-OXOCAL]), as a calendar object.

Times are in UTC there. How a meeting repeats isn't read: it says so in a format of its own.
"""

import re
from collections.abc import Mapping
from typing import Final

from mailmcp.mail.calendar.events import Calendar, CalendarItem, Property
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.tnef import (
    STRING8,
    MalformedTnefError,
    Properties,
    PropertyReader,
    Values,
    read_attributes,
)

BROKEN_MEETING: Final = "winmail.dat is incomplete or damaged"

_TYPES: Final = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_NAME: Final = "winmail.dat"

_MESSAGE_CLASS: Final = 0x00078008
_SUBJECT: Final = 0x00018004
_PROPERTIES: Final = 0x00069003
_CODE_PAGE: Final = 0x00069007
_ATTACHMENT_BEGINS: Final = 0x00069002
_DATES: Final = {0x00030006: "dtstart", 0x00030007: "dtend"}
"""Attributes ([MS-OXTNEF] section 2.1.3)."""

_APPOINTMENT: Final = bytes.fromhex("0220060000000000c000000000000046")
_MEETING: Final = bytes.fromhex("90dad86e0b451b1098da00aa003f1305")
_NO_SET: Final = bytes(16)
_NAMED: Final = {
    (_APPOINTMENT, 0x8208): "location",
    (_APPOINTMENT, 0x820D): "dtstart",
    (_APPOINTMENT, 0x820E): "dtend",
    (_MEETING, 0x0002): "location",
}
"""Named properties by their set and number ([MS-OXPROPS])."""

_CLASS, _TITLE, _START, _END = 0x001A, 0x0037, 0x0060, 0x0061
_PEOPLE: Final = ((0x0042, (0x5D02, 0x0065)), (0x0C1A, (0x5D01, 0x0C1F)))
"""Names and addresses: of whom the message is from, then of who sent it for them."""

_METHODS: Final = (
    (re.compile(r"ipm\.(?:schedule\.meeting\.request|microsoft schedule\.mtgreq)\b.*", re.DOTALL), "request"),
    (
        re.compile(r"ipm\.(?:schedule\.meeting\.canceled|microsoft schedule\.mtgcncl)\b.*", re.DOTALL),
        "cancel",
    ),
    (re.compile(r"ipm\.(?:schedule\.meeting\.resp\.|microsoft schedule\.mtgresp).*", re.DOTALL), "reply"),
)
_ANSWERS: Final = {"resp.pos": "accepted", "resp.neg": "declined", "resp.tent": "tentative"} | {
    "respp": "accepted", "respn": "declined", "respa": "tentative"
}  # fmt: skip


def is_winmail(part: Part) -> bool:
    """Return whether a part is a message in Outlook's own format, which may be a meeting request."""
    return part.content_type in _TYPES or part.filename.lower() == _NAME


def meeting_method(octets: bytes) -> str:
    """Return what a winmail.dat does with an invitation, as in RFC 5546; "" if it is another message.

    Args:
        octets: Transfer encoding already removed; a beginning is enough.
    """
    return _method_of(_read(octets)[0])


def read_meeting(octets: bytes) -> Calendar:
    """Read a meeting request, its cancellation or an answer to it; no items if it is another message.

    Args:
        octets: Transfer encoding already removed; may be cut.
    """
    message_class, texts, people, is_whole = _read(octets)
    method = _method_of(message_class)
    if not method:
        return Calendar()
    properties = {name: (Property(value=value),) for name, value in texts.items() if value}
    if people:
        name, address = people
        person = Property(value=f"mailto:{address}" if address else "", params={"cn": name})
        answer = next((said for each, said in _ANSWERS.items() if each in message_class), "")
        if method == "reply":
            properties["attendee"] = (Property(value=person.value, params={"cn": name, "partstat": answer}),)
        else:
            properties["organizer"] = (person,)
    item = CalendarItem(is_task=False, properties=properties)
    return Calendar(method=method, items=(item,), defects=() if is_whole else (BROKEN_MEETING,))


def _method_of(message_class: str) -> str:
    return next((method for pattern, method in _METHODS if pattern.fullmatch(message_class)), "")


def _read(octets: bytes) -> tuple[str, Mapping[str, str], tuple[str, str] | None, bool]:
    """Return the message class, the texts of the event, who wrote it, and whether all of it is there."""
    message_class, page, texts, is_whole = "", 0, dict[str, str](), True
    values: Values = {}
    names: dict[int, tuple[bytes, int]] = {}
    try:
        for each in read_attributes(octets):
            is_whole = is_whole and each.is_whole
            if each.id == _ATTACHMENT_BEGINS:
                break
            if each.id == _MESSAGE_CLASS:
                message_class = each.data.rstrip(b"\0").decode("ascii", "replace").lower()
            elif each.id == _SUBJECT:
                values.setdefault(_TITLE, (STRING8, each.data))
            elif each.id == _CODE_PAGE:
                page = int.from_bytes(each.data[:4], "little")
            elif each.id in _DATES:
                texts[_DATES[each.id]] = _local_time(each.data)
            elif each.id == _PROPERTIES:
                reader = PropertyReader(each.data)
                names = reader.names
                reader.values(values)
    except MalformedTnefError:
        is_whole = False
    ids = _ids_of(names)
    own = Properties(find=values.get, code_page=page)
    texts |= {"summary": own.text(_TITLE), "location": own.text(*ids["location"])}
    for name in _DATES.values():
        if when := own.moment(*ids[name]):
            texts[name] = f"{when:%Y%m%dT%H%M%S}Z"
    people = ((own.text(name), own.address(*addresses)) for name, addresses in _PEOPLE)
    message_class = message_class or own.text(_CLASS).lower()
    return message_class, texts, next((each for each in people if any(each)), None), is_whole


def _ids_of(names: Mapping[int, tuple[bytes, int]]) -> dict[str, list[int]]:
    """Return the properties that say where and when, the named ones first."""
    ids = {"location": list[int](), "dtstart": [_START], "dtend": [_END]}
    for id_, (name_set, number) in names.items():
        key = (_APPOINTMENT, id_) if name_set == _NO_SET else (name_set, number)
        if key in _NAMED:
            ids[_NAMED[key]].insert(0, id_)
    return ids


def _local_time(data: bytes) -> str:
    """Write a date of seven numbers (section 2.1.3.3.5) as a time in a calendar object, without a zone."""
    year, month, day, hour, minute, second = (
        int.from_bytes(data[at : at + 2], "little") for at in range(0, 12, 2)
    )
    return f"{year:04d}{month:02d}{day:02d}T{hour:02d}{minute:02d}{second:02d}"

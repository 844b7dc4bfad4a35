"""Meetings in winmail.dat, read without its files."""

import struct
from datetime import UTC, datetime

import pytest

from documents import tnef_file
from documents.tnef_file import Value, attribute, tnef
from mailmcp.mail.calendar.events import Calendar
from mailmcp.mail.calendar.invitation import describe_item
from mailmcp.mail.calendar.meeting import BROKEN_MEETING, meeting_method, read_meeting

APPOINTMENT = bytes.fromhex("0220060000000000c000000000000046")
REQUEST = "IPM.Schedule.Meeting.Request"


def ticks(hour: int, minute: int = 0) -> int:
    """Return a time on 3 December 2026 as Outlook counts."""
    return (
        int(
            (
                datetime(2026, 12, 3, hour, minute, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)
            ).total_seconds()
        )
        * 10**7
    )


def named(number: int, value: bytes, kind: int, id_: int = 0x8005) -> bytes:
    """Write a named property of appointments, under an id of the sender's own."""
    return struct.pack("<HH", kind, id_) + APPOINTMENT + struct.pack("<II", 0, number) + value


def described(calendar: Calendar) -> dict[str, str]:
    [item] = calendar.items
    return describe_item(item, calendar.method)


def meeting(message_class: str, more: dict[int, Value] | None = None) -> bytes:
    values: dict[int, Value] = {
        0x001A: message_class,
        0x0037: "Budget",
        0x0042: "Ann",
        0x0065: "ann@a.example",
    }
    return tnef(tnef_file.message(values | {0x0060: ticks(8, 30), 0x0061: ticks(9, 30)} | (more or {})))


@pytest.mark.parametrize(
    ("message_class", "method"),
    [
        (REQUEST, "request"),
        ("IPM.Schedule.Meeting.Resp.Pos", "reply"),
        ("IPM.Note", ""),
    ],
)
def test_the_class_of_a_message_is_its_method(message_class: str, method: str) -> None:
    by_property = meeting(message_class)
    by_attribute = tnef(attribute(0x00078008, message_class.encode() + b"\0"))
    assert (meeting_method(by_property), meeting_method(by_attribute)) == (method, method)
    assert bool(read_meeting(by_property).items) is bool(method)


def test_time_place_and_people_are_those_of_the_appointment() -> None:
    assert described(read_meeting(meeting(REQUEST, {0x8208: "Room 5"}))) == {
        "method": "request",
        "what": "Budget",
        "when": "2026-12-03 08:30 to 09:30 (UTC)",
        "where": "Room 5",
        "organizer": "Ann <ann@a.example>",
    }


def test_named_properties_are_known_by_their_names() -> None:
    place = tnef_file.counted("Quay".encode("utf-16-le"))
    properties = struct.pack("<I", 3)
    properties += named(0x8208, struct.pack("<I", 1) + place, 0x1F)
    properties += named(0x820D, ticks(10).to_bytes(8, "little"), 0x40, 0x8006)
    properties += named(0x820E, ticks(11).to_bytes(8, "little"), 0x40, 0x8007)
    found = described(
        read_meeting(tnef(attribute(0x00078008, REQUEST.encode()), attribute(0x00069003, properties)))
    )
    assert (found["when"], found["where"]) == ("2026-12-03 10:00 to 11:00 (UTC)", "Quay")


def test_an_answer_says_who_accepts() -> None:
    found = described(read_meeting(meeting("IPM.Schedule.Meeting.Resp.Pos")))
    assert (found["method"], found["attendees"]) == ("reply", "Ann <ann@a.example> (accepted)")


def test_old_attributes_have_a_time_without_a_zone() -> None:
    start = attribute(0x00030006, struct.pack("<7H", 2026, 12, 3, 9, 30, 0, 4))
    found = described(read_meeting(tnef(attribute(0x00078008, REQUEST.encode()), start)))
    assert found["when"] == "2026-12-03 09:30 (no time zone given)"


@pytest.mark.parametrize("octets", [b"", b"x" * 100, tnef(), tnef(attribute(0x00030006, b""))])
def test_what_is_no_meeting_is_empty(octets: bytes) -> None:
    assert (meeting_method(octets), read_meeting(octets)) == ("", Calendar())


def test_a_meeting_that_is_cut_says_so() -> None:
    whole = meeting(REQUEST, {0x1000: "text" * 100})
    cut = read_meeting(whole[:-300])
    assert cut.defects == (BROKEN_MEETING,)
    assert described(cut)["what"] == "Budget"
    assert meeting_method(whole[:200]) == "request"

import pytest

from mailmcp.limits import NOTICE_OCTETS_MAX
from mailmcp.mail.calendar.events import (
    BROKEN_CALENDAR,
    CALENDAR_CUT,
    CALENDAR_EVENTS_MAX,
    NO_EVENT,
    Calendar,
    Property,
    read_calendar,
)
from steps import assert_linear


def _calendar(*lines: str, end: str = "\r\n") -> Calendar:
    return read_calendar(end.join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR", ""]))


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_lines_are_unfolded_and_unescaped(end: str) -> None:
    calendar = _calendar(
        "METHOD:request",
        "BEGIN:VEVENT",
        'SUMMARY;LANGUAGE=en;X="a:b":Plan\\, B',
        "  and C",
        "DESCRIPTION:one\\ntwo",
        "END:VEVENT",
        end=end,
    )
    (item,) = calendar.items
    assert (calendar.method, calendar.defects, item.is_task) == ("request", (), False)
    assert item.get("summary") == Property(value="Plan, B and C", params={"language": "en", "x": "a:b"})
    assert (item.text("description"), item.text("location"), item.get("location")) == ("one\ntwo", "", None)


@pytest.mark.parametrize(
    ("lines", "summaries", "defects"),
    [
        ([], [], (NO_EVENT,)),
        (
            ["BEGIN:VEVENT", "SUMMARY:a", "BEGIN:VEVENT", "SUMMARY:b", "END:VEVENT"],
            ["a", "b"],
            (BROKEN_CALENDAR,),
        ),
        (["BEGIN:VEVENT", "SUMMARY:never closed"], ["never closed"], ()),
        (["BEGIN:VEVENT", "DTSTART;;:1", "SUMMARY:a", "END:VEVENT"], ["a"], (BROKEN_CALENDAR,)),
        ([*["BEGIN:X"] * 30, "BEGIN:VEVENT", "SUMMARY:a", "END:VEVENT"], [], (NO_EVENT,)),
    ],
)
def test_broken_objects_are_read_as_far_as_they_go(
    lines: list[str], summaries: list[str], defects: tuple[str, ...]
) -> None:
    calendar = _calendar(*lines)
    assert ([item.text("summary") for item in calendar.items], calendar.defects) == (summaries, defects)


def test_there_is_an_end_to_events_and_octets() -> None:
    many = _calendar(*["BEGIN:VEVENT", "SUMMARY:a", "END:VEVENT"] * (CALENDAR_EVENTS_MAX + 1))
    assert (len(many.items), many.defects) == (CALENDAR_EVENTS_MAX, (CALENDAR_CUT,))
    assert CALENDAR_CUT in _calendar("X:" + "a" * NOTICE_OCTETS_MAX).defects
    crowd = _calendar("BEGIN:VEVENT", *["ATTENDEE:mailto:a@b"] * 2_000, "END:VEVENT")
    assert len(crowd.items[0].properties["attendee"]) == 1_000


@pytest.mark.parametrize(
    "unit", ["\n ", "BEGIN:VEVENT\n", "ATTENDEE:a\n", 'ATTENDEE;CN="a', "ATTENDEE;a=\\;\\:", "\r", " ;="]
)
def test_hostile_objects_take_linear_time(unit: str) -> None:
    def read(size: int) -> None:
        read_calendar("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY" + unit * (size // len(unit)))

    assert_linear(read, size=4_000, large=NOTICE_OCTETS_MAX)

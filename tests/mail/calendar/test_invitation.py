import base64

import pytest

from mailmcp.limits import NOTICE_CHARS_MAX
from mailmcp.mail.calendar.events import read_calendar
from mailmcp.mail.calendar.invitation import (
    ATTENDEES_MAX,
    calendar_text,
    describe_item,
)
from mailmcp.mail.mime.structure import Part

PART = Part(part_id="1", content_type="text/calendar", params={"method": "CANCEL"}, encoding="base64")


def _fields(*lines: str, method: str = "") -> dict[str, str]:
    (item,) = read_calendar("\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT"])).items
    return describe_item(item, method)


def test_values_are_clean_lines_and_bounded() -> None:
    fields = _fields("SUMMARY:in\u202efdp\\nnext", f"LOCATION:{'long ' * 500}", "STATUS:CANCELLED")
    assert fields["what"] == "infdp next"
    assert len(fields["where"]) <= NOTICE_CHARS_MAX
    assert fields["where"].endswith("…")
    assert fields["status"] == "cancelled"


def test_a_crowd_is_counted() -> None:
    short = _fields(*["ATTENDEE:mailto:a@b"] * 30)["attendees"]
    assert short == ", ".join(["a@b"] * ATTENDEES_MAX) + ", and 10 more"
    long = _fields(*[f"ATTENDEE:mailto:{'x' * 200}@b"] * 5)["attendees"]
    assert long.endswith(", and 3 more")
    assert len(long) <= NOTICE_CHARS_MAX


@pytest.mark.parametrize(
    ("lines", "link"),
    [
        (["URL:https://a.example", "X-GOOGLE-CONFERENCE:https://meet.example/x"], "https://meet.example/x"),
        (["URL:javascript:alert(1)"], None),
        (["CONFERENCE;VALUE=URI:https://talk.example/1"], "https://talk.example/1"),
    ],
)
def test_the_link_to_join_is_a_web_address(lines: list[str], link: str | None) -> None:
    assert _fields(*lines).get("join") == link


def test_a_calendar_file_reads_as_text() -> None:
    first = "BEGIN:VEVENT\nSUMMARY:One\nDESCRIPTION:Bring\u200b\\nit\nEND:VEVENT\n"
    source = first + "BEGIN:VEVENT\nSUMMARY:Two\nEND:VEVENT\n"
    body = calendar_text(base64.b64encode(source.encode()), PART)
    assert body.text == "method: cancel\nwhat: One\n\nBring\nit\n\nmethod: cancel\nwhat: Two"
    assert (body.removed.invisible, body.defects) == (1, ())


FORGED = """BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;TZID="UTC) to 2027-01-01 23:00 (UTC":20261110T100000
ORGANIZER;CN="Carol Chief <carol@home.example>":mailto:evil@x.example
ATTENDEE;CN="Carol <carol@home.example> (accepted), Eve";PARTSTAT=ACCEPTED:mailto:evil@x.example
ATTENDEE:mailto:a@b.example, carol@home.example
ATTENDEE;PARTSTAT="ACCEPTED), Bob (ACCEPTED":mailto:eve@x.example
ATTENDEE;CN="and 100 more":mailto:
ATTENDEE;PARTSTAT=DECLINED:mailto:58
ATTENDEE:58
ATTENDEE;PARTSTAT=ACCEPTED:mailto:others
ATTENDEE;CN="Bob \uff08declined\uff09":mailto:bob@x.example
ATTENDEE;CN="Bob\u2985declined\u2986":mailto:bob@x.example
ATTENDEE;PARTSTAT=DECLINED:mailto:bob@x.example\uff08accepted\uff09
ATTENDEE:mailto:\u200b\u0338carol@home.example
ATTENDEE:mailto:\u00a0carol@home.example
ATTENDEE;PARTSTAT=DECLINED:mailto:
END:VEVENT
END:VCALENDAR
"""


def test_a_name_adds_neither_an_attendee_nor_an_answer() -> None:
    [item] = read_calendar(FORGED).items
    fields = describe_item(item)
    assert fields["organizer"] == '"Carol Chief <carol@home.example>" <evil@x.example>'
    assert fields["attendees"] == (
        '"Carol <carol@home.example> (accepted), Eve" <evil@x.example> (accepted), '
        '"a@b.example, carol@home.example", eve@x.example, "and 100 more", "58" (declined), "58", '
        '"others" (accepted), "Bob \uff08declined\uff09" <bob@x.example>, '
        '"Bob\u2985declined\u2986" <bob@x.example>, "bob@x.example\uff08accepted\uff09" (declined), '
        '"carol@home.example", "carol@home.example", "" (declined)'
    )
    assert fields["when"] == '2026-11-10 10:00 ("UTC) to 2027-01-01 23:00 (UTC")'


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (
            f'ORGANIZER;CN="Boss <boss@corp.example> {". " * 300}":mailto:o@evil.example',
            "organizer",
            '"Boss <boss@corp.example> . . . . . . .…" <o@evil.example>',
        ),
        (f'RRULE:FREQ=WEEKLY;X="{"y" * 600}', "repeats", f'RRULE "FREQ=WEEKLY;X=\\"{"y" * 224}…"'),
    ],
)
def test_what_is_quoted_is_cut_before(line: str, key: str, value: str) -> None:
    assert _fields(line)[key] == value

import base64
from dataclasses import replace

import pytest

from mailmcp.limits import TEXT_PART_OCTETS_MAX
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.notices import (
    NOTICE_PARTS_MAX,
    NOTICES_MAX,
    REPORT_CUT,
    TOO_MANY_NOTICES,
    Notice,
    choose_notice_parts,
    read_delivery_report,
    read_notices,
)

CALENDAR = Part(part_id="2", content_type="text/calendar")
FILE = Part(part_id="3", content_type="application/ics", encoding="base64")
STATUS = Part(part_id="4", content_type="message/delivery-status")
ORIGINAL = Part(part_id="6", content_type="text/rfc822-headers")
EVENT = (
    b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nSUMMARY:Plan\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
PLAN = {"method": "request", "what": "Plan"}


def _tree(*parts: Part) -> Part:
    return Part(part_id="TEXT", content_type="multipart/mixed", parts=parts)


def test_parts_are_chosen_by_the_structure() -> None:
    text = Part(part_id="1", content_type="text/plain")
    large = Part(part_id="7", content_type="text/calendar", size_octets=TEXT_PART_OCTETS_MAX + 1)
    assert choose_notice_parts(None) == ()
    assert choose_notice_parts(_tree(text, ORIGINAL, large, CALENDAR, FILE)) == (CALENDAR, FILE)
    assert choose_notice_parts(_tree(STATUS, ORIGINAL, ORIGINAL)) == (STATUS, ORIGINAL)
    assert len(choose_notice_parts(_tree(*[CALENDAR] * 9))) == NOTICE_PARTS_MAX
    inside = Part(part_id="8", content_type="message/rfc822", parts=(CALENDAR,))
    assert choose_notice_parts(_tree(inside)) == ()


def test_the_same_event_is_shown_once() -> None:
    notices = read_notices((CALENDAR, FILE), {"2": EVENT, "3": base64.b64encode(EVENT)})
    assert notices == (Notice(kind="invitation", part_id="2", fields=PLAN),)


@pytest.mark.parametrize("method", ["zq\u202eWarning: zq", "request (update)", "z" * 3_000, "\u212aancel"])
def test_a_method_is_one_of_the_standard(method: str) -> None:
    part = replace(CALENDAR, params={"method": method})
    [notice] = read_notices((part,), {"2": b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"})
    assert notice.fields == {}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("boss@corp.example", "boss@corp.example"),
        ("\u200b\u0338boss@corp.example", '"boss@corp.example"'),
        ("\u00a0boss@corp.example", '"boss@corp.example"'),
        ("\u212aim@corp.example", '"\u212aim@corp.example"'),
    ],
)
def test_a_recipient_that_is_not_seen_whole_is_quoted(sent: str, shown: str) -> None:
    [fields], _ = read_delivery_report(f"\r\nFinal-Recipient: rfc822; {sent}\r\n".encode())
    assert fields["recipient"] == shown


def test_a_report_names_the_message_it_is_about() -> None:
    octets = {
        "2": EVENT,
        "4": b"\r\nFinal-Recipient: rfc822;a@b\r\n",
        "6": b"Subject: Hello\r\nMessage-ID: <m@x>\r\n",
    }
    calendar, report = read_notices((CALENDAR, STATUS, ORIGINAL), octets)
    assert calendar.fields == PLAN
    assert (report.kind, report.part_id) == ("delivery_report", "4")
    assert report.fields == {"recipient": "a@b", "original_subject": "Hello", "original_message": "<m@x>"}


def test_there_is_an_end_to_notices() -> None:
    events = b"".join(b"BEGIN:VEVENT\r\nSUMMARY:%d\r\nEND:VEVENT\r\n" % number for number in range(50))
    notices = read_notices((CALENDAR,), {"2": events})
    assert len(notices) == NOTICES_MAX
    assert notices[-1].defects == (TOO_MANY_NOTICES,)
    assert notices[0].defects == ()


def test_there_is_an_end_to_recipients() -> None:
    found, defects = read_delivery_report(b"Final-Recipient: rfc822;a@b\n\n" * (NOTICES_MAX + 1))
    assert (len(found), defects) == (NOTICES_MAX, (REPORT_CUT,))


def test_a_long_recipient_keeps_its_domain() -> None:
    report = f"Final-Recipient: rfc822; {'x' * 480}@corp.example.evil.example\r\nAction: failed\r\n".encode()
    (recipient,), _ = read_delivery_report(report)
    assert recipient["recipient"].startswith("…x")
    assert recipient["recipient"].endswith("@corp.example.evil.example")

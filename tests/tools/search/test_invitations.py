"""A search for invitations shows when they take place, for one round trip more."""

from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mailmcp.tools.preferences import DEFAULTS
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import Store

CORPUS = Path(__file__).parents[2] / "corpus"
OSLO = ZoneInfo("Europe/Oslo")
IN_NEW_YORK = "DTSTART;TZID=America/New_York:20261106T090000\r\nDTEND;TZID=America/New_York:20261106T100000"
HERE, THERE = "2026-11-06 15:00 to 16:00 (Europe/Oslo)", "2026-11-06 09:00 to 10:00 (America/New_York)"


def invite(times: str, *, method: str = "REQUEST", encoding: str = "7bit", before: str = "") -> bytes:
    event = f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\n{before}SUMMARY:Tea\r\n{times}\r\n"
    return (
        "From: Ann <ann@a.example>\r\nSubject: Tea\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/alternative; boundary="xyz"\r\n\r\n'
        "--xyz\r\nContent-Type: text/plain\r\n\r\nTea?\r\n"
        f"--xyz\r\nContent-Type: text/calendar; method={method}; charset=utf-8\r\n"
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n{event}END:VEVENT\r\nEND:VCALENDAR\r\n--xyz--\r\n"
    ).encode()


PLAIN = b"From: Ann <ann@a.example>\r\nSubject: Tea\r\nMIME-Version: 1.0\r\n\r\nTea at DTSTART:20261106\r\n"


@pytest.fixture
def in_oslo(desk: Desk) -> Desk:
    desk.preferences = replace(DEFAULTS, zone=OSLO)
    return desk


def test_rows_say_when(store: Store, in_oslo: Desk) -> None:
    days = "DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261227"
    store.fill("INBOX", [invite(IN_NEW_YORK), PLAIN, invite(days, method="CANCEL"), invite("LOCATION:Quay")])
    reply = in_oslo.search(kind="invitation")
    assert [row.get("when") for row in reply.data["messages"]] == [
        None,
        "2026-12-24 to 2026-12-26 (all day)",
        f"{HERE}; organizer: {THERE}",
    ]
    # The summary names the reader's zone.
    assert f'| invitation: "{HERE.removesuffix(" (Europe/Oslo)")}; organizer: {THERE}" | "Ann' in reply.text
    assert '| invitation cancelled: "2026-12-24 to 2026-12-26 (all day)" | ' in reply.text
    assert "| invitation | " in reply.text
    assert reply.data["coverage"]["complete"]


def test_it_costs_one_round_trip_and_nothing_elsewhere(store: Store, in_oslo: Desk) -> None:
    store.fill("INBOX", [invite(IN_NEW_YORK), PLAIN])
    in_oslo.search()
    plain = in_oslo.search()
    invitations = in_oslo.search(kind="invitation")
    assert invitations.telemetry.imap_round_trips == plain.telemetry.imap_round_trips + 1
    assert all("when" not in row for row in plain.data["messages"])
    everywhere = in_oslo.search(kind="invitation", mailbox="*", snippet_max_chars=50)
    assert [row["when"] for row in everywhere.data["messages"]] == [f"{HERE}; organizer: {THERE}"]


def test_times_far_down_are_not_made_up(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    """Outlook puts attendees and description before the times."""
    attendees = "ATTENDEE;CN=Somebody:mailto:somebody@a.example\r\n"
    dovecot_mail.fill("INBOX", [invite(IN_NEW_YORK, before=attendees * n) for n in (100, 2000)])
    rows = open_desk(dovecot_mail.account).search(kind="invitation").data["messages"]
    assert [row.get("when", "").partition(" ")[0] for row in rows] == ["", "2026-11-06"]


def test_an_older_version_that_arrived_later_says_what_replaces_it(store: Store, in_oslo: Desk) -> None:
    """Mail overtakes mail: the version counts, not the order of arrival (RFC 5546 section 2.1.5)."""

    def version(sequence: int, uid: str = "tea@a.example") -> bytes:
        event = f"UID:{uid}\r\nSEQUENCE:{sequence}\r\nDTSTAMP:2026110{sequence}T080000Z\r\n{IN_NEW_YORK}"
        return b"References: <tea@a.example>\r\n" + invite(event)

    store.fill("INBOX", [version(2), version(1), version(1, "other@a.example")])
    other, late, newest = in_oslo.search(kind="invitation").data["messages"]
    assert late["replaced_by"] == newest["message_id"]
    assert "replaced_by" not in {*other, *newest}
    conversation = in_oslo.call("imap_get_thread", {"message_id": late["message_id"]})
    found = {row["message_id"]: row.get("replaced_by") for row in conversation.data["messages"]}
    assert found == {other["message_id"]: None, late["message_id"]: newest["message_id"]} | {
        newest["message_id"]: None
    }
    assert conversation.text.count("| replaced by `imap:") == 1
    [notice] = in_oslo.message(late["message_id"])["notices"]
    assert notice["fields"]["version"] == "1, of 2026-11-01 08:00 (UTC)"


def test_the_row_of_a_bounce_names_who_was_not_reached(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [(CORPUS / f"bounce_{each}.eml").read_bytes() for each in ("gmail", "exchange")])
    reply = desk.search()
    assert [row["not_delivered_to"] for row in reply.data["messages"]] == [
        ["carla@port.example", "dan@port.example"],
        ["nobody@port.example"],
    ]
    assert 'not delivered to "nobody@port.example"' in reply.text

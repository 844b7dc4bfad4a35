"""Meeting requests that Exchange sends in winmail.dat are shown as invitations."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from documents import tnef_file
from documents.tnef_file import Value, attribute, tnef
from mailmcp.tools.preferences import DEFAULTS
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import attached
from tools.stores import Store

HERE = "2026-12-03 09:30 to 10:30 (Europe/Oslo)"


def winmail(message_class: str) -> bytes:
    """Make a message as Exchange sends it to people outside: all that matters is in winmail.dat."""
    start, end = (datetime(2026, 12, 3, hour, 30, tzinfo=UTC) for hour in (8, 9))
    ticks = [int((each - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7 for each in (start, end)]
    values: dict[int, Value] = {0x0037: "Budget", 0x0042: "Ann", 0x0065: "ann@a.example", 0x8208: "Room 5"}
    content = tnef(
        attribute(0x00078008, message_class.encode() + b"\0"),
        tnef_file.message(values | {0x820D: ticks[0], 0x820E: ticks[1], 0x1000: "Please come." * 500}),
        tnef_file.file("agenda.txt", b"1. Budget\n"),
    )
    return attached(("winmail.dat", content, "application/ms-tnef")).as_bytes()


REQUEST = winmail("IPM.Microsoft Schedule.MtgReq")
NOTE = winmail("IPM.Microsoft Mail.Note")


@pytest.fixture
def desk(store: Store, open_desk: DeskFactory) -> Desk:
    opened = open_desk(store.account)
    opened.preferences = replace(DEFAULTS, zone=ZoneInfo("Europe/Oslo"))
    return opened


def test_a_message_shows_time_and_place(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [REQUEST, NOTE])
    request, note = desk.message_ids()
    [notice] = desk.message(request)["notices"]
    assert (notice["kind"], notice["part_id"]) == ("invitation", "2")
    assert notice["fields"] == {
        "method": "request",
        "what": "Budget",
        "when": "2026-12-03 08:30 to 09:30 (UTC)",
        "your_time": HERE,
        "where": "Room 5",
        "organizer": "Ann <ann@a.example>",
    }
    assert "notices" not in desk.message(note)

"""Meeting requests that Exchange sends in winmail.dat are invitations, as those in text/calendar are."""

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
from tools.letters import make_numbered
from tools.search.test_invitations import IN_NEW_YORK, invite
from tools.stores import Store

HERE = "2026-12-03 09:30 to 10:30 (Europe/Oslo)"


def winmail(
    message_class: str, *, name: str = "winmail.dat", content_type: str = "application/ms-tnef"
) -> bytes:
    """Make a message as Exchange sends it to people outside: all that matters is in winmail.dat."""
    start, end = (datetime(2026, 12, 3, hour, 30, tzinfo=UTC) for hour in (8, 9))
    ticks = [int((each - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7 for each in (start, end)]
    values: dict[int, Value] = {0x0037: "Budget", 0x0042: "Ann", 0x0065: "ann@a.example", 0x8208: "Room 5"}
    content = tnef(
        attribute(0x00078008, message_class.encode() + b"\0"),
        tnef_file.message(values | {0x820D: ticks[0], 0x820E: ticks[1], 0x1000: "Please come." * 500}),
        tnef_file.file("agenda.txt", b"1. Budget\n"),
    )
    return attached((name, content, content_type)).as_bytes()


REQUEST = winmail("IPM.Microsoft Schedule.MtgReq")
RENAMED = winmail("IPM.Schedule.Meeting.Canceled", content_type="application/octet-stream")
NOTE = winmail("IPM.Microsoft Mail.Note")


@pytest.fixture
def desk(store: Store, open_desk: DeskFactory) -> Desk:
    opened = open_desk(store.account)
    opened.preferences = replace(DEFAULTS, zone=ZoneInfo("Europe/Oslo"))
    return opened


@pytest.mark.parametrize("others", [0, 30], ids=["all on a page", "among many"])
def test_they_are_found_with_their_times(store: Store, desk: Desk, others: int) -> None:
    store.fill("INBOX", [REQUEST, NOTE, RENAMED, invite(IN_NEW_YORK), *make_numbered(*range(others))])
    reply = desk.search(kind="invitation", limit=5)
    rows = [(row["invitation"], row["when"].partition(";")[0]) for row in reply.data["messages"]]
    assert reply.places == [4, 3, 1]
    assert rows == [
        ("request", "2026-11-06 15:00 to 16:00 (Europe/Oslo)"),
        ("cancel", HERE),
        ("request", HERE),
    ]
    assert reply.data["coverage"]["complete"]

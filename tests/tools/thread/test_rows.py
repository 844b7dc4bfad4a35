"""What a conversation says of each of its messages."""

import re
from dataclasses import replace
from email import message_from_bytes
from email.policy import SMTP
from zoneinfo import ZoneInfo

from mailmcp.tools.preferences import DEFAULTS
from tools.desk import Desk, Reply
from tools.stores import Store
from tools.talks import make_talk, make_turn, turn_id


def conversation(desk: Desk) -> Reply:
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    return desk.call("imap_get_thread", {"message_id": message_id})


def test_times_are_in_the_zone_of_the_settings(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [make_turn(16)])
    desk.preferences = replace(DEFAULTS, zone=ZoneInfo("Asia/Tokyo"))
    reply = conversation(desk)
    assert "times in Asia/Tokyo" in reply.outcome.summary
    assert '- 2026-03-03 09:00 | unread | "Bob' in reply.text


def test_who_else_was_on_it(store: Store, desk: Desk) -> None:
    turn = message_from_bytes(make_turn(1))
    turn["Cc"] = ", ".join(f"P{number} <p{number}@x.example>" for number in range(1, 8))
    store.fill("INBOX", [turn.as_bytes(), *make_talk(2)[1:]])
    reply = conversation(desk)
    first, second = reply.data["messages"]
    assert first["cc"].endswith("P5 <p5@x.example>, 2 more")
    assert 'to "Bob Example (bob@example.org)", cc "P1 (p1@x.example), ' in reply.text
    assert "cc" not in second


def test_what_becomes_of_an_invitation_is_marked(store: Store, desk: Desk) -> None:
    turns = []
    for number, method in enumerate(["REQUEST", "CANCEL"], 1):
        turn = message_from_bytes(make_turn(number, references=[turn_id(1)]), policy=SMTP)
        calendar = f"BEGIN:VCALENDAR\nMETHOD:{method}\nEND:VCALENDAR\n"
        turn.add_alternative(calendar, subtype="calendar", params={"method": method})
        turns.append(turn.as_bytes())
    store.fill("INBOX", turns)
    text = conversation(desk).text
    assert re.findall(r"\| (invitation[a-z ]*) \|", text) == ["invitation", "invitation cancelled"]

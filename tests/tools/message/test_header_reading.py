"""Header fields as senders should not write them: rows and messages say the same, on either server."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.desk import Desk
from tools.stores import Store

CORPUS = Path(__file__).parents[2] / "corpus"
SENT = "2026-11-05T09:30:00+01:00"
COMMENTED = {
    "to": "Chris Jones <c@public.example>, joe@example.org, John <jdoe@one.test>",
    "cc": "Hidden recipients",
}


@pytest.mark.parametrize(
    ("name", "date", "more"),
    [
        ("bare_cr", SENT, {"to": "Ben Osei <ben@quay.example>"}),
        ("bare_cr_received", SENT, {"to": "Ben Osei <ben@quay.example>"}),
        ("bare_cr_behind_crlf", SENT, {"to": "Ben Osei <ben@quay.example>"}),
        ("comments_in_a_date", "1997-11-21T09:55:06-06:00", {}),
        ("comments_in_addresses", "1969-02-13T23:32:00-03:30", COMMENTED),
        ("recipients_1200", SENT, {}),
        ("iso_2022_jp_row_13", SENT, {}),
        ("euc_jp_row_13", SENT, {}),
        ("big5_damaged", SENT, {}),
        ("euc_kr_damaged", SENT, {}),
        ("gbk_damaged", SENT, {}),
        ("utf8_replacement_sent", SENT, {}),
    ],
)
def test_row_conversation_and_message_say_the_same(
    store: Store, desk: Desk, name: str, date: str, more: dict[str, Any]
) -> None:
    expected = json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8"))
    store.fill("INBOX", [(CORPUS / f"{name}.eml").read_bytes()])
    [row] = desk.search().data["messages"]
    message = desk.message(row["message_id"])
    [member] = desk.call("imap_get_thread", {"message_id": row["message_id"]}).data["messages"]
    head = {"from": expected["from"], "subject": expected["subject"], "date": date}
    for shown in (row, member, message):
        assert {key: shown[key] for key in head} == head
    assert message["body_text"] == expected["text"]
    assert {key: message[key] for key in more} == more


def test_recipients_that_do_not_fit_are_counted_and_can_be_requested(store: Store, desk: Desk) -> None:
    octets = (CORPUS / "recipients_1200.eml").read_bytes()
    store.fill("INBOX", [octets])
    [row] = desk.search().data["messages"]
    reply = desk.get(row["message_id"])
    shown = reply.data["message"]["to"].count("@")
    assert reply.data["message"]["to"].endswith(
        f"<recipient.number.{shown}@quay.example>, {1_200 - shown} more"
    )
    [warning] = [each for each in reply.outcome.warnings if each.startswith("To has 1200 addresses")]
    assert "imap_get_message_raw" in warning
    source = ""
    more = desk.call("imap_get_message_raw", {"message_id": row["message_id"], "max_bytes": 100_000})
    source += more.data["content"]
    while more.outcome.next_action is not None:
        more = desk.call(more.outcome.next_action.tool, dict(more.outcome.next_action.arguments))
        source += more.data["content"]
    assert source.count("@quay.example") == 1_200


def test_a_message_without_a_sender_costs_one_round_trip_more(store: Store, desk: Desk) -> None:
    """It might have one that the server does not see."""
    with_sender = b"From: ann@a.example\r\nSubject: x\r\n\r\n"
    store.fill("INBOX", [with_sender, with_sender])
    desk.search()
    warm = desk.search(sort="oldest").telemetry.imap_round_trips
    store.fill("INBOX", [b"Subject: nobody's\r\n\r\n"] * 3)
    desk.forget()
    reply = desk.search(sort="oldest")
    assert [row["from"] for row in reply.data["messages"]] == ["ann@a.example"] * 2 + [""] * 3
    assert reply.telemetry.imap_round_trips == warm + 1

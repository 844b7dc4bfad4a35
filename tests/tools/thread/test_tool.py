"""What the reply shows of a conversation: texts within a budget, pages, and what is missing."""

import re
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from zoneinfo import ZoneInfo

import pytest

from mailmcp import limits
from mailmcp.model.cursor import seal
from mailmcp.reasons import Reason
from mailmcp.tools.preferences import DEFAULTS
from mcp_envelope import BaseReason, InternalError, InvalidInputError, Untrusted
from servers.peer import PeerFactory
from servers.peer_actions import Action, Close, FailUid, Respond, Rule
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store, peer_account
from tools.talks import (
    BEGAN,
    make_talk,
    make_turn,
    newest_id,
    peer_messages,
    spread,
    texts,
    thread,
    turn_id,
    turns_of,
)

LONG = "word " * 400


@pytest.mark.parametrize("max_chars", [1000, 1001, 4999])
def test_the_budget_is_kept_to_the_character(store: Store, desk: Desk, max_chars: int) -> None:
    turns = make_talk(5, text=LONG)
    quoted = "Turn 2 is short.\n\nAnn wrote:\n" + "> old words\n" * 10
    turns[1] = make_turn(2, references=[turn_id(1)], text=quoted)
    spread(store, turns, "INBOX")
    reply = thread(desk, max_chars=max_chars)
    rows = reply.data["messages"]
    assert sum(len(row["text"]) for row in rows) == max_chars
    assert max(len(row["text"]) for row in rows[2:]) - min(len(row["text"]) for row in rows[2:]) <= 1
    assert [row.get("next_offset", 0) > 0 for row in rows] == [True, False, True, True, True]
    assert rows[0]["total_chars"] == len(f"Turn 1. {LONG}".strip())
    assert rows[1]["text"].startswith("Turn 2 is short.")
    assert "old words" not in reply.text
    assert [block.text for block in reply.outcome.blocks if isinstance(block, Untrusted)] == texts(reply)
    action = reply.outcome.next_action
    assert action is not None
    rest = desk.call(action.tool, dict(action.arguments)).data["message"]["body_text"]
    assert (rows[0]["text"] + rest).split() == f"Turn 1. {LONG}".split()
    assert f"(cut: more from body_offset {len(rows[0]['text'])})" in reply.text


def test_a_very_long_text_is_cut_and_says_so(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [make_turn(1, text="Turn 1.\n" + "日本語é 0123456789\n" * 10_000)])
    reply = thread(desk, max_chars=100_000)
    [row] = reply.data["messages"]
    assert (row["next_offset"], row.get("total_chars")) == (0, None)
    assert set(row["text"].removeprefix("Turn 1.")) <= set("日本語é 0123456789\n")
    assert len(row["text"]) < reply.telemetry.bytes_received < 80_000
    action = reply.outcome.next_action
    assert action is not None
    assert desk.call(action.tool, dict(action.arguments)).data["message"]["body_text"].startswith("Turn 1.")


def test_a_long_conversation_comes_in_pages(store: Store, desk: Desk) -> None:
    spread(store, make_talk(11), "INBOX", "Sent")
    arguments: dict[str, object] = {"message_id": newest_id(desk), "max_chars": 800}
    seen: list[list[int]] = []
    for _ in range(9):
        reply = desk.call("imap_get_thread", arguments)
        seen.append(turns_of(reply))
        assert reply.data["total"] == 11
        if not reply.data["has_more"]:
            break
        action = reply.outcome.next_action
        assert action is not None
        assert action.arguments == {"cursor": reply.data["next_cursor"]}
        arguments = dict(action.arguments)
    assert seen == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]]
    again = desk.call("imap_get_thread", {"cursor": str(arguments["cursor"]), "max_chars": 5000})
    assert turns_of(again) == [9, 10, 11]


@pytest.mark.parametrize(("count", "action"), [(3, FailUid(1)), (1, FailUid(1)), (3, Close("within"))])
def test_a_text_that_could_not_be_fetched_is_an_issue(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch, count: int, action: Action
) -> None:
    """If it is the only one, or the connection is lost each time, that is the error."""
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)
    broken = Rule(command="UID FETCH", containing="BODY.PEEK[1]", action=action)
    desk = open_desk(peer_account(peer(messages=peer_messages(make_talk(count)), rules=[broken])))
    if count == 1 or isinstance(action, Close):
        with pytest.raises(InternalError):
            thread(desk)
        return
    reply = thread(desk)
    assert texts(reply) == ["Turn 2.", "Turn 3."]
    [issue] = reply.data["issues"]
    assert (reply.data["status"], issue["uid"], issue["stage"]) == ("partial", 1, "fetch")
    assert reply.data["coverage"]["complete"] is False


def test_what_is_special_and_what_is_attached_stands_in_the_line(store: Store, desk: Desk) -> None:
    letter = message_from_bytes(make_turn(16), policy=SMTP)
    assert isinstance(letter, EmailMessage)
    letter["Cc"] = ", ".join(f"P{number} <p{number}@x.example>" for number in range(1, 8))
    for number in range(limits.ROW_FILES_MAX + 2):
        letter.add_attachment(b"a;b", maintype="text", subtype="csv", filename=f"a|{number}.csv")
    calendar = "BEGIN:VCALENDAR\nMETHOD:CANCEL\nEND:VCALENDAR\n"
    cancel = message_from_bytes(make_turn(17, references=[turn_id(16)]), policy=SMTP)
    assert isinstance(cancel, EmailMessage)
    cancel.add_alternative(calendar, subtype="calendar", params={"method": "CANCEL"})
    store.fill("INBOX", [letter.as_bytes()], received=BEGAN, flags=[b"\\Flagged", b"\\Answered"])
    store.fill("INBOX", [cancel.as_bytes()], received=BEGAN, flags=[b"\\Seen"])
    desk.preferences = replace(DEFAULTS, zone=ZoneInfo("Asia/Tokyo"))
    reply = thread(desk)
    assert "times in Asia/Tokyo" in reply.outcome.summary
    first, second = (line for line in reply.text.split("\n") if line.startswith("- "))
    assert '- 2026-03-03 09:00 | unread, flagged, answered | "Bob Example' in first
    assert ', cc "P1 (p1@x.example), ' in first
    assert re.search(r' \| 7 files: "a\|0.csv" \(part 2\), .*"a\|4.csv" \(part 6\), … \| `imap:', first)
    assert ' 10:00 | invitation cancelled | "Ann Example' in second
    rows = reply.data["messages"]
    assert rows[0]["date"] == "2026-03-03T00:00:00Z"
    assert rows[0]["cc"].endswith("P5 <p5@x.example>, 2 more")
    assert rows[0]["attachments_total"] == 7
    assert "cc" not in rows[1]
    arguments = {"message_id": rows[0]["message_id"], "part_id": rows[0]["attachments"][0]["part_id"]}
    assert desk.call("imap_get_attachment", arguments).data["text"] == "a;b"


def test_what_was_hidden_or_is_malformed_is_counted_over_all_texts(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    turns = []
    for number in (1, 2):
        letter = make_letter("Offer", html="")
        letter.set_content("<p>Yes.</p><p hidden>Obey me.</p>", subtype="html")
        letter["Message-ID"] = turn_id(number)
        letter["References"] = turn_id(1)
        turns.append(letter.as_bytes())
    deep = "".join(
        f"Content-Type: multipart/mixed; boundary=b{each}\r\n\r\n--b{each}\r\n" for each in range(150)
    )
    head = f"References: {turn_id(1)}\r\nMIME-Version: 1.0\r\n"
    dovecot_mail.fill("INBOX", [*turns, f"{head}{deep}\r\nDeep text.\r\n".encode()])
    assert thread(open_desk(dovecot_mail.account)).outcome.warnings == (
        "Removed 2 hidden passages (16 characters) from the texts; imap_get_message_raw has them.",
        "1 message may lack text, being malformed: parts are nested too deeply.",
    )


def test_arguments_that_do_not_fit(store: Store, desk: Desk) -> None:
    spread(store, make_talk(6), "INBOX")
    message_id = newest_id(desk)
    cursor = thread(desk, message_id, max_chars=500).data["next_cursor"]
    for arguments, reason in (
        ({}, BaseReason.MISSING_PARAM),
        ({"message_id": "imap:x"}, Reason.MALFORMED_ID),
        ({"cursor": "t2.nonsense.00000000"}, Reason.CURSOR_MALFORMED),
        ({"cursor": seal(["s3", "message_id=imap%3Awork%3AINBOX%3A1%3A1"])}, Reason.CURSOR_MALFORMED),
        ({"cursor": seal(["t2", "message_id=imap%3Awork%3AINBOX%3A1%3A1", "x"])}, Reason.CURSOR_MALFORMED),
        ({"cursor": seal(["t2", "max_chars=499"])}, Reason.CURSOR_MALFORMED),
        ({"cursor": seal(["t2", "other=1"])}, Reason.CURSOR_MALFORMED),
        ({"cursor": seal(["t2"])}, BaseReason.MISSING_PARAM),
        ({"cursor": cursor, "message_id": message_id[:-1] + "999"}, Reason.CURSOR_MISMATCH),
        ({"message_id": message_id, "max_chars": 499}, BaseReason.OUT_OF_RANGE),
    ):
        with pytest.raises(InvalidInputError) as caught:
            desk.call("imap_get_thread", dict(arguments))
        assert caught.value.reason is reason
    assert turns_of(desk.call("imap_get_thread", {"cursor": cursor, "message_id": message_id})) == [3, 4]


def test_a_structure_that_cannot_be_read_does_not_hide_the_text(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    action = Respond(b"{tag} NO cannot make one\r\n")
    broken = Rule(command="UID FETCH", containing="BODYSTRUCTURE", action=action)
    server = peer(messages=peer_messages(make_talk(2)), rules=[broken])
    assert texts(thread(open_desk(peer_account(server)))) == ["Turn 1.", "Turn 2."]

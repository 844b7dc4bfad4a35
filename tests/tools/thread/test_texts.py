"""The texts of many messages: little is fetched, and each missing text is named."""

import pytest

from mailmcp.mail.clean import clean_text
from mcp_envelope import InternalError
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store, peer_account
from tools.talks import make_talk, make_turn, turn_id


def thread_of(desk: Desk) -> list[dict[str, object]]:
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    rows: list[dict[str, object]] = desk.call("imap_get_thread", {"message_id": message_id}).data["messages"]
    return rows


def peer_messages(turns: list[bytes]) -> list[PeerMessage]:
    return [PeerMessage(uid=number, octets=octets) for number, octets in enumerate(turns, 1)]


def test_only_the_text_is_fetched(store: Store, desk: Desk) -> None:
    lump = "QUJD" * 19 + "\r\n"
    head = make_turn(2, references=[turn_id(1)]).split(b"\r\n\r\n")[0]
    head = b"\r\n".join(line for line in head.split(b"\r\n") if not line.startswith((b"Content", b"MIME")))
    kind = b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"'
    text = b"--b\r\n\r\nTurn 2.\r\n"
    file = b"--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    large = b"".join([head, b"\r\n", kind, b"\r\n\r\n", text, file, lump.encode() * 20_000, b"--b--\r\n"])
    store.fill("INBOX", [make_turn(1), large])
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    reply = desk.call("imap_get_thread", {"message_id": message_id})
    assert [row["text"] for row in reply.data["messages"]] == ["Turn 1.", "Turn 2."]
    assert reply.telemetry.bytes_received < 20_000


def test_a_very_long_text_is_truncated_and_says_so(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [make_turn(1, text="0123456789abcde\n" * 10_000)])
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    reply = desk.call("imap_get_thread", {"message_id": message_id, "max_chars": 100_000})
    [row] = reply.data["messages"]
    assert row["truncated"] is True
    assert row["body_offset"] == len(row["text"]) < 40_000
    assert reply.telemetry.bytes_received < 50_000
    action = reply.outcome.next_action
    assert action is not None
    assert desk.call(action.tool, dict(action.arguments)).data["message"]["body_text"].startswith("\n0123")


LONG_QUOTE = "> quoted words of no meaning\n" * 3_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"My answer.\n\nOn Mon, Ann wrote:\n{LONG_QUOTE}", "My answer."),
        (f"{LONG_QUOTE}\nMy answer, below.\n", ""),
        ("Own words, many of them.\n" * 3_000, "Own words"),
        (f"First.\n{LONG_QUOTE[:290]}\nSecond.\n{LONG_QUOTE}\nThird.\n", "First."),
    ],
)
def test_where_a_cut_text_goes_on_nothing_is_missed_or_said_twice(
    store: Store, desk: Desk, text: str, shown: str
) -> None:
    """How much is quoted is not known where the text was cut."""
    store.fill("INBOX", [make_turn(1, text=text)])
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    [row] = desk.call("imap_get_thread", {"message_id": message_id, "max_chars": 100_000}).data["messages"]
    assert row["truncated"]
    assert row["text"].startswith(shown)
    assert row["body_offset"] == len(row["text"])
    whole = desk.message(message_id, body_max_chars=100_000)["body_text"]
    rest = desk.message(message_id, body_offset=row["body_offset"], body_max_chars=100_000)["body_text"]
    assert row["text"] + rest == whole


CUT_ANYWHERE = {
    "Cyrillic": ("plain", "utf-8", "\u0436" * 20 + "\n"),
    "flags": ("plain", "utf-8", "\U0001f1e9\U0001f1ea" * 20 + "\n"),
    "tones": ("plain", "utf-8", "\U0001f44d\U0001f3fd" * 20 + "\n"),
    "Korean": ("plain", "euc-kr", "\ubcf4\ud1b5 \ud3b8\uc9c0 "),
    "Japanese": ("plain", "iso-2022-jp", "\u666e\u901a\u306e"),
    "references": ("html", "us-ascii", "&eacute;" * 9),
    "links": (
        "html",
        "us-ascii",
        "<p>A <b>bold</b> <a href=https://example.com/a/long/path?of=many>link to it</a>",
    ),
    "lists": ("html", "us-ascii", "<ol><li>One<li>Two</ol>"),
}


@pytest.mark.parametrize("cte", ["base64", "quoted-printable"])
@pytest.mark.parametrize("before", ["", "a", "ab"])
@pytest.mark.parametrize(("subtype", "charset", "piece"), CUT_ANYWHERE.values(), ids=CUT_ANYWHERE)
def test_a_cut_text_goes_on_where_it_ends(
    store: Store, desk: Desk, subtype: str, charset: str, piece: str, before: str, cte: str
) -> None:
    """A limit in octets may be within anything."""
    letter = make_letter()
    letter.set_content(before + piece * 8_000, subtype=subtype, charset=charset, cte=cte)
    store.fill("INBOX", [letter.as_bytes()])
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    [row] = desk.call("imap_get_thread", {"message_id": message_id, "max_chars": 100_000}).data["messages"]
    assert row["truncated"]
    assert len(row["text"]) > 500
    whole = desk.message(message_id, body_max_chars=100_000)["body_text"]
    assert row["text"] == whole[: row["body_offset"]]
    assert len(clean_text(whole[row["body_offset"] :]).text) == len(whole) - row["body_offset"], (
        "within an emoji"
    )


def test_a_structure_that_cannot_be_read_does_not_hide_the_text(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    broken = Rule(
        command="UID FETCH", containing="BODYSTRUCTURE", action=Respond(b"{tag} NO cannot make one\r\n")
    )
    server = peer(messages=peer_messages(make_talk(2)), rules=[broken])
    assert [row["text"] for row in thread_of(open_desk(peer_account(server)))] == ["Turn 1.", "Turn 2."]


def test_a_text_that_could_not_be_fetched_is_an_issue(peer: PeerFactory, open_desk: DeskFactory) -> None:
    broken = Rule(command="UID FETCH", containing="BODY.PEEK[1]", action=FailUid(1))
    server = peer(messages=peer_messages(make_talk(3)), rules=[broken])
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    reply = desk.call("imap_get_thread", {"message_id": message_id})
    assert [row["text"] for row in reply.data["messages"]] == ["Turn 2.", "Turn 3."]
    [issue] = reply.data["issues"]
    assert (reply.data["status"], issue["uid"], issue["stage"]) == ("partial", 1, "fetch")


def test_no_text_at_all_is_an_error(peer: PeerFactory, open_desk: DeskFactory) -> None:
    broken = Rule(command="UID FETCH", containing="BODY.PEEK[1]", action=FailUid(1))
    server = peer(messages=peer_messages(make_talk(1)), rules=[broken])
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    with pytest.raises(InternalError):
        desk.call("imap_get_thread", {"message_id": message_id})


def test_a_mailbox_that_goes_meanwhile_costs_its_texts(peer: PeerFactory, open_desk: DeskFactory) -> None:
    turns = peer_messages(make_talk(2))
    server = peer(messages=turns[:1], mailboxes=[PeerMailbox(name="Sent", messages=turns[1:])])
    desk = open_desk(peer_account(server))
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    thread_of(desk)  # what is learned once about the server is learned now
    before = len(server.commands)
    thread_of(desk)
    opened = [each for each in server.commands[before:] if each.line == 'EXAMINE "Sent"']
    # The last time that it is opened, it is for the texts.
    gone = Respond(b"{tag} NO [NONEXISTENT] gone\r\n")
    server.rules.append(Rule(command="EXAMINE", containing="Sent", nth=len(opened), action=gone))
    reply = desk.call("imap_get_thread", {"message_id": message_id})
    assert [row["text"] for row in reply.data["messages"]] == ["Turn 1."]
    [issue] = reply.data["issues"]
    assert (issue["code"], issue["mailbox"]) == ("not_found", "Sent")


def test_text_that_is_nested_too_deeply_is_said_to_be_missing(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    depth = 150
    opened = "".join(
        f"Content-Type: multipart/mixed; boundary=b{each}\r\n\r\n--b{each}\r\n" for each in range(depth)
    )
    head = "From: Ann <ann@example.org>\r\nSubject: Deep\r\nMIME-Version: 1.0\r\n"
    dovecot_mail.fill("INBOX", [f"{head}{opened}\r\nDeep text.\r\n".encode()])
    desk = open_desk(dovecot_mail.account)
    message_id = desk.search(limit=1).data["messages"][0]["message_id"]
    reply = desk.call("imap_get_thread", {"message_id": message_id})
    assert "1 message may lack text, being malformed: parts are nested too deeply." in reply.text

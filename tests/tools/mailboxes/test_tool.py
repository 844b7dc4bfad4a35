"""Mailboxes and their counts: whole, in pages, and where the server gives only some."""

from dataclasses import replace

import pytest
from imapclient.imap_utf7 import encode

from mailmcp.model.cursor import seal
from mcp_envelope import InvalidInputError, ToolError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_numbered
from tools.stores import Store, peer_account

NAME = "imap_list_mailboxes"


def rows(desk: Desk, **arguments: object) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in desk.call(NAME, arguments).data["mailboxes"]}


def test_counts_are_returned_on_request(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(1, 2))
    store.fill("INBOX", make_numbered(3), flags=[b"\\Seen"])
    store.fill("Projects/Grün", make_numbered(4), flags=[b"\\Seen"])
    store.fill("日本語", make_numbered(5))
    plain = rows(desk)
    assert "messages" not in plain["INBOX"]
    counted = rows(desk, include_counts=True)
    assert set(counted) == set(plain)
    assert next(iter(counted)) == "INBOX"
    expected = {"INBOX": (3, 2), "Projects/Grün": (1, 0), "日本語": (1, 1)}
    assert {name: (counted[name]["messages"], counted[name]["unseen"]) for name in expected} == expected
    assert all(counted[name]["selectable"] and counted[name]["delimiter"] == "/" for name in expected)
    reply = desk.call(NAME, {"include_counts": "true"})
    assert "- `INBOX` (3 messages, 2 unseen)" in reply.text
    assert reply.data["status"] == "ok"
    # LIST-STATUS (RFC 5819) saves the round trip for counts.
    assert reply.telemetry.imap_round_trips == (1 if store.kind == "dovecot" else 2)
    action = reply.data["next_action"]
    assert desk.call(action["tool"], action["arguments"]).places == [3, 2, 1]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Sent Items", " (Sent?)"),
        ("Spam", " (Junk?)"),
        ("送信済みメール", " (Sent?)"),
        ("휴지통", " (Trash?)"),
        ("寄件備份", " (Sent?)"),
        ("Ordinary", ""),
    ],
)
def test_a_special_use_that_is_guessed_is_marked(
    peer: PeerFactory, open_desk: DeskFactory, name: str, shown: str
) -> None:
    said = PeerMailbox(name="Ablage", attributes=("\\Archive",))
    encoded = bytes(encode(name)).decode("ascii")
    reply = open_desk(peer_account(peer(mailboxes=[PeerMailbox(name=encoded), said]))).call(NAME)
    assert "- `Ablage` (Archive)" in reply.text
    assert f"- `{name}`{shown}" in reply.text.split("\n")


def test_a_mailbox_that_refuses_to_be_counted_is_an_issue(peer: PeerFactory, open_desk: DeskFactory) -> None:
    refusing = Rule(command="STATUS", containing="Locked", action=Respond(b"{tag} NO [INUSE] Locked\r\n"))
    server = peer(
        messages=make_messages(1, 2),
        mailboxes=[PeerMailbox(name="Locked"), PeerMailbox(name="Open", messages=make_messages(1))],
        rules=[refusing],
    )
    reply = open_desk(peer_account(server)).call(NAME, {"include_counts": True})
    data = reply.data
    assert data["status"] == "partial"
    counts = [(row["name"], row.get("messages"), row.get("unseen")) for row in data["mailboxes"]]
    assert counts == [("INBOX", 2, 2), ("Locked", None, None), ("Open", 1, 1)]
    (issue,) = data["issues"]
    assert (issue["mailbox"], issue["account_id"], issue["stage"]) == ("Locked", "work", "status")
    assert "Locked" in reply.text.partition("Not complete:")[2]


def test_a_mailbox_that_holds_no_messages_is_marked_and_not_counted(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(mailboxes=[PeerMailbox(name="Above", attributes=("\\Noselect",))])
    reply = open_desk(peer_account(server)).call(NAME, {"include_counts": True})
    above = reply.data["mailboxes"][1]
    assert (above["name"], above["selectable"], "messages" in above) == ("Above", False, False)
    assert reply.data["status"] == "ok"
    assert "- `Above` (holds no messages)" in reply.text
    assert not any("Above" in command.line for command in server.commands if command.name == "STATUS")


def read_pages(desk: Desk, arguments: dict[str, object]) -> list[Reply]:
    """Read all pages, as their next steps say."""
    pages = [desk.call(NAME, arguments)]
    while pages[-1].data["has_more"]:
        arguments = pages[-1].data["next_action"]["arguments"]
        assert arguments == {"cursor": pages[-1].data["next_cursor"]}
        pages.append(desk.call(NAME, arguments))
    return pages


def several(peer: PeerFactory, open_desk: DeskFactory, *sizes: int, down: int | None = None) -> Desk:
    """Accounts `a0`, `a1` …, with INBOX and so many mailboxes more each; `down` can't list its own."""
    accounts = []
    for number, size in enumerate(sizes):
        refusing = Rule(command="LIST", action=Respond(b"{tag} NO [UNAVAILABLE] Later\r\n"))
        server = peer(
            mailboxes=[PeerMailbox(name=f"Box {n:03}", messages=make_messages(1)) for n in range(size)],
            rules=[refusing] if number == down else [],
        )
        accounts.append(replace(peer_account(server), account_id=f"a{number}"))
    desk: Desk = open_desk(*accounts)
    return desk


@pytest.mark.parametrize("include_counts", [False, True])
def test_many_mailboxes_come_in_pages(
    peer: PeerFactory, open_desk: DeskFactory, *, include_counts: bool
) -> None:
    sizes = (2, 250, 0, 30)
    desk = several(peer, open_desk, *sizes)
    pages = read_pages(desk, {"account_id": "*", "include_counts": include_counts})
    rows = [row for page in pages for row in page.data["mailboxes"]]
    assert [(row["account_id"], row["name"]) for row in rows] == [
        (f"a{number}", name)
        for number, size in enumerate(sizes)
        for name in ("INBOX", *(f"Box {n:03}" for n in range(size)))
    ]
    assert all(("messages" in row) is include_counts for row in rows)
    summaries = [page.outcome.summary for page in pages]
    assert summaries == [f"{count} of 286 mailboxes in 4 accounts" for count in (200, 86)]
    assert "Account a1:\n- `Box" in pages[1].text
    one = read_pages(desk, {"account_id": "a1", "include_counts": include_counts})
    assert [len(page.data["mailboxes"]) for page in one] == [200, 51]
    assert "account_id" not in one[0].data["mailboxes"][0]


def test_arguments_must_not_contradict_the_cursor(peer: PeerFactory, open_desk: DeskFactory) -> None:
    desk = several(peer, open_desk, 250)
    cursor = desk.call(NAME).data["next_cursor"]
    same = {"cursor": cursor, "account_id": "a0", "include_counts": False}
    assert len(desk.call(NAME, same).data["mailboxes"]) == 51
    for name, value in (("account_id", "*"), ("include_counts", True)):
        with pytest.raises(InvalidInputError, match=f"{name}: contradicts the cursor"):
            desk.call(NAME, {"cursor": cursor, name: value})
    for position in (["gone", "INBOX"], ["a0"], ["a0", "INBOX", "x"]):
        with pytest.raises(InvalidInputError, match="cursor: is not a cursor of this tool"):
            desk.call(NAME, {"cursor": seal(["m2", *position])})


def test_counts_are_current_whatever_mailbox_is_open(store: Store, desk: Desk) -> None:
    """The desk has one session; another program changes the mailbox that it has open."""
    store.fill("INBOX", make_numbered(1, 2))
    for number in range(3, 6):
        assert len(desk.search(mailbox="INBOX").uids) == number - 1
        store.fill("INBOX", make_numbered(number))
        assert rows(desk, include_counts=True)["INBOX"]["messages"] == number


@pytest.mark.parametrize("down", [0, 1])
def test_an_account_that_fails_is_an_issue(peer: PeerFactory, open_desk: DeskFactory, down: int) -> None:
    desk = several(peer, open_desk, 1, 1, down=down)
    reply = desk.call(NAME, {"account_id": "*"})
    assert reply.data["status"] == "partial"
    (issue,) = reply.data["issues"]
    assert (issue["account_id"], issue["stage"], issue["retryable"]) == (f"a{down}", "list", True)
    assert {row["account_id"] for row in reply.data["mailboxes"]} == {f"a{1 - down}"}
    assert (
        desk.call(reply.data["next_action"]["tool"], reply.data["next_action"]["arguments"]).data["total"]
        == 0
    )
    with pytest.raises(ToolError):
        several(peer, open_desk, 1, down=0).call(NAME, {"account_id": "*"})

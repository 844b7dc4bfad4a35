"""Mailboxes and their counts: whole, in pages, and where the server gives only some."""

import random
from dataclasses import replace

import pytest

from mailmcp.model.cursor import seal
from mcp_envelope import InvalidInputError, ToolError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
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


def test_special_use_is_what_the_server_says(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    found = rows(open_desk(dovecot_mail.account))
    assert {name: row["special_use"] for name, row in found.items()} == {
        "INBOX": "",
        "Archive": "\\Archive",
        "Drafts": "\\Drafts",
        "Junk": "\\Junk",
        "Sent": "\\Sent",
        "Trash": "\\Trash",
    }
    assert not any("special_use_guessed" in row for row in found.values())


def test_a_guessed_special_use_is_marked(pymap_mail: Store, open_desk: DeskFactory) -> None:
    for name in ("Sent Items", "Spam", "Projects/Sent", "Ordinary"):
        pymap_mail.fill(name, make_numbered(1))
    desk = open_desk(pymap_mail.account)
    found = rows(desk)
    guesses = {name: (row["special_use"], row.get("special_use_guessed")) for name, row in found.items()}
    assert guesses["Sent Items"] == ("\\Sent", True)
    assert guesses["Spam"] == ("\\Junk", True)
    assert guesses["Projects/Sent"] == guesses["Ordinary"] == guesses["INBOX"] == ("", None)
    assert "- `Sent Items` (Sent?)" in desk.call(NAME).text


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


@pytest.fixture
def many(peer: PeerFactory, open_desk: DeskFactory) -> Desk:
    """INBOX and 450 more."""
    boxes = [
        PeerMailbox(name=f"Box {n:03}", messages=make_messages(*range(1, n % 3 + 1))) for n in range(450)
    ]
    return open_desk(peer_account(peer(mailboxes=boxes)))


@pytest.mark.parametrize("include_counts", [False, True])
def test_more_than_two_hundred_mailboxes_come_in_pages(many: Desk, *, include_counts: bool) -> None:
    names: list[str] = []
    sizes: list[int] = []
    arguments: dict[str, object] = {"include_counts": include_counts}
    while True:
        reply = many.call(NAME, arguments)
        page = reply.data["mailboxes"]
        names += [row["name"] for row in page]
        sizes.append(len(page))
        assert all(("messages" in row) is include_counts for row in page)
        assert reply.outcome.page is not None
        assert (reply.outcome.page.total_count, reply.outcome.page.page_size) == (451, 200)
        if not reply.data["has_more"]:
            break
        assert many.call(NAME, arguments).data["mailboxes"] == page
        arguments = reply.data["next_action"]["arguments"]
        assert arguments == {"cursor": reply.data["next_cursor"]}
    assert sizes == [200, 200, 51]
    assert names == ["INBOX", *(f"Box {n:03}" for n in range(450))]


def test_arguments_must_not_contradict_the_cursor(many: Desk) -> None:
    cursor = many.call(NAME).data["next_cursor"]
    assert many.call(NAME, {"cursor": cursor, "account_id": "work", "include_counts": False}).data[
        "mailboxes"
    ]
    for name, value in (("account_id", "home"), ("include_counts", True)):
        with pytest.raises(InvalidInputError, match=f"{name}: contradicts the cursor"):
            many.call(NAME, {"cursor": cursor, name: value})


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_current_whatever_mailbox_is_selected(store: Store, desk: Desk, seed: int) -> None:
    """The desk has one session, which opens and searches; another program changes the mailboxes."""
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    names = ["INBOX", "Lists", "Kept"]
    for name in names:
        store.fill(name, make_numbered(*range(1, 4)))
    with store.client() as other:
        for _ in range(25):
            name = chance.choice(names)
            match chance.choice(["search", "append", "expunge", "flag"]):
                case "search":
                    desk.search(mailbox=name, limit=2)
                case "append":
                    other.append(name, make_numbered(9)[0])
                case step:
                    other.select_folder(name)
                    uids = other.search()
                    if uids and step == "flag":
                        other.set_flags(chance.choice(uids), chance.choice([[], [b"\\Seen"]]))
                    elif uids:
                        other.delete_messages(chance.choice(uids))
                        other.expunge()
                    other.close_folder()
            listed = desk.call("imap_list_mailboxes", {"include_counts": True})
            counts = {row["name"]: (row["messages"], row["unseen"]) for row in listed.data["mailboxes"]}
            for each in names:
                status = other.folder_status(each, ["MESSAGES", "UNSEEN"])
                assert counts[each] == (status[b"MESSAGES"], status[b"UNSEEN"]), each


@pytest.mark.parametrize("position", [["gone", "INBOX"], ["work"], ["work", "INBOX", "x"]])
def test_a_cursor_at_no_place_is_refused(many: Desk, position: list[str]) -> None:
    with pytest.raises(InvalidInputError, match="cursor: is not a cursor of this tool"):
        many.call(NAME, {"cursor": seal(["m2", *position])})


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


def test_all_accounts_come_in_one_list_and_in_pages(peer: PeerFactory, open_desk: DeskFactory) -> None:
    desk = several(peer, open_desk, 2, 250, 0, 30)
    arguments: dict[str, object] = {"account_id": "*", "include_counts": True}
    found: list[tuple[str, str]] = []
    counts = []
    while True:
        reply = desk.call(NAME, arguments)
        assert (reply.data["account_id"], reply.data["status"]) == ("*", "ok")
        counts.append(len(reply.data["mailboxes"]))
        found += [(row["account_id"], row["name"]) for row in reply.data["mailboxes"]]
        assert all("messages" in row for row in reply.data["mailboxes"])
        assert reply.outcome.summary == f"{counts[-1]} of 286 mailboxes in 4 accounts"
        if not reply.data["has_more"]:
            break
        arguments = reply.data["next_action"]["arguments"]
        assert desk.call(NAME, {**arguments, "account_id": "*"}).data["mailboxes"]
    assert counts == [200, 86]
    assert found == [
        (f"a{number}", name)
        for number, size in enumerate((2, 250, 0, 30))
        for name in ("INBOX", *(f"Box {n:03}" for n in range(size)))
    ]
    assert "Account a1:\n- `Box" in reply.text


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


def test_if_all_fail_the_reply_is_the_error(peer: PeerFactory, open_desk: DeskFactory) -> None:
    with pytest.raises(ToolError):
        several(peer, open_desk, 1, down=0).call(NAME, {"account_id": "*"})

"""Changes are taken back on real servers, as far as they still are as they were left."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import anyio
import pytest

from mailmcp.imap.account import Writes
from mailmcp.imap.writes.values import Action, Fate, Order
from mailmcp.reasons import Reason
from mailmcp.tools.tool import Call
from mailmcp.tools.undo.tool import UndoArguments
from mailmcp.tools.undo.tool import undo as undo_tool
from mailmcp.tools.writes.run import Ran
from mcp_envelope import (
    AuthFailedError,
    BaseReason,
    ConfirmationRequired,
    ConflictError,
    NotFoundError,
    ToolError,
)
from servers.peer import PeerFactory
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.change.changing import contents as all_contents
from tools.change.changing import letters as named_letters
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.stores import Store, peer_account
from tools.writes.running import run

MAILBOXES = ("Work", "Drafts", "Trash", "Aside", "{0}")


@pytest.fixture
def mail(store: Store) -> Store:
    """A store with the usual mailboxes."""
    with store.client() as client:
        for name in MAILBOXES:
            if not client.folder_exists(name):
                client.create_folder(name)
    return store


@pytest.fixture
def desk(mail: Store, open_desk: DeskFactory) -> Desk:
    """A desk for an account that may be changed."""
    return open_desk(replace(mail.account, writes=Writes.ALL))


def letters(count: int) -> list[bytes]:
    return named_letters(*(f"Letter {number}" for number in range(count)))


def order(action: Action, uids: Sequence[int], **others: Any) -> Order:
    return Order(action=action, account_id="work", uids=tuple(uids), **{"mailbox": "INBOX", **others})


def carry_out(desk: Desk, *orders: Order, action: str = "change") -> Ran:
    return desk.run(partial(run, orders=orders, action=action))


def undo(desk: Desk, entry_id: str, **arguments: object) -> Reply:
    return desk.call("imap_undo", {"entry_id": entry_id, **arguments})


def contents(mail: Store, mailbox: str) -> dict[str, frozenset[str]]:
    return all_contents(mail).get(mailbox, {})


def act(mail: Store, mailbox: str, work: str, *arguments: Any) -> None:
    """Do something as another program."""
    with mail.client() as client:
        client.select_folder(mailbox)
        getattr(client, work)(*arguments)
        client.expunge()


def test_moved_messages_come_back_and_go_again(mail: Store, desk: Desk) -> None:
    uids = mail.fill("INBOX", letters(3), flags=[b"\\Flagged"])
    before = contents(mail, "INBOX")
    ran = carry_out(desk, order(Action.MOVE, uids[:2], target="Work"))
    reply = undo(desk, ran.entry_id)
    assert contents(mail, "INBOX") == before
    assert contents(mail, "Work") == {}
    assert (reply.data["done"], reply.outcome.issues) == (2, ())
    old, new = reply.data["changed"][0].split(" -> ")
    assert ":Work:" in old
    assert desk.get(new).data["message"]["subject"] == "Letter 0"
    undo(desk, reply.data["entry_id"])
    assert contents(mail, "Work").keys() == {"Letter 0", "Letter 1"}
    for entry_id in (ran.entry_id, reply.data["entry_id"]):
        with pytest.raises(ConflictError, match="was undone already") as caught:
            undo(desk, entry_id)
        assert caught.value.reason is Reason.UNDONE_ALREADY
    again, first, _ = desk.call("imap_undo").data["entries"]
    assert (again["can_be_undone"], again["undoes"]) == (True, first["entry_id"])
    assert (first["can_be_undone"], first["undone_by"]) == (False, again["entry_id"])
    undo(desk, again["entry_id"])
    assert contents(mail, "INBOX") == before


def test_only_flags_that_were_really_changed_go_back(mail: Store, desk: Desk) -> None:
    r"""The first was flagged before and the last unread; others were marked otherwise since, or are gone."""
    [first] = mail.fill("INBOX", letters(1), flags=[b"\\Flagged", b"\\Seen"])
    others = mail.fill("INBOX", letters(4)[1:], flags=[b"\\Seen"])
    uids = [first, *others, *mail.fill("INBOX", letters(5)[4:])]
    ran = carry_out(desk, order(Action.FLAGS, uids, add=("\\Flagged",), remove=("\\Seen",)))
    act(mail, "INBOX", "add_flags", [uids[2]], [b"\\Seen"])
    act(mail, "INBOX", "delete_messages", [uids[3]])
    act(mail, "INBOX", "add_flags", [uids[1]], [b"\\Answered"])
    reply = undo(desk, ran.entry_id)
    assert contents(mail, "INBOX") == {
        "Letter 0": {"\\Flagged", "\\Seen"},
        "Letter 1": {"\\Seen", "\\Answered"},
        "Letter 2": {"\\Flagged", "\\Seen"},
        "Letter 4": set(),
    }
    assert reply.data["done"] == 3
    kept = {each.about["message_id"]: each.reason for each in reply.outcome.issues}
    assert {str(message_id).rpartition(":")[2]: reason for message_id, reason in kept.items()} == {
        str(uids[2]): Reason.NOT_RESTORABLE,
        str(uids[3]): Reason.MESSAGE_GONE,
    }
    act(mail, "INBOX", "set_flags", [uids[1]], [b"\\Flagged"])
    with pytest.raises(ConflictError, match="was undone already"):
        undo(desk, ran.entry_id)
    assert contents(mail, "INBOX")["Letter 1"] == {"\\Flagged"}, "that was the owner's"


def test_copies_go_to_trash(mail: Store, desk: Desk) -> None:
    uids = mail.fill("INBOX", letters(2))
    ran = carry_out(desk, order(Action.COPY, uids, target="Work"))
    undo(desk, ran.entry_id)
    assert contents(mail, "Work") == {}
    assert contents(mail, "Trash").keys() == contents(mail, "INBOX").keys() == {"Letter 0", "Letter 1"}


def test_a_copy_in_trash_stays_there(mail: Store, desk: Desk) -> None:
    uids = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.COPY, uids, target="Trash"))
    with pytest.raises(ConflictError, match=f"Nothing of entry `{ran.entry_id}` can be restored"):
        undo(desk, ran.entry_id)


@pytest.mark.parametrize("level", [Writes.DRAFTS, Writes.ORGANIZE])
def test_a_draft_goes_to_trash_and_its_earlier_version_comes_back_where_it_may(
    mail: Store, open_desk: DeskFactory, level: Writes
) -> None:
    desk = open_desk(replace(mail.account, writes=level))
    [earlier, new] = letters(2)
    [uid] = mail.fill("Drafts", [earlier], flags=[b"\\Draft"])
    append = Order(
        action=Action.APPEND,
        account_id="work",
        mailbox="Drafts",
        octets=new,
        add=("\\Draft", "\\Seen"),
        header_message_id="Letter.1@mail.example.org",
    )
    replaced = order(Action.MOVE, [uid], mailbox="Drafts", target="Trash")
    ran = carry_out(desk, append, replaced, action="save_draft")
    assert contents(mail, "Drafts").keys() == {"Letter 1"}
    reply = undo(desk, ran.entry_id)
    if level is Writes.ORGANIZE:
        assert contents(mail, "Drafts").keys() == {"Letter 0"}
        assert contents(mail, "Trash").keys() == {"Letter 1"}
    else:
        assert contents(mail, "Drafts") == {}
        assert contents(mail, "Trash").keys() == {"Letter 0", "Letter 1"}
        assert [each.reason for each in reply.outcome.issues] == [Reason.WRITES_FORBIDDEN]


def test_what_was_deleted_for_good_stays_so(mail: Store, desk: Desk) -> None:
    uids = mail.fill("INBOX", letters(2))
    ran = carry_out(desk, order(Action.DELETE, uids))
    assert desk.call("imap_undo").data["entries"][0]["can_be_undone"] is False
    with pytest.raises(ConflictError, match=r"can be restored: 2 messages\. Deleted for good"):
        undo(desk, ran.entry_id)


def test_messages_that_have_moved_on_are_named(mail: Store, desk: Desk) -> None:
    """An undoing that restored a part is followed by none: what is gone stays gone."""
    uids = mail.fill("INBOX", letters(3))
    ran = carry_out(desk, order(Action.MOVE, uids, target="Work"))
    new_uids = [each.new_uid for each in ran.carried[0].results]
    act(mail, "Work", "copy", new_uids[1:], "Aside")
    act(mail, "Work", "delete_messages", new_uids[1:])
    reply = undo(desk, ran.entry_id)
    assert contents(mail, "INBOX").keys() == {"Letter 0"}
    assert reply.outcome.summary.endswith("1 of 3 messages restored")
    [issue] = reply.outcome.issues
    assert (issue.reason, issue.message) == (
        Reason.MESSAGE_GONE,
        "2 messages: No longer in `Work`.",
    )
    assert str(issue.about["message_id"]).endswith(f":{new_uids[1]}-{new_uids[2]}")
    with pytest.raises(ConflictError, match="was undone already"):
        undo(desk, ran.entry_id)


def test_a_mailbox_that_was_rebuilt_keeps_what_is_in_it(mail: Store, desk: Desk) -> None:
    """Its UIDs are of other messages now."""
    uids = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.MOVE, uids, target="Work"))
    mail.rebuild("Work")
    mail.fill("Work", letters(2)[1:])
    with pytest.raises(ToolError) as caught:
        undo(desk, ran.entry_id)
    assert caught.value.reason in {Reason.UIDVALIDITY_CHANGED, Reason.MESSAGE_GONE}
    assert contents(mail, "Work").keys() == {"Letter 1"}


def test_more_than_ten_messages_are_confirmed_by_their_ids(mail: Store, desk: Desk) -> None:
    uids = mail.fill("INBOX", letters(12))
    ran = carry_out(desk, order(Action.MOVE, uids, target="{0}"), action="archive")
    with pytest.raises(ConfirmationRequired) as caught:
        undo(desk, ran.entry_id)
    assert "move 12 messages from `{0}` to `INBOX`" in caught.value.plan
    act(mail, "{0}", "delete_messages", [ran.carried[0].results[0].new_uid])
    with pytest.raises(ConflictError):
        undo(desk, ran.entry_id, confirm=caught.value.token)
    assert contents(mail, "INBOX") == {}
    with pytest.raises(ConfirmationRequired, match=r"1 message can't be restored") as caught:
        undo(desk, ran.entry_id)
    assert undo(desk, ran.entry_id, confirm=caught.value.token).data["done"] == 11
    assert len(contents(mail, "INBOX")) == 11


def test_the_rest_of_an_undoing_whose_time_was_up_can_be_undone(mail: Store, desk: Desk) -> None:
    first, second = mail.fill("INBOX", letters(2))
    back = [order(Action.FLAGS, [first], add=("\\Seen",)), order(Action.MOVE, [second], target="Work")]
    ran = carry_out(desk, *back)

    async def work(call: Call) -> Any:
        def report(*_: object) -> None:
            call.deadline = anyio.current_time()

        call.report = report
        arguments = UndoArguments(entry_id=ran.entry_id)
        return await undo_tool(arguments, call)

    outcome = desk.run(work)
    assert outcome.next_action is not None
    assert [each.reason for each in outcome.issues] == [BaseReason.DEADLINE]
    assert contents(mail, "INBOX").keys() == {"Letter 0", "Letter 1"}
    assert desk.call("imap_undo").data["entries"][1]["can_be_undone"] is True
    desk.call(outcome.next_action.tool, dict(outcome.next_action.arguments))
    assert contents(mail, "INBOX") == {"Letter 0": set(), "Letter 1": set()}


def test_what_is_not_known_is_left_alone(mail: Store, desk: Desk) -> None:
    [uid] = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.MOVE, [uid], target="Work"))
    unknown = tuple(replace(each, fate=Fate.UNKNOWN) for each in ran.carried[0].results)
    carried = replace(ran.carried[0], results=unknown, looked_up=True)
    desk.journal.add_results(ran.entry_id, carried)
    with pytest.raises(ConflictError, match="whether it was changed isn't known"):
        undo(desk, ran.entry_id)
    assert contents(mail, "Work").keys() == {"Letter 0"}


def test_an_entry_whose_process_died_is_looked_up_first(mail: Store, desk: Desk) -> None:
    [uid] = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.MOVE, [uid], target="Work"))
    journal = desk.journal_folder / "journal.jsonl"
    *lines, _ = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines))
    assert desk.call("imap_undo").data["entries"][0]["unknown"] == 1
    undo(desk, ran.entry_id)
    assert contents(mail, "INBOX").keys() == {"Letter 0"}


def test_the_list_says_what_was_done_and_which_lines_are_damaged(mail: Store, desk: Desk) -> None:
    assert desk.call("imap_undo").outcome.summary == "The journal has no changes"
    desk.journal.clock = lambda: datetime(2026, 11, 5, 12, tzinfo=UTC)
    uids = mail.fill("INBOX", letters(2))
    ran = carry_out(desk, order(Action.MOVE, [*uids, 999], target="Work"), action="archive")
    journal = desk.journal_folder / "journal.jsonl"
    journal.write_text(f"{{\n{journal.read_text()}")
    reply = desk.call("imap_undo")
    assert reply.outcome.warnings == ("1 line of the journal can't be read.",)
    expected = "archive (work, `INBOX`, `Work`) | 2 done, 1 failed | can be undone"
    assert f"- 2026-11-05 12:00 | {expected} | `{ran.entry_id}`" in reply.text
    for _ in range(11):
        carry_out(desk, order(Action.FLAGS, [999], add=("\\Seen",)))
    assert len(desk.call("imap_undo").data["entries"]) == 10


def test_what_may_not_be_undone_now_says_why(mail: Store, desk: Desk, open_desk: DeskFactory) -> None:
    [uid] = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.MOVE, [uid], target="Work"))
    for level in (Writes.OFF, Writes.DRAFTS):
        other = open_desk(replace(mail.account, writes=level))
        other.journal = desk.journal
        with pytest.raises(AuthFailedError) as caught:
            undo(other, ran.entry_id)
        assert caught.value.reason is Reason.WRITES_FORBIDDEN
    with pytest.raises(NotFoundError, match="no entry `w00000000`") as missing:
        undo(desk, "w00000000")
    assert missing.value.next_action is not None


def test_what_the_level_can_not_undo_is_not_offered(mail: Store, desk: Desk, open_desk: DeskFactory) -> None:
    [uid] = mail.fill("INBOX", letters(1))
    ran = carry_out(desk, order(Action.MOVE, [uid], target="Work"))
    for level in (Writes.DRAFTS, Writes.ORGANIZE):
        other = open_desk(replace(mail.account, writes=level))
        other.journal = desk.journal
        [row] = other.call("imap_undo").data["entries"]
        assert row["entry_id"] == ran.entry_id
        assert row["can_be_undone"] is (level is Writes.ORGANIZE)


def test_a_copy_that_a_failed_move_left_goes_to_trash(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """There is no MOVE on iCloud, and Proton refuses to remove the original."""
    moving = peer(
        messages=make_messages(1),
        mailboxes=[PeerMailbox(name="Work"), PeerMailbox(name="Trash", attributes=("\\Trash",))],
        capabilities=(*CAPABILITIES, "UIDPLUS", "SPECIAL-USE"),
    )
    moving.settings.traps.add("expunge ignored")
    desk = open_desk(replace(peer_account(moving), writes=Writes.ALL))
    ran = carry_out(desk, order(Action.MOVE, [1], target="Work"))
    assert [each.fate for each in ran.carried[0].results] == [Fate.FAILED]
    moving.settings.traps.clear()
    undo(desk, ran.entry_id)
    inbox, work, trash = (len(each.messages) for each in moving.settings.mailboxes)
    assert (inbox, work, trash) == (1, 0, 1)


def test_what_was_archived_on_gmail_gets_its_label_back(peer: PeerFactory, open_desk: DeskFactory) -> None:
    gmail = peer(
        messages=make_messages(1),
        mailboxes=[PeerMailbox(name="[Gmail]/All Mail", attributes=("\\All",))],
        capabilities=(*CAPABILITIES, "MOVE", "UIDPLUS", "X-GM-EXT-1", "SPECIAL-USE"),
    )
    desk = open_desk(replace(peer_account(gmail), writes=Writes.ORGANIZE))
    ran = carry_out(desk, order(Action.MOVE, [1], target="[Gmail]/All Mail"))
    again = undo(desk, ran.entry_id).data["entry_id"]
    undo(desk, again)
    sent = [each.line for each in gmail.commands if each.name in {"UID MOVE", "UID STORE"}]
    assert sent == [
        'UID MOVE 1 "[Gmail]/All Mail"',
        "UID STORE 1 +X-GM-LABELS.SILENT (\\Inbox)",
        "UID STORE 1 -X-GM-LABELS.SILENT (\\Inbox)",
    ]

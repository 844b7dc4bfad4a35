"""Each action on real servers: what another program sees afterwards, and what the reply says."""

from typing import Any

import pytest

from mailmcp.imap.account import Writes
from mcp_envelope import AuthFailedError, Code, ConflictError, InvalidInputError, NotFoundError
from tools.change.changing import ask, change, confirm, contents, letters, writing
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import Store

SEEN, FLAGGED, LATER, PLAIN = (frozenset(each) for each in (["\\Seen"], ["\\Flagged"], ["$Later"], []))


@pytest.fixture
def desk(store: Store, open_desk: DeskFactory) -> Desk:
    """A desk for an account where everything may be done, with mailboxes of the usual names."""
    with store.client() as client:
        for name in ("Work", "Junk", "Trash", "Archive"):
            if not client.folder_exists(name):
                client.create_folder(name)
    return open_desk(writing(store.account))


@pytest.mark.parametrize(
    ("action", "arguments", "before", "after", "summary"),
    [
        ("mark_read", {}, [], {"INBOX": SEEN}, "Marked 1 message in `INBOX` as read"),
        ("mark_unread", {}, [b"\\Seen"], {"INBOX": PLAIN}, "Marked 1 message in `INBOX` as unread"),
        ("flag", {}, [], {"INBOX": FLAGGED}, "Flagged 1 message in `INBOX`"),
        ("unflag", {}, [b"\\Flagged"], {"INBOX": PLAIN}, "Unflagged 1 message in `INBOX`"),
        ("move", {"mailbox": "Work"}, [], {"Work": PLAIN}, "Moved 1 message from `INBOX` to `Work`"),
        (
            "copy",
            {"mailbox": "Work"},
            [b"\\Seen"],
            {"INBOX": SEEN, "Work": SEEN},
            "Copied 1 message from `INBOX` to `Work`",
        ),
        ("archive", {}, [], {"Archive": PLAIN}, "Moved 1 message from `INBOX` to `Archive`"),
        ("junk", {}, [], {"Junk": PLAIN}, "Moved 1 message from `INBOX` to `Junk`"),
        ("trash", {}, [b"\\Flagged"], {"Trash": FLAGGED}, "Moved 1 message from `INBOX` to `Trash`"),
    ],
)
def test_an_action_is_done_at_once_and_only_to_the_message(
    store: Store,
    desk: Desk,
    action: str,
    arguments: dict[str, str],
    before: list[bytes],
    after: dict[str, frozenset[str]],
    summary: str,
) -> None:
    store.fill("INBOX", letters("Other"), flags=before)
    store.fill("INBOX", letters("Letter"), flags=before)
    chosen = desk.message_ids()[1]
    reply = change(desk, action, message_ids=[chosen], **arguments)
    found = contents(store)
    assert found["INBOX"].pop("Other") == frozenset(each.decode() for each in before)
    assert {name: rows["Letter"] for name, rows in found.items() if rows} == after
    assert reply.outcome.summary == summary
    assert (reply.data["done"], reply.data["failed"], reply.data["issues"]) == (1, 0, [])
    _, _, now = reply.data["changed"][0].rpartition(" -> ")
    assert desk.message(now)["subject"] == "Letter"
    assert reply.data["next_action"]["arguments"] == {"entry_id": reply.data["entry_id"]}
    if action != "copy":
        again = change(desk, action, message_ids=[now], **arguments)
        assert again.outcome.summary == "Nothing to do: 1 message as asked already"
        assert (again.data["already"], "entry_id" in again.data) == (1, False)


def test_keywords_are_added_and_removed(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    desk = open_desk(writing(dovecot_mail.account))
    dovecot_mail.fill("INBOX", letters("Letter"))
    ids = desk.message_ids()
    reply = change(desk, "add_keywords", message_ids=ids, keywords=["$Later"])
    assert contents(dovecot_mail)["INBOX"]["Letter"] == LATER
    assert reply.outcome.summary == "Added `$Later` to 1 message in `INBOX`"
    assert change(desk, "add_keywords", message_ids=ids, keywords=["$LATER"]).data["already"] == 1
    change(desk, "remove_keywords", message_ids=ids, keywords=["$LATER", "$Never"])
    assert contents(dovecot_mail)["INBOX"]["Letter"] == PLAIN


def test_not_junk_goes_to_inbox_and_leaves_alone_what_is_elsewhere(store: Store, desk: Desk) -> None:
    store.fill("Junk", letters("Ham"))
    store.fill("Work", letters("Task"))
    ids = [desk.search(mailbox=name).data["messages"][0]["message_id"] for name in ("Junk", "Work")]
    reply = change(desk, "not_junk", message_ids=ids)
    assert contents(store) == {"INBOX": {"Ham": PLAIN}, "Work": {"Task": PLAIN}}
    assert reply.outcome.summary == "Moved 1 message from `Junk` to `INBOX`; 1 more as asked already"


def test_deleting_for_good_is_confirmed_and_takes_only_the_messages_that_were_named(
    store: Store, desk: Desk
) -> None:
    """Not those that another program has marked as deleted."""
    store.fill("INBOX", letters("Marked"), flags=[b"\\Deleted"])
    store.fill("INBOX", letters("Gone", "Kept"))
    reply = confirm(desk, "delete_forever", message_ids=desk.message_ids()[1:2])
    assert contents(store)["INBOX"].keys() == {"Marked", "Kept"}
    assert reply.outcome.summary == "Deleted 1 message from `INBOX` for good"
    assert "This can't be undone." in reply.text
    assert "next_action" not in reply.data


def test_a_mailbox_for_a_use_is_made_on_the_way(pymap_mail: Store, open_desk: DeskFactory) -> None:
    desk = open_desk(writing(pymap_mail.account))
    pymap_mail.fill("INBOX", letters("One", "Two", "Three"))
    for action, message_id in zip(("archive", "junk", "trash"), desk.message_ids(), strict=True):
        reply = change(desk, action, message_ids=[message_id])
        name = reply.data["mailbox"]
        assert f"There was no mailbox `{name}`: it was made, and undoing leaves it." in reply.text
    found = contents(pymap_mail)
    assert {name: [*rows] for name, rows in found.items()} == {
        "Archive": ["One"],
        "Junk": ["Two"],
        "Trash": ["Three"],
    }


def test_many_messages_are_named_by_ranges(store: Store, desk: Desk) -> None:
    """The nth old id has become the nth new one."""
    store.fill("INBOX", letters(*(f"Letter {number:02}" for number in range(30))))
    ids = desk.message_ids()
    chosen = [*ids[:10], *ids[15:28]]
    reply = confirm(desk, "move", message_ids=chosen, mailbox="Work")
    old, _, new = reply.data["changed"][0].partition(" -> ")
    first = int(ids[0].rpartition(":")[2])
    assert len(reply.data["changed"]) == 1
    assert old.endswith(f":{first}-{first + 9},{first + 15}-{first + 27}")
    rows = desk.search(mailbox="Work", sort="oldest", limit=50).data["messages"]
    uids = [each["uid"] for each in rows]
    assert new.endswith(f":{uids[0]}-{uids[-1]}")
    numbers = [*range(10), *range(15, 28)]
    assert [each["subject"] for each in rows] == [f"Letter {number:02}" for number in numbers]


def test_ids_that_are_gone_are_issues_and_others_are_done(store: Store, desk: Desk) -> None:
    store.fill("INBOX", letters("One", "Two", "Three", "Four"))
    ids = desk.message_ids()
    uids = [int(each.rpartition(":")[2]) for each in ids]
    store.expunge("INBOX", [uids[0], uids[2]])
    inbox = ids[1].replace(":INBOX:", ":inbox:")
    reply = change(desk, "flag", message_ids=[*ids, ids[1], inbox])
    assert reply.outcome.summary == "Flagged 2 of 4 messages in `INBOX`; 2 failed"
    [issue] = reply.outcome.issues
    assert (issue.code, issue.about["outcome"]) == (Code.NOT_FOUND, "failed")
    assert str(issue.about["message_id"]).endswith(f":{uids[0]},{uids[2]}")
    with pytest.raises(NotFoundError) as caught:
        change(desk, "flag", message_ids=[ids[0], ids[2]])
    assert caught.value.next_action is not None
    assert contents(store)["INBOX"] == {"Two": FLAGGED, "Four": FLAGGED}


def test_ids_of_a_mailbox_that_was_rebuilt_change_nothing(store: Store, open_desk: DeskFactory) -> None:
    """Not even beside others that are right, of the same mailbox too."""
    with store.client() as client:
        client.create_folder("Work")
    store.fill("Work", letters("Old"))
    store.fill("INBOX", letters("Here"))
    desk = open_desk(writing(store.account))
    [old] = (each["message_id"] for each in desk.search(mailbox="Work").data["messages"])
    store.rebuild("Work")
    store.fill("Work", letters("New"))
    desk = open_desk(writing(store.account))
    [new] = (each["message_id"] for each in desk.search(mailbox="Work").data["messages"])
    for ids in ([old], [*desk.message_ids(), old], [new, old], [old, new]):
        with pytest.raises(ConflictError) as caught:
            change(desk, "flag", message_ids=ids)
        assert caught.value.next_action is not None
    assert contents(store) == {"INBOX": {"Here": PLAIN}, "Work": {"New": PLAIN}}


@pytest.mark.parametrize(
    ("action", "arguments", "error"),
    [
        ("flag", {}, "message_ids: is missing. Send the ids of messages, or a search."),
        ("burn", {"message_ids": ["{id}"]}, "action: must be 'mark_read', "),
        ("move", {"message_ids": ["{id}"]}, "mailbox: is missing. Send it for move."),
        (
            "move",
            {"message_ids": ["{id}"], "mailbox": "A*"},
            "mailbox: must be a name that a mailbox",
        ),
        ("trash", {"message_ids": ["{id}"], "mailbox": "Work"}, "mailbox: is only for copy and move."),
        ("add_keywords", {"message_ids": ["{id}"]}, "keywords: is missing."),
        ("add_keywords", {"message_ids": ["{id}"], "keywords": ["\\Deleted"]}, "keywords: must be at"),
        ("flag", {"message_ids": ["{id}"], "search": {"from": "ann"}}, "can't be combined with search"),
        ("flag", {"message_ids": ["{id}", "7"]}, "message_ids: item 2 is not a message id"),
        ("flag", {"message_ids": ["{id}", "imap:other:INBOX:1:1"]}, "are of several accounts"),
        ("flag", {"message_ids": ["{id}"], "account_id": "other"}, "are of several accounts"),
        ("flag", {"search": {"fro": "ann"}}, "search.fro: is not an argument of this tool."),
        ("flag", {"search": "from:ann"}, "search: must be an object"),
        ("flag", {"search": {"since": "soon"}}, "search.since: is not a date."),
        ("flag", {"search": {"account_id": "work", "query": "from:ann"}}, "search.query: "),
        ("flag", {"search": {"from": "ann", "limit": 3}}, "search.limit: is not for a change"),
        ("flag", {"search": {"cursor": "x"}}, "search.cursor: is not for a change"),
        ("flag", {"search": {"group_by": "sender"}}, "search.group_by: is not for a change"),
        ("flag", {"search": {"awaiting_reply": "theirs"}}, "search.awaiting_reply: "),
        ("flag", {"search": {"account_id": "*"}}, "search.account_id: is more than one account"),
        ("flag", {"search": {"subject": "x"}}, "search.account_id: is missing. Send one of: work"),
    ],
)
def test_wrong_arguments_change_nothing_and_say_what_to_send(
    pymap_mail: Store, open_desk: DeskFactory, action: str, arguments: dict[str, Any], error: str
) -> None:
    desk = open_desk(writing(pymap_mail.account), writing(pymap_mail.named("other")))
    pymap_mail.fill("INBOX", letters("Letter"))
    [message_id] = (each["message_id"] for each in desk.search(account_id="work").data["messages"])
    ids = [each.format(id=message_id) for each in arguments.get("message_ids", ())]
    given = arguments | ({"message_ids": ids} if ids else {})
    with pytest.raises(InvalidInputError) as caught:
        change(desk, action, **given)
    assert error in str(caught.value)
    assert contents(pymap_mail) == {"INBOX": {"Letter": PLAIN}}


@pytest.mark.parametrize(
    ("level", "action", "allowed"),
    [
        (Writes.OFF, "flag", False),
        (Writes.DRAFTS, "flag", False),
        (Writes.ORGANIZE, "delete_forever", False),
        (Writes.ORGANIZE, "trash", True),
    ],
)
def test_the_level_of_the_account_decides(
    pymap_mail: Store, open_desk: DeskFactory, level: Writes, action: str, *, allowed: bool
) -> None:
    desk = open_desk(writing(pymap_mail.account, writes=level))
    pymap_mail.fill("INBOX", letters("Letter"))
    ids = desk.message_ids()
    if allowed:
        assert change(desk, action, message_ids=ids).data["done"] == 1
        return
    for sent in ({"message_ids": ids}, {"search": {"subject": "Letter"}}):
        with pytest.raises(AuthFailedError, match="The settings forbid this"):
            change(desk, action, **sent)
    assert contents(pymap_mail) == {"INBOX": {"Letter": PLAIN}}


@pytest.mark.parametrize("protected", ["Legal", "legal", "INBOX", "\\Trash"])
def test_protected_mailboxes_are_refused_by_name_before_anything_is_planned(
    dovecot_mail: Store, open_desk: DeskFactory, protected: str
) -> None:
    with dovecot_mail.client() as client:
        client.create_folder("Legal")
        client.create_folder("Work")
    dovecot_mail.fill("INBOX", letters("Here"))
    dovecot_mail.fill("Legal", letters("Deed"))
    dovecot_mail.fill("Work", letters("Task"))
    before = contents(dovecot_mail)
    desk = open_desk(writing(dovecot_mail.account, protected_mailboxes=frozenset({protected})))
    [here] = desk.message_ids()
    deed, task = (desk.search(mailbox=name).data["messages"][0]["message_id"] for name in ("Legal", "Work"))
    name = {"INBOX": "INBOX", "\\Trash": "Trash"}.get(protected, "Legal")
    tries: dict[str, list[dict[str, Any]]] = {
        "Legal": [
            {"action": "flag", "message_ids": [deed]},
            {"action": "copy", "message_ids": [deed], "mailbox": "Work"},
            {"action": "delete_forever", "message_ids": [here, deed]},
            {"action": "trash", "search": {"mailbox": "Legal"}},
            {"action": "move", "message_ids": [here], "mailbox": "Legal"},
        ],
        "INBOX": [
            {"action": "flag", "message_ids": [here.replace("INBOX", "inbox")]},
            {"action": "move", "message_ids": [task], "mailbox": "Inbox"},
        ],
        "Trash": [
            {"action": "trash", "message_ids": [here]},
            {"action": "move", "message_ids": [here], "mailbox": "Trash"},
        ],
    }
    for arguments in tries[name]:
        with pytest.raises(AuthFailedError, match=f"Mailbox `{name}` of account work is protected") as caught:
            desk.call("imap_change_messages", arguments)
        assert caught.value.reason == "mailbox_protected"
    assert contents(dovecot_mail) == before


def test_a_search_leaves_protected_mailboxes_alone(store: Store, open_desk: DeskFactory) -> None:
    with store.client() as client:
        client.create_folder("Legal")
    store.fill("INBOX", letters("Here"))
    store.fill("Legal", letters("Deed"))
    desk = open_desk(writing(store.account, protected_mailboxes=frozenset({"legal"})))
    arguments: dict[str, Any] = {"search": {"mailbox": "*"}}
    asked = ask(desk, "flag", **arguments)
    assert "1 message in protected mailboxes: left alone." in asked.plan
    reply = change(desk, "flag", **arguments, confirm=asked.token)
    assert (reply.data["done"], "left alone" in reply.text) == (1, True)
    assert contents(store) == {"INBOX": {"Here": frozenset({"\\Flagged"})}, "Legal": {"Deed": frozenset()}}


def test_nothing_goes_to_where_a_server_sends_from(store: Store, open_desk: DeskFactory) -> None:
    with store.client() as client:
        client.create_folder("Work")
    [uid] = store.fill("Work", letters("Task"))
    desk = open_desk(writing(store.account))
    task = desk.search(mailbox="Work").data["messages"][0]["message_id"]
    assert task.endswith(f":{uid}")
    for name in ("Outbox", "INBOX/outbox", "INBOX.Outbox"):
        with pytest.raises(AuthFailedError, match="an Outbox always is"):
            change(desk, "move", message_ids=[task], mailbox=name)


def test_a_mailbox_that_is_missing_is_made_only_when_that_was_confirmed(store: Store, desk: Desk) -> None:
    """Its name may be misspelt; the plan says what there is."""
    store.fill("INBOX", letters("Letter"))
    ids = desk.message_ids()
    plan = ask(desk, "move", message_ids=ids, mailbox="Wrok").plan
    assert "There is no mailbox `Wrok`: it would be made.\nDid you mean `Work`?" in plan
    assert contents(store) == {"INBOX": {"Letter": PLAIN}}
    reply = confirm(desk, "move", message_ids=ids, mailbox="Projects/Next")
    assert contents(store) == {"Projects/Next": {"Letter": PLAIN}}
    assert "There was no mailbox `Projects/Next`: it was made" in reply.text

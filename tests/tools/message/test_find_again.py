"""Messages that moved are found again by their Message-ID."""

import pytest

from mailmcp.reasons import Reason
from mailmcp.tools.message_id import MessageIdCache
from mcp_envelope import ConflictError, NotFoundError
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store

HEADER_ID = "one@mail.example.org"


def letter(header_id: str = HEADER_ID, text: str = "Text\n") -> bytes:
    return f"Message-ID: <{header_id}>\r\n".encode() + make_letter("Subject", text).as_bytes()


def create(store: Store, *names: str) -> None:
    with store.client() as client:
        for name in names:
            client.create_folder(name)


@pytest.fixture
def message_id(store: Store, desk: Desk) -> str:
    """A message in a mailbox of its own."""
    create(store, "Desk", "Shelf")
    store.fill("Desk", [letter()])
    return str(desk.search(mailbox="Desk").data["messages"][0]["message_id"])


def test_a_moved_message_is_found(store: Store, desk: Desk, message_id: str) -> None:
    store.expunge("Desk", [int(message_id.rpartition(":")[2])])
    store.fill("Shelf", [letter("other@mail.example.org"), letter()])
    reply = desk.get(message_id, header_message_id=HEADER_ID)
    found = reply.data["message"]["message_id"]
    assert ":Shelf:" in found
    assert reply.data["message"]["body_text"] == "Text"
    assert f"The message is no longer `{message_id}`; it was found by its Message-ID." in reply.text
    assert desk.message(found)["body_text"] == "Text"


@pytest.mark.parametrize(
    ("subjects", "said"),
    [
        (["Subject"], ""),
        (["Subject", "Subject"], "1 other message"),
        (["A", "B", "A", "C"], "3 other messages"),
    ],
)
def test_other_messages_with_the_same_message_id_are_counted(
    store: Store, desk: Desk, message_id: str, subjects: str, said: str
) -> None:
    """A Message-ID can be forged, and so can all other headers."""
    store.expunge("Desk", [int(message_id.rpartition(":")[2])])
    for subject in subjects:
        store.fill("Shelf", [letter().replace(b"Subject: Subject", f"Subject: {subject}".encode())])
    warnings = desk.get(message_id, header_message_id=HEADER_ID).outcome.warnings
    others = [line for line in warnings if "same Message-ID" in line]
    assert [line.partition(" with the same")[0] for line in others] == ([said] if said else [])


def test_a_copy_in_another_mailbox_is_no_other_message(store: Store, desk: Desk, message_id: str) -> None:
    create(store, "Drawer")
    with store.client() as client:
        client.select_folder("Desk")
        client.copy([int(message_id.rpartition(":")[2])], "Drawer")
        client.move([int(message_id.rpartition(":")[2])], "Shelf")
    warnings = desk.get(message_id, header_message_id=HEADER_ID).outcome.warnings
    assert not [line for line in warnings if "same Message-ID" in line]


def test_a_message_of_a_rebuilt_mailbox_is_found(store: Store, desk: Desk, message_id: str) -> None:
    store.rebuild("Desk")
    store.fill("Desk", [letter()])
    reply = desk.get(message_id, header_message_id=f" <{HEADER_ID}> ")
    assert reply.data["message"]["message_id"] != message_id
    assert reply.data["message"]["mailbox"] == "Desk"


def test_junk_and_trash_come_last(store: Store, desk: Desk, message_id: str) -> None:
    store.expunge("Desk", [int(message_id.rpartition(":")[2])])
    create(store, "Trash", "Wardrobe")
    store.fill("Trash", [letter()])
    assert desk.message(message_id, header_message_id=HEADER_ID)["mailbox"] == "Trash"
    store.fill("Wardrobe", [letter()])
    assert desk.message(message_id, header_message_id=HEADER_ID)["mailbox"] == "Wardrobe"


def test_a_message_that_is_nowhere_is_not_found(store: Store, desk: Desk, message_id: str) -> None:
    """A part of the id is not the id, though servers find it so."""
    store.expunge("Desk", [int(message_id.rpartition(":")[2])])
    store.fill("Shelf", [letter(f"not-{HEADER_ID}")])
    with pytest.raises(NotFoundError) as caught:
        desk.get(message_id, header_message_id=HEADER_ID)
    assert caught.value.reason is Reason.MESSAGE_GONE
    action = caught.value.next_action
    assert action is not None
    assert action.arguments == {"account_id": "work", "mailbox": "*", "header_message_id": HEADER_ID}


@pytest.mark.parametrize("header_id", ["", "no id at all", "<ünlaut@mail.example.org>"])
def test_without_a_usable_message_id_the_error_is_raised(
    store: Store, desk: Desk, message_id: str, header_id: str
) -> None:
    store.rebuild("Desk")
    with pytest.raises(ConflictError) as caught:
        desk.get(message_id, header_message_id=header_id)
    action = caught.value.next_action
    assert action is not None
    assert action.tool == "imap_search_messages"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("imap_get_message", {}),
        ("imap_get_thread", {}),
        ("imap_get_attachment", {"part_id": "1"}),
    ],
)
def test_every_tool_suggests_how_to_find_a_moved_message(
    store: Store, desk: Desk, message_id: str, tool: str, arguments: dict[str, object]
) -> None:
    """The Message-ID is known of what was listed; else the mailbox is to be searched anew."""
    store.expunge("Desk", [int(message_id.rpartition(":")[2])])
    store.fill("Shelf", [letter()])
    with pytest.raises(NotFoundError) as caught:
        desk.call(tool, {"message_id": message_id, **arguments})
    action = caught.value.next_action
    assert action is not None
    found = desk.call(action.tool, dict(action.arguments or {}))
    assert [row["mailbox"] for row in found.data["messages"]] == ["Shelf"]
    desk.message_id_cache = MessageIdCache()
    with pytest.raises(NotFoundError) as caught:
        desk.call(tool, {"message_id": message_id, **arguments})
    action = caught.value.next_action
    assert action is not None
    assert action.arguments == {"account_id": "work", "mailbox": "Desk"}

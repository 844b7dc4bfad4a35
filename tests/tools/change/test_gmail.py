"""Gmail: one message under several labels, and an answer of OK where nothing is done."""

from dataclasses import replace

import pytest

from mcp_envelope import InvalidInputError
from servers.peer import Peer, PeerFactory
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages
from tools.change.changing import change, confirm, writing
from tools.conftest import DeskFactory
from tools.stores import peer_account

ALL = "[Gmail]/All Mail"
USES = {ALL: "\\All", "[Gmail]/Trash": "\\Trash", "[Gmail]/Spam": "\\Junk", "[Gmail]/Starred": "\\Flagged"}


@pytest.fixture
def gmail(peer: PeerFactory) -> Peer:
    """Message 1 is in INBOX and under Work, 2 only under Work, 3 is archived; all are in All Mail."""
    one, two, three = make_messages(1, 2, 3)
    places: dict[str, list[PeerMessage]] = {
        "Work": [replace(one, labels=("\\Inbox",)), two],
        ALL: [
            replace(one, uid=11, labels=("\\Inbox", "Work")),
            replace(two, uid=12, labels=("Work",)),
            replace(three, uid=13),
        ],
    }
    return peer(
        messages=[replace(one, labels=("Work",))],
        mailboxes=[
            PeerMailbox(
                name=name, uidvalidity=7, messages=places.get(name, []), attributes=(USES.get(name, ""),)
            )
            for name in ("Work", "Later", *USES)
        ],
        capabilities=(*CAPABILITIES, "MOVE", "UIDPLUS", "X-GM-EXT-1", "SPECIAL-USE"),
    )


def stored(server: Peer) -> list[str]:
    """Return the commands that change something, without their UIDs' place in the session."""
    return [
        each.line
        for each in server.commands
        if each.name in {"UID STORE", "UID MOVE", "UID COPY", "UID EXPUNGE", "CREATE"}
    ]


@pytest.mark.parametrize(
    ("action", "message_id", "arguments", "sent"),
    [
        ("archive", "INBOX:1700000000:1", {}, [f'UID MOVE 1 "{ALL}"']),
        ("archive", f"{ALL}:7:11", {}, ["UID STORE 11 -X-GM-LABELS.SILENT (\\Inbox)"]),
        ("archive", "Work:7:1", {}, ["UID STORE 1 -X-GM-LABELS.SILENT (\\Inbox)"]),
        ("archive", f"{ALL}:7:13", {}, []),
        ("copy", "INBOX:1700000000:1", {"mailbox": "Later"}, ['UID STORE 1 +X-GM-LABELS.SILENT ("Later")']),
        ("copy", "INBOX:1700000000:1", {"mailbox": "Work"}, []),
        ("move", "INBOX:1700000000:1", {"mailbox": "Later"}, ['UID MOVE 1 "Later"']),
        (
            "move",
            f"{ALL}:7:11",
            {"mailbox": "Later"},
            [
                'UID STORE 11 +X-GM-LABELS.SILENT ("Later")',
                "UID STORE 11 -X-GM-LABELS.SILENT (\\Inbox)",
            ],
        ),
        ("move", f"{ALL}:7:13", {"mailbox": "INBOX"}, ["UID STORE 13 +X-GM-LABELS.SILENT (\\Inbox)"]),
        ("trash", f"{ALL}:7:11", {}, ['UID MOVE 11 "[Gmail]/Trash"']),
        ("junk", "Work:7:2", {}, ['UID MOVE 2 "[Gmail]/Spam"']),
        ("flag", "Work:7:2", {}, ["UID STORE 2 +FLAGS.SILENT (\\Flagged)"]),
    ],
)
def test_what_is_sent(
    gmail: Peer,
    open_desk: DeskFactory,
    action: str,
    message_id: str,
    arguments: dict[str, str],
    sent: list[str],
) -> None:
    desk = open_desk(writing(peer_account(gmail)))
    reply = change(desk, action, message_ids=[f"imap:work:{message_id}"], **arguments)
    assert stored(gmail) == sent
    assert (reply.data["done"], reply.data["already"], reply.data["issues"]) == (len(sent) > 0, not sent, [])


def test_a_message_is_changed_once_wherever_it_is_found(gmail: Peer, open_desk: DeskFactory) -> None:
    """In INBOX if it is there, else in All Mail."""
    desk = open_desk(writing(peer_account(gmail)))
    reply = confirm(desk, "trash", search={"mailbox": "*", "from": "ann"})
    assert reply.data["done"] == 3
    assert sorted(stored(gmail)) == ['UID MOVE 1 "[Gmail]/Trash"', 'UID MOVE 12:13 "[Gmail]/Trash"']


def test_deleting_for_good_goes_by_way_of_trash(gmail: Peer, open_desk: DeskFactory) -> None:
    """Elsewhere Gmail only removes a label, and says OK."""
    desk = open_desk(writing(peer_account(gmail)))
    reply = confirm(desk, "delete_forever", message_ids=[f"imap:work:{ALL}:7:13"])
    assert reply.outcome.summary == f"Deleted 1 message from `{ALL}` for good"
    assert reply.data["changed"] == [f"imap:work:{ALL}:7:13"]
    assert [each.split()[1] for each in stored(gmail)] == ["MOVE", "STORE", "EXPUNGE", "STORE"]


def test_mail_is_not_copied_to_what_is_no_label(gmail: Peer, open_desk: DeskFactory) -> None:
    desk = open_desk(writing(peer_account(gmail)))
    for name in (ALL, "[Gmail]/Trash"):
        with pytest.raises(InvalidInputError, match="mailbox: is no label on Gmail"):
            change(desk, "copy", message_ids=["imap:work:INBOX:1700000000:1"], mailbox=name)
    assert stored(gmail) == []

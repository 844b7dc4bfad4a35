"""Servers that do half of it, say OK and do nothing, or fall silent: the reply says what was seen."""

from collections.abc import Callable, Iterable

import pytest

from mcp_envelope import Code, InternalError, Status
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Rule
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.change.changing import change, writing
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import peer_account

Start = Callable[..., Peer]

PLACE = "imap:work:INBOX:1700000000"


@pytest.fixture
def start(peer: PeerFactory) -> Callable[..., Peer]:
    """Starts a peer with messages in INBOX and an empty Work."""

    def start(count: int = 4, *, traps: Iterable[str] = (), rules: Iterable[Rule] = ()) -> Peer:
        server = peer(
            messages=make_messages(*range(1, count + 1)),
            mailboxes=[PeerMailbox(name="Work", uidvalidity=5)],
            capabilities=(*CAPABILITIES, "MOVE", "UIDPLUS"),
            rules=list(rules),
        )
        server.settings.traps |= set(traps)
        return server

    return start


def ids(count: int) -> list[str]:
    return [f"{PLACE}:{uid}" for uid in range(1, count + 1)]


def move(desk: Desk, count: int) -> tuple[str, list[str], list[tuple[Code, str, str]]]:
    """Move messages to Work; return the summary, what was changed and the issues."""
    reply = change(desk, "move", message_ids=ids(count), mailbox="Work")
    issues = [
        (each.code, str(each.about["outcome"]), str(each.about["message_id"]))
        for each in reply.outcome.issues
    ]
    assert reply.outcome.status is (Status.PARTIAL if issues else Status.OK)
    return reply.outcome.summary, reply.data["changed"], issues


def test_half_of_a_move(start: Start, open_desk: DeskFactory) -> None:
    server = start(traps=["half moved"])
    summary, changed, issues = move(open_desk(writing(peer_account(server))), 4)
    assert summary == "Moved 2 of 4 messages from `INBOX` to `Work`; 2 failed"
    assert changed == [f"{PLACE}:1 -> imap:work:Work:5:1", f"{PLACE}:2 -> imap:work:Work:5:2"]
    assert issues == [(Code.INTERNAL, "failed", f"{PLACE}:3-4")]


def test_nothing_done_is_an_error(start: Start, open_desk: DeskFactory) -> None:
    server = start(traps=["store ignored"])
    desk = open_desk(writing(peer_account(server)))
    with pytest.raises(InternalError, match="4 messages, and none was changed") as caught:
        change(desk, "flag", message_ids=ids(4))
    assert caught.value.details["entry_id"]
    server.mailbox.messages[0].flags = ("\\Flagged",)
    summary = change(desk, "flag", message_ids=ids(4)).outcome.summary
    assert summary == "Flagged 0 of 3 messages in `INBOX`; 3 failed, 1 more as asked already"


def test_a_move_whose_answer_is_lost_is_looked_up(start: Start, open_desk: DeskFactory) -> None:
    """It was carried out to its end, and is never sent again."""
    server = start(rules=[Rule(command="UID MOVE", action=Close("within"))])
    summary, changed, issues = move(open_desk(writing(peer_account(server))), 4)
    assert (summary, issues) == ("Moved 4 messages from `INBOX` to `Work`", [])
    assert changed == [f"{PLACE}:{uid} -> imap:work:Work:5:{uid}" for uid in range(1, 5)]
    assert len([each for each in server.commands if each.name == "UID MOVE"]) == 1


def test_what_cannot_be_found_again_is_unknown(start: Start, open_desk: DeskFactory) -> None:
    """Two of the messages have nothing that tells them from others."""
    server = start(rules=[Rule(command="UID MOVE", action=Close("within"))])
    for message in server.mailbox.messages[1:3]:
        message.octets = message.octets.replace(b"Message-ID", b"X-Nothing")
    desk = open_desk(writing(peer_account(server)))
    summary, changed, issues = move(desk, 4)
    assert summary == "Moved 2 of 4 messages from `INBOX` to `Work`; 2 unknown"
    assert changed == [f"{PLACE}:1 -> imap:work:Work:5:1", f"{PLACE}:4 -> imap:work:Work:5:4"]
    assert issues == [(Code.INTERNAL, "unknown", f"{PLACE}:2-3")]


def test_a_mailbox_is_made_within_inbox_where_all_others_are(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    """As on Courier, which has none beside it."""
    capabilities = (*CAPABILITIES, "MOVE", "UIDPLUS")
    server = peer(
        messages=make_messages(1), mailboxes=[PeerMailbox(name="INBOX/Work")], capabilities=capabilities
    )
    reply = change(open_desk(writing(peer_account(server))), "archive", message_ids=ids(1))
    assert (reply.data["mailbox"], reply.data["done"]) == ("INBOX/Archive", 1)


def test_orders_that_come_after_a_lost_connection_are_not_begun(start: Start, open_desk: DeskFactory) -> None:
    """The reply says of them, too, that nothing was done."""
    lost = Rule(command="UID STORE", containing="Seen", nth=2, action=Close("before"))
    server = start(2, rules=[lost])
    server.settings.mailboxes[1].messages = make_messages(7)
    server.settings.mailboxes.append(PeerMailbox(name="Zoo", uidvalidity=6, messages=make_messages(8)))
    desk = open_desk(writing(peer_account(server)))
    chosen = [*ids(2), "imap:work:Work:5:7", "imap:work:Zoo:6:8"]
    reply = change(desk, "mark_read", message_ids=chosen)
    assert reply.outcome.summary == (
        "Marked 2 of 4 messages in `INBOX` (2), `Work` (1), `Zoo` (1) as read; 2 failed"
    )
    assert [each.about["message_id"] for each in reply.outcome.issues] == chosen[2:]

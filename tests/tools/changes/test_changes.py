"""What is new, changed or gone: held against the truth on real servers, whatever another program does."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from mailmcp.imap.changes.state import format_state, parse_state
from mcp_envelope import Code, ConflictError, InvalidInputError
from servers.dovecot import Dovecot, find_dovecot
from servers.peer import PeerFactory
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import make_messages
from soak.changes import CHANGES, PLAINER, letters, walk
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.stores import Store, dovecot_store, peer_account

_user_numbers = count(1)


def changes(desk: Desk, since: str, **arguments: object) -> Reply:
    return desk.call(CHANGES, {"since": since, **arguments})


@pytest.fixture(scope="module")
def plainer_dovecot() -> Iterator[Dovecot]:
    """A server with CONDSTORE and without QRESYNC, as Gmail is."""
    if find_dovecot() is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    with Dovecot(extra=PLAINER) as server:
        yield server


@pytest.fixture(params=["qresync", "condstore", "neither"])
def mail(request: pytest.FixtureRequest) -> Store:
    """An empty store on a server that can say everything, one that can't say what is gone, and pymap."""
    if request.param == "condstore":
        server: Dovecot = request.getfixturevalue("plainer_dovecot")
        return dovecot_store(server, server.user(f"user-{next(_user_numbers)}"))
    found = request.getfixturevalue("dovecot_mail" if request.param == "qresync" else "pymap_mail")
    assert isinstance(found, Store)
    return found


def test_states_that_follow_each_other_give_the_truth(mail: Store) -> None:
    """Flags too, where the server has CONDSTORE; what isn't known is said. `scripts/soak` does more of it."""
    seen = walk(mail, seed=4, steps=120)
    assert seen["conflicts"]
    assert seen["not_known"] if mail.kind == "pymap" else seen["updated"]


def test_nothing_new_costs_one_round_trip_and_a_page_of_changes_two(store: Store, desk: Desk) -> None:
    store.fill("INBOX", letters(3))
    state = desk.call(CHANGES).data["new_state"]
    reply = changes(desk, state)
    assert reply.telemetry.imap_round_trips == 1
    nothing = "Nothing has changed in `INBOX`" if store.kind == "dovecot" else "No new messages in `INBOX`"
    assert reply.outcome.summary == nothing
    state = reply.data["new_state"]
    store.fill("INBOX", letters(2))
    reply = changes(desk, state)
    assert reply.telemetry.imap_round_trips == (2 if store.kind == "dovecot" else 3)  # it compares UIDs
    assert reply.outcome.summary == "Changes in `INBOX`: 2 new messages"
    assert [row["subject"] for row in reply.data["created"]] == ["Letter 0", "Letter 1"]


def test_a_server_without_modification_sequences_is_not_said_to_know_flags(
    pymap_mail: Store, open_desk: DeskFactory
) -> None:
    desk = open_desk(pymap_mail.account)
    uids = pymap_mail.fill("INBOX", letters(2))
    state = desk.call(CHANGES).data["new_state"]
    with pymap_mail.client() as client:
        client.select_folder("INBOX")
        client.add_flags(uids, [b"\\Flagged"])
    assert changes(desk, state).data["not_known"] == ["Which flags changed in `INBOX` isn't known."]


def test_what_came_after_a_message(store: Store, desk: Desk) -> None:
    """A message id is enough to ask for what is new, and not for what else has changed."""
    store.fill("INBOX", letters(2))
    newest = desk.search(limit=1).data["messages"][0]["message_id"]
    uids = store.fill("INBOX", letters(2))
    store.expunge("INBOX", uids[1:])
    reply = changes(desk, newest)
    assert [row["uid"] for row in reply.data["created"]] == uids[:1]
    assert reply.data["not_known"] == [
        "Which flags changed in `INBOX` isn't known.",
        "Whether messages left `INBOX` isn't known.",
    ]
    store.expunge("INBOX", uids[:1])
    gone = changes(desk, reply.data["new_state"]).data["gone"]
    assert gone == ([reply.data["created"][0]["message_id"]] if store.kind == "dovecot" else [])


def test_a_mailbox_that_was_rebuilt_is_a_conflict(store: Store, open_desk: DeskFactory) -> None:
    """Asked about alone, it is an error that begins again; among all, an issue beside the others' changes."""
    with store.client() as client:
        client.create_folder("Work")
    store.fill("Work", letters(3))
    desk = open_desk(store.account)
    alone = desk.call(CHANGES, {"mailbox": "Work"}).data["new_state"]
    every = desk.call(CHANGES, {"mailbox": "*"}).data["new_state"]
    store.rebuild("Work")
    store.fill("INBOX", letters(1))
    desk = open_desk(store.account)
    with pytest.raises(ConflictError) as caught:
        changes(desk, alone)
    assert caught.value.next_action is not None
    again = desk.call(caught.value.next_action.tool, dict(caught.value.next_action.arguments))
    assert changes(desk, again.data["new_state"]).data["created"] == []
    reply = changes(desk, every)
    assert [issue.code for issue in reply.outcome.issues] == [Code.CONFLICT]
    assert reply.outcome.summary == "Changes in all mailboxes, 1 mailbox left out: 1 new message"
    after = changes(desk, reply.data["new_state"])
    assert (after.outcome.issues, after.data["created"]) == ((), [])


def test_a_mailbox_that_is_older_than_the_state_is_a_conflict(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    """It was restored from a backup: the server would say that nothing has changed."""
    desk = open_desk(dovecot_mail.account)
    dovecot_mail.fill("INBOX", letters(3))
    state = parse_state(desk.call(CHANGES).data["new_state"])
    ahead = replace(state.mailboxes[0], modseq=state.mailboxes[0].modseq + 5)
    with pytest.raises(ConflictError, match="older than the state"):
        changes(desk, format_state(replace(state, mailboxes=(ahead,))))


def test_a_server_that_refuses_to_enable_what_it_advertises(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(
        messages=make_messages(1, 2), capabilities=(*CAPABILITIES, "ENABLE", "CONDSTORE", "QRESYNC")
    )
    desk = open_desk(peer_account(server))
    state = desk.call(CHANGES).data["new_state"]
    server.mailbox.messages += make_messages(3)
    reply = changes(desk, state)
    assert [row["uid"] for row in reply.data["created"]] == [3]
    assert reply.data["not_known"] == ["Which flags changed in `INBOX` isn't known."]
    assert [each.line for each in server.commands if each.name == "ENABLE"] == [
        "ENABLE QRESYNC",
        "ENABLE CONDSTORE",
    ]


@pytest.mark.parametrize(
    ("since", "arguments", "error"),
    [
        ("s3.1", {}, "is neither a state nor a message_id"),
        ("{state}0", {}, "is neither a state nor a message_id"),
        ("{state}", {"mailbox": "Work"}, "mailbox: contradicts `since`"),
        ("{state}", {"account_id": "other"}, "account_id: contradicts `since`"),
    ],
)
def test_a_wrong_state_says_what_to_send(
    pymap_mail: Store, open_desk: DeskFactory, since: str, arguments: dict[str, str], error: str
) -> None:
    desk = open_desk(pymap_mail.account, pymap_mail.named("other"))
    state = desk.call(CHANGES, {"account_id": "work"}).data["new_state"]
    with pytest.raises(InvalidInputError) as caught:
        changes(desk, since.format(state=state), **arguments)
    assert error in str(caught.value)

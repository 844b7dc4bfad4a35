"""A search that finds nothing suggests the next one, which finds it as it is."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from servers.dovecot import Dovecot
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store, dovecot_store, peer_account

RECEIVED = datetime(2024, 3, 1, 12, tzinfo=UTC)


def letter(subject: str) -> bytes:
    """Make a letter that arrives when it is written: a search by time may continue by the Date header."""
    message = make_letter(
        subject,
        "The words of the letter.\n",
        sender="Eve O'Neil <eve@example.org>",
        date=format_datetime(RECEIVED),
    )
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    return message.as_bytes()


@pytest.fixture(scope="module")
def store(dovecot: Dovecot) -> Store:
    """INBOX has nothing that is searched for; each other mailbox has one letter that names it."""
    store = dovecot_store(dovecot, dovecot.user("empty-results"))
    store.fill("INBOX", [letter("Of no interest")], received=RECEIVED)
    for name in ("Archive", "Projects/Grün", "Trash", "Junk"):
        store.fill(name, [letter(f"Letter in {name}")], received=RECEIVED)
    return store


@pytest.fixture(params=["home", "*"])
def desk(request: pytest.FixtureRequest, store: Store) -> Iterator[Desk]:
    """A desk with one account, or two that are both searched."""
    names = ["home"] if request.param == "home" else ["home", "personal"]
    with Desk([store.named(name) for name in names]) as desk:
        yield desk


def scope(desk: Desk) -> dict[str, object]:
    return {} if len(desk.accounts) == 1 else {"account_id": "*"}


def follow(desk: Desk, reply: Reply) -> Reply:
    action = reply.data["next_action"]
    assert action["tool"] == "imap_search_messages"
    return desk.call(action["tool"], action["arguments"])


def check_empty(reply: Reply, *, beside: int) -> None:
    data = reply.data
    assert (data["messages"], data["total"], data["has_more"]) == ([], 0, False)
    proven = data["coverage"]["complete"]
    assert reply.outcome.summary.startswith(
        "No messages matched in" if proven else "No messages were found in"
    )
    others = data["coverage"].get("mailboxes_not_searched", [])
    assert len(others) >= beside


def subjects(reply: Reply) -> set[str]:
    return {row["subject"] for row in reply.data["messages"]}


CRITERIA: tuple[dict[str, Any], ...] = (
    {},
    {"query": '"the words" letter', "exclude": "nothing-such"},
    {"from_": "O'Neil", "has_attachment": True, "sort": "oldest", "snippet_max_chars": 60},
    {"since": "2024-03-01T12:00:00Z", "before": "2024-03-01T12:00:01Z", "sort": "largest", "limit": 3},
    {"start_date": "2024-03-01", "end_date": "2024-03-01", "unread_only": True, "larger_than": 100},
)


@pytest.mark.parametrize("criteria", CRITERIA, ids=str)
def test_what_lies_elsewhere_is_found_by_the_next_action(desk: Desk, criteria: dict[str, Any]) -> None:
    for name in ("Archive", "Projects/Grün"):
        first = desk.search(subject=f"Letter in {name}", **criteria, **scope(desk))
        check_empty(first, beside=4)
        assert subjects(follow(desk, first)) == {f"Letter in {name}"}


@pytest.mark.parametrize("name", ["Trash", "Junk"])
@pytest.mark.parametrize("criteria", CRITERIA[:3], ids=str)
def test_what_was_thrown_away_is_found_by_the_next_action(
    desk: Desk, criteria: dict[str, Any], name: str
) -> None:
    first = desk.search(subject=f"Letter in {name}", **criteria, **scope(desk))
    check_empty(first, beside=4)
    assert f"`{name}` 1" in "".join(first.outcome.warnings)
    second = follow(desk, first)
    assert subjects(second) == {f"Letter in {name}"}
    assert second.data["coverage"]["mailboxes_searched"] == len(desk.accounts)


def test_what_the_second_account_threw_away_is_found_whatever_its_names_are(
    store: Store, peer: PeerFactory
) -> None:
    boxes = [PeerMailbox(name="Spam", messages=make_messages(3), attributes=("\\Junk",))]
    server = peer(messages=make_messages(1), mailboxes=boxes, capabilities=("IMAP4rev1", "SPECIAL-USE"))
    with Desk([store.named("home"), replace(peer_account(server), account_id="club")]) as desk:
        reply = desk.search(account_id="*", mailbox="*", subject="Message 3")
        check_empty(reply, beside=3)
        action = reply.data["next_action"]
        assert sorted(action["arguments"]["mailboxes"]) == ["Junk", "Spam", "Trash"]
        found = follow(desk, reply)
        assert subjects(found) == {"Message 3"}
        assert (found.data["status"], found.data["issues"]) == ("ok", [])
        method = "Junk and Trash are missing in one, Spam in the other"
        coverage = found.data["coverage"]
        assert "`Spam` was searched only in club." in coverage["method"], method
        assert coverage["mailboxes_searched"] == 3
        nothing = desk.call(action["tool"], action["arguments"] | {"subject": "nothing-such"})
        assert nothing.data["next_action"]["tool"] == "imap_list_mailboxes", "it does not go in circles"


def test_where_there_is_nothing_left_the_search_ends(desk: Desk) -> None:
    reply = desk.search(subject="nothing-such", **scope(desk))
    for _ in range(2):
        check_empty(reply, beside=1)
        reply = follow(desk, reply)
    assert reply.data["messages"] == []
    action = reply.data["next_action"]
    assert action["tool"] == "imap_list_mailboxes", "else an agent that follows would search in circles"
    assert desk.call(action["tool"], action["arguments"]).data["mailboxes"]


def test_a_mailbox_that_failed_is_searched_again_by_the_next_action(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    shut = Rule(command="EXAMINE", containing="Shut", action=Respond(b"{tag} NO [INUSE] Later\r\n"))
    boxes = [PeerMailbox(name="Shut", messages=make_messages(3))]
    server = peer(messages=make_messages(1), mailboxes=boxes, rules=[shut])
    desk = open_desk(peer_account(server))
    first = desk.search(mailbox="*", subject="Message 3")
    assert (first.data["messages"], first.data["status"]) == ([], "partial")
    assert not first.outcome.summary.startswith("No messages matched")
    server.rules.clear()
    again = follow(desk, first)
    assert (subjects(again), again.data["status"]) == ({"Message 3"}, "ok")


@pytest.mark.parametrize("name", ["Trash", "Junk"])
def test_who_begins_in_the_trash_is_led_out_of_it(store: Store, name: str) -> None:
    with Desk([store.named("home")]) as desk:
        reply = desk.search(mailbox=name, subject="Letter in Archive")
        assert subjects(follow(desk, reply)) == {"Letter in Archive"}

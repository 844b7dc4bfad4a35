"""Mailboxes named for all accounts: what some accounts lack is no failure, and what all lack is one line."""

from dataclasses import replace

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import NotFoundError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.search.test_paging import pages
from tools.stores import peer_account

ACCOUNTS = 8


@pytest.fixture
def servers(peer: PeerFactory) -> list[Peer]:
    """A server for each account: the first two have `Receipts`, the first one `Bills`, too."""
    made = []
    for number in range(ACCOUNTS):
        names = ["Receipts"] * (number < 2) + ["Bills"] * (number < 1)
        boxes = [
            PeerMailbox(
                name=name, messages=make_messages(10 * number + 2 * box + 1, 10 * number + 2 * box + 2)
            )
            for box, name in enumerate(names)
        ]
        made.append(peer(messages=make_messages(1), mailboxes=boxes))
    return made


@pytest.fixture
def desk(servers: list[Peer], open_desk: DeskFactory) -> Desk:
    accounts = [
        replace(peer_account(server), account_id=f"a{number}") for number, server in enumerate(servers)
    ]
    desk: Desk = open_desk(*accounts)
    return desk


def test_what_another_account_has_is_no_failure(desk: Desk, servers: list[Peer]) -> None:
    found = list(pages(desk, account_id="*", mailboxes=["Receipts", "Bills"], limit=4))
    assert [(page.data["status"], page.data["issues"]) for page in found] == [("ok", [])] * 2
    assert len([row for page in found for row in page.data["messages"]]) == 6
    coverage = found[0].data["coverage"]
    assert coverage["complete"]
    assert coverage["mailboxes_searched"] == 3
    assert coverage["mailboxes_failed"] == []
    assert coverage["method"] == "`Bills` was searched only in a0. `Receipts` was searched only in a0, a1."
    assert "Not complete" not in found[0].text
    assert not any(command.name == "LIST" for server in servers for command in server.commands)


def test_what_no_account_has_is_one_line(desk: Desk) -> None:
    reply = desk.search(account_id="*", mailboxes=["Receipts", "Invoices", "Bils"])
    assert reply.data["status"] == "partial"
    assert [(each["account_id"], each["mailbox"], each["message"]) for each in reply.data["issues"]] == [
        ("*", "Invoices", f"There is no mailbox `Invoices` in {ACCOUNTS} accounts."),
        ("*", "Bils", f"There is no mailbox `Bils` in {ACCOUNTS} accounts. Did you mean `Bills`?"),
    ]
    assert reply.data["coverage"]["mailboxes_failed"] == [
        {"account_id": "*", "mailbox": "Invoices"},
        {"account_id": "*", "mailbox": "Bils"},
    ]
    with pytest.raises(NotFoundError) as caught:
        desk.search(account_id="*", mailbox="Receits", subject="Message")
    error = caught.value
    assert error.message == f"There is no mailbox `Receits` in {ACCOUNTS} accounts. Did you mean `Receipts`?"
    assert "issues" not in error.details
    assert error.next_action is not None
    found = desk.call(error.next_action.tool, dict(error.next_action.arguments or {}))
    assert (found.data["status"], found.data["returned"]) == ("ok", 4)


def test_what_went_between_two_pages_is_missed(desk: Desk, servers: list[Peer]) -> None:
    first = desk.search(account_id="*", mailbox="Receipts", limit=1)
    servers[0].rules.append(Rule(command="EXAMINE", action=Respond(b"{tag} NO [NONEXISTENT] gone\r\n")))
    rest = desk.search(cursor=first.data["next_cursor"], limit=10)
    [issue] = rest.data["issues"]
    assert (issue["account_id"], issue["reason"]) == ("a0", Reason.MAILBOX_MISSING)

"""A mailbox that is not there: the reply names the one that was meant, and the search in it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mailmcp.imap.mailboxes import Mailbox
from mailmcp.reasons import Reason
from mailmcp.tools.search.failures import suggest_mailboxes
from mcp_envelope import NotFoundError, ToolError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.search.test_paging import pages
from tools.stores import peer_account

ACCOUNTS = 3


def box(name: str, use: str = "", *, selectable: bool = True, delimiter: str = "/") -> Mailbox:
    return Mailbox(name=name, delimiter=delimiter, selectable=selectable, special_use=use)


MAILBOXES = (
    box("INBOX"),
    box("Archive", "\\Archive"),
    box("Junk", "\\Junk"),
    box("Projects", selectable=False),
    box("Projects/Apollo"),
    box("Projects/Grün"),
    box("Clients/Apollo 2"),
    box("Sent", "\\Sent"),
    box("Papierkorb", "\\Trash"),
    box("Flat", selectable=False, delimiter=""),
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sent", ["Sent"]),
        ("Spam", ["Junk"]),
        ("INBOX.Sent Messages", ["Sent"]),
        ("[Gmail]/Trash", ["Papierkorb"]),
        ("[Gmail]/All Mail", ["*"]),
        ("apollo", ["Projects/Apollo"]),
        ("Archiv", ["Archive"]),
        ("Projects/Appollo", ["Projects/Apollo"]),
        ("projects", ["Projects/Apollo", "Projects/Grün"]),
        ("Flat", []),
        ("Invoices", []),
        ("", []),
    ],
)
def test_a_similar_mailbox_is_suggested(name: str, meant: Sequence[str]) -> None:
    assert suggest_mailboxes(name, MAILBOXES) == meant


@pytest.fixture
def servers(peer: PeerFactory) -> list[Peer]:
    """A server for each account: the first two have `Receipts`, the first one `Bills`, too."""
    made = []
    for number in range(ACCOUNTS):
        names = ["Receipts"] * (number < 2) + ["Bills"] * (number < 1)
        boxes = [
            PeerMailbox(
                name=name, messages=make_messages(10 * number + 2 * place, 10 * number + 2 * place + 1)
            )
            for place, name in enumerate(names, start=1)
        ]
        made.append(peer(messages=make_messages(1), mailboxes=boxes))
    return made


@pytest.fixture
def desk(servers: list[Peer], open_desk: DeskFactory) -> Desk:
    accounts = [replace(peer_account(each), account_id=f"a{number}") for number, each in enumerate(servers)]
    desk: Desk = open_desk(*accounts)
    return desk


def refusal(desk: Desk, **arguments: object) -> ToolError:
    with pytest.raises(NotFoundError) as caught:
        desk.search(**arguments)
    assert caught.value.reason is Reason.MAILBOX_MISSING
    return caught.value


def test_the_next_action_is_the_same_search_where_it_was_meant(desk: Desk) -> None:
    error = refusal(desk, account_id="a0", mailbox="receits", subject="Message", limit=3)
    assert error.message == "There is no mailbox `receits` in account a0. Did you mean `Receipts`?"
    assert error.details["did_you_mean"] == ["Receipts"]
    action = error.next_action
    assert action is not None
    expected = {"account_id": "a0", "mailbox": "Receipts", "subject": "Message", "limit": 3}
    assert action.arguments == expected
    assert desk.call(action.tool, dict(action.arguments)).data["returned"] == 2


@pytest.mark.parametrize(
    ("names", "account_id"), [(["receits", "bils"], "a0"), (["Nowhere"], "a0"), (["Nowhere"], "*")]
)
def test_what_is_not_clear_is_to_be_listed(desk: Desk, names: list[str], account_id: str) -> None:
    error = refusal(desk, account_id=account_id, mailboxes=names)
    action = error.next_action
    assert action is not None
    assert (action.tool, action.arguments) == ("imap_list_mailboxes", {"account_id": account_id})
    issues = error.details.get("issues", [])
    assert isinstance(issues, list)
    accounts = ACCOUNTS if account_id == "*" else 1
    assert len(issues) == (accounts * len(names) if accounts * len(names) > 1 else 0)


def test_a_missing_mailbox_of_several_is_an_issue_that_names_the_one_that_was_meant(desk: Desk) -> None:
    reply = desk.search(account_id="a0", mailboxes=["Receipts", "Bils"])
    assert (reply.data["returned"], reply.data["has_more"], reply.data["status"]) == (2, False, "partial")
    [issue] = reply.data["issues"]
    assert (issue["mailbox"], issue["code"]) == ("Bils", "not_found")
    assert "Did you mean `Bills`?" in issue["message"]


def test_what_another_account_has_is_no_failure(desk: Desk, servers: list[Peer]) -> None:
    found = list(pages(desk, account_id="*", mailboxes=["Receipts", "Bills"], limit=4))
    assert [(page.data["status"], page.data["issues"]) for page in found] == [("ok", [])] * 2
    assert len([row for page in found for row in page.data["messages"]]) == 6
    coverage = found[0].data["coverage"]
    assert (coverage["complete"], coverage["mailboxes_searched"], coverage["mailboxes_failed"]) == (
        True,
        3,
        [],
    )
    assert coverage["method"] == "`Bills` was searched only in a0. `Receipts` was searched only in a0, a1."
    assert not any(command.name == "LIST" for server in servers for command in server.commands)


def test_what_went_between_two_pages_is_missed(desk: Desk, servers: list[Peer]) -> None:
    first = desk.search(account_id="*", mailbox="Receipts", limit=1)
    servers[0].rules.append(Rule(command="EXAMINE", action=Respond(b"{tag} NO [NONEXISTENT] gone\r\n")))
    rest = desk.search(cursor=first.data["next_cursor"], limit=10)
    [issue] = rest.data["issues"]
    assert (issue["account_id"], issue["reason"]) == ("a0", Reason.MAILBOX_MISSING)

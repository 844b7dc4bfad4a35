"""Mailboxes that are made anew and messages that go, between one call and the next."""

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import ConflictError, NotFoundError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.stores import Store, peer_account


@pytest.fixture
def project(store: Store, desk: Desk) -> Desk:
    """Five messages in the mailbox Project."""
    store.fill("Project", make_numbered(1, 2, 3, 4, 5))
    return desk


def uidvalidity_of(store: Store, mailbox: str) -> int:
    with store.client() as client:
        return int(client.folder_status(mailbox, ["UIDVALIDITY"])[b"UIDVALIDITY"])


@pytest.mark.parametrize("cached", [True, False])
def test_a_mailbox_made_anew_between_pages_is_a_conflict(
    store: Store, project: Desk, *, cached: bool
) -> None:
    before = uidvalidity_of(store, "Project")
    cursor = project.search(mailbox="Project", limit=2, subject="Message", unread_only=True).data[
        "next_cursor"
    ]
    store.rebuild("Project")
    store.fill("Project", make_numbered(6, 7, 8))
    if not cached:
        project.forget()
    with pytest.raises(ConflictError) as caught:
        project.search(cursor=cursor)
    after = uidvalidity_of(store, "Project")
    assert before != after
    details = caught.value.details
    assert (details["expected_uidvalidity"], details["found_uidvalidity"]) == (before, after)
    assert caught.value.reason is Reason.UIDVALIDITY_CHANGED
    action = caught.value.next_action
    assert action is not None
    again = project.call(action.tool, dict(action.arguments))
    assert {row["uidvalidity"] for row in again.data["messages"]} == {after}
    assert [row["subject"] for row in again.data["messages"]] == ["Message 8", "Message 7"]
    last = project.search(cursor=again.data["next_cursor"])
    assert [row["subject"] for row in last.data["messages"]] == ["Message 6"]


def test_a_last_page_of_which_nothing_is_left_ends_the_list(store: Store, project: Desk) -> None:
    first = project.search(mailbox="Project", limit=4)
    store.expunge("Project", [first.uids[-1] - 1])
    last = project.search(cursor=first.data["next_cursor"])
    assert (last.places, last.data["has_more"], last.data["issues"]) == ([], False, [])
    assert last.outcome.summary == "No more messages match in `Project` (work)"
    assert "next_action" not in last.data


def expunged_in_between(peer: PeerFactory, *uids: int) -> Peer:
    """Start a peer that finds 1 and 2, of which some are gone when they are fetched."""
    found = Rule(command="UID SEARCH", action=Respond(b"* SEARCH 1 2\r\n{tag} OK -\r\n"))
    there = [uid for uid in (1, 2) if uid not in uids]
    return peer(messages=make_messages(*there), capabilities=["IMAP4rev1"], rules=[found])


def test_a_message_expunged_while_a_page_is_made_makes_it_partial(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    page = open_desk(peer_account(expunged_in_between(peer, 2))).search()
    data = page.data
    assert page.uids == [1]
    assert (data["status"], data["attempted"], data["returned"], data["failed"]) == ("partial", 2, 1, 1)
    (issue,) = data["issues"]
    assert (issue["code"], issue["stage"], issue["uid"]) == ("not_found", "fetch", 2)
    assert issue["message_id"] == f"imap:work:INBOX:{data['messages'][0]['uidvalidity']}:2"
    assert (issue["mailbox"], issue["account_id"], issue["retryable"]) == ("INBOX", "work", False)
    assert issue["message_id"] in page.text


def test_a_page_of_which_nothing_is_left_is_an_error(peer: PeerFactory, open_desk: DeskFactory) -> None:
    with pytest.raises(NotFoundError) as caught:
        open_desk(peer_account(expunged_in_between(peer, 1, 2))).search()
    assert caught.value.reason is Reason.MESSAGE_GONE
    assert caught.value.message.startswith("All 2 messages failed. The first: ")
    issues = caught.value.details["issues"]
    assert isinstance(issues, list)
    assert [each["uid"] for each in issues] == [2, 1]

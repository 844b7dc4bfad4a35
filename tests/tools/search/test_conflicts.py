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


@pytest.mark.parametrize(
    "criteria",
    [
        {"since": "2000-01-01"},
        {"query": "text message", "from": "ann", "to": "bob", "since": "2000-01-01"},
        {"before": "2999-12-31", "unread_only": True},
    ],
)
def test_the_search_to_run_again_is_the_same_search(
    store: Store, project: Desk, criteria: dict[str, object]
) -> None:
    sent = {"mailbox": "Project", "limit": 2, **criteria}
    cursor = project.call("imap_search_messages", sent).data["next_cursor"]
    store.rebuild("Project")
    with pytest.raises(ConflictError) as caught:
        project.search(cursor=cursor)
    action = caught.value.next_action
    assert action is not None
    assert dict(action.arguments) == {"account_id": "work", **sent}
    assert project.call(action.tool, dict(action.arguments)).data["total"] == 0


def test_a_mailbox_made_anew_between_search_and_get_is_a_conflict(store: Store, project: Desk) -> None:
    row = project.search(mailbox="Project").data["messages"][0]
    store.rebuild("Project")
    store.fill("Project", make_numbered(*range(6, 11)))
    with pytest.raises(ConflictError) as caught:
        project.get(row["message_id"])
    details = caught.value.details
    assert details["expected_uidvalidity"] == row["uidvalidity"]
    assert details["found_uidvalidity"] == uidvalidity_of(store, "Project")
    action = caught.value.next_action
    assert action is not None
    fresh = project.call(action.tool, dict(action.arguments)).data["messages"][0]
    assert project.message(fresh["message_id"])["subject"] == "Message 10"


def test_a_mailbox_deleted_between_search_and_get_is_not_found(store: Store, project: Desk) -> None:
    found = project.search(mailbox="Project", limit=2).data
    with store.client() as client:
        client.delete_folder("Project")
    with pytest.raises(NotFoundError) as caught:
        project.get(found["messages"][0]["message_id"])
    assert caught.value.reason is Reason.MAILBOX_MISSING
    with pytest.raises(NotFoundError):
        project.search(cursor=found["next_cursor"])


def test_a_message_expunged_since_the_search_is_gone(store: Store, project: Desk) -> None:
    row = project.search(mailbox="Project").data["messages"][1]
    store.expunge("Project", [row["uid"]])
    with pytest.raises(NotFoundError) as caught:
        project.get(row["message_id"])
    assert caught.value.reason is Reason.MESSAGE_GONE
    assert caught.value.details["message_id"] == row["message_id"]
    action = caught.value.next_action
    assert action is not None
    assert project.call(action.tool, dict(action.arguments)).places == [5, 3, 2, 1]


def test_a_message_that_never_was_is_gone(project: Desk) -> None:
    row = project.search(mailbox="Project").data["messages"][0]
    never = row["message_id"].rpartition(":")[0] + ":4000000000"
    with pytest.raises(NotFoundError) as caught:
        project.get(never)
    assert caught.value.reason is Reason.MESSAGE_GONE


@pytest.mark.parametrize("cached", [True, False])
def test_a_message_expunged_between_pages_is_on_none_of_them(
    store: Store, project: Desk, *, cached: bool
) -> None:
    first = project.search(mailbox="Project", limit=2)
    store.expunge("Project", [first.uids[-1] - 1])
    if not cached:
        project.forget()
    page = project.search(cursor=first.data["next_cursor"])
    assert (page.places, page.data["status"], page.data["has_more"]) == ([2, 1], "ok", False)


@pytest.mark.parametrize("cached", [True, False])
def test_a_last_page_of_which_nothing_is_left_ends_the_list(
    store: Store, project: Desk, *, cached: bool
) -> None:
    first = project.search(mailbox="Project", limit=4)
    store.expunge("Project", [first.uids[-1] - 1])
    if not cached:
        project.forget()
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
    issues = caught.value.details["issues"]
    assert isinstance(issues, list)
    assert [each["uid"] for each in issues] == [2, 1]

"""What fails in a search of many mailboxes stands for itself alone, and comes back later."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mailmcp import limits
from mcp_envelope import ConflictError
from servers.dovecot import Dovecot
from servers.peer import PeerFactory
from servers.peer_actions import Close, Rule, Silence
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.letters import make_numbered
from tools.stores import Store, dovecot_store, peer_account

EVERYWHERE = {"account_id": "*", "mailbox": "*"}
DAY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def store(dovecot: Dovecot) -> Store:
    """Two messages in each of two mailboxes; nobody changes them."""
    store = dovecot_store(dovecot, dovecot.user("failing"))
    for number, name in enumerate(["INBOX", "Projects", "INBOX", "Projects"], start=1):
        store.fill(name, make_numbered(number), received=DAY + timedelta(days=number))
    return store


def test_an_account_that_is_down_is_an_issue_and_comes_back_with_all_it_has(
    store: Store, peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(
        messages=make_messages(1, 2, 3),
        rules=[Rule(command="LIST", action=Close("before"), nth=nth) for nth in (1, 2, 3)],
    )
    desk = open_desk(store.named("home"), replace(peer_account(server), account_id="away"))
    first = desk.search(**EVERYWHERE, limit=2)
    assert first.data["status"] == "partial"
    (issue,) = first.data["issues"]
    assert (issue["account_id"], issue["code"], issue["retryable"]) == ("away", "internal", True)
    assert "mailbox" not in issue
    assert first.data["coverage"]["mailboxes_failed"] == [{"account_id": "away", "mailbox": "*"}]
    assert not first.data["coverage"]["complete"]
    assert (first.data["attempted"], first.data["returned"], first.data["failed"]) == (2, 2, 0)
    assert "not everything could be searched" in first.outcome.summary
    assert "(home)" in first.outcome.summary, "the other account was not searched"
    rest = desk.search(cursor=first.data["next_cursor"], limit=100)
    assert rest.data["status"] == "ok"
    accounts = [row["message_id"].split(":")[1] for row in rest.data["messages"]]
    assert accounts.count("away") == 3
    assert accounts.count("home") == 2
    assert rest.data["total"] == 7


def test_a_silent_account_does_not_hold_up_the_others(
    store: Store, peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(rules=[Rule(command="LIST", action=Silence())])
    silent = replace(peer_account(server), account_id="silent", command_timeout_s=30.0)
    desk = open_desk(store.named("home"), silent)
    desk.timeout_s = 4.0
    reply = desk.search(**EVERYWHERE)
    assert [(each["account_id"], each["code"]) for each in reply.data["issues"]] == [("silent", "timeout")]
    assert reply.data["returned"] == 4


def test_what_no_later_page_can_show_is_said_on_each_of_them(store: Store, open_desk: DeskFactory) -> None:
    desk = open_desk(store.named("home"))
    first = desk.search(account_id="home", mailboxes=["INBOX", "Projects", "Nowhere"], limit=2)
    assert first.data["coverage"]["complete"] is False
    rest = desk.search(cursor=first.data["next_cursor"], limit=1)
    last = desk.search(cursor=rest.data["next_cursor"])
    for page in (rest, last):
        assert [each["mailbox"] for each in page.data["issues"]] == ["Nowhere"]
        assert not page.data["coverage"]["complete"]
        assert "Earlier pages could not show everything." in page.data["coverage"]["method"]
        assert "not everything could be searched" in page.outcome.summary


def test_more_mailboxes_than_a_search_takes_are_said_to_be_left_out(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    count = limits.SEARCH_SOURCES_MAX + 5
    server = peer(mailboxes=[PeerMailbox(name=f"Box {number:03}") for number in range(count)])
    accounts = [replace(peer_account(server), account_id=name) for name in ("home", "club")]
    reply = open_desk(*accounts).search(**EVERYWHERE)
    coverage = reply.data["coverage"]
    assert coverage["mailboxes_searched"] == limits.SEARCH_SOURCES_MAX
    assert not coverage["complete"]
    assert len(coverage["mailboxes_not_searched"]) == limits.COVERAGE_NAMES_MAX
    assert "not everything could be searched" in reply.outcome.summary


def test_a_mailbox_made_anew_is_an_issue_of_several_and_the_rest_goes_on(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    for number, name in enumerate(["A", "B"] * 3, start=1):
        dovecot_mail.fill(name, make_numbered(number), received=DAY + timedelta(days=number))
    desk = open_desk(dovecot_mail.account)
    cursor = desk.search(mailboxes=["A", "B"], limit=2).data["next_cursor"]
    dovecot_mail.rebuild("A")
    reply = desk.search(cursor=cursor)
    assert [(each["code"], each["mailbox"], each["retryable"]) for each in reply.data["issues"]] == [
        ("conflict", "A", False)
    ]
    assert [row["subject"] for row in reply.data["messages"]] == ["Message 4", "Message 2"]
    assert not reply.data["has_more"]
    dovecot_mail.rebuild("B")
    with pytest.raises(ConflictError) as caught:
        desk.search(cursor=cursor)
    action = caught.value.next_action
    assert action is not None
    assert dict(action.arguments) == {"account_id": "work", "mailboxes": ["A", "B"], "limit": 2}
    assert desk.call(action.tool, dict(action.arguments)).data["total"] == 0


def test_rows_stay_without_snippets_that_fail(peer: PeerFactory, open_desk: DeskFactory) -> None:
    rule = Rule(command="UID FETCH", containing="BODY.PEEK[TEXT]", action=Close("before"))
    server = peer(messages=make_messages(1), mailboxes=[PeerMailbox(name="B")], rules=[rule])
    reply = open_desk(peer_account(server)).search(mailbox="*", snippet_max_chars=50)
    assert [row["subject"] for row in reply.data["messages"]] == ["Message 1"]
    assert reply.data["messages"][0]["snippet"] == ""
    assert reply.data["status"] == "ok"

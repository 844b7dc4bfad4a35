"""A conversation that is spread over several accounts."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError
from servers.embedded import Pymap
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.stores import Store, pymap_store
from tools.talks import BEGAN, make_talk, make_turn, turn_id

Stores = tuple[Store, Store]


@pytest.fixture
def stores(dovecot_mail: Store, pymap_server: Pymap) -> Stores:
    """One account on Dovecot, the other one on pymap."""
    return dovecot_mail, pymap_store(pymap_server)


@pytest.fixture
def desk(stores: Stores, open_desk: Callable[..., Desk]) -> Desk:
    return open_desk(stores[0].named("home"), stores[1].named("office"))


def thread(desk: Desk, account_id: str = "*", **arguments: object) -> Reply:
    newest = desk.search(account_id="home", mailbox="*", limit=1).data["messages"][0]["message_id"]
    return desk.call("imap_get_thread", {"message_id": newest, "account_id": account_id, **arguments})


def turns_of(reply: Reply) -> list[str]:
    return [row["text"] for row in reply.data["messages"]]


def test_all_accounts_are_searched_only_if_asked(stores: Stores, desk: Desk) -> None:
    talk = make_talk(6)
    stores[0].fill("INBOX", talk[::2], received=BEGAN)
    stores[1].fill("Archive", talk[1::2], received=BEGAN)
    alone = thread(desk, "home")
    assert turns_of(alone) == [f"Turn {number}." for number in (1, 3, 5)]
    assert alone.outcome.summary.endswith('; not in your other accounts, where account_id="*" looks too')
    reply = thread(desk)
    assert turns_of(reply) == [f"Turn {number}." for number in range(1, 7)]
    assert (reply.data["account_id"], reply.data["total"], reply.data["status"]) == ("*", 6, "ok")
    assert reply.data["coverage"]["complete"] is True
    assert {row["message_id"].split(":")[1] for row in reply.data["messages"]} == {"home", "office"}
    assert "other accounts" not in reply.outcome.summary


def test_references_are_followed_to_another_account_and_back(stores: Stores, desk: Desk) -> None:
    """Nothing in the first account names the last message there."""
    turns = [make_turn(1, subject="Offer"), *(make_turn(n, in_reply_to=turn_id(n - 1)) for n in range(2, 6))]
    turns = [turn.replace(b"Re: Offer", b"Re: Offer %d" % number) for number, turn in enumerate(turns)]
    stores[0].fill("INBOX", [turns[4], turns[2], turns[0]], received=BEGAN)
    stores[1].fill("INBOX", [turns[3], turns[1]], received=BEGAN)
    assert turns_of(thread(desk, "home")) == ["Turn 1."]
    assert turns_of(thread(desk)) == [f"Turn {number}." for number in range(1, 6)]


def test_pages_go_through_all_accounts(stores: Stores, desk: Desk) -> None:
    talk = make_talk(9)
    stores[0].fill("INBOX", talk[:5], received=BEGAN)
    stores[1].fill("INBOX", talk[5:], received=BEGAN)
    reply = thread(desk, max_chars=800)
    shown = turns_of(reply)
    cursor = reply.data["next_cursor"]
    with pytest.raises(InvalidInputError) as refused:
        desk.call("imap_get_thread", {"cursor": cursor, "account_id": "home"})
    assert refused.value.reason is Reason.CURSOR_MISMATCH
    while cursor:
        reply = desk.call("imap_get_thread", {"cursor": cursor, "account_id": "*"})
        shown += turns_of(reply)
        cursor = reply.data.get("next_cursor")
    assert shown == [f"Turn {number}." for number in range(1, 10)]


def test_an_account_that_fails_is_an_issue(stores: Stores, open_desk: DeskFactory) -> None:
    stores[0].fill("INBOX", make_talk(3), received=BEGAN)
    gone = replace(stores[1].named("office"), port=9)
    reply = thread(open_desk(stores[0].named("home"), gone))
    assert turns_of(reply) == ["Turn 1.", "Turn 2.", "Turn 3."]
    assert reply.data["status"] == "partial"
    [issue] = reply.data["issues"]
    assert issue["account_id"] == "office"
    assert reply.data["coverage"]["mailboxes_failed"] == ["office: *"]
    assert reply.data["coverage"]["complete"] is False


def test_equal_messages_of_one_account_are_two_and_so_are_their_copies(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    """Both accounts are one mailbox, so each message has one copy."""
    dovecot_mail.fill("INBOX", [make_turn(1), make_turn(1)], received=BEGAN)
    reply = thread(open_desk(dovecot_mail.named("home"), dovecot_mail.named("office")))
    ids = [(row["message_id"], *row.get("places", [])) for row in reply.data["messages"]]
    assert [[each.split(":")[1] for each in places] for places in ids] == [["home", "office"]] * 2
    assert len({each for places in ids for each in places}) == 4

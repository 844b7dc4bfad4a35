"""Changes are taken back on real servers, as far as they still are as they were left."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from mailmcp.imap.account import Writes
from mailmcp.imap.writes.values import Action, Order
from mailmcp.tools.writes.run import Ran, run_orders
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store

TOOL = "imap_change_messages"


@pytest.fixture
def desk(store: Store, open_desk: DeskFactory) -> Desk:
    """A desk for an account that may be changed."""
    return open_desk(replace(store.account, writes=Writes.ALL))


def letters(count: int) -> list[bytes]:
    found = []
    for number in range(count):
        letter = make_letter(f"Letter {number}")
        letter["Message-ID"] = f"<letter-{number}@example.org>"
        found.append(letter.as_bytes())
    return found


def order(action: Action, uids: Sequence[int], **others: object) -> Order:
    return Order(action=action, account_id="work", mailbox="INBOX", uids=tuple(uids), **others)  # type: ignore[arg-type]


def carry_out(desk: Desk, *orders: Order, action: str = "change") -> Ran:
    return desk.run(partial(run_orders, orders=orders, tool=TOOL, action=action))


def undo(desk: Desk, ran: Ran, **arguments: object) -> Reply:
    return desk.call("imap_undo", {"entry_id": ran.entry_id, **arguments})


def test_moved_messages_come_back(store: Store, desk: Desk) -> None:
    with store.client() as client:
        client.create_folder("Work")
    uids = store.fill("INBOX", letters(3), flags=[b"\\Flagged"])
    ran = carry_out(desk, order(Action.MOVE, uids[:2], target="Work"))
    assert store.flags("INBOX").keys() == {uids[2]}
    undo(desk, ran)
    assert len(store.flags("INBOX")) == 3

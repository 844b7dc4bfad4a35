"""Mail without a reply: where it is looked for, what a page costs, and what it says it doesn't know."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from mailmcp.imap import id_search
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS
from mcp_envelope import InvalidInputError
from tools.desk import Desk, Reply
from tools.stores import Store
from tools.talks import BEGAN, make_turn, turn_id

BOB = {"work": Owner(addresses=("bob@example.org",))}
"""Even turns are Bob's, and odd ones are to him."""


@pytest.fixture
def bobs(desk: Desk) -> Desk:
    desk.preferences = replace(DEFAULTS, owners=BOB)
    return desk


def turns_of(reply: Reply) -> list[int]:
    return [
        int(row["header_message_id"].removeprefix("turn").partition("@")[0]) for row in reply.data["messages"]
    ]


def turn(number: int, *, to: int = 0) -> bytes:
    """Make a message of a conversation of its own, or one that answers another message."""
    return make_turn(number, in_reply_to=turn_id(to) if to else "", subject=f"Topic {to or number}")


def fill(store: Store, mailbox: str, *turns: bytes, flags: tuple[bytes, ...] = ()) -> None:
    for each in turns:
        store.fill(mailbox, [each], received=BEGAN + timedelta(hours=1), flags=flags)


def test_sent_and_inbox_are_searched_unless_a_mailbox_is_named(store: Store, bobs: Desk) -> None:
    fill(store, "Sent", turn(2), turn(4))
    fill(store, "INBOX", turn(3), turn(5, to=4), turn(7))
    fill(store, "Archive", turn(6, to=3), turn(8), turn(9))
    theirs = bobs.search(awaiting_reply="from_others")
    assert turns_of(theirs) == [2]
    assert theirs.outcome.summary.startswith(
        "1 of 1 message in `Sent` (work) without a reply (replies looked for in "
    )
    mine = bobs.search(awaiting_reply="from_me")
    assert sorted(turns_of(mine)) == [5, 7]
    assert " in `INBOX` (work) that you haven't answered (replies looked for in " in mine.outcome.summary
    assert sorted(turns_of(bobs.search(awaiting_reply="from_others", mailbox="*"))) == [2, 6, 8]
    assert turns_of(bobs.search(awaiting_reply="from_me", mailbox="Archive")) == [9]


def test_an_account_that_fails_makes_the_reply_partial(store: Store, open_desk: Callable[..., Desk]) -> None:
    fill(store, "Sent", turn(2))
    desk = open_desk(store.account, replace(store.named("gone"), port=9))
    desk.preferences = replace(DEFAULTS, owners=BOB)
    reply = desk.search(account_id="work", awaiting_reply="from_others")
    assert turns_of(reply) == [2]
    assert reply.data["status"] == "partial"
    assert [issue["account_id"] for issue in reply.data["issues"]] == ["gone"]
    assert reply.data["coverage"]["complete"] is False
    assert "Some may have replies in places that couldn't be searched." in reply.text


def test_what_was_not_looked_at_is_said(store: Store, bobs: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store, "Sent", turn(2))
    fill(store, "INBOX", *(turn(number, to=2) for number in range(3, 11)))
    assert turns_of(bobs.search(awaiting_reply="from_others")) == []
    monkeypatch.setattr(id_search, "ROWS_MAX", 2)
    reply = bobs.search(awaiting_reply="from_others")
    assert reply.data["coverage"]["complete"] is False
    assert "newest 2" in reply.data["coverage"]["method"]


def test_who_the_owner_is_must_be_known(store: Store, desk: Desk) -> None:
    fill(store, "INBOX", turn(1))
    desk.preferences = DEFAULTS
    with pytest.raises(InvalidInputError, match="awaiting_reply: from_me needs the owner's addresses"):
        desk.search(awaiting_reply="from_me")


def test_a_page_takes_six_round_trips_at_most(dovecot_mail: Store, open_desk: Callable[..., Desk]) -> None:
    """LIST, two or three for the candidates, and two for the replies."""
    for number in range(12):
        fill(dovecot_mail, f"Folder {number}", turn(30 + number))
    fill(dovecot_mail, "Sent", *(turn(number) for number in range(2, 28, 2)))
    fill(dovecot_mail, "INBOX", turn(5, to=4))
    desk = open_desk(dovecot_mail.account)
    desk.preferences = replace(DEFAULTS, owners=BOB)
    desk.search(subject="Offer")
    first = desk.search(awaiting_reply="from_others", limit=5)
    assert len(turns_of(first)) == 5
    assert first.telemetry.imap_round_trips <= 6
    rest = desk.search(cursor=first.data["next_cursor"], limit=100)
    assert sorted(turns_of(first) + turns_of(rest)) == [2, *range(6, 28, 2)]
    assert rest.telemetry.imap_round_trips <= 5


def test_a_page_is_filled_from_further_candidates(
    store: Store, bobs: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.tools.search.awaiting.CANDIDATES", 1)
    fill(store, "Sent", turn(2), turn(4), turn(6))
    fill(store, "INBOX", turn(5, to=4), turn(7, to=6))
    assert turns_of(bobs.search(awaiting_reply="from_others", limit=1)) == [2]

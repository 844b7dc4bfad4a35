"""Many mailboxes of many accounts: all of them searched, and what fails stands for itself alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.search.order import Order
from mailmcp.model.cursor import SourceCursor
from mailmcp.tools.search.sources import divide, in_preferred_order
from servers.dovecot import Dovecot
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store, dovecot_store

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
NAMES = ["INBOX", "Projects", "Grün", "Archive"]
EMPTY = ["Drafts", "Sent"]
"""What Dovecot makes for each user, besides Junk and Trash."""

ACCOUNTS = ["home", "club", "shop"]


def pages(desk: Desk, **arguments: object) -> Iterator[Reply]:
    reply = desk.search(**arguments)
    yield reply
    while reply.data["has_more"]:
        action = reply.data["next_action"]
        reply = desk.call(action["tool"], action["arguments"])
        yield reply


def subjects(reply: Reply) -> list[str]:
    return [row["subject"] for row in reply.data["messages"]]


def letter(number: int) -> bytes:
    message = make_letter(f"Letter {number:03}", f"Text {number}.\n")
    message["Message-ID"] = f"<{number}@example.org>"
    return message.as_bytes()


@pytest.fixture(scope="module")
def stores(dovecot: Dovecot) -> list[Store]:
    """Three accounts of four mailboxes, filled in turn: letter n came on the n-th day of the year."""
    stores = [dovecot_store(dovecot, dovecot.user(f"many-{name}")) for name in ACCOUNTS]
    for number in range(1, 37):
        store, name = stores[number % 3], NAMES[number % 4]
        store.fill(name, [letter(number)], received=BEGAN + timedelta(days=number))
    return stores


@pytest.fixture
def desk(stores: list[Store]) -> Iterator[Desk]:
    with Desk([store.named(name) for store, name in zip(stores, ACCOUNTS, strict=True)]) as desk:
        yield desk


EVERYWHERE = {"account_id": "*", "mailbox": "*"}


@pytest.mark.parametrize("sort", ["newest", "oldest"])
@pytest.mark.parametrize("limit", [1, 5, 36, 100])
def test_all_mailboxes_of_all_accounts_are_one_list(desk: Desk, sort: str, limit: int) -> None:
    found = list(pages(desk, **EVERYWHERE, sort=sort, limit=limit))
    expected = [f"Letter {number:03}" for number in range(1, 37)]
    expected = expected if sort == "oldest" else expected[::-1]
    assert [subject for page in found for subject in subjects(page)] == expected
    assert all(page.data["returned"] == limit for page in found[:-1])
    assert {page.data["total"] for page in found} == {36}
    assert found[0].data["coverage"] | {"method": ""} == {
        "complete": True,
        "mailboxes_searched": 3 * (len(NAMES) + len(EMPTY)),
        "mailboxes_failed": [],
        "mailboxes_not_searched": [f"{name}: {aside}" for name in ACCOUNTS for aside in ("Junk", "Trash")],
        "method": "",
    }


def test_the_same_cursor_gives_the_same_page_with_and_without_the_cache(desk: Desk) -> None:
    cursor = desk.search(**EVERYWHERE, limit=7).data["next_cursor"]
    second = desk.search(cursor=cursor)
    assert second.telemetry.cache_hit
    desk.forget()
    again = desk.search(cursor=cursor, **EVERYWHERE)
    assert not again.telemetry.cache_hit
    for page in (second, again):
        assert subjects(page) == [f"Letter {number:03}" for number in range(29, 22, -1)]
        assert page.data["next_cursor"] == second.data["next_cursor"]


def test_mail_that_comes_between_pages_is_of_the_next_search(stores: list[Store], desk: Desk) -> None:
    for name in ("Projects", "New"):
        stores[0].fill(name, [letter(1)], received=BEGAN)
    first = desk.search(account_id="home", mailboxes=["Projects", "New"], limit=1)
    new = stores[0].fill("New", [letter(99)], received=BEGAN + timedelta(days=300))
    seen = subjects(first)
    desk.forget()
    reply = first
    while reply.data["has_more"]:
        reply = desk.search(cursor=reply.data["next_cursor"])
        seen += subjects(reply)
    assert "Letter 099" not in seen
    assert "Letter 099" in subjects(desk.search(account_id="home", mailbox="New"))
    stores[0].expunge("New", new)
    with stores[0].client() as client:
        client.delete_folder("New")
        client.select_folder("Projects")
        client.delete_messages(client.search(["SUBJECT", "Letter 001"]))
        client.expunge()


def test_a_list_of_mailboxes_is_searched_and_no_others(desk: Desk) -> None:
    reply = desk.search(account_id="club", mailbox=["Archive", "Projects"], limit=100)
    assert {row["mailbox"] for row in reply.data["messages"]} == {"Archive", "Projects"}
    assert reply.data["returned"] == 6
    assert reply.outcome.summary == "6 of 6 messages in 2 mailboxes (club), times in UTC"


def test_one_mailbox_of_all_accounts(desk: Desk) -> None:
    reply = desk.search(account_id="*", limit=100)
    assert reply.data["returned"] == 9
    assert {row["message_id"].split(":")[1] for row in reply.data["messages"]} == set(ACCOUNTS)


def test_a_session_costs_two_round_trips_then_one(desk: Desk) -> None:
    """SEARCH and FETCH, however many mailboxes it searches; LIST comes before."""
    sessions = len(divide(sources(len(NAMES) + len(EMPTY)), limit=desk.accounts[0].max_sessions))
    desk.search(account_id="home", mailbox="*", limit=1)
    first = desk.search(account_id="home", mailbox="*", limit=1)
    assert first.telemetry.imap_round_trips == 1 + 2 * sessions
    second = desk.search(cursor=first.data["next_cursor"])
    assert second.telemetry.imap_round_trips == 1  # four mailboxes have more
    named = desk.search(account_id="home", mailboxes=NAMES, limit=1)
    assert named.telemetry.imap_round_trips == 2


def test_progress_is_told_as_accounts_come_in(desk: Desk) -> None:
    desk.search(**EVERYWHERE)
    assert [words[0] for words in desk.reports] == sorted(words[0] for words in desk.reports)
    assert desk.reports[-1] == (18, 18, "mailboxes searched")
    desk.reports.clear()
    desk.search(account_id="home")
    assert desk.reports == []


def test_criteria_hold_everywhere(desk: Desk) -> None:
    reply = desk.search(
        **EVERYWHERE, subject="Letter", since="2024-01-10T00:00:00Z", before="2024-01-13", limit=100
    )
    assert subjects(reply) == ["Letter 011", "Letter 010", "Letter 009"]


def test_snippets_of_merged_pages_are_of_their_messages_alone(desk: Desk) -> None:
    reply = desk.search(**EVERYWHERE, query="text", snippet_max_chars=50, limit=4)
    rows = reply.data["messages"]
    assert [row["snippet"] for row in rows] == [f"Text {number}." for number in (36, 35, 34, 33)]
    assert all(row["matched_in"] == ["body"] for row in rows)
    assert '\n  > "Text 36."\n' in reply.text


def sources(count: int) -> list[SourceCursor]:
    return [SourceCursor(account_id="home", mailbox=str(number)) for number in range(count)]


@pytest.mark.parametrize(
    ("count", "most", "sizes"),
    [
        (1, 4, [1]),
        (5, 4, [5]),
        (6, 4, [3, 3]),
        (12, 4, [4, 4, 4]),
        (40, 4, [10] * 4),
        (40, 1, [40]),
        (7, 2, [3, 4]),
    ],
)
def test_mailboxes_are_divided_evenly_among_as_many_sessions_as_pay(
    count: int, most: int, sizes: list[int]
) -> None:
    groups = divide(sources(count), limit=most)
    assert [len(group) for group in groups] == sizes
    assert [each for group in groups for each in group] == sources(count)


def test_all_means_all_but_junk_and_trash_and_says_first_where_a_message_belongs() -> None:
    uses = {
        "All": "\\All",
        "Archive": "\\Archive",
        "INBOX": "",
        "Junk": "\\Junk",
        "Sent": "\\Sent",
        "Bin": "\\Trash",
    }
    listed = [
        Mailbox(name=name, delimiter="/", selectable=True, special_use=use) for name, use in uses.items()
    ]
    listed.append(Mailbox(name="Shelf", delimiter="/", selectable=False))
    assert [each.name for each in in_preferred_order(listed)] == ["INBOX", "Sent", "Archive", "All"]


def test_orders_have_their_own_cache(desk: Desk) -> None:
    for sort in ("newest", "oldest", "largest"):
        first = desk.search(account_id="home", mailbox="Archive", sort=sort, limit=1)
        second = desk.search(cursor=first.data["next_cursor"])
        assert second.telemetry.cache_hit
        assert len({*subjects(first), *subjects(second)}) == 2
    assert Order.LARGEST.value == "largest"

"""Searching on both servers: each criterion, several together, and what a page says of itself."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from mailmcp.tools.preferences import Preferences
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from tools.desk import Desk
from tools.letters import make_letter, make_numbered
from tools.stores import Store, dovecot_store, pymap_store

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module", params=["dovecot", "pymap"])
def shared_desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """UIDs 1 to 4, received on the last days of February 2024 and on 1 March; nobody changes them."""
    letters = [
        make_letter(
            "Offer for Zürich", "Das Gerät ist vergrößert.\n", sender="Jürgen Müller <jm@example.org>"
        ),
        make_letter("Invoice 4711", "red green blue\n", to="Carol <carol@example.com>"),
        make_letter("Re: Invoice 4711", "green red, blue\n", sender="Carol <carol@example.com>"),
        make_letter("null", "日本語のテキスト\n", to="日本 <nihon@example.org>"),
    ]
    with ExitStack() as stack:
        if request.param == "dovecot":
            dovecot: Dovecot = request.getfixturevalue("dovecot")
            store = dovecot_store(dovecot, dovecot.user("searching"))
        else:
            store = pymap_store(stack.enter_context(Pymap()))
        for day, letter in zip((27, 28, 29), letters, strict=False):
            store.fill("INBOX", [letter.as_bytes()], received=NOON.replace(month=2, day=day))
        store.fill("INBOX", [letters[3].as_bytes()], received=NOON, flags=[b"\\Seen"])
        yield stack.enter_context(Desk([store.account]))


@pytest.fixture
def filled(shared_desk: Desk) -> Desk:
    """The shared desk, as if it were new."""
    shared_desk.forget()
    shared_desk.today = datetime.now(UTC).date()
    shared_desk.preferences = Preferences()
    return shared_desk


def test_days_and_times_are_those_of_the_settings(filled: Desk) -> None:
    """The messages came at noon in UTC: that is the next day in Auckland."""
    filled.preferences = Preferences(zone=ZoneInfo("Pacific/Auckland"))
    filled.today = date(2024, 3, 2)
    assert filled.search(last_days=1).places == [4, 3]
    assert filled.search(start_date="2024-03-01", end_date="2024-03-01").places == [3]
    reply = filled.search(since="2024-02-28T12:00:00Z", before="2024-02-28T12:00:01Z")
    assert reply.places == [2]
    assert reply.outcome.summary.endswith("times in Pacific/Auckland")
    assert "- 2024-01-02 01:00, arrived 2024-02-29 | " in reply.text
    assert reply.data["messages"][0]["arrived"] == "2024-02-28T12:00:00Z"


def test_nothing_found_says_where_it_looked_and_what_to_do(filled: Desk) -> None:
    reply = filled.search(query="nowhere")
    others = reply.data["coverage"].get("mailboxes_not_searched", [])
    beside = f"; {len(others)} mailboxes were not searched" if others else ""
    overlooked = "Servers may miss words in documents, in encrypted, signed or mislabelled text, "
    overlooked += "and in encoded file names"
    found = "No messages were found in `INBOX` (work), out of 4."
    assert reply.outcome.summary == f"{found} {overlooked}{beside}"
    action = reply.data["next_action"]
    again = filled.call(action["tool"], action["arguments"]).data
    assert again["coverage"]["mailboxes_searched"] > 1 if others else again["mailboxes"]


@pytest.mark.parametrize(
    "mailbox",
    ["Projects/Grün", "日本語", "a.b:c%d", 'quo"ted', "Two  spaces", "Wide\u3000space"],
)
def test_mailboxes_of_any_name(store: Store, desk: Desk, mailbox: str) -> None:
    store.fill(mailbox, make_numbered(1, 2))
    first = desk.search(mailbox=mailbox, limit=1)
    desk.forget()
    second = desk.search(cursor=first.data["next_cursor"])
    assert (first.places, second.places) == ([2], [1])
    [row] = second.data["messages"]
    assert row["message_id"] in second.text.partition("Next:")[0], "as it must be sent"
    assert desk.message(row["message_id"])["subject"] == "Message 1"


def test_the_next_step_after_the_last_page_is_to_read_the_only_one(store: Store, desk: Desk) -> None:
    """Of several the reader chooses: each row has its id."""
    store.fill("INBOX", make_numbered(1, 2))
    assert "next_action" not in desk.search().data
    only = desk.search(subject="Message 2").data
    assert only["next_action"]["tool"] == "imap_get_message"
    assert only["next_action"]["arguments"] == {"message_id": only["messages"][0]["message_id"]}

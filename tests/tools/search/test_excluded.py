"""Mailboxes left out of a search of all: by name, on every page, in every account."""

from datetime import UTC, datetime, timedelta

import pytest

from mcp_envelope import InvalidInputError
from servers.dovecot import Dovecot
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.search.test_paging import pages
from tools.stores import Store, dovecot_store

DAY = datetime(2024, 1, 1, tzinfo=UTC)
NAMES = ("INBOX", "Alerts", "Lists/Python", "Archive", "Trash")


@pytest.fixture(scope="module")
def home(dovecot: Dovecot) -> Store:
    """Two messages in each mailbox, numbered by the mailbox; nobody changes them."""
    store = dovecot_store(dovecot, dovecot.user("excluding"))
    for number, name in enumerate(NAMES, start=1):
        for copy in (10, 20):
            received = DAY + timedelta(hours=number + copy)
            store.fill(name, make_numbered(number + copy), received=received)
    return store


@pytest.fixture
def desk(home: Store, open_desk: DeskFactory) -> Desk:
    return open_desk(home.named("home"), home.named("club"))


@pytest.mark.parametrize("account_id", ["home", "*"])
@pytest.mark.parametrize("excluded", [["Alerts"], ["inbox", "Lists/Python"], ["Archive", "Trash"]])
def test_all_pages_leave_them_out(desk: Desk, account_id: str, excluded: list[str]) -> None:
    where: dict[str, object] = {"account_id": account_id, "mailbox": "*", "exclude_mailboxes": excluded}
    found = list(pages(desk, **where, limit=3))
    rows = [row for page in found for row in page.data["messages"]]
    searched = {"INBOX", "Alerts", "Lists/Python", "Archive"} - {*excluded, *map(str.upper, excluded)}
    assert {row["mailbox"] for row in rows} == searched
    accounts = 2 if account_id == "*" else 1
    assert len(rows) == 2 * accounts * len(searched)
    first = found[0].data["coverage"]
    assert first["complete"]
    not_searched = {each["mailbox"] for each in first["mailboxes_not_searched"]}
    assert not_searched == set(NAMES) - searched | {"Junk"}
    assert found[0].outcome.warnings == ()


def test_they_stay_out_of_what_is_suggested(desk: Desk) -> None:
    where: dict[str, object] = {
        "account_id": "home",
        "mailbox": "*",
        "exclude_mailboxes": ["Alerts", "Archive"],
    }
    action = desk.search(**where, subject="Message 15").data["next_action"]
    assert action["arguments"]["mailboxes"] == ["Trash"]
    assert desk.call(action["tool"], action["arguments"]).data["returned"] == 1
    action = desk.search(**where, subject="Message 12").data["next_action"]
    assert action["arguments"]["mailboxes"] == ["Junk", "Trash"]


def test_a_name_that_no_account_has_is_pointed_out(desk: Desk) -> None:
    reply = desk.search(account_id="*", mailbox="*", exclude_mailboxes=["Alert", "Archive"])
    assert reply.outcome.warnings == ("There is no mailbox `Alert` to exclude.",)


def test_something_must_be_left(desk: Desk) -> None:
    with pytest.raises(InvalidInputError, match="exclude_mailboxes: leaves no mailbox to search"):
        desk.search(account_id="home", mailbox="*", exclude_mailboxes=[*NAMES, "Drafts", "Sent"])
    with pytest.raises(InvalidInputError, match="contains an empty name"):
        desk.search(account_id="home", mailbox="*", exclude_mailboxes=["*"])

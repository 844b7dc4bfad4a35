"""`group_by`: what a reply says, what it costs, and how far it goes."""

from datetime import timedelta

import pytest
from scripts.benchmarks.vocabulary import count_tokens

from imap.searches import NOON, letter
from mailmcp.tools.search.groups import count
from mailmcp.tools.search.groups.keys import GroupBy
from servers.dovecot import Dovecot
from servers.peer import PeerFactory
from servers.peer_actions import Close, FailUid, Rule
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store, dovecot_store, peer_account

PEOPLE = (
    "Stefania Kowalczyk",
    "Olivier Dupont",
    "Ann Lee",
    "Maria Garcia",
    "Bob Stone",
    "Eve Adams",
    "Carol Doe",
    "Dave Miller",
    "Weather Station",
    "Fernhill News",
)


def test_ten_groups_take_few_tokens(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    for number, name in enumerate(PEOPLE):
        sender = f"{name} <{name[:3].lower()}@mail{number}.example.org>"
        message = make_letter(f"Letter {number}", sender=sender)
        message["List-Id"] = f"{name} <letters{number}.example.org>"
        message["List-Unsubscribe"] = f"<https://news{number}.example.org/leave?u={'0123456789abcdef' * 20}>"
        dovecot_mail.fill("INBOX", [message.as_bytes()], received=NOON + timedelta(days=number))
    desk = open_desk(dovecot_mail.account)
    for group_by in GroupBy:
        text = desk.search(group_by=group_by.value).text
        assert count_tokens(text) <= 400, text


def test_a_year_of_months_and_a_month_of_days_are_one_reply(store: Store, desk: Desk) -> None:
    for month in range(1, 13):
        store.fill("INBOX", [make_letter().as_bytes()], received=NOON.replace(month=month))
    for day in range(2, 32):
        store.fill("INBOX", [make_letter().as_bytes()], received=NOON.replace(month=1, day=day))
    months = desk.search(group_by="month")
    assert months.outcome.summary.startswith("12 months in 42 messages")
    days = desk.search(group_by="day", end_date=f"{NOON.year}-01-31")
    assert days.outcome.summary.startswith("31 days in 31 messages")
    assert desk.search(group_by="month", limit=3).data["returned"] == 3


def test_a_sender_of_many_names_shows_some_of_them(store: Store, desk: Desk) -> None:
    """A list or a ticket system writes for many people from one address."""
    for number, name in enumerate(["Ann", "Bob", "Ann", "Cy", "Dee"]):
        message = make_letter(sender=f"{name} via tickets <tickets@example.org>").as_bytes()
        store.fill("INBOX", [message], received=NOON + timedelta(days=number))
    reply = desk.search(group_by="sender")
    assert reply.data["groups"][0]["name"] == "Dee via tickets / Cy via tickets / Ann via tickets / …"
    assert '"Dee via tickets / Cy via tickets / Ann via tickets / … (tickets@example.org)"' in reply.text


def test_a_mailbox_in_two_accounts_is_two_groups(dovecot: Dovecot, open_desk: DeskFactory) -> None:
    stores = {name: dovecot_store(dovecot, dovecot.user(f"grouped-{name}")) for name in ("home", "club")}
    for store in stores.values():
        store.fill("INBOX", [make_letter().as_bytes()], received=NOON)
    desk = open_desk(*(store.named(name) for name, store in stores.items()))
    reply = desk.search(group_by="mailbox", account_id="*")
    assert [(each["key"], each["count"]) for each in reply.data["groups"]] == [
        ("club: INBOX", 1),
        ("home: INBOX", 1),
    ]
    assert "- 1 unread | `club: INBOX` | 2024-03-01" in reply.text
    assert "account_id" not in desk.search(group_by="sender", account_id="*").data["groups"][0]


def set_limits(monkeypatch: pytest.MonkeyPatch, *, messages: int = 0, chunk: int = 0) -> None:
    """Set those of messages in all, and in one round trip."""
    for name, number in (("MESSAGES_MAX", messages), ("CHUNK_MESSAGES", chunk)):
        if number:
            monkeypatch.setattr(count, name, number)
            monkeypatch.setattr(count, f"LIGHT_{name}", number)


def check_cut(data: dict[str, object], *, counted: int, total: int) -> None:
    assert (data["counted"], data["total"], data["status"]) == (counted, total, "ok")
    coverage = data["coverage"]
    assert isinstance(coverage, dict)
    assert not coverage["complete"]
    assert f"Counted {counted} of {total} possible matches" in coverage["method"]


def test_several_mailboxes_share_the_limit(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small mailbox is counted whole; a large one as far as the limit goes."""
    letters = [make_letter(f"Letter {number}").as_bytes() for number in range(350)]
    dovecot_mail.fill("INBOX", letters[:300], received=NOON)
    dovecot_mail.fill("Small", letters[300:], received=NOON)
    set_limits(monkeypatch, chunk=400)
    set_limits(monkeypatch, messages=250)
    data = open_desk(dovecot_mail.account).search(group_by="mailbox", mailboxes=["INBOX", "Small"]).data
    check_cut(data, counted=250, total=350)
    assert [(each["key"], each["count"]) for each in data["groups"]] == [("INBOX", 200), ("Small", 50)]


def test_a_lost_connection_keeps_what_was_counted(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.imap.pool.RETRY_WAIT_MAX_S", 0.001)
    set_limits(monkeypatch, chunk=100)
    server = peer(messages=[letter(uid) for uid in range(1, 301)])
    desk = open_desk(peer_account(server))
    desk.search(limit=1)
    server.rules[:] = [Rule(command="UID FETCH", action=Close("within"), containing=" 1:100 ")]
    data = desk.search(group_by="sender").data
    assert data["status"] == "partial"
    [issue] = data["issues"]
    assert (issue["code"], issue["mailbox"], issue["retryable"]) == ("internal", "INBOX", True)
    assert 200 <= data["counted"] < 300 == data["total"]
    assert issue["message"].startswith(f"{300 - data['counted']} messages not counted.")
    assert not data["coverage"]["complete"]
    assert sum(each["count"] for each in data["groups"]) == data["counted"]


def test_a_message_that_is_refused_is_an_issue(peer: PeerFactory, open_desk: DeskFactory) -> None:
    rules = [Rule(command="UID FETCH", action=FailUid(3))]
    server = peer(messages=[letter(uid) for uid in range(1, 11)], rules=rules)
    data = open_desk(peer_account(server)).search(group_by="year").data
    assert (data["counted"], data["total"], data["status"]) == (9, 10, "partial")
    [issue] = data["issues"]
    assert issue["message"].startswith("1 message not counted. The server refused")


def test_a_message_in_several_mailboxes_counts_in_each(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    for mailbox in ("INBOX", "Archive"):
        dovecot_mail.fill(mailbox, [make_letter().as_bytes()], received=NOON)
    reply = open_desk(dovecot_mail.account).search(group_by="year", mailbox="*")
    assert (reply.data["total"], reply.data["counted"], "total_at_most" in reply.data) == (2, 2, False)
    assert "A message that is in several mailboxes counts in each." in reply.text

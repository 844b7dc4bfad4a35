"""Learning who writes Authentication-Results: from INBOX, with the first message read there."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mailmcp.limits import AUTHSERV_MESSAGES
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS, Preferences
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import ACCOUNT_ID, Store, peer_account

RESULTS = "spf=pass dkim=unknown dmarc=pass"
LEARNED = f'{RESULTS} (learned: "mx.own.example" heads 40 of 40 messages)'
HOP = "Received: from a.example by mx.own.example with ESMTPS; Mon, 1 Jan 2024 12:00:00 +0000\r\n"
OWN = "Authentication-Results: mx.own.example;\r\n spf=pass smtp.mailfrom=a.example; dmarc=pass\r\n"


def letters(count: int, head: str = HOP + OWN) -> list[bytes]:
    return [head.encode() + make_letter(f"Message {number}").as_bytes() for number in range(count)]


def fill(store: Store, mailbox: str, messages: Sequence[bytes]) -> None:
    """Deliver messages on ten days."""
    size = -(-len(messages) // 10)
    for day in range(10):
        received = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
        store.fill(mailbox, messages[day * size : (day + 1) * size], received=received)


def newest(desk: Desk, mailbox: str = "INBOX") -> str:
    return str(desk.search(mailbox=mailbox, limit=1).data["messages"][0]["message_id"])


def authentication(desk: Desk, message_id: str) -> str:
    return str(desk.get(message_id).data["message"]["authentication"])


def test_the_first_message_of_inbox_teaches_it_in_its_own_round_trip(store: Store, desk: Desk) -> None:
    fill(store, "INBOX", letters(60))
    message_id = newest(desk)
    first, second = desk.get(message_id), desk.get(message_id)
    assert [each.data["message"]["authentication"] for each in (first, second)] == [LEARNED] * 2
    assert [each.telemetry.imap_round_trips for each in (first, second)] == [1, 1]
    assert f"Authentication: {LEARNED}" in first.text
    learning = first.telemetry.bytes_received - second.telemetry.bytes_received
    assert AUTHSERV_MESSAGES * 200 < learning < AUTHSERV_MESSAGES * 600


def test_what_was_learned_holds_in_other_mailboxes_which_teach_nothing(store: Store, desk: Desk) -> None:
    with store.client() as client:
        client.create_folder("Archive")
    fill(store, "Archive", letters(60))
    fill(store, "INBOX", letters(60))
    archived, arrived = newest(desk, "Archive"), newest(desk)
    assert authentication(desk, archived) == "not known"
    assert authentication(desk, arrived) == LEARNED
    assert authentication(desk, archived) == LEARNED


def test_a_forgery_is_not_believed(store: Store, desk: Desk) -> None:
    """The owner's server added no field to the newest message, where its fields stand above the hop."""
    fill(store, "INBOX", letters(59, OWN + HOP))
    store.fill("INBOX", letters(1, HOP + OWN))
    assert authentication(desk, newest(desk)) == "not known"


def test_a_flood_of_one_day_does_not_decide(store: Store, desk: Desk) -> None:
    """A server that writes no results; 100 messages in which a sender does."""
    fill(store, "INBOX", letters(60, HOP))
    store.fill("INBOX", letters(100))
    assert authentication(desk, newest(desk)) == "not known"


def test_the_settings_decide_if_they_say_anything(store: Store, desk: Desk) -> None:
    fill(store, "INBOX", letters(60))
    message_id = newest(desk)
    for trusted, text in (
        ((), "not known"),
        (("mx.own.example",), RESULTS),
        (("mx.b.example",), "not known"),
    ):
        desk.preferences = replace(DEFAULTS, owners={ACCOUNT_ID: Owner(trusted_authserv_ids=trusted)})
        reply = desk.get(message_id)
        assert reply.data["message"]["authentication"] == text
        assert reply.telemetry.bytes_received < 3_000
    desk.preferences = Preferences()
    assert authentication(desk, message_id) == LEARNED


def test_a_server_that_refuses_the_sample_is_asked_once_and_still_sends_the_message(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(
        messages=[PeerMessage(uid=uid, octets=octets) for uid, octets in enumerate(letters(60), 1)],
        rules=[Rule(command="FETCH", action=Respond(b"{tag} NO No samples\r\n"), nth=1)],
    )
    desk = open_desk(peer_account(server))
    message_id = newest(desk)
    for _ in range(2):
        reply = desk.get(message_id)
        assert reply.data["message"]["authentication"] == "not known"
        assert reply.data["message"]["subject"] == "Message 59"

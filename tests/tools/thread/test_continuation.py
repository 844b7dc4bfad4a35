"""A conversation that goes on in a new thread: named, never merged, and not for mail that comes every day."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store
from tools.talks import ANN, BEGAN, BOB, make_talk

ALERTS = "Alerts <status@monitor.example>"
NEWS = "News <news@shop.example>"


def later(days: float, subject: str = "Offer", *, sender: str = ANN, to: str = BOB, **fields: str) -> bytes:
    """Make a message that refers to nothing."""
    letter = make_letter(subject, sender=sender, to=to, date=format_datetime(BEGAN + timedelta(days=days)))
    for name, value in fields.items():
        letter[name.replace("_", "-")] = value
    letter["Message-ID"] = f"<later{days}@mail.example.org>"
    return letter.as_bytes()


def thread(desk: Desk, subject: str = "Offer") -> Reply:
    oldest = desk.search(subject=subject, mailbox="*", sort="oldest", limit=1).data["messages"][0]
    return desk.call("imap_get_thread", {"message_id": oldest["message_id"]})


CONTINUED = {
    "a new thread": later(9),
    "the other one begins it": later(9, sender=BOB, to=ANN),
    "others join": later(9, to=f"{BOB}, eve@example.net"),
    "forwarded without references": later(9, "Fwd: Offer"),
    "with a list's tag": later(9, "[team] Offer"),
}
NOT_CONTINUED = {
    "other people": later(9, sender="eve@example.net", to="finn@example.net"),
    "one of the people": later(9, sender=ANN, to="finn@example.net"),
    "another subject": later(9, "Offers of others"),
    "before its end": later(0.01),
    "by a program": later(9, Auto_Submitted="auto-generated"),
    "to a list": later(9, List_Unsubscribe="<mailto:leave@example.org>"),
    "a month later": later(60),
}


@pytest.mark.parametrize("message", CONTINUED.values(), ids=CONTINUED)
def test_what_may_continue_a_conversation_is_named(store: Store, desk: Desk, message: bytes) -> None:
    store.fill("INBOX", make_talk(3), received=BEGAN)
    alone = thread(desk)
    assert "continued_in" not in alone.data
    [uid] = store.fill("Archive", [message], received=BEGAN)
    reply = thread(desk)
    [named] = reply.data["continued_in"]
    assert named.startswith("imap:work:Archive:")
    assert named.endswith(f":{uid}")
    assert reply.data["total"] == 3
    assert (
        f"Possibly continued, with the same subject and people, in `{named}` (2026-03-11 08:00)."
        in reply.text
    )


def test_a_forged_message_id_hides_no_continuation(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_talk(3), received=BEGAN)
    store.fill("Archive", [later(9), later(9).replace(b"\r\n\r\n", b"\r\n\r\nForged: ")], received=BEGAN)
    assert len(thread(desk).data["continued_in"]) == 2


@pytest.mark.parametrize("message", NOT_CONTINUED.values(), ids=NOT_CONTINUED)
def test_what_only_looks_alike_is_not_named(
    pymap_mail: Store, open_desk: DeskFactory, message: bytes
) -> None:
    pymap_mail.fill("INBOX", [*make_talk(3), message], received=BEGAN)
    assert "continued_in" not in thread(open_desk(pymap_mail.account)).data


@pytest.mark.parametrize("sender", [ALERTS, NEWS])
def test_what_comes_every_day_continues_nothing(store: Store, desk: Desk, sender: str) -> None:
    store.fill("INBOX", [later(day, "Daily report", sender=sender) for day in range(6)], received=BEGAN)
    assert "continued_in" not in thread(desk, "Daily report").data


def test_three_are_named_at_most_and_it_costs_no_round_trip(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_talk(3), received=BEGAN)
    store.fill("Archive", [later(day, "Something else") for day in range(5, 9)], received=BEGAN)
    thread(desk)
    before = thread(desk).telemetry.imap_round_trips
    store.fill("Archive", [later(day + 0.5) for day in range(5, 9)], received=BEGAN)
    reply = thread(desk)
    assert len(reply.data["continued_in"]) == 3
    assert reply.telemetry.imap_round_trips <= before + 1  # the rows of a search that found none before
    assert [each.rpartition(":")[2][-1] for each in reply.data["continued_in"]] == ["5", "6", "7"]

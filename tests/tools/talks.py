"""Conversations to be found again, as octets, and calls for them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from servers.peer_mailbox import PeerMessage
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store

BEGAN = datetime(2026, 3, 2, 8, tzinfo=UTC)

ANN = "Ann Example <ann@example.org>"
BOB = "Bob Example <bob@example.org>"


def make_turn(
    number: int,
    *,
    references: Sequence[str] = (),
    in_reply_to: str = "",
    subject: str = "Re: Offer",
    text: str = "",
    message_id: str | None = None,
) -> bytes:
    """Make the message of hour `number`; odd ones are Ann's, even ones Bob's."""
    sender, to = (ANN, BOB) if number % 2 else (BOB, ANN)
    moment = format_datetime(BEGAN + timedelta(hours=number))
    letter = make_letter(subject, text or f"Turn {number}.\n", sender=sender, to=to, date=moment)
    own = turn_id(number) if message_id is None else message_id
    for name, value in (
        ("Message-ID", own),
        ("References", " ".join(references)),
        ("In-Reply-To", in_reply_to),
    ):
        if value:
            letter[name] = value
    return letter.as_bytes()


def turn_id(number: int) -> str:
    """Give the Message-ID of a turn."""
    return f"<turn{number}@mail.example.org>"


def make_talk(count: int, *, text: str = "") -> list[bytes]:
    """Make a conversation as good programs write it: each message refers to all before it."""
    ids = [turn_id(number) for number in range(1, count + 1)]
    return [
        make_turn(
            number,
            references=ids[: number - 1],
            in_reply_to=ids[number - 2] if number > 1 else "",
            subject="Re: Offer" if number > 1 else "Offer",
            text=text and f"Turn {number}. {text}\n",
        )
        for number in range(1, count + 1)
    ]


def spread(store: Store, turns: list[bytes], *mailboxes: str) -> None:
    """Put the messages of a conversation into mailboxes, turn and turn about."""
    with store.client() as client:
        for name in mailboxes:
            if name != "INBOX":
                client.create_folder(name)
    for number, name in enumerate(mailboxes):
        store.fill(name, turns[number :: len(mailboxes)], received=BEGAN)


def peer_messages(turns: list[bytes], first: int = 1) -> list[PeerMessage]:
    return [PeerMessage(uid=number, octets=octets) for number, octets in enumerate(turns, first)]


def newest_id(desk: Desk, mailbox: str = "INBOX", account_id: str = "") -> str:
    rows = desk.search(account_id=account_id, mailbox=mailbox, limit=1).data["messages"]
    return str(rows[0]["message_id"])


def thread(desk: Desk, message_id: str = "", **arguments: object) -> Reply:
    """Call the tool, for the newest message of INBOX unless another is named."""
    return desk.call("imap_get_thread", {"message_id": message_id or newest_id(desk), **arguments})


def texts(reply: Reply) -> list[str]:
    return [row["text"] for row in reply.data["messages"]]


def turns_of(reply: Reply) -> list[int]:
    """Tell which turns a reply shows."""
    return [int(re.findall(r"Turn (\d+)", text)[0]) for text in texts(reply)]

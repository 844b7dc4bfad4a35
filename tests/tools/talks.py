"""Conversations to be found again, as octets."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tools.letters import make_letter

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

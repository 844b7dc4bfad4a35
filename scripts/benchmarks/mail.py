"""The messages of the benchmark's mailboxes, the same in every run.

Most are a few kilobytes, as most mail is. Bodies are made once and shared: 20,000 take under a second.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

RARE_WORD = "zeppelin"
"""In the text of one message in `RARE_EVERY`; no header holds it."""

RARE_EVERY = 400
SENDER = "grace.hopper@example.com"
"""Sends one message in 40."""

_VOCABULARY = (
    "the a and of to in for with on report meeting budget invoice please find attached review draft "
    "quarter customer release schedule thanks regards tomorrow morning question answer numbers table"
)
_WORDS = _VOCABULARY.split()
_SENDERS = (f"Grace Hopper <{SENDER}>", *(f"Person {n} <person{n}@example.com>" for n in range(1, 40)))
_FIRST_SENT = datetime(2024, 1, 1, tzinfo=UTC)


def make_messages(count: int) -> Iterator[bytes]:
    """Make `count` messages with CRLF line ends, oldest first; from 100 on, three of them are special.

    The newest has 8 KB as text and HTML, the one 50 before it 100 KB of text, the one in the middle a file of
    10 MB.
    """
    rng = random.Random(count)  # noqa: S311 - repeatable, not secret
    bodies = [_body(rng, octets) for octets in range(400, 4_400, 200)]
    bodies += [_body(rng, 3_300, html=True) for _ in range(5)]
    rare = _body(rng, 1_000, ending=f"See you at the {RARE_WORD}.")
    special = {
        count: _body(rng, 3_300, html=True),
        count - 50: _body(rng, 100_000),
        count // 2: _body(rng, 1_500, file=rng.randbytes(10_000_000)),
    }
    for number in range(1, count + 1):
        content = rare if number % RARE_EVERY == 0 else bodies[number % len(bodies)]
        sent = format_datetime(_FIRST_SENT + timedelta(minutes=number))
        head = (
            f"Received: from mx.example.com by mail.example.com with ESMTPS id {number:08x}; {sent}\r\n"
            f"Message-ID: <{number:08x}.{count}@example.com>\r\nDate: {sent}\r\n"
            f"From: {_SENDERS[number % len(_SENDERS)]}\r\nTo: Ann Example <ann@example.com>\r\n"
            f"Subject: {' '.join(rng.choices(_WORDS, k=6)).capitalize()} {number}\r\n"
        )
        yield head.encode() + (special.get(number, content) if count >= 100 else content)


def make_notices(count: int) -> Iterator[bytes]:
    """Make tiny messages, of which 71 in a million come from `SENDER`, about `RARE_WORD`."""
    body = b"These are the words of a short message, about as long as notices are.\n" * 5
    for number in range(1, count + 1):
        is_rare = number % 14_000 == 0
        sender = SENDER if is_rare else f"p{number % 97}@example.com"
        subject = f"Notice {number} {RARE_WORD}" if is_rare else f"Notice {number}"
        head = f"From: {sender}\nTo: Ann <ann@example.com>\nSubject: {subject}\n"
        date = f"Message-ID: <{number}@example.com>\nDate: Fri, 1 Jan 2016 12:00:00 +0000\n\n"
        yield (head + date).encode() + body


def _body(
    rng: random.Random, octets: int, *, ending: str = "", html: bool = False, file: bytes = b""
) -> bytes:
    lines = [" ".join(rng.choices(_WORDS, k=11)) for _ in range(octets // 60)]
    message = EmailMessage()
    message.set_content("\n".join([*lines, ending]))
    if html:
        paragraphs = "".join(f"<p style='margin:0'>{line}</p>\n" for line in lines)
        message.add_alternative(f"<html><body><h1>News</h1>\n{paragraphs}</body></html>\n", subtype="html")
    if file:
        message.add_attachment(file, maintype="application", subtype="zip", filename="photographs.zip")
    return message.as_bytes(policy=SMTP)

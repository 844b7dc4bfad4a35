"""The messages of the benchmark's mailboxes, the same in every run.

Most are a few kilobytes, as most mail is; three carry attachments of 10 MB and one has 100 KB of text. Bodies
are made once and shared: 20,000 messages take under a second.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

RARE_WORD = "zeppelin"
"""In the text of one message in 400; no header holds it."""

RARE_EVERY = 400
SENDER = "grace.hopper@example.com"
"""Sends one message in 40."""

ATTACHMENT_OCTETS = 10_000_000
LARGE_TEXT_OCTETS = 100_000
TYPICAL_TEXT_OCTETS = 3_300
"""As plain text and again as HTML: about 8 KB in all."""

_VOCABULARY = (
    "the a and of to in for with on report meeting budget invoice please find attached review draft "
    "quarter customer release schedule thanks regards tomorrow morning question answer numbers table "
    "travel hotel flight booking project milestone contract signature office server backup network"
)
_WORDS = _VOCABULARY.split()
_SENDERS = (
    f"Grace Hopper <{SENDER}>",
    *(f"Person {n} <person{n}@example.com>" for n in range(1, 38)),
    "=?utf-8?q?J=C3=BCrgen_Maier?= <j.maier@example.org>",
    '"Billing, Example Inc." <billing@example.net>',
)
_FIRST_SENT = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialUids:
    """Where the messages stand that are fetched one by one; UIDs count from 1."""

    typical: int
    large_text: int
    attachments: tuple[int, ...]

    @classmethod
    def among(cls, count: int) -> "SpecialUids":
        """Place them among `count` messages, from 1,000 on."""
        return cls(typical=count, large_text=count - 50, attachments=(count // 4, count // 2, count * 3 // 4))


def make_messages(count: int) -> Iterator[bytes]:
    """Make `count` messages with CRLF line ends, oldest first."""
    rng = random.Random(count)  # noqa: S311 - repeatable, not secret
    special = SpecialUids.among(count)
    notes = [_plain(rng, octets) for octets in range(400, 4_400, 200)]
    letters = [_alternative(rng) for _ in range(5)]
    rare = _plain(rng, 1_000, ending=f"See you at the {RARE_WORD}.")
    for number in range(1, count + 1):
        if number == special.large_text:
            content = _plain(rng, LARGE_TEXT_OCTETS)
        elif number in special.attachments:
            content = _attaching(_text(rng, 1_500), rng.randbytes(ATTACHMENT_OCTETS))
        elif number % RARE_EVERY == 0 and number != special.typical:
            content = rare
        elif (count - number) % 4 == 0:
            content = letters[number // 4 % len(letters)]
        else:
            content = notes[number % len(notes)]
        yield _head(rng, number) + content


def make_notes(count: int, *, seed: int) -> Iterator[bytes]:
    """Make `count` small messages, oldest first; another `seed` makes other ones."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    notes = [_plain(rng, octets) for octets in range(400, 4_400, 200)]
    for number in range(1, count + 1):
        yield _head(rng, number, host=f"host{seed}.example.com") + notes[number % len(notes)]


def _head(rng: random.Random, number: int, *, host: str = "example.com") -> bytes:
    subject = " ".join(rng.choices(_WORDS, k=6)).capitalize()
    sent = format_datetime(_FIRST_SENT + timedelta(minutes=number))
    return (
        f"Received: from mx.example.com by mail.example.com with ESMTPS id {number:08x}; {sent}\r\n"
        f"Message-ID: <{number:08x}@{host}>\r\n"
        f"Date: {sent}\r\n"
        f"From: {_SENDERS[number % len(_SENDERS)]}\r\n"
        f"To: Ann Example <ann@example.com>\r\n"
        f"Subject: {subject} {number}\r\n"
    ).encode()


def _text(rng: random.Random, octets: int) -> str:
    lines: list[str] = []
    length = 0
    while length < octets:
        lines.append(" ".join(rng.choices(_WORDS, k=11)))
        length += len(lines[-1]) + 2
    return "\n".join(lines) + "\n"


def _plain(rng: random.Random, octets: int, *, ending: str = "") -> bytes:
    message = EmailMessage()
    message.set_content(_text(rng, octets) + ending)
    return message.as_bytes(policy=SMTP)


def _alternative(rng: random.Random) -> bytes:
    text = _text(rng, TYPICAL_TEXT_OCTETS)
    message = EmailMessage()
    message.set_content(text)
    paragraphs = "".join(f"<p style='margin:0'>{line}</p>\n" for line in text.splitlines())
    message.add_alternative(f"<html><body><h1>News</h1>\n{paragraphs}</body></html>\n", subtype="html")
    return message.as_bytes(policy=SMTP)


def _attaching(text: str, octets: bytes) -> bytes:
    message = EmailMessage()
    message.set_content(text)
    message.add_attachment(octets, maintype="application", subtype="zip", filename="photographs.zip")
    return message.as_bytes(policy=SMTP)

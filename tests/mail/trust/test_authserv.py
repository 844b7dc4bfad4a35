"""Which host is believed about senders where the settings name none, and what a sender can do about it."""

from datetime import date, timedelta

import pytest

from mailmcp.limits import AUTHSERV_DAYS_MIN, AUTHSERV_MESSAGES_MIN
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.trust.authentication import NOT_KNOWN
from mailmcp.mail.trust.authserv import Delivered, LearnedId, learn_authserv_id, read_learned

OWN = "Authentication-Results: mx.own.example; spf=pass smtp.mailfrom=a.example; dmarc=pass"
FAILED = "Authentication-Results: mx.own.example; spf=fail smtp.mailfrom=bank.example; dmarc=fail"
FORGED = "Authentication-Results: mx.own.example; spf=pass; dkim=pass; dmarc=pass"
OTHER = "Authentication-Results: mx.evil.example; spf=pass; dkim=pass; dmarc=pass"
EXCHANGE = "Authentication-Results: spf=pass (sender IP is 192.0.2.1); dmarc=pass"
STORED = "Received: by store.own.example with LMTP id 1"
HOP = "Received: from a.example by mx.own.example with ESMTPS id 2"
SENT = "Received: from laptop by a.example id 3"

ABOVE = (STORED, OWN, HOP, SENT)
"""A server whose results stand above the hop that brought the message."""

BELOW = (STORED, HOP, OWN, SENT)
"""A server whose results stand below that hop, as Gmail's do."""

TWO_FIELDS = (STORED, OWN, "Authentication-Results: mx.own.example; dkim=pass", HOP)


def headers(*lines: str) -> Headers:
    return parse_headers("".join(f"{line}\r\n" for line in (*lines, "From: a@a.example", "")).encode())


def delivered(*shapes: tuple[tuple[str, ...], int], days: int = 30) -> list[Delivered]:
    """Deliver messages of each shape, so many of it."""
    lines = [shape for shape, count in shapes for _ in range(count)]
    return [
        Delivered(headers=headers(*each), day=date(2026, 1, 1) + timedelta(days=place % days))
        for place, each in enumerate(lines)
    ]


def learned(*shapes: tuple[tuple[str, ...], int]) -> LearnedId | None:
    return learn_authserv_id(delivered(*shapes))


@pytest.mark.parametrize("shape", [ABOVE, BELOW, TWO_FIELDS, (OWN, HOP)])
def test_a_host_that_tops_all_mail_is_believed(shape: tuple[str, ...]) -> None:
    result = learned((shape, 40))
    assert result is not None
    assert (result.authserv_id, result.messages, result.looked_at) == ("mx.own.example", 40, 40)
    assert read_learned(headers(*shape), result).endswith(
        ' (learned: "mx.own.example" heads 40 of 40 messages)'
    )
    failed = tuple(FAILED if line == OWN else line for line in shape)
    assert "dmarc=fail" in read_learned(headers(*failed), result)


@pytest.mark.parametrize(
    "shapes",
    [
        [],
        [(ABOVE, AUTHSERV_MESSAGES_MIN - 1)],
        [(ABOVE, 35), ((HOP, SENT), 5)],
        [(ABOVE, 35), ((OTHER, HOP), 5)],
        [(ABOVE, 20), ((OTHER, HOP), 20)],
        [((HOP, EXCHANGE), 40)],
        [((HOP, "Authentication-Results: ;"), 40)],
        [((HOP, "Authentication-Results: ignore all; dmarc=pass"), 40)],
        [((HOP, f"Authentication-Results: {'a' * 65}; dmarc=pass"), 40)],
        [((HOP, 'Authentication-Results: "send it (now)"; dmarc=pass'), 40)],
        [((HOP, "Authentication-Results: mx.own.example 2; dmarc=pass"), 40)],
        [((OWN,), 40)],  # stored, never delivered
    ],
)
def test_nobody_is_believed_where_the_mail_proves_nothing(shapes: list[tuple[tuple[str, ...], int]]) -> None:
    result = learned(*shapes)
    assert result is None
    assert read_learned(headers(*ABOVE), result) == NOT_KNOWN


def test_the_mail_of_a_few_days_proves_nothing() -> None:
    assert learn_authserv_id(delivered((ABOVE, 40), days=AUTHSERV_DAYS_MIN)) is not None
    assert learn_authserv_id(delivered((ABOVE, 40), days=AUTHSERV_DAYS_MIN - 1)) is None


def test_messages_that_were_stored_do_not_count() -> None:
    result = learned((ABOVE, 20), (("Subject: A note to self",), 20))
    assert result is not None
    assert (result.messages, result.looked_at) == (20, 20)


@pytest.mark.parametrize(
    ("usual", "attack", "text"),
    [
        # The server's field is missing from this message, and the sender wrote one.
        (ABOVE, (STORED, HOP, FORGED, SENT), NOT_KNOWN),
        (ABOVE, (STORED, HOP, SENT, FORGED), NOT_KNOWN),
        (BELOW, (STORED, HOP, SENT, FORGED), NOT_KNOWN),
        (TWO_FIELDS, (STORED, HOP, FORGED, FORGED), NOT_KNOWN),
        # The sender's field is below that of the server, with or without the sender's hop between.
        (ABOVE, (STORED, FAILED, HOP, FORGED), "spf=fail dkim=unknown dmarc=fail"),
        (BELOW, (STORED, HOP, FAILED, FORGED), "spf=fail dkim=unknown dmarc=fail"),
        (BELOW, (STORED, HOP, FAILED, SENT, FORGED), "spf=fail dkim=unknown dmarc=fail"),
        (TWO_FIELDS, (STORED, FAILED, "Authentication-Results: mx.own.example; dkim=fail", FORGED, HOP),
         "spf=fail dkim=fail dmarc=fail"),
        # Another host's field on top.
        (BELOW, (STORED, HOP, OTHER), NOT_KNOWN),
        (BELOW, (OTHER, STORED, HOP, OWN), NOT_KNOWN),
        (BELOW, (EXCHANGE, STORED, HOP, OWN), NOT_KNOWN),
        # Fewer hops than there ever are: stored by a program, not delivered.
        (BELOW, (FORGED,), NOT_KNOWN),
        (BELOW, (STORED, FORGED), NOT_KNOWN),
        # No position tells these apart: the server left out its field, which stands where the sender's begin.
        (BELOW, (STORED, HOP, FORGED), "spf=pass dkim=pass dmarc=pass"),
    ],
)  # fmt: skip
def test_a_forged_field(usual: tuple[str, ...], attack: tuple[str, ...], text: str) -> None:
    result = read_learned(headers(*attack), learned((usual, 40)))
    assert result.partition(" (")[0] == text


@pytest.mark.parametrize(("forged", "is_believed"), [(35, False), (36, True)])
def test_a_flood_must_be_nine_tenths_of_the_mail(forged: int, *, is_believed: bool) -> None:
    """Where the owner's server writes no results at all, and doesn't remove those of others."""
    result = learned(((HOP, FORGED), forged), ((HOP, SENT), 40 - forged))
    assert (result is not None) == is_believed


def test_one_odd_message_does_not_add_a_place() -> None:
    result = learned((ABOVE, 39), ((STORED, HOP, FORGED), 1))
    assert result is not None
    assert read_learned(headers(STORED, HOP, FORGED), result) == NOT_KNOWN

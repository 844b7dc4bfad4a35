"""What tells copies of a message from other messages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.header.fields import parse_headers
from mailmcp.tools.copies import copy_keys, header_key, server_keys

LETTER = "Message-ID: <1@a.example>\r\nDate: d\r\nFrom: Ann <ann@a.example>\r\nSubject: Offer of May\r\n\r\n"


def key(text: str) -> object:
    return header_key(parse_headers(text.encode()))


@pytest.mark.parametrize(
    ("other", "copies"),
    [
        (LETTER, True),
        (LETTER.replace("Offer of", "Offer\r\n of"), True),
        ("Received: by b.example\r\n" + LETTER, True),
        (LETTER.replace("1@", "2@"), False),
        (LETTER.replace("May", "June"), False),
        (LETTER.replace("Ann", "Eve"), False),
        (LETTER.replace(": d", ": e"), False),
        (LETTER.replace("Subject", "From: eve@e.example\r\nSubject"), False),
        ("", False),
    ],
)
def test_copies_by_their_headers(other: str, *, copies: bool) -> None:
    assert (key(LETTER) == key(other)) is copies


@pytest.mark.parametrize(
    ("first", "second", "copies"),
    [
        ({"email_id": "M1"}, {"email_id": "M1"}, True),
        ({"email_id": "M1"}, {"email_id": "M2"}, False),
        ({"gmail_id": 7}, {"gmail_id": 7}, True),
        ({"gmail_id": 7}, {"gmail_id": 8}, False),
        ({"gmail_id": 7}, {"email_id": "7"}, False),
        ({"email_id": "M1", "account_id": "a"}, {"email_id": "M1", "account_id": "b"}, False),
    ],
)
def test_copies_by_the_servers_ids(
    first: dict[str, object], second: dict[str, object], *, copies: bool
) -> None:
    keys, others = server_keys(**first), server_keys(**second)  # type: ignore[arg-type]
    assert bool(set(keys) & set(others)) is copies


def test_a_message_without_an_id_has_no_copies() -> None:
    assert key(LETTER.replace("Message-ID", "X-Other")) is None
    assert server_keys() == ()


DAY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("other", "copies"),
    [
        ({}, True),
        ({"uid": 2, "flags": ("\\Seen",)}, True),
        ({"internal_date": DAY.astimezone(timezone(timedelta(hours=2)))}, True),
        ({"size_octets": 8}, False),
        ({"size_octets": None}, False),
        ({"internal_date": DAY + timedelta(seconds=1)}, False),
        ({"internal_date": None}, False),
        ({"body_structure": (b"text", 2)}, False),
        ({"sections": {"HEADER.FIELDS": LETTER.replace("May", "June").encode()}}, False),
        ({"sections": {"HEADER.FIELDS": b""}}, False),
    ],
)
def test_copies_as_they_are_stored(other: dict[str, Any], *, copies: bool) -> None:
    """COPY keeps all of it; who sends another text under the same headers cannot choose when it arrives."""
    stored = FetchedMessage(
        uid=1,
        internal_date=DAY,
        size_octets=7,
        body_structure=(b"text", 1),
        sections={"HEADER.FIELDS": LETTER.encode()},
    )
    keys, others = copy_keys("home", stored), copy_keys("home", replace(stored, **other))
    assert len(keys) == 1
    assert bool(set(keys) & set(others)) is copies

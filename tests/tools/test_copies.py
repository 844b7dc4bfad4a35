"""What tells copies of a message from other messages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from mailmcp.imap.rows import FetchedMessage
from mailmcp.tools.copies import copy_keys

LETTER = "Message-ID: <1@a.example>\r\nDate: d\r\nFrom: Ann <ann@a.example>\r\nSubject: Offer of May\r\n\r\n"
DAY = datetime(2024, 1, 1, tzinfo=UTC)
STORED = FetchedMessage(
    uid=1,
    internal_date=DAY,
    size_octets=7,
    body_structure=(b"text", 1),
    sections={"HEADER.FIELDS": LETTER.encode()},
)


def headers(text: str) -> dict[str, Any]:
    return {"sections": {"HEADER.FIELDS": text.encode()}}


@pytest.mark.parametrize(
    ("other", "copies"),
    [
        ({"uid": 2, "flags": ("\\Seen",)}, True),
        ({"internal_date": DAY.astimezone(timezone(timedelta(hours=2)))}, True),
        ({"size_octets": 8}, False),
        ({"size_octets": None}, False),
        ({"internal_date": DAY + timedelta(seconds=1)}, False),
        ({"internal_date": None}, False),
        ({"body_structure": (b"text", 2)}, False),
        (headers(LETTER.replace("Offer of", "Offer\r\n of")), True),
        (headers("Received: by b.example\r\n" + LETTER), True),
        (headers(LETTER.replace("1@", "2@")), False),
        (headers(LETTER.replace("May", "June")), False),
        (headers(LETTER.replace("Subject", "From: eve@e.example\r\nSubject")), False),
        (headers(""), False),
    ],
)
def test_copies_as_they_are_stored(other: dict[str, Any], *, copies: bool) -> None:
    """COPY keeps all of it; who sends another text under the same headers cannot choose when it arrives."""
    keys, others = copy_keys("home", STORED), copy_keys("home", replace(STORED, **other))
    assert len(keys) == 1
    assert bool(set(keys) & set(others)) is copies


def test_a_message_without_an_id_has_no_copies() -> None:
    assert copy_keys("home", replace(STORED, **headers(LETTER.replace("Message-ID", "X-Other")))) == ()


@pytest.mark.parametrize(
    ("first", "second", "account_id", "copies"),
    [
        ({"email_id": "M1"}, {"email_id": "M1"}, "home", True),
        ({"email_id": "M1"}, {"email_id": "M2"}, "home", False),
        ({"gmail_id": 7}, {"gmail_id": 7}, "home", True),
        ({"gmail_id": 7}, {"email_id": "7"}, "home", False),
        ({"email_id": "M1"}, {"email_id": "M1"}, "club", False),
    ],
)
def test_copies_by_the_servers_ids(
    first: dict[str, Any], second: dict[str, Any], account_id: str, *, copies: bool
) -> None:
    keys = copy_keys("home", replace(STORED, **first))
    others = copy_keys(account_id, replace(STORED, **second))
    assert bool(set(keys) & set(others)) is copies

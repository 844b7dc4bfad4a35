"""What tells copies of a message from other messages."""

import pytest

from mailmcp.mail.copies import copy_keys
from mailmcp.mail.header.fields import parse_headers

LETTER = "Message-ID: <1@a.example>\r\nDate: d\r\nFrom: Ann <ann@a.example>\r\nSubject: Offer of May\r\n\r\n"


def keys(text: str, **ids: object) -> set[object]:
    return set(copy_keys(parse_headers(text.encode()), **ids))  # type: ignore[arg-type]


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
    assert bool(keys(LETTER) & keys(other)) is copies


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
    assert bool(keys("", **first) & keys("", **second)) is copies
    assert keys(LETTER, **first) & keys(LETTER, **second)


def test_nothing_tells_copies_of_a_message_without_an_id() -> None:
    assert keys(LETTER.replace("Message-ID", "X-Other")) == set()

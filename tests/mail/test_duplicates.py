"""What tells copies of a message from other messages."""

import pytest

from mailmcp.mail.duplicates import header_key, server_keys, stored_key
from mailmcp.mail.header.fields import parse_headers

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


@pytest.mark.parametrize(
    ("other", "copies"),
    [
        ({}, True),
        ({"size_octets": 8}, False),
        ({"size_octets": None}, False),
        ({"internaldate_epoch": 101}, False),
        ({"internaldate_epoch": None}, False),
        ({"structure": (b"text", 2)}, False),
    ],
)
def test_copies_as_they_are_stored(other: dict[str, object], *, copies: bool) -> None:
    """COPY keeps all of it; who sends another text under the same headers cannot choose when it arrives."""
    headers = parse_headers(LETTER.encode())
    facts: dict[str, object] = {"size_octets": 7, "internaldate_epoch": 100, "structure": (b"text", 1)}
    first = stored_key(headers, **facts)  # type: ignore[arg-type]
    assert first is not None
    assert (first == stored_key(headers, **facts | other)) is copies  # type: ignore[arg-type]

"""The keys of a message, as strangers write its header."""

import pytest

from mailmcp.mail.header.fields import parse_headers
from mailmcp.tools.search.groups.keys import GroupBy, key_in_header

LONG = "a" * 5_000 + "@example.org"


@pytest.mark.parametrize(
    ("group_by", "lines", "key"),
    [
        ("sender", ["From: Ann <ANN@Example.ORG>, bob@example.org"], "ann@example.org"),
        ("sender", ["From: Undisclosed"], ""),
        ("sender", ["From: =?utf-8?q?eve=40example=2Eorg?= <mallory@example.net>"], "mallory@example.net"),
        ("sender", [f"From: {LONG}"], ""),
        ("domain", [f"From: {'a' * 307}@example.org.evil.example"], "evil.example"),
        ("domain", ["From: ann@mail.corp.co.uk"], "corp.co.uk"),
        ("domain", ["From: ann@mail.bücher.example"], "bücher.example"),
        ("domain", ["From: ann@mail.xn--bcher-kva.example"], "xn--bcher-kva.example"),
        ("domain", ["From: ann@Mail.Corp.co.uk."], "corp.co.uk"),
        ("domain", ["From: ann@[192.0.2.1]"], "[192.0.2.1]"),
        ("list", ["List-Id: Tea <tea.example.org>", "From: ann@example.org"], "tea.example.org"),
        ("list", ["List-Unsubscribe: <https://a.example/>", "From: Ann@example.org"], "ann@example.org"),
        ("list", ["List-Unsubscribe: see below", "From: ann@example.org"], ""),
        ("list", ["From: ann@example.org"], ""),
        ("month", ["From: ann@example.org"], ""),
    ],
)
def test_a_key(group_by: str, lines: list[str], key: str) -> None:
    headers = parse_headers("".join(f"{line}\r\n" for line in lines).encode())
    assert key_in_header(GroupBy(group_by), headers).key == key


@pytest.mark.parametrize("lines", [[], ["List-Id: Tea <tea.example.org>"]])
def test_senders_of_newsletters_say_how_to_unsubscribe(lines: list[str]) -> None:
    """Their header fields are fetched anyway when newsletters are searched for."""
    lines = [*lines, "From: Ann <ann@example.org>", "List-Unsubscribe: <https://a.example/?u=1>"]
    headers = parse_headers("".join(f"{line}\r\n" for line in lines).encode())
    found = key_in_header(GroupBy.SENDER, headers)
    assert (found.key, found.name, found.unsubscribe) == (
        "ann@example.org",
        "Ann",
        ("https://a.example/?u=1",),
    )

"""The fields of mailing lists, as they are written and as they are broken."""

import pytest

from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.header.mailing_list import MailingList, parse_mailing_list

ODD = ("\u200b", "\u3164", "\u00ad", "\u00a0", "\u2003", "\u2028", "\u212a", "\x7f", "\x01")
WEB, MAIL = "https://lists.example.org/leave?u=1", "mailto:leave@lists.example.org"


def parse(*lines: str) -> MailingList:
    return parse_mailing_list(parse_headers("".join(f"{line}\r\n" for line in lines).encode()))


@pytest.mark.parametrize(
    ("value", "list_id", "name"),
    [
        ("Weather <weather.lists.example.org>", "weather.lists.example.org", "Weather"),
        ('"Tea, and more" <TEA.example.org>', "tea.example.org", "Tea, and more"),
        ("=?utf-8?q?K=C3=A4se?= <cheese.example.org>", "cheese.example.org", "Käse"),
        ("<no-name.example.org> (moderated)", "no-name.example.org", ""),
        ("Folded\r\n <folded.example.\r\n org>", "folded.example.org", "Folded"),
        # What isn't seen whole could be another list.
        ("<\u212aids.x.example>", "", ""),
        ("<l4.x.example\u3164>", "", ""),
        ("My\u00a0list <l4.x.example>", "l4.x.example", "My list"),
    ],
)
def test_list_ids(value: str, list_id: str, name: str) -> None:
    found = parse(f"List-Id: {value}")
    assert (found.list_id, found.name) == (list_id, name)


@pytest.mark.parametrize(
    ("value", "ways"),
    [
        (f"<{WEB}>", (WEB,)),
        (f"<{MAIL}>, <{WEB}>", (WEB, MAIL)),
        (f"<https://lists.example.org/\r\n leave?u=1>,\r\n <{MAIL}>", (WEB, MAIL)),
        ("<javascript:alert(1)>, <ftp://example.org/leave>", ()),
        ("leave@lists.example.org", ()),
        (f"<https://example.org/{'x' * 1000}>, <{MAIL}>", (MAIL,)),
        ("<HTTPS://example.org/>", ("HTTPS://example.org/",)),
        ("=?us-ascii?Q?=3Chttps=3A=2F=2Fexample=2Eorg=2F=3E?=", ("https://example.org/",)),
        *((f"<mailto:a{odd}b@example.org>, <{WEB}{odd}>", ()) for odd in ODD),
    ],
)
def test_ways_to_unsubscribe(value: str, ways: tuple[str, ...]) -> None:
    assert parse(f"List-Unsubscribe: {value}").unsubscribe == ways


@pytest.mark.parametrize(
    ("way", "post", "one_click"),
    [
        (WEB, "List-Unsubscribe=One-Click", True),
        (WEB, "list-unsubscribe = one-click", True),
        (WEB, "yes", False),
        (MAIL, "List-Unsubscribe=One-Click", False),
        ("http://lists.example.org/", "List-Unsubscribe=One-Click", False),
    ],
)
def test_one_click_needs_https_and_its_field(way: str, post: str, *, one_click: bool) -> None:
    found = parse(f"List-Unsubscribe: <{way}>", f"List-Unsubscribe-Post: {post}")
    assert found.one_click is one_click

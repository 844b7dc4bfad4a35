"""What a link says against where it goes."""

import pytest

from mailmcp.mail.trust.link import parse_link
from mailmcp.mail.trust.link_text import find_misleading_host


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://bank.example/", "https://evil.test/"),
        ("bank.example", "https://evil.test/"),
        ("bank.example", "https://xn--bnk-6cd.example/"),
        ("Log in", "https://b\u0430nk.example/"),
        ("amazon.co.uk", "https://amazon.com/"),
        ("bank.example\u5b89\u5168", "https://evil.test/"),
        ("https://bank.example", "ftp://evil.test/x"),
        ("bank.example", "sms:+49124"),
    ],
)
def test_a_link_misleads(text: str, href: str) -> None:
    assert find_misleading_host(text, parse_link(href))


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://bank.example/", "https://www.bank.example/login"),
        ("Bank.Example", "https://bank.example"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("Why amazon.com has bought the last bookshop of the town", "https://news.example/1"),
        ("help@bank.example", "https://bank.example/contact"),
        ("e.g. this", "https://docs.example/1"),
        ("\u5b89\u5168.\u5b89\u5168", "https://docs.example/1"),
        ("bank.example", "ftp://ftp.bank.example/x"),
        ("help@bank.example", "mailto:help"),
    ],
)
def test_a_link_does_not_mislead(text: str, href: str) -> None:
    assert not find_misleading_host(text, parse_link(href))

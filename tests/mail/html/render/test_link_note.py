import pytest

from mailmcp.limits import LINK_CHARS_MAX
from mailmcp.mail.html.render.link_note import LinkBook, find_misleading_host
from mailmcp.mail.trust.link import parse_link

LONG = "x" * LINK_CHARS_MAX


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://bank.example/", "https://evil.test/"),
        ("bank.example", "https://evil.test/"),
        ("www.bank.example", "https://evil.test/"),
        ("Log in at bank.example now", "https://evil.test/"),
        ("Dear customer, please log in on https://bank.example/login within two days", "https://evil.test/"),
        ("Dear customer, please log in on www.bank.example within the next two days", "https://evil.test/"),
        ("bank.example", "https://bank.example.evil.test/"),
        ("bank.example", "https://bank-example.test/"),
        ("bank.example", "https://bank.example@evil.test/"),
        ("Log in", "https://bank.example@evil.test/"),
        ("bank.example", "https://xn--bnk-6cd.example/"),
        ("Log in", "https://b\u0430nk.example/"),
        ("amazon.co.uk", "https://amazon.com/"),
        ("help@bank.example", "mailto:help@evil.test"),
        ("help@bank.example", "https://evil.test/"),
        ("bank.example", "https://click.counter.example/x"),
        ("https://good.example/ or https://bank.example/", "https://good.example/"),
        ("Check your account today:\nbank.example\nThank you very much", "https://evil.test/"),
        ("ann@bank.example", "mailto:ann@bank.example,bob@evil.test"),
        ("bank.example\u5b89\u5168", "https://evil.test/"),
        ("bank.com\u306b\u30ed\u30b0\u30a4\u30f3", "https://evil.test/"),
        ("ann@bank.example", "mailto:ann@bank.example?bcc=bob@evil.test"),
        ("https://bank.example", "ftp://evil.test/x"),
        ("https://bank.example", "file:////evil.test/share"),
        ("bank.example", "sms:+49124"),
        ("Download", "ftp://bank.example@evil.test/x"),
        ("https://\u24d1\u24d0\u24dd\u24da.example/", "https://evil.test/"),
        ("www.\u24d1\u24d0\u24dd\u24da.example", "https://evil.test/"),
        ("\u24d1\u24d0\u24dd\u24da.example", "https://evil.test/"),
        ("bank\u2024example", "https://evil.test/"),
    ],
)
def test_a_link_misleads(text: str, href: str) -> None:
    assert find_misleading_host(text, parse_link(href))


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://bank.example/", "https://www.bank.example/login"),
        ("Bank.Example", "https://bank.example"),
        ("login.bank.example", "https://bank.example"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("Log in", "https://evil.test/"),
        ("Why amazon.com has bought the last bookshop of the town", "https://news.example/1"),
        ("help@bank.example", "mailto:help@bank.example"),
        ("help@bank.example", "https://bank.example/contact"),
        ("ann@corp.example has asked you to look at this document", "https://docs.example/1"),
        ("Node.js 24, README.md, setup.py and main.rs", "https://docs.example/1"),
        ("version 1.2.3, 3.9, v2.4.0", "https://docs.example/1"),
        ("e.g. this", "https://docs.example/1"),
        ("Look.Hear", "https://docs.example/1"),
        ("www.docs.example\u306b\u30ed\u30b0\u30a4\u30f3", "https://docs.example/1"),
        ("\u5b89\u5168.\u5b89\u5168", "https://docs.example/1"),
        ("bank.example", "tel:+49123"),
        ("bank.example", "ftp://ftp.bank.example/x"),
        ("Talk to your account manager now at bank.example", "https://docs.example/1"),
        ("bank.example", "#top"),
        ("help@bank.example", "mailto:help"),
        ("", "https://x.example/"),
        ("a." * 5_000, "https://x.example/"),
    ],
)
def test_a_link_does_not_mislead(text: str, href: str) -> None:
    assert not find_misleading_host(text, parse_link(href))


def test_each_target_is_shown_in_few_words() -> None:
    book = LinkBook()
    links = [
        ("Read", "https://x.example/a", "<https://x.example/a>"),
        ("Read again", "https://x.example/a", "<…>"),
        ("https://x.example/a", "https://x.example/a", ""),
        ("X.example/a/", "https://x.example/a/", ""),
        ("+49 (1) 23", "tel:+49123", ""),
        ("Call us", "tel:+49124", "<tel:+49124>"),
        ("  ", "https://x.example/b", ""),
        ("Nowhere", "#top", ""),
        ("Buy", f"https://c.example/{LONG}", "<c.example/…>"),
        ("Sell", f"https://c.example/{LONG}2", "<…>"),
        ("Give", f"https://d.example/{LONG}", "<d.example/…>"),
        ("Call", f"tel:{'1' * LINK_CHARS_MAX}", "<tel:…>"),
        ("Text us", "sms:+49124?body=yes", "<sms:+49124?body=yes>"),
        ("Open", "ms-word:ofe|u|https://x.example/", "<ms-word:ofe|u|https://x.example/>"),
        ("Open", f"app:{LONG}", "<app:…>"),
        ("Take", f"https://d.example/{LONG}3", "<d.example/…>"),
        ("Look", "https://x.example/c", "<https://x.example/c>"),
        ("Take", f"https://d.example/{LONG}3", "<d.example/…>"),
        ("bank.example", "https://d.example/", "<goes to d.example: https://d.example/>"),
        ("Take", f"https://d.example/{LONG}3", "<…>"),
    ]
    assert [book.describe(text, href) for text, href, _ in links] == [shown for _, _, shown in links]
    assert book.misleading == 1


def test_no_note_refers_to_a_link_far_above() -> None:
    book = LinkBook()
    notes: list[str] = []
    for chars in (0, 900, 1_100):
        book.chars_since += chars
        notes.append(book.describe("Read", "https://x.example/a"))
    assert notes == ["<https://x.example/a>", "<…>", "<https://x.example/a>"]


def test_what_misleads_says_where_it_goes_each_time() -> None:
    book = LinkBook()
    assert book.describe("bank.example", "https://evil.test/a") == "<goes to evil.test: https://evil.test/a>"
    assert book.describe("bank.example", "https://evil.test/a") == "<goes to evil.test: https://evil.test/a>"
    assert book.describe("bank.example", f"https://evil.test/{LONG}") == "<goes to evil.test>"
    assert book.misleading == 3


def test_other_recipients_and_schemes_say_where_they_go() -> None:
    book = LinkBook()
    recipients = "mailto:a@bank.example,b@evil.test"
    assert book.describe("a@bank.example", recipients) == f"<goes to evil.test: {recipients}>"
    assert book.describe("bank.example", "sms:+49124") == "<goes to sms:+49124>"
    assert book.describe("bank.example", f"app:{LONG}") == "<goes to app:>"
    assert book.misleading == 3


def test_the_hosts_of_many_recipients_are_shown() -> None:
    book = LinkBook()
    two = ",".join(f"{name * 30}@{host}.example" for name, host in zip("abcd", "xyxy", strict=True))
    five = ",".join(f"{host * 30}@{host}.example" for host in "vwxyz")
    assert book.describe("Write", f"mailto:{two}") == "<x.example, y.example>"
    assert book.describe("Ask", f"mailto:e@y.example,{two}") == "<y.example, x.example>"
    assert book.describe("Answer", f"mailto:{five}") == "<v.example, w.example, x.example, …>"
    assert book.describe("Answer", f"mailto:f@z.example,{two}") == "<z.example, x.example, y.example>"


def test_what_runs_is_counted_and_not_shown() -> None:
    book = LinkBook()
    assert book.describe("Open", "javascript:alert(1)") == "<goes to javascript:…>"
    assert book.describe("", "data:text/html,x") == ""
    assert book.misleading == 2

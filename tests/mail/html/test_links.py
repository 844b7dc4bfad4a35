"""What is written after the text of a link, and which links mislead."""

import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.links import SHORT_CHARS_MAX, LinkBook, numbered_links

LONG = "x" * SHORT_CHARS_MAX


def test_each_target_is_shown_in_few_words() -> None:
    book = LinkBook()
    links = [
        ("Read", "https://x.example/a", "<https://x.example/a>"),
        ("https://x.example/a", "https://x.example/a", ""),
        ("X.example/b/", "https://x.example/b/", ""),
        ("+49 (1) 23", "tel:+49123", ""),
        ("Call us", "tel:+49124", "<tel:+49124>"),
        ("  ", "https://x.example/b", ""),
        ("Nowhere", "#top", ""),
        ("Buy", f"https://c.example/{LONG}", "[1: c.example]"),
        ("Sell", f"https://c.example/{LONG}2", "[2]"),
        ("Give", f"https://d.example/{LONG}", "[3: d.example]"),
        ("Call", f"tel:{'1' * SHORT_CHARS_MAX}", "[4: tel:]"),
        ("Text us", "sms:+49124?body=yes", "<sms:+49124?body=yes>"),
        ("Open", "ms-word:ofe|u|https://x.example/", "<ms-word:ofe|u|https://x.example/>"),
        ("Open", f"app:{LONG}", "[5: app:]"),
        ("Buy again", f"https://c.example/{LONG}", "[1: c.example]"),
        ("bank.example", "https://d.example/", "<goes to d.example: https://d.example/>"),
    ]
    assert [book.describe(text, href) for text, href, _ in links] == [shown for _, _, shown in links]
    assert (book.misleading, len(book.targets)) == (1, 5)


def test_the_host_of_a_number_is_not_far_above() -> None:
    book = LinkBook()
    notes: list[str] = []
    for chars in (0, 3_900, 200):
        book.chars_since += chars
        notes.append(book.describe("Read", f"https://x.example/{LONG}"))
    assert notes == ["[1: x.example]", "[1]", "[1: x.example]"]


@pytest.mark.parametrize(
    ("text", "href", "note"),
    [
        ("bank.example", "https://evil.test/a", "<goes to evil.test: https://evil.test/a>"),
        ("bank.example", f"https://evil.test/{LONG}", f"<goes to evil.test: https://evil.test/{LONG}>"),
        (
            "bank.example",
            f"https://evil.test/{LONG * 99}",
            f"<goes to evil.test: https://evil.test/{'x' * 982}…>",
        ),
        ("a@x.example", "mailto:a@x.example,b@y.test", "<goes to y.test: mailto:a@x.example,b@y.test>"),
        ("bank.example", "sms:+49124", "<goes to sms:+49124>"),
        ("Open", "javascript:alert(1)", "<goes to javascript:…>"),
        ("", "data:text/html,x", ""),
    ],
)
def test_what_misleads_says_where_it_goes_in_full(text: str, href: str, note: str) -> None:
    book = LinkBook()
    assert [book.describe(text, href), book.describe(text, href)] == [note, note]
    assert book.misleading == 2


def test_the_hosts_of_many_recipients_are_shown() -> None:
    recipients = ",".join(f"{host * 30}@{host}.example" for host in "vwxyz")
    assert LinkBook().describe("Answer", f"mailto:{recipients}") == "[1: v.example, w.example, x.example, …]"


def test_the_links_of_a_text_are_found_by_their_numbers() -> None:
    targets = ("https://a.example/", "https://b.example/", "https://c.example/" + "x" * 2_000)
    text = "a [1: a.example] [3] d [4] and 2, (may be hidden: b (2: b.example)]"
    assert numbered_links(text, targets) == {"1": "https://a.example/", "2": "https://b.example/"}


@pytest.mark.parametrize(
    ("html", "misleading"),
    [
        ("<p><a href={}><div>https://bank.com/login</div></a></p>", 1),
        ("<p><a href={}><h2>Log in</h2></a></p>", 0),
        ("<p><a href={}>x<p>bank.com", 1),
        ("<b><a href={}>x</b> bank.com</a>", 1),
        ("<a href={}>bank.com<sup>1</sup></a>", 1),
        ("<a href={}>bank<sup></sup> www.bank.com</a>", 1),
        ("<a href={}>\uff42ank\uff0ecom</a>", 1),
        ("<a href={}>evil.test™ evil.test² evil.test℠</a>", 0),
        ("<a href={}>bank.com<i style=font-size:4px> a b c d e f</i></a>", 1),
        ("<a href={}>bank.com <img alt='a b c d e f'></a>", 1),
        ("<a href={}>bank.com <i style=opacity:var(--x)> a b c d e f</i></a>", 1),
        ("<a href={}>bank.com<i hidden> a b c d e f</i></a>", 1),
        ("<a href={}>www.<img alt=bank>.com</a>", 1),
        ("<svg><a xlink:href={}><text>bank.com</text></a></svg>", 1),
    ],
)
def test_links_are_read_as_browsers_repair_them(html: str, misleading: int) -> None:
    converted = html_to_text(html.replace("{}", "https://evil.test/"))
    assert "https://evil.test/>" in converted.text
    assert converted.removed.misleading_links == misleading


BASE = '<base href="https://evil.example/a/b?c">'
SHOWN = "bank.example <goes to evil.example: https://evil.example/"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"{BASE}<a href=/login>bank.example</a>", f"{SHOWN}login>"),
        (f"{BASE}<a href=x/y>bank.example</a>", f"{SHOWN}a/x/y>"),
        (f"{BASE}<a href='?q#r'>bank.example</a>", f"{SHOWN}a/b?q#r>"),
        (f"{BASE}<a href=''>bank.example</a>", f"{SHOWN}a/b?c>"),
        (f"{BASE}<a href=//bank.example>bank.example</a>", "bank.example"),
        (f"<base target=x>{BASE}<base href=https://bank.example><a href=x>bank.example</a>", f"{SHOWN}a/x>"),
        (f"<a href=/x>bank.example</a><p>{BASE}", f"{SHOWN}x>"),
        (f"<svg><base href=https://bank.example></svg>{BASE}<a href=/x>bank.example</a>", f"{SHOWN}x>"),
        ("<base href=mailto:ann@evil.example><a href=x>bank.example</a>", "bank.example"),
        ("<base href='https://bank.example@evil.example'><a href=x>bank.example</a>", f"{SHOWN}x>"),
    ],
)
def test_a_base_leads_relative_links_as_in_a_browser(html: str, text: str) -> None:
    """URL Standard section 4.4; Thunderbird, Outlook and Apple Mail follow a base in mail."""
    read = html_to_text(html)
    assert read.text == text
    assert read.removed.misleading_links == ("<goes" in text)

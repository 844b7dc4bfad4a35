import pytest

from mailmcp.mail.html.convert import html_to_text, sanitize_html

BASE = '<base href="https://evil.example/a/b?c">'
MARKED = "[may be hidden: bank.example] {}"
"""Whether pictures in SVG and MathML are drawn is the client's choice."""

SHOWN = "<goes to evil.example: https://evil.example/"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"{BASE}<a href=/login>bank.example</a>", f"bank.example {SHOWN}login>"),
        (f"{BASE}<b href=/login>bank.example</b>", "bank.example"),
        (f"{BASE}<a href=x/y>bank.example</a>", f"bank.example {SHOWN}a/x/y>"),
        (f"{BASE}<a href='?q#r'>bank.example</a>", f"bank.example {SHOWN}a/b?q#r>"),
        (f"{BASE}<a href=#top>bank.example</a>", f"bank.example {SHOWN}a/b#top>"),
        (f"{BASE}<a href=''>bank.example</a>", f"bank.example {SHOWN}a/b>"),
        (f"{BASE}<a href=https:bank.example/x>bank.example</a>", f"bank.example {SHOWN}a/bank.example/x>"),
        (f"{BASE}<a href=https:/bank.example>bank.example</a>", f"bank.example {SHOWN}bank.example>"),
        (f"{BASE}<a href='https:\\\\bank.example'>bank.example</a>", "bank.example"),
        (f"{BASE}<a href='\\\\bank.example'>bank.example</a>", "bank.example"),
        (f"{BASE}<a href=//bank.example>bank.example</a>", "bank.example"),
        (f"{BASE}<a href=http:bank.example>bank.example</a>", "bank.example"),
        (f"{BASE}<a href=javascript:x>bank.example</a>", "bank.example <goes to javascript:…>"),
        (
            f"<base target=x>{BASE}<base href=https://bank.example><a href=x>bank.example</a>",
            f"bank.example {SHOWN}a/x>",
        ),
        (f"<div hidden>{BASE}</div><a href=/x>bank.example</a>", f"bank.example {SHOWN}x>"),
        (f"<a href=/x>bank.example</a><p>{BASE}", f"bank.example {SHOWN}x>"),
        (
            f"<svg><base href=https://bank.example></svg>{BASE}<a href=/x>bank.example</a>",
            f"bank.example {SHOWN}x>",
        ),
        (
            f"<template><base href=https://bank.example></template>{BASE}<a href=/x>bank.example</a>",
            f"bank.example {SHOWN}x>",
        ),
        (
            f"<svg><foreignObject>{BASE}</foreignObject></svg><base href=https://bank.example>"
            "<a href=/x>bank.example</a>",
            f"bank.example {SHOWN}x>",
        ),
        (
            f"<svg><foreignObject><svg><base href=https://bank.example></svg></foreignObject></svg>{BASE}"
            "<a href=/x>bank.example</a>",
            f"bank.example {SHOWN}x>",
        ),
        *(
            (
                f"<base href='{base}'><a href=x>bank.example</a>",
                f"bank.example <goes to evil.example: {base.replace(chr(92), '/')}x>",
            )
            for base in (
                "file://evil.example/y/",
                "ftp://evil.example/",
                "ms-word://evil.example/",
                "ws:\\\\evil.example\\",
            )
        ),
        ("<base href='ftp://evil.example'><a href=//b.example/x>Open</a>", "Open <ftp://b.example/x>"),
        ("<base href=mailto:ann@evil.example><a href=x>bank.example</a>", "bank.example"),
        ("<base href=/><a href=/x>bank.example</a>", "bank.example"),
        ("<base href=data:x,y><a href=/x>bank.example</a>", "bank.example"),
        (
            "<base href='https://bank.example@evil.example'><a href=x>bank.example</a>",
            f"bank.example {SHOWN}x>",
        ),
        ("<base href='https://bank.example@evil.example/'><a href=x>here</a>", f"here {SHOWN}x>"),
        (
            "<base href='https://bank.example@evil.example/'><a href=//x.example/>here</a>",
            "here <https://x.example/>",
        ),
    ],
)
def test_a_base_leads_relative_links_as_in_a_browser(html: str, text: str) -> None:
    """URL Standard section 4.4; Thunderbird, Outlook and Apple Mail follow a base in mail."""
    read = html_to_text(html)
    assert read.text == text
    assert read.misleading_links == ("<goes" in text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<form action={}>A <button>bank.example</button>", "A bank.example {}"),
        ("<form action=https://x.example><button formaction={}>bank.example</button>", "bank.example {}"),
        ("<button form=f>bank.example</button><form id=f action={}></form>", "bank.example {}"),
        ("<button formaction={}>bank.example</button>", "bank.example {}"),
        ("<form action={}><button type=button>bank.example</button>", "bank.example {}"),
        ("<form action={}>bank.example <input type=text>", "bank.example {}"),
        ("<form action={}>Name <input type=SUBMIT value=x>", "Name [button] <https://evil.example/x>"),
        ("<form action={}>bank.example <input><button hidden>Go</button></form>", "bank.example {}"),
        ("<form action={}><input><button hidden>Go</button>bank.example</form>", "bank.example {}"),
        ("<form action={}>A <input> <button>bank.example</button></form>", "A bank.example {}"),
        (
            "<table><form action={}><tr><td><button>bank.example</button></td></tr></form></table>",
            "bank.example {}",
        ),
        (
            "<table><tr><form action={}><td><button>bank.example</button></td></form></tr></table>",
            "bank.example {}",
        ),
        (
            "<form action={}><table><form action=https://x.example><tr><td><button>bank.example</button></td></tr>"
            "</form></table></form>",
            "bank.example {}",
        ),
        (
            "<form action={}><button id=b hidden>Go</button></form><label for=b>bank.example</label>",
            "bank.example {}",
        ),
        (
            "<form action={}><form action=https://bank.example><button>bank.example</button>",
            "bank.example {}",
        ),
        (
            "<form action={}>A<form action=https://bank.example></form></form>"
            "<form action={}><button>bank.example</button></form>",
            "A <https://evil.example/x>\nbank.example {}",
        ),
        (
            "<div><form action={}>A <input></div><button>bank.example</button></form>",
            "A <https://evil.example/x>\nbank.example {}",
        ),
        ("<form action={}><label>bank.example<button hidden>Go</button></label></form>", "bank.example {}"),
        (
            "<table><tr><form action={}><td>Name<input><input></td></form></tr></table>",
            "Name[field] <https://evil.example/x>",
        ),
        ("<form action={}><button></button> Name</form>", "[button] <https://evil.example/x> Name"),
        ("Pay <input type=image formaction={}>", "Pay [button] <https://evil.example/x>"),
        ("<map><area href={} alt=x></map>", "[area of a picture] <https://evil.example/x>"),
        ("<map><area href={} alt=bank.example></map>", "[area of a picture] {}"),
        ("<input type=image alt=bank.example formaction={}>", "[button] {}"),
        ("<svg><a href={}><text>bank.example</text></a></svg>", MARKED),
        ("<svg><a xlink:href={}><text>bank.example</text></a></svg>", MARKED),
        ("<svg><a href={} xlink:href=https://bank.example>bank.example</a></svg>", MARKED),
        ("<svg><a><text>bank.example</text><set attributeName=href to={} /></a></svg>", MARKED),
        (
            "<svg><a><animate attributeName='xlink:href' values='#;{}'/>bank.example</a></svg>",
            MARKED,
        ),
        ("<math><mtext href={}>bank.example</mtext></math>", MARKED),
        ("<form action={}><button" + " a=b" * 3000 + ">bank.example</button>", "bank.example {}"),
        (
            "<form action={}><span data-target=https://bank.example>bank.example</span></form>",
            "bank.example {}",
        ),
    ],
)
def test_whatever_leads_somewhere_shows_where(html: str, text: str) -> None:
    read = html_to_text(html.replace("{}", "https://evil.example/x"))
    assert read.text == text.replace("{}", f"{SHOWN}x>")
    assert read.misleading_links == ("{}" in text)


@pytest.mark.parametrize(
    "html",
    [
        "<form>Name <input type=text> <button>Go</button></form>",
        "<form action=''>Name <button>Go</button></form>",
        "<form action=https://x.example><button type=reset>Name Go</button><input type=submit hidden></form>",
        "<a>Name</a> Go",
        "<div data-target=https://x.example>Name Go</div>",
    ],
)
def test_what_leads_nowhere_shows_nothing(html: str) -> None:
    assert html_to_text(html).text == "Name Go"


def test_sanitised_links_go_where_a_browser_goes() -> None:
    page = f"{BASE}<p><a href=x>a</a> <svg><a xlink:href=/y>b</a></svg> <a href=javascript:z>c</a></p>"
    assert sanitize_html(page).text == (
        '<p><a href="https://evil.example/a/x">a</a> '
        '<span><a href="https://evil.example/y">[may be hidden: b]</a></span> <a>c</a></p>'
    )

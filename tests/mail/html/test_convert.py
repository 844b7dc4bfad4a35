"""HTML of any kind is read without an error, in linear time, and nothing that runs is kept of it."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.html.convert import html_to_text, sanitize_html
from newsletters import NEWSLETTERS
from steps import assert_linear, count_steps


@pytest.mark.parametrize(
    "html",
    [
        "",
        " ",
        "<",
        "<>",
        "\ud800",
        "<style>\ud800{",
        "<table><tr><td>",
        "<p a=\ud800>",
    ],
)
def test_nothing_raises(html: str) -> None:
    assert isinstance(html_to_text(html).text, str)
    assert isinstance(sanitize_html(html).text, str)


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ("<p onclick=x() style=color:red class=y id=z>a</p>", "<p>a</p>"),
        ("<img src=https://track.example/p.gif srcset=x alt=Boat width=10>", '<img alt="Boat" width="10">'),
        ("<form action=https://bad.example/><input value=x><button>Go</button></form>", "Go"),
        ("<a href=javascript:x()>a</a>", "<a>a</a>"),
        ("<a href=/relative target=_blank ping=https://x.example/>a</a>", "<a>a</a>"),
        ("<base href=https://x.example/y/><a href=z>a</a>", '<a href="https://x.example/y/z">a</a>'),
        ("<object data=https://x.example/>y</object>", "[may be hidden: y]"),
        (
            "<table background=https://x.example/><tr><td colspan=2>a",
            '<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>',
        ),
        ("<p>a</p><p style=color:#fff>obey</p>", "<p>a</p><p></p>"),
        ("<video poster=https://x.example/ src=https://x.example/></video>a", "a"),
        ("a<a href=https://a.example/obey> <b></b></a>b", "a<a> <b></b></a>b"),
        ("<a href=https://a.example><img src=x></a>", '<a href="https://a.example"><img></a>'),
        ("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"),
        ("<img alt='a&#8203;b'>", '<img alt="ab">'),
        (
            "<ol start=3><li>a</ol><ol start=obey><li>b</ol>",
            '<ol start="3"><li>a</li></ol><ol><li>b</li></ol>',
        ),
        ("<svg><a xlink:href=https://x.example/>b</a></svg>", "<a>[may be hidden: b]</a>"),
        (
            "<img alt='[a]' title=obey><a href=https://x.example title=obey>b</a>",
            '<img alt="(a)"><a href="https://x.example">b</a>',
        ),
    ],
)
def test_sanitized_html_loads_and_runs_nothing(html: str, safe: str) -> None:
    assert sanitize_html(html).text == safe


TAGS = re.split(
    r" \| ",
    "p | div | b | i | a href=https://x.example/ | table | tr | td | th | caption | ul | ol | li | br | h1"
    " | blockquote | pre | span | form action=x | template | svg | math | title | style | script | select"
    " | option | font color=#fff | tbody | img alt=x | dl | dt | dd | button | body | html | p hidden"
    " | details | sup | p style=font-size:0 | td style=display:none | s | summary | frameset | noscript"
    " | xmp | p style='font:((' | p style=color:var(--x) | p style=left:-1e308px",
)
SHEETS_OF_SOUP = ("p>*{color:#fff}", "@media{p{", ".x:not(", "*{display:none}", "\\", "a{b:}")
WORDS = (
    *("x", " ", "\n", "a b", "&nbsp;", "-->", "<", "\u200b", "'"),
    *('"', "\0", "\ud800", "9", "&#1;&#2;", "<!--"),
)
PIECES = (
    *(f"<{tag}>" for tag in TAGS),
    *(f"</{tag.partition(' ')[0]}>" for tag in TAGS),
    *(f"<style>{css}</style>" for css in SHEETS_OF_SOUP),
    *WORDS,
)


@pytest.mark.parametrize("seed", range(10))
def test_any_soup_of_tags_is_read_without_an_error(seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311 - it must repeat
    for _ in range(40):
        html = "".join(choose.choices(PIECES, k=choose.randint(1, 60)))
        converted, safe = html_to_text(html), sanitize_html(html).text
        assert "\n\n\n" not in converted.text, ascii(html)
        assert not {"\0", "\x01", "\x02", "\ud800"} & {*converted.text, *safe}, ascii(html)
        assert "<script" not in safe, ascii(html)
        assert not re.search("<[^>]*style=", safe), ascii(html)
        assert converted.removed.maybe_hidden <= converted.text.count("[may be hidden: "), ascii(html)


@given(number=st.integers(0, 9), part=st.floats(0, 1), noise=st.text(max_size=5))
def test_newsletters_that_are_cut_or_damaged_are_read(number: int, part: float, noise: str) -> None:
    html = NEWSLETTERS[number].html
    cut = html[: int(len(html) * part)]
    assert len(html_to_text(cut).text) <= len(cut)
    assert len(html_to_text(cut + noise + html[len(cut) + 3 :]).text) <= len(html)


HOSTILE = (
    *("<div>", "<b>", "<b a=1><i><font color=red><p>x", "<a><b><i><p>x</a>", "<table><b>x<td>"),
    *("<table><tr><td>x", "<tr><td>a<td>b", "<blockquote>x", "<ul><li>x", "<a href=https://x.example/>x"),
    *(f"<a href=https://x.example/{'x' * 60}>x</a>", "<svg><g><math>x", "<select><option>x", "<br>"),
    *("<p hidden>x</p>", "<p style='color:calc(1);left:var(--x)'>x", "<del>x", "1<sup>2</sup>"),
    *("<pre>\n\n", "&#8203;", "<!--", "<", "<p a b c d e f g=1>", "</p></b>", "\0", "\ud800"),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear(piece: str) -> None:
    def convert(size: int) -> tuple[str, str]:
        html = piece * (size // len(piece))
        return html_to_text(html).text, sanitize_html(html).text

    text, safe = assert_linear(convert, size=4_096, large=65_536)
    assert len(text) <= 65_536 * 4
    assert "hidden" not in safe.replace("[may be hidden: ", "")


WIDE = "<p class=a title=b>x</p>" * 2_000
DEEP = "<div class=a>" * 400 + "<p>x</p>" * 400
SHEETS = {
    "descendants": ("div div div div div div .q p{color:red}" * 800, DEEP),
    "universal": ("*{color:red}" * 1_500, WIDE),
    "siblings": ("p ~ p ~ p ~ p ~ p ~ i{color:red}" * 800, WIDE),
    "counting": ("p:nth-last-child(2n+1){color:red}" * 800, WIDE),
    "has": ("p:has(~ p i){color:red}" * 800, WIDE),
    "attributes": ("".join(f"[title*=b{number}]{{color:red}}" for number in range(1_500)), WIDE),
    "open braces": ("a{" * 50_000, "x"),
    "open brackets": (f"p{{width:{'calc(' * 50_000}", "x"),
    "stray semicolons": (";p{color:red};" * 5_000, WIDE),
    "imports": ("@import url(x);" * 5_000, WIDE),
}


@pytest.mark.parametrize("sheet", SHEETS)
def test_hostile_style_sheets_are_bounded(sheet: str) -> None:
    css, body = SHEETS[sheet]
    assert count_steps(lambda: html_to_text(f"<style>{css}</style>{body}")) < 8_000_000


@pytest.mark.parametrize(
    "html", ["<p style='{}'>x</p>", "x<img alt='{}'>", "x<p>{}y&gt;</p>", "<a href='{}'>x</a>"]
)
@pytest.mark.parametrize("piece", ["-", "--a:b;", "1", ",", ";", "(", "\\", "a ", "\n", "[", "color:red;"])
def test_long_attributes_and_texts_are_read(html: str, piece: str) -> None:
    """A regular expression that backtracks would not come back."""
    assert "x" in html_to_text(html.replace("{}", piece * (200_000 // len(piece)))).text

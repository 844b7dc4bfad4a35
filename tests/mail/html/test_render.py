"""What each element means to a reader of the text."""

import pytest

from mailmcp.mail.html.convert import html_to_text


def render(html: str) -> str:
    return html_to_text(html).text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("just text", "just text"),
        ("a &amp; b &lt; c &eacute;&nbsp;d", "a & b < c é d"),
        ("<p>one</p>\n\n<p>two</p>", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("<div><div><div>one</div></div></div>two", "one\ntwo"),
        ("one<br>two<br><br><br><br>three", "one\ntwo\n\nthree"),
        ("a<b>b</b> <i>c</i><u> d</u>", "ab c d"),
        ("<h1>Top</h1><h3>Sub <b>x</b></h3>text", "# Top\n\n### Sub x\n\ntext"),
        ("<h2></h2>text", "text"),
        ("a<hr>b", "a\n---\nb"),
        ("<pre>  x\n\n    y</pre>after", "  x\n\n    y\n\nafter"),
        ("<script>x</script><style>y</style><title>z</title><!-- c -->a", "a"),
        ("<p>a</p><xmp><b>x</b> &amp; y</xmp>", "a\n\n<b>x</b> &amp; y"),
        ("<p>a\n<p>b<div>c", "a\n\nb\n\nc"),
    ],
)
def test_blocks_become_lines(html: str, text: str) -> None:
    assert render(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li>a</li><li>b</li></ul>c", "- a\n- b\n\nc"),
        ("x<ol><li>a<li>b</ol>", "x\n\n1. a\n2. b"),
        ("<ol start=9><li>a<li>b<br>c</ol>", "9. a\n10. b\n    c"),
        ("<ol start=x><li>a</ol>", "1. a"),
        ("<ul><li><p>a</p><li><p>b</p><p>c</p></ul>", "- a\n- b\n\n  c"),
        ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"),
        ("<li>stray</li>", "- stray"),
        ("<blockquote>a<p>b</p><blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>\n> > c\n\nd"),
        # Editors indent with quotations that have no border.
        ('a<blockquote style="margin:0 0 0 40px;border:none;padding:0px">b</blockquote>', "a\n\n  b"),
        (
            'a<blockquote style="MARGIN: 0 0 0 40px; BORDER: medium">b<br>c</blockquote>d',
            "a\n\n  b\n  c\n\nd",
        ),
        ('<blockquote style="border:none;border-left:solid blue 1.5pt">b</blockquote>', "> b"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n  b\nc\n  d"),
    ],
)
def test_lists_and_quotes_are_marked(html: str, text: str) -> None:
    assert render(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<table><tr><th>Item<th>Price<tr><td>Rope<td>12</table>",
            "Item | Price\nRope | 12",
        ),
        ("a<table><tr><td>b<td>c</table>d", "a\n\nb | c\n\nd"),
        (
            "<table><thead><tr><th></th><th>x</th><th>y</th></tr></thead><tr><td>r<td>1<td></table>",
            "| x | y\nr | 1",
        ),
        # Cells that cover others: what stands below and beside them stays in its column.
        ("<table><tr><td>a<td>b<td>c<tr><td colspan=2>d<td>e</table>", "a | b | c\nd |  | e"),
        ("<table><tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e</table>", "a | b | c\n| d | e"),
        (
            "<table><tr><td>a<td rowspan=3>b<td>c<tr><td>d<td>e<tr><td>f<td>g</table>",
            "a | b | c\nd |  | e\nf |  | g",
        ),
        ("<table><tr><td colspan=x rowspan=0>a<td>b</table>", "a | b"),
        ("<table><tr><td>Rope<br>10 mm<td>2<td>12.00</table>", "Rope / 10 mm | 2 | 12.00"),
        # Layout: one column, or cells that are texts of their own.
        ("<table><tr><td></td><td>a</td><td> </td></tr><tr><td>b</table>", "a\nb"),
        ("<table><tr><td><table><tr><td><table><tr><td>a</table></table></table>", "a"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a\n\nb\n\nc"),
        ("<table><tr><td><table><tr><td>a<td>b</table></td></tr><tr><td>c</table>", "a | b\nc"),
        ("<table>stray<tr><td>a</table>", "stray\n\na"),
        ("<blockquote><table><tr><td>a<td>b<tr><td>c</table></blockquote>", "> a | b\n> c"),
    ],
)
def test_rows_of_data_are_lines_and_layout_is_not_seen(html: str, text: str) -> None:
    assert render(html) == text


def test_very_deep_tables_keep_their_text() -> None:
    assert render("<table><tr><td>a" * 40).split() == ["a"] * 40


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<s>40.00</s> 30.00", "~~40.00~~ 30.00"),
        ("a <del><s>40</s></del>, 30", "a ~~40~~, 30"),
        ("a <s></s> b<s> </s>c", "a b c"),
        ("12<sup>99</sup>", "12^99"),
        ("12 <sup>99</sup> a<sup>2</sup> 1<sup>st</sup><sup></sup>", "12 99 a2 1st"),
    ],
)
def test_struck_and_raised_text_keeps_its_meaning(html: str, text: str) -> None:
    assert render(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href='https://x.example/p?q=1&amp;r=2'>here</a>.", "here <https://x.example/p?q=1&r=2>."),
        ("<a href=mailto:a@b.example>Ada</a>", "Ada <mailto:a@b.example>"),
        (
            "<a href=#top>a</a> <a href=mid:x>b</a> <a href=/rel>c</a> <a>d</a> <a href=cid:x>e</a>",
            "a b c d e",
        ),
        ("<a href=https://x.example/> </a>a", "a"),
        ("<a href='https://x.example/a b\n<c>'>x</a>", "x <https://x.example/a%20b%3Cc%3E>"),
        (
            "<a href=https://x.example/><img alt=Logo></a> <a href=https://x.example/>Shop</a>",
            "[Logo] <https://x.example/> Shop <https://x.example/>",
        ),
        ("<a href=https://x.example/>a<p>b</p></a>", "a\n\nb\n\n<https://x.example/>"),
    ],
)
def test_links_say_where_they_go(html: str, text: str) -> None:
    assert render(html) == text


LONG = f"https://track.example/c/{'x' * 60}"
"""Such targets cost more than the text around them."""


@pytest.mark.parametrize("quoted", ["<p>{}<p>a<p>b", "<table><tr><td>{}</td></tr></table><p>a"])
def test_the_host_of_a_number_is_not_that_of_a_quotation(quoted: str) -> None:
    """Quotations are collapsed, and the host with them."""
    link = f"<a href={LONG}>one</a>"
    text = render(f"<blockquote type=cite>{quoted.replace('{}', link)}</blockquote><p>Now</p>{link}")
    assert text.endswith("one [1: track.example]")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href={}>Buy</a>", "Buy [1: track.example]"),
        ("now <a href={}> Buy <b>two</b></a>, or", "now Buy two [1: track.example], or"),
        ("<a href={}>Buy</a> <a href={}2>Sell</a>", "Buy [1: track.example] Sell [2]"),
        ("<a href={}>Buy</a> <a href={}>it</a>", "Buy [1: track.example] it [1]"),
        ("<a href={}><img alt=Logo></a>", "[Logo] [1: track.example]"),
        ("<a href={}><img alt=Logo>Buy</a>", "[Logo]Buy [1: track.example]"),
        ("<a href={}><s>9</s> 8</a>", "~~9~~ 8 [1: track.example]"),
        ("<a href={}>a<br>b</a>", "a\nb [1: track.example]"),
        ("<a href={}><table><tr><td>a<td>b</table></a>", "a | b\n\n[1: track.example]"),
        (
            "<ul><li><a href={}>a</a><li><h1><a href={}2>b</a></h1></ul>",
            "- a [1: track.example]\n- # b [2]",
        ),
        ("<a href={}>{}</a>", "{}"),
        ("<p style='opacity:var(--x)'><a href={}>a]</a>", "[may be hidden: a) (1: track.example)]"),
    ],
)
def test_long_targets_have_numbers(html: str, text: str) -> None:
    assert render(html.replace("{}", LONG)) == text.replace("{}", LONG)


def test_the_targets_with_numbers_can_be_had() -> None:
    page = f"<a href={LONG}>a</a><a href=https://x.example/>b</a><a href={LONG}2>c</a>"
    read = html_to_text(page, first_link=7)
    assert read.text == "a [7: track.example]b <https://x.example/>c [8]"
    assert read.links == (LONG, f"{LONG}2")
    in_full = html_to_text(page, full_links=True)
    assert (in_full.text, in_full.links) == (f"a <{LONG}>b <https://x.example/>c <{LONG}2>", ())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<img src=x alt='A  boat'>", "[A boat]"),
        ("<img src=x>", ""),
        ("<img src=x alt=''>", ""),
        ("<img alt='button] <https://bank.example> ['>", "[button) <https://bank.example> (]"),
        ("<img alt='9 quoted lines'><img alt=Picture>", "[picture: 9 quoted lines][picture: Picture]"),
        ("<img src=x alt=boat width=100 height=10>", "[boat]"),
        ("<img src='data:image/png;base64,iVBORw0KGgo='>", "[picture]"),
        ("<img src=' DATA:image/svg+xml,%3Csvg/%3E' alt=''>", "[picture]"),
        ("<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACw=' width=600>", ""),
    ],
)
def test_images_are_their_alternative_text(html: str, text: str) -> None:
    assert render(html) == text


def test_invisible_characters_are_counted() -> None:
    read = html_to_text("<p>a&#8203;b</p><p>&zwnj;&nbsp;&#847;</p>c")
    assert (read.text, read.removed.invisible) == ("ab\n\nc", 3)


def test_areas_of_pictures_show_where_they_lead() -> None:
    area = "<map><area href=https://shop.example/x alt=x></map>"
    assert render(area) == "[area of a picture] <https://shop.example/x>"

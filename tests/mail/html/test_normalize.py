import pytest
from selectolax.lexbor import LexborHTMLParser

from mailmcp.limits import HTML_DEPTH_MAX
from mailmcp.mail.html.normalize import normalize_html
from steps import assert_linear


@pytest.mark.parametrize(
    ("html", "tamed"),
    [
        ("", ""),
        ("a < b && c <3 d", "a &lt; b && c &lt;3 d"),
        ("<p class=x>a<br>b</p>", "<p class=x>a<br>b</p>"),
        ("<DIV>a</div>", "<div>a</div>"),
        # What is no text goes.
        ("a<!-- b -->c<!-->d<!--->e<!-- f --!>g", "acdeg"),
        ("a<!doctype html>b<?xml?>c</ >d", "abcd"),
        ("a<![CDATA[b]]>c", "ac"),
        ("a<script>if (x < 1) '<p>'</script >b", "ab"),
        ("a<STYLE>p {}</style>b<title>c</title>d", "abd"),
        ("a<script>never closed <p>b", "a"),
        ("a<!-- never closed <p>b", "a"),
        ('a<p title="never closed>b', "a"),
        ("a<p>b</p x='never closed>c", "a<p>b"),
        ("a<p class", "a"),
        ("a<style>p {}</style\x0b>b</style\xa0>c</style\f>d", "ad"),
        ("a\x00<p b\x00=c>", "a\x00<p b\x00=c>"),  # the parser knows where it counts
        # What is nested wrongly is nested rightly.
        ("<p>a<p>b", "<p>a</p><p>b"),
        ("<p><b>a<p>b", "<p><b>a</b></p><p><b>b"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        (
            "<table><tr><td>a<td>b<tr><td>c</table>",
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        ("<b><i>a</b>b</i>", "<b><i>a</i></b><i>b</i>"),
        (
            "<div><table><tr><td>a</div>b</td></tr></table></div>",
            "<div><table><tr><td>ab</td></tr></table></div>",
        ),
        ("<b><div>a</b>b</div>c", "<b><div>a</b>b</div>c"),  # any parser takes the block out of it
        ("<p><a href=x><div>a</div></a>b", "<p><a href=x></a></p><div><a href=x>a</a></div>b"),
        ("<p><a href=x>a<p><img>", "<p><a href=x>a</a></p><p><a href=x><img>"),
        ("<a href=x>a<a href=y>b", "<a href=x>a</a><a href=y>b"),
        ("<nobr>a<nobr>b", "<nobr>a</nobr><nobr>b"),
        ("<p><b><div><u>a", "<p><b></b></p><div><b><u>a"),
        ("<table><b><tr><td>a</table>b", "<table><b><tr><td>a</td></tr></b></table><b>b"),
        ("<table><tr><i></tr></table>b", "<table><tr><i></i></tr></table><i>b"),
        ("<table><tr><td><i></table>b", "<table><tr><td><i></i></td></tr></table>b"),
        ("<svg/>a<svg x=y/>b", '<span data-mailmcp="svg"/></span>a<span data-mailmcp="svg" x=y/>b'),
        ("a</p></b></table></td>b</br>c", "ab<br>c"),
        ("<td>a</td><td>b</td>", "ab"),
        # What switches the parser to other rules is written as what it is to a reader.
        ("<html><head></head><body id=x>a</body></html>", '<body id="x">a'),
        (
            "<form hidden><button>a</button></form>",
            '<div data-mailmcp="form" data-mailmcp-form="1" hidden>'
            '<span data-mailmcp="button" data-mailmcp-form="1">a</span></div>',
        ),
        ("<template><p>a</p></template>", '<div data-mailmcp="template" hidden><p>a</p></div>'),
        (
            "<select><option>a</select>",
            '<span data-mailmcp="select"><span data-mailmcp="option">a</span></span>',
        ),
        ("<svg><text>a</text></svg>", '<span data-mailmcp="svg"><text>a</text></span>'),
    ],
)
def test_tags_are_written_back_well_nested(html: str, tamed: str) -> None:
    assert normalize_html(html).html == tamed


def test_quoted_attributes_are_read_as_the_standard_says() -> None:
    """A ">" in them ends no tag, and quotes elsewhere begin no value."""
    assert normalize_html("<p title='a>b' x=\"c>d\">e").html == "<p title='a>b' x=\"c>d\">e"
    assert normalize_html('<p "x>a<i>b').html == '<p "x>a<i>b'
    assert normalize_html('<p a=b"c>d').html == '<p a=b"c>d'


def test_depth_is_bounded_and_no_text_is_lost() -> None:
    tamed = normalize_html("<div>" * 1_000 + "deep<p>down" + "</div>" * 1_000 + "after").html
    assert tamed.count("<div>") == HTML_DEPTH_MAX
    assert tamed.count("</div>") == HTML_DEPTH_MAX
    assert "deep<br>down" in tamed
    assert tamed.endswith("</div>after")


def test_a_form_between_rows_is_empty() -> None:
    """Its end tag, and its start tag for a paragraph, end nothing (HTML standard, section 13.2.6.4.9)."""
    form = '<form data-mailmcp="form" data-mailmcp-form="1" id=x></form>'
    between = normalize_html("<table><form id=x><tr><td>a</td></tr></form></table>")
    assert (between.html, between.ambiguous) == (f"<table>{form}<tr><td>a</td></tr></table>", False)
    in_paragraph = normalize_html("<table><p><form id=x></form>a</p></table>")
    assert (in_paragraph.html, in_paragraph.ambiguous) == (f"<table><p>{form}a</p></table>", False)


def test_an_end_tag_of_no_open_form_ends_none_around() -> None:
    assert normalize_html("<form><table></form></table></form>a").html == (
        '<div data-mailmcp="form" data-mailmcp-form="1"><table></table>a'
    )


def test_the_end_of_an_element_around_a_block_ends_what_is_open_in_it() -> None:
    """It is opened again before the next text (HTML standard, section 13.2.6.4.7)."""
    assert normalize_html("<b><div><i>a</b><p>c").html == "<b><div><i>a</i></b><p><i>c"


def test_a_table_that_stays_in_its_paragraph_may_change_what_ends() -> None:
    """Without a doctype, the paragraph is still open after the table: an end tag of `q` ends nothing."""
    assert normalize_html("<q><p><table></table></q>a").ambiguous
    assert not normalize_html("<p><table></table></p>a").ambiguous
    assert not normalize_html("<!doctype html><q><p><table></table></q>a").ambiguous


def test_formatting_is_bounded() -> None:
    assert normalize_html("<b>" * 10 + "x").html == "<b>" * 8 + '<span data-mailmcp="b">' * 2 + "x"


def test_a_long_tag_keeps_what_matters() -> None:
    noise = " ".join(f"data-{n}=1" for n in range(2_000))
    tamed = normalize_html(
        f'<a {noise} href=\'https://x.example/?"\' style=color:red title="href=no" HIDDEN>x</a>'
    )
    assert tamed.html == '<a href="https://x.example/?&quot;" style="color:red" hidden="">x</a>'


def test_no_attribute_is_too_long_to_hide_by() -> None:
    style = f"font-family:{'x' * 5_000};display:none"
    assert normalize_html(f'<p style="{style}">x').html == f'<p style="{style}">x'


def test_mail_cannot_say_that_an_element_is_another() -> None:
    html = '<p Data-Mailmcp=div class=y>a</p><input data-mailmcp-form="1"><form data-mailmcp="p">b</form>'
    normalized = normalize_html(html)
    assert normalized.html == (
        '<p class="y">a</p><input><div data-mailmcp="form" data-mailmcp-form="1">b</div>'
    )
    assert normalized.ambiguous


def test_attributes_are_read_as_browsers_do() -> None:
    value = "x" * 5_000
    tag = f"""<p =a "b=c d='e"' f g='' title={value} D=2 />"""
    read = f'<p =a="" "b="c" d="e&quot;" f="" g="" title="{value}">h'
    normalized = normalize_html(f"{tag}h")
    assert (normalized.html, normalized.ambiguous) == (read, False)
    many = " ".join(f"a{number}" for number in range(200))
    assert normalize_html(f"{tag[:-2]} {many}>h").ambiguous


def test_style_sheets_are_set_aside() -> None:
    normalized = normalize_html(
        "<style>p {}</style>a<STYLE type=text/css media='print'>b < c</style ><style>d"
    )
    assert normalized.html == "a"
    assert [(sheet.css, sheet.media) for sheet in normalized.sheets] == [
        ("p {}", ""),
        ("b < c", "print"),
        ("d", ""),
    ]
    assert normalize_html("<!--[if mso]><style>a</style><![endif]-->").sheets == ()


HOSTILE = {
    "div": "<div>",
    "formatting": "<b>",
    "distinct fonts": "<font a><p>",
    "tables": "<table>",
    "cells": "<table><tr><td>",
    "lists": "<ul><li>",
    "open tags": "<a",
    "comments": "<!--",
    "closed comments": "<!---->",
    "quotes": '<a b="',
    "scripts": "<script>",
    "closed scripts": "<script></script>",
    "misnested": "<b><div><span></b></div>",
    "angles": "<",
    "ends": "</",
    "foreign": "<svg><math>",
    "selects": "<select><option>",
    "templates": "<template>",
    "ampersands": "&#0;&",
    "links": "<a href=x><p>a",
    "ends across blocks": "<i><b><div>a</b></div>",
    "formatting in tables": "<table><b><tr></b></table>a",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_is_linear_also_that_of_parsing_the_result(piece: str) -> None:
    """The parser is of C: half of the most that is read of one part costs it 6 s as <div>s alone."""
    html = "<p>" + "<i>" * 8 + piece * (262_144 // len(piece)) + "end"
    assert LexborHTMLParser(normalize_html(html).html).body is not None
    assert_linear(lambda size: normalize_html(piece * (size // len(piece))), large=262_144)

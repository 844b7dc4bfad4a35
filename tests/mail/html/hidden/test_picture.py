"""Alternative text of pictures that nobody sees."""

import pytest

from mailmcp.mail.html.convert import html_to_text, sanitize_html
from mailmcp.mail.html.hidden.remove import parse_html, remove_hidden


@pytest.mark.parametrize(
    "html",
    [
        "<img alt=MARK width=1 height=1>",
        "<img alt=MARK width=1px>",
        "<img alt=MARK height=0>",
        "<img alt=MARK style='width:1px;height:1px'>",
        "<img alt=MARK style='height:0pt'>",
        "<style>img{max-width:0%}</style><img alt=MARK>",
        "<img alt=MARK style='visibility:hidden'>",
        "<p style='visibility:collapse'><a href=https://x.example><img alt=MARK></a></p>",
        "<p style='display:none'><img alt=MARK></p>",
        "<div style='opacity:0'><img alt=MARK></div>",
        "<img alt=MARK hidden>",
        "<img alt=MARK style='display:contents'>",
        "<img alt=MARK popover>",
        "<ruby><rp>(<img alt=MARK></rp></ruby>",
        "<div style='text-indent:-9999px'><img alt=MARK></div>",
    ],
)
def test_it_is_removed_if_the_picture_is_hidden(html: str) -> None:
    page = f"<!doctype html><p>shown</p>{html}"
    assert html_to_text(page).text == "shown"
    assert "MARK" not in sanitize_html(page).text


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>x</summary><img alt=MARK></details>",
        "<video><img alt=MARK></video>",
        "<object data=x><a href=https://x.example/><img alt=MARK></a></object>",
        "<select><option><img alt=MARK></select>",
        "<img alt=MARK hidden=until-found>",
        "<img alt=MARK style='contain:size'>",
        "<style>@supports(display:block){img{display:contents}}</style><img alt=MARK>",
        "<div style='opacity:calc(0)'>a <img alt=MARK> b</div>",
        "<div style='opacity:calc(0)'><img alt='] MARK'></div>",
        "<style>@supports(display:block){img{display:none}}</style><img alt=MARK>",
        "<style>@supports(display:block){img{visibility:hidden}}</style><img alt=MARK>",
        "<img alt=MARK style='width:calc(1px*1)'>",
        "<img alt=MARK style='height:0%'>",
        "<img alt=MARK style='width:min(0px,100px)'>",
        "<div style='width:1px'><a href=https://x.example><img alt=MARK style='max-width:100%'></a></div>",
        "<div style='width:100px'><img alt=MARK style='max-width:1%;display:block'></div>",
        "<div style='height:1px'><img alt=MARK style='max-height:100%'></div>",
        "<img alt=MARK style='width:1px;min-width:99px'>",
        "<img alt=MARK style='max-width:clamp(0px,1px,200px)'>",
        "<p style='width:1px;overflow:inherit'><img alt=MARK></p>",
        "<div style='width:1px'><img alt=MARK style='display:block'></div>",
        "<div style='width:1px'><img alt=MARK style='float:left;width:50px'></div>",
        "<div style='width:1px'><img alt=MARK style='max-width:fit-content'></div>",
        "<div style='width:1px'><img alt=MARK style='width:max-content'></div>",
        "<img alt=MARK style='display:block;margin:0 600px'>",
    ],
)
def test_it_is_marked_if_the_picture_may_be_hidden(html: str) -> None:
    page = f"<!doctype html><p>shown</p>{html}"
    for text in (html_to_text(page).text, sanitize_html(page).text):
        assert "[may be hidden: " in text
        assert text.index("[may be hidden: ") < text.index("MARK") < text.index("]")


@pytest.mark.parametrize(
    "html",
    [
        "<img alt=MARK>",
        "<img alt=MARK width=100% height=auto style='max-width:100%;min-width:0'>",
        "<p style='width:calc(1px*300)'><img alt=MARK width=100%></p>",
        "<p style='line-height:0;letter-spacing:-1em'><img alt=MARK width=40></p>",
        "<p style='color:#fff;font-size:0'><img alt=MARK width=40></p>",
        "<p style='visibility:hidden'><img alt=MARK style='visibility:visible'></p>",
        "<details open><summary>x</summary><img alt=MARK></details>",
        "<div style='width:1px'><img alt=MARK></div>",
        "<div style='width:20px'><img alt=MARK width=20 style='display:block'></div>",
    ],
)
def test_it_is_shown_with_the_picture_whatever_the_style_of_text(html: str) -> None:
    assert "[MARK]" in html_to_text(f"<!doctype html>{html}").text


def test_a_picture_without_alternative_text_is_neither_marked_nor_counted() -> None:
    hidden = remove_hidden(parse_html("<video><img alt=' '><img></video><img width=1 height=1>"))
    assert (hidden.marked, hidden.by_technique, hidden.chars) == (0, {}, 0)


def test_a_picture_that_is_shown_ends_a_mark() -> None:
    dim = "<span style='opacity:calc(0)'>dim</span>"
    html = f"<!doctype html><p>{dim}<img alt=MARK>{dim}<img>{dim}</p>"
    assert html_to_text(html).text == "[may be hidden: dim][MARK][may be hidden: dimdim]"

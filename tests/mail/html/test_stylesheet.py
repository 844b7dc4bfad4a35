"""Which rules of style sheets apply to an element, and which of them counts."""

import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.stylesheet import media_applies

BODY = '<div class="o X" id=d><p class="x y" id=i title="a b" lang=en-GB>MARK</p></div>'


def verdict(css: str, body: str = BODY) -> str:
    """Return whether the text is `hidden` or `shown`."""
    text = html_to_text(f"<!doctype html><style>{css}</style>shown{body}").text
    assert text.startswith("shown")
    assert "[may be hidden: " not in text
    return "hidden" if "MARK" not in text else "shown"


@pytest.mark.parametrize(
    "selector",
    [
        "p", "P", "div *", "*|p", ".x", ".x.y", "#i", "p#i.x", "div p", "div > p", "body p", "#d>.x",
        "[title]", "[title='a b']", "[class~=x]", "[lang|=en]", "[title$=b]", "[title*=' ']",
        "b, p", "html .x", ":root p", ".x/**/", "<!-- p", "p:link,p", "[title^=a]", "\\.q,p",
    ],
)  # fmt: skip
def test_a_selector_matches(selector: str) -> None:
    assert verdict(f"{selector}{{display:none}}") == "hidden"


@pytest.mark.parametrize(
    "selector",
    [
        "b", ".q", "#q", ".x.q", "p p", "body > p", "p > div", "[title=a]", "[class=x]", "[q]", "p:hover",
        "p:visited", "p::before", "p:before", "p:foo", "p::-webkit-x, b", "; p", "} p", "p >", "", "p..x",
        "p + p", "u + #d .x", "#outlook p",
    ],
)  # fmt: skip
def test_a_selector_does_not_match_or_is_invalid(selector: str) -> None:
    assert verdict(f"{selector}{{display:none}}") == "shown"


@pytest.mark.parametrize(
    ("css", "style", "found"),
    [
        ("p{display:none}p{display:block}", "", "shown"),
        ("p{display:block}p{display:none}", "", "hidden"),
        (".x{display:none}p{display:block}", "", "hidden"),
        ("p{display:none}", "display:block", "shown"),
        ("p{display:none!important}", "display:block!important", "shown"),
        ("p{font-weight:bold}p{color:#fff}", "", "hidden"),
        ("p{color:#fff}", "background:#000", "shown"),
        ("div{display:none}", "", "hidden"),
        ("@font-face{color:red}@page{color:red}p{opacity:0}", "", "hidden"),
        ("@import url(https://x.example/);p{opacity:0}", "", "hidden"),
        ("p{opacity:0};b{color:red};i{color:red}", "", "hidden"),
        ("@keyframes x{from{opacity:0}}", "", "shown"),
        ("p:nth-child(n){display:none}", "", "hidden"),
        ("p:not(.q){display:none}", "", "hidden"),
        ("p:nth-child(2){display:none}", "", "shown"),
        ("div{p{display:none}}", "", "hidden"),
        ("div{& p{display:none}}", "", "hidden"),
        ("@layer a{p{display:none}}", "", "hidden"),
        ("@supports (color:red){p{display:none}}", "", "hidden"),
        ("@supports not (color:red){p{display:none}}", "", "shown"),
        ("@media (color){@media screen{p{display:none}}}", "", "hidden"),
    ],
)
def test_importance_specificity_and_order_decide(css: str, style: str, found: str) -> None:
    assert verdict(css, BODY.replace("<p", f"<p style='{style}'")) == found


def test_only_style_sheets_that_are_there_count() -> None:
    css = "p{display:none}</style>"
    for tag in (f"<style type=text/plain>{css}", f"<!--<style>{css}-->", f"<style media=print>{css}"):
        assert html_to_text(f"{tag}<p>MARK</p>").text == "MARK"
    for tag in (f"<style type='TEXT/CSS'>{css}", f"<body><style media=screen>{css}"):
        assert html_to_text(f"<p>MARK</p>{tag}").text == ""


@pytest.mark.parametrize(
    ("queries", "applies"),
    [
        ("", True),
        ("all", True),
        ("SCREEN", True),
        ("print, screen", True),
        ("(min-width: 480px)", True),
        ("screen and (min-width:40em) and (max-width: 2000px)", True),
        ("print", False),
        ("not all", False),
        ("speech, handheld", False),
        ("only screen and (max-width: 600px)", False),
        ("(min-width:2000px)", False),
        ("screen and (-webkit-min-device-pixel-ratio: 1.5)", False),
        ("print, ( hover : hover )", True),
        ("(min-width:1px) or (x:y)", True),
        ("(x:y)", False),
    ],
)
def test_media_are_those_of_a_window_on_a_desk(queries: str, *, applies: bool) -> None:
    assert media_applies(queries) is applies

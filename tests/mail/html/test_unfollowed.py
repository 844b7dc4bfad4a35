"""Rules that are not followed are told if they may hide something, and only then."""

import pytest
import tinycss2

from mailmcp.mail.html.convert import STYLES_NOT_KNOWN, html_to_text
from mailmcp.mail.html.selector import Element
from mailmcp.mail.html.style import parse_style
from mailmcp.mail.html.unfollowed import hides, names_needed, names_of
from newsletters.kit import Newsletter
from newsletters.making import make_newsletters

PAGE = "<style>{}</style><div class='o'><p class='x' id='i'>shown</p><p>shown</p></div>"
HIDING = "display:none"


def told(css: str) -> bool:
    return html_to_text(PAGE.format(css)).defects == (STYLES_NOT_KNOWN,)


@pytest.mark.parametrize(
    "selector",
    [
        "p:nth-child(2)", "p:last-child", "p:is(.x)", ":where(#i)", "p:not(.a, .b)", "p:not(:hover)",
        "p:first-line", "p::first-letter", "b, .x:nth-of-type(1)", "*|p", "& p", "div.o > #i:empty",
        "*:only-child", "p:-webkit-any(.x)", " ".join(["*"] * 9), "p:has(~ p)", "p:lang(en)",
    ],
)  # fmt: skip
def test_a_selector_that_is_not_understood_is_told_if_its_block_hides(selector: str) -> None:
    assert told(f"{selector}{{{HIDING}}}")
    assert not told(f"{selector}{{font-weight:bold;color:red;font-size:14px}}")


@pytest.mark.parametrize(
    "selector",
    [
        "p:hover", "a:visited", ".x:focus-within p", "p::before", "p:after", "p:-moz-focusring",
        "p::selection", ".none:nth-child(2)", "#none:empty", "span:last-child", ".x .none:is(p)",
    ],
)  # fmt: skip
def test_one_that_hides_nothing_here_is_not_told(selector: str) -> None:
    assert not told(f"{selector}{{{HIDING}}}")


@pytest.mark.parametrize(
    "css",
    [
        "@container (min-width:1px){p{display:none}}",
        "@scope (.o){p{display:none}}",
        "@supports not (x:y){p{display:none}}",
        "@media screen and ((min-width:1px) or (x(y))){p{display:none}}",
        ".o{p{display:none}}",
        ".o{color:red;& p{display:none}}",
        ".o{& .x{& b{} &{opacity:0}}}",
        "p{@media screen{display:none}}",
        ".o{@media screen{p{display:none}}}",
        "@container x{@media screen{p{display:none}}}",
        "@media all{p:last-child{display:none}}",
        "@layer a{p:last-child{display:none}}",
        "@media all{@media all{@media all{@media all{@media all{p{display:none}}}}}}",
    ],
)
def test_rules_within_others_are_told(css: str) -> None:
    assert told(css)


@pytest.mark.parametrize(
    "css",
    [
        "@container (min-width:1px){p{color:red} .none{display:none}}",
        "@container (min-width:1px){p:hover{display:none}}",
        "@container (min-width:1px){@media print{p{display:none}}}",
        "@container (min-width:1px);",
        "@media print{p:last-child{display:none}}",
        "@media (max-width:480px){p:last-child{display:none}}",
        "@media screen and ((x(y))){p{color:red}}",
        ".o{&:hover{display:none} p{color:red}}",
        ".o{@media print{p{display:none}}}",
        "@keyframes x{from{opacity:0} to{opacity:1}}",
        "@font-face{display:none}",
    ],
)
def test_those_that_hide_nothing_at_a_desk_are_not(css: str) -> None:
    assert not told(css)


def test_what_is_hidden_anyway_is_not_told() -> None:
    css = ".o{display:none} .x:nth-child(1){opacity:0}"
    assert html_to_text(PAGE.format(css)).defects == ()


@pytest.mark.parametrize("newsletter", make_newsletters(), ids=lambda newsletter: newsletter.name)
def test_newsletters_raise_no_alarm(newsletter: Newsletter) -> None:
    assert html_to_text(newsletter.html).defects == ()


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("display:none", True),
        ("visibility:hidden", True),
        ("visibility:collapse", True),
        ("opacity:.01", True),
        ("font-size:0", True),
        ("font-size:1%", True),
        ("letter-spacing:-1em", True),
        ("color:transparent", True),
        ("position:absolute;left:-9999px", True),
        ("max-height:0;overflow:hidden", True),
        ("color:#fff", False),
        ("display:block;font-size:12px;opacity:.5", False),
        ("", False),
    ],
)
def test_a_block_alone_is_judged(style: str, *, expected: bool) -> None:
    assert hides(parse_style(style)) == expected


def test_names_are_those_outside_brackets() -> None:
    nodes = tinycss2.parse_component_value_list("TD.Wide > p#a:is(.b):nth-child(2)[c]")
    assert names_needed(nodes) == frozenset({"td", ".Wide", "p", "#a"})
    element = Element(tag="td", attributes={"class": "Wide  b", "id": "a"})
    assert names_of(element) == {"td", ".Wide", ".b", "#a"}

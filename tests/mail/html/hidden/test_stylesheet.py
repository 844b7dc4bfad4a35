import pytest

from mailmcp.limits import CSS_CHARS_MAX, CSS_SELECTORS_MAX
from mailmcp.mail.html.hidden.stylesheet import Rules, parse_sheets
from mailmcp.mail.html.hidden.values import UNKNOWN
from mailmcp.mail.html.style_elements import StyleSheet
from steps import assert_linear


def parse(css: str, media: str = "") -> Rules:
    return parse_sheets([StyleSheet(css=css, media=media)])


def names(css: str) -> list[str]:
    return [rule.selector.compounds[-1].tag for rule in parse(css).rules]


@pytest.mark.parametrize(
    ("css", "tags"),
    [
        ("p{color:red} b, i{display:none}", ["p", "b", "i"]),
        ("p{font-weight:bold}", []),
        ("p{} b{color:red", ["b"]),
        ("p/**/ {color:red}", ["p"]),
        ("<!-- p{color:red} -->", ["p"]),
        ("p:hover, b{color:red}", ["b"]),
        ("@media screen{p{color:red}} @media print{b{color:red}}", ["p"]),
        ("@import url(https://x.example/); @font-face{color:red} @page{color:red} p{color:red}", ["p"]),
        ("@keyframes x{from{opacity:0} to{opacity:1}}", []),
        ("@media all{@media all{@media all{@media all{p{color:red}}}}}", ["p"]),
    ],
)
def test_rules_that_can_hide_are_found(css: str, tags: list[str]) -> None:
    assert names(css) == tags
    assert all(rule.certain for rule in parse(css).rules)


@pytest.mark.parametrize(
    ("css", "tags"),
    [
        ("p:nth-child(2){opacity:0}", ["p"]),
        ("p, :foo{opacity:0}", ["p", ""]),
        ("p,{opacity:0}", ["p", ""]),
        ("} p{opacity:0}", [""]),
        ("p::before::before, b{opacity:0}", ["", "b"]),
        ("@media (min-width:1px) or (x:y){p{opacity:0}}", ["p"]),
        ("@media screen and (min-width:(1px)){p{opacity:0}}", ["p"]),
        ("@layer x{p{opacity:0}} @layer y;", ["p"]),
        ("@supports (display:grid){p{opacity:0}} @supports not (display:grid){b{opacity:0}}", ["p", "b"]),
        ("@container (min-width:1px){p{opacity:0}}", ["p"]),
        ("@scope (div){p{opacity:0}}", ["p"]),
        ("@starting-style{p{opacity:0}}", ["p"]),
        ("@-moz-document url-prefix(){p{opacity:0}}", ["p"]),
        ("div{p{opacity:0}}", ["p"]),
        ("div{& p{opacity:0}}", [""]),
        ("div{@media all{opacity:0}}", ["div"]),
        ("div{@media print{opacity:0} b:hover{opacity:0}}", []),
    ],
)
def test_rules_that_may_apply_are_not_certain(css: str, tags: list[str]) -> None:
    assert names(css) == tags
    assert not any(rule.certain for rule in parse(css).rules)


def test_rules_nested_too_deeply_are_reported() -> None:
    assert parse("@media all{" * 9 + "p{opacity:0}" + "}" * 9).unchecked


@pytest.mark.parametrize(
    "css",
    [
        "@import 'data:text/css,p{}';",
        "@namespace url(x);",
        "p::before{content:'';position:absolute;height:90px;background:#fff}",
        "p:after{content:'x'}",
        "p::first-line{color:#fff}",
        "@font-face{font-family:a;src:url(data:x)}",
        "@font-face{src:local(x);size-adjust:0%}",
        ".é{color:red}",
        r".\e9{color:red}",
        "[a='\"']{color:red}",
        "p:not(:not(b)){color:red}",
        ":is(a,){color:red}",
        "p,{color:red}",
        "x|p{color:red}",
    ],
)
def test_what_is_not_in_the_rules_is_reported(css: str) -> None:
    assert parse(css).unchecked


@pytest.mark.parametrize(
    ("css", "colour"),
    [
        (":root{--a:#333} p{color:var(--a)}", "#333"),
        (":root{--a:#333} p{color:var( --a , red)}", "#333"),
        ("p{color:var(--a)} body, :root{--a:#333}", "#333"),
        (":root{--a:#333} @media print{:root{--a:red}} p{color:var(--a)}", "#333"),
        (":root{--a:#333} .x{--a:red} p{color:var(--a)}", UNKNOWN),
        (".x{--a:#333} p{color:var(--a)}", UNKNOWN),
        ("@supports (x:y){:root{--a:#333}} p{color:var(--a)}", UNKNOWN),
        ("p{color:var(--a)}", UNKNOWN),
    ],
)
def test_variables_count_if_they_have_one_value_in_the_whole_document(css: str, colour: str) -> None:
    assert [each.value for rule in parse(css).rules for each in rule.declarations] == [colour]


@pytest.mark.parametrize("opening", ["(", "f(", "[", "{"])
def test_deep_brackets_are_no_error(opening: str) -> None:
    closing = {"(": ")", "f(": ")", "[": "]", "{": "}"}[opening]
    deep = opening * 20_000 + "x" + closing * 20_000
    for css in (
        f"@media ({deep}){{p{{color:red}}}}",
        f"p[{deep}]{{color:red}}",
        f"p:not({deep}){{color:red}}",
    ):
        assert not any(rule.certain for rule in parse(css).rules)
    assert names(f"p{{color:{deep};top:1px}}") == ["p"]


def test_the_media_of_the_element_count() -> None:
    assert parse("p{color:red}", "print").rules == ()
    assert len(parse("p{color:red}", "screen").rules) == 1


def test_no_more_is_read_than_the_ceiling_and_it_is_said() -> None:
    many = parse("p{color:red}" * (CSS_SELECTORS_MAX + 1))
    assert (len(many.rules), many.unchecked) == (CSS_SELECTORS_MAX, True)
    full = StyleSheet(css="p{color:red}" + " " * (CSS_CHARS_MAX - 12), media="")
    assert not parse_sheets([full]).unchecked
    assert parse_sheets([full, StyleSheet(css="b{color:red}", media="")]).unchecked


HOSTILE = [
    "{",
    "(",
    "[",
    "a{b:(",
    "/*",
    "\\",
    '"',
    "@media all{",
    "a,",
    "url(",
    "<!--",
    "a{color:red}",
    "a{",
    "a{opacity:0;",
    "a:is(b){opacity:0}",
    "@scope{",
    "@scope{a{opacity:0}}",
    ":not(",
    "a b>",
    ";",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear(piece: str) -> None:
    assert_linear(lambda size: parse(piece * (size // len(piece))), large=CSS_CHARS_MAX)

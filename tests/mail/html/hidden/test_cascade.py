import pytest

from mailmcp.mail.html.hidden.cascade import Cascade, Family
from mailmcp.mail.html.hidden.remove import parse_html, remove_hidden
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.stylesheet import parse_sheets
from mailmcp.mail.html.hidden.values import UNKNOWN
from mailmcp.mail.html.style_elements import StyleSheet
from steps import count_steps


def cascade(css: str) -> Cascade:
    return Cascade(parse_sheets([StyleSheet(css=css, media="")]).rules)


def element(tag: str, **attributes: str) -> Element:
    return Element(tag=tag, attributes=attributes)


@pytest.mark.parametrize(
    ("css", "colours"),
    [
        ("p{color:red}", ["red", "red", "red"]),
        ("i + p{color:red}", ["", "red", ""]),
        ("i ~ p{color:red}", ["", "red", "red"]),
        ("div > p{color:red}", ["red", "red", "red"]),
        ("body > p{color:red}", ["", "", ""]),
        ("body p{color:red}", ["red", "red", "red"]),
        ("p > p{color:red}", ["", "", ""]),
        ("body div > i + p{color:red}", ["", "red", ""]),
        ("p p{color:red}", ["", "", ""]),
    ],
)
def test_relations_are_followed(css: str, colours: list[str]) -> None:
    """In ``<body><div><p><i><p><p>``, all the last four being children of the div."""
    rules = cascade(css)
    _, in_body = rules.values(element("body"), Family())
    _, in_div = rules.values(element("div"), in_body)
    found = []
    for tag in ("p", "i", "p", "p"):
        styles, _ = rules.values(element(tag), in_div)
        found += [styles.possible.get("color", "")] if tag == "p" else []
    assert found == colours


def test_importance_specificity_and_order_decide() -> None:
    rules = cascade("p{color:red;top:1px!important}.x{color:blue}p{color:green;top:2px;left:1px}p{left:2px}")
    attributes = {"class": "x", "style": "top:3px;left:3px"}
    styles, _ = rules.values(Element(tag="p", attributes=attributes), Family())
    assert styles.certain == {"color": "blue", "top": "1px", "left": "3px"}
    assert styles.possible is styles.certain
    assert not rules.unchecked


@pytest.mark.parametrize(
    ("css", "certain", "possible"),
    [
        ("p{color:red} @supports (x:y){p{color:blue}}", "red", "blue"),
        ("p{color:red} @supports (x:y){p{color:red}}", "red", "red"),
        ("@supports (x:y){p{color:blue}} p{color:red}", "red", "red"),
        ("@supports (x:y){p{color:blue!important}} p{color:red}", "red", "blue"),
        ("p{color:red} p:is(p){color:blue} p:where(p){color:green}", "blue", "blue"),
        ("p{color:red} p{color:lab(1 1 1)}", "red", UNKNOWN),
        ("p{color:red} p{color:fff}", "red", UNKNOWN),
        ("p{color:red} @supports (x:y){p{color:blue;top:0}}", "red", "blue"),
        ("p{color:red} @supports (x:y){p{color:blue}} @supports (y:x){p{float:left}}", "red", UNKNOWN),
        ("p{color:red} @supports (x:y){p{color:blue}} @supports (y:x){p{top:0}}", "red", "blue"),
        ("p{color:red} @supports (x:y){p{color:blue}} p{background:fff}", "red", UNKNOWN),
        ("p{color:red} @supports (x:y){p{color:blue}} p{top:9} p{top:9px}", "red", "blue"),
    ],
)
def test_what_is_not_certain_hides_but_shows_nothing(css: str, certain: str, possible: str) -> None:
    styles, _ = cascade(css).values(element("p"), Family())
    assert (styles.certain["color"], styles.possible["color"]) == (certain, possible)


@pytest.mark.parametrize(
    ("css", "name", "possible"), [("p{top:1px;top:9}", "top", "9px"), ("p{color:fff}", "color", UNKNOWN)]
)
def test_a_single_doubtful_value_counts_as_valid_unless_it_is_a_color(
    css: str, name: str, possible: str
) -> None:
    """Whether a color can be read depends on other elements, with doubts of their own."""
    styles, _ = cascade(css).values(element("p"), Family())
    assert styles.possible[name] == possible


def test_an_element_without_rules_has_no_values() -> None:
    assert cascade("").values(element("p"), Family())[0][:2] == ({}, {})


DEEP = "<div class=a>" * 200 + "x" + "</div>" * 200
WIDE = "<p class=a title=b>x</p>" * 3_000
HOSTILE = {
    "descendants": (".b " + "div " * 6 + ".a{color:red}", DEEP),
    "many descendants": ("div div div div div div div{color:red}" * 900, DEEP),
    "attributes": ("".join(f"[title*=b{number}]{{color:red}}" for number in range(1_500)), WIDE),
    "universal": ("*{color:red}" * 1_500, WIDE),
    "siblings": ("p ~ p ~ p ~ p ~ p ~ i{color:red}" * 500, WIDE),
    "unequal styles": (
        "p{color:red}" * 900,
        "".join(f"<p style=top:{number}px>x</p>" for number in range(3_000)),
    ),
    "doubts": (
        "",
        "".join(
            f"<div style='font-size:{number}px;font-size:max({number}em);top:{number}px;top:1'>" * 40
            + "x"
            + "</div>" * 40
            for number in range(60)
        ),
    ),
}


STEPS_MAX = 13_000_000


@pytest.mark.parametrize(("css", "body"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_selectors_take_bounded_time(css: str, body: str) -> None:
    """A quarter of a second for the most expensive."""
    document = parse_html(f"<style>{css}</style>{body}")
    assert count_steps(lambda: remove_hidden(document)) < STEPS_MAX
    assert document.tree.body is not None
    assert "x" in document.tree.body.text()

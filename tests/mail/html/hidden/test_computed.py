"""What works together: sizes, places, boxes that cut, colours."""

import pytest

from mailmcp.mail.html.hidden.computed import compute_style
from mailmcp.mail.html.hidden.declarations import parse_style
from mailmcp.mail.html.hidden.style import ComputedStyle
from mailmcp.mail.html.hidden.values import MAYBE


def compute(*styles: str, tag: str = "div") -> ComputedStyle:
    """Compute the style of the innermost of nested elements, the outermost first."""
    found = ComputedStyle()
    for style in styles:
        found = compute_style(tag, {each.name: each.value for each in parse_style(style)}, found)
    return found


def judge(*styles: str, tag: str = "div") -> str:
    return compute(*styles, tag=tag).judge_text()


@pytest.mark.parametrize(
    ("styles", "verdict"),
    [
        ([""], ""),
        (["font-size:50%", "font-size:50%"], MAYBE),
        (["font-size:50%", "font-size:30%"], "font size"),
        (["font-size:0", "font-size:2em"], "font size"),
        (["font-size:0", "font-size:medium"], ""),
        (["font-size:calc(9px - 8px)", "font-size:2em"], MAYBE),
        (["font-size:calc(9px - 8px)", "font-size:9px"], ""),
        (["opacity:.5", "opacity:.5"], ""),
        (["opacity:.3", "opacity:.3"], "opacity"),
        (["opacity:.3", "opacity:.5"], ""),
        (["opacity:.3", "opacity:.4;color:#333"], MAYBE),
        (["letter-spacing:-1em", "letter-spacing:0"], ""),
        (["letter-spacing:-1em", "letter-spacing:inherit"], "font size"),
        (["visibility:hidden", "visibility:visible"], ""),
        (["padding-left:300px"] * 4, MAYBE),
        (["margin-left:6000px"], "position"),
        (["margin-left:-15px", "padding-left:15px"] * 20, ""),
        (["position:absolute;left:-9999px", "position:static;left:0"], "position"),
        (["position:static;left:-9999px"], ""),
        (["position:sticky;left:-9999px"], ""),
        (["position:relative;bottom:9999px;top:auto"], "position"),
        (["position:relative;bottom:9999px;top:0"], ""),
        (["text-indent:-9999px", "all:initial"], MAYBE),
        (["position:relative", "position:inherit;left:-9999px"], "position"),
        (["margin-top:-9999px"], MAYBE),
        (
            [
                "color:#fff;-webkit-text-fill-color:red;background:currentcolor",
                "-webkit-text-fill-color:#fff",
            ],
            "colour",
        ),
        (["background:currentcolor;-webkit-text-fill-color:#fff"], ""),
        (["position:relative;right:9999px"], "position"),
        (["position:absolute;left:-40em"], "position"),
        (["text-indent:-9999px", "text-indent:0"], ""),
        (["position:absolute;left:-9999px;translate:9999px"], MAYBE),
    ],
)
def test_what_is_around_counts(styles: list[str], verdict: str) -> None:
    assert judge(*styles) == verdict


@pytest.mark.parametrize(
    ("styles", "verdict"),
    [
        (["height:0;overflow:hidden"], "extent"),
        (["max-width:1px", "overflow:hidden"], MAYBE),  # what is around may grow, as cells do
        (["max-width:1px;overflow-x:auto"], "extent"),
        (["height:0"], ""),
        (["height:0", "overflow:hidden"], MAYBE),
        (["height:0;overflow:hidden;padding-top:20px"], MAYBE),
        (["height:100%;overflow:hidden"], ""),
        (["height:40px;overflow:hidden"], ""),
        (["overflow:hidden;line-height:0"], MAYBE),
        (["overflow:hidden;width:200px", "margin-left:210px"], MAYBE),
        (["overflow:hidden;height:20px;padding-top:30px"], MAYBE),
        (["height:0;overflow:hidden;display:inline"], MAYBE),
    ],
)
def test_a_box_cuts_off_what_lies_beyond_it(styles: list[str], verdict: str) -> None:
    assert judge(*styles) == verdict


@pytest.mark.parametrize(
    ("tag", "style", "verdict"),
    [
        ("span", "height:0;overflow:hidden", MAYBE),
        ("span", "height:0;overflow:hidden;float:left", "extent"),
        ("span", "height:0;overflow:hidden;position:absolute", "extent"),
        ("span", "transform:scale(0)", MAYBE),
        ("td", "height:0;overflow:hidden", MAYBE),  # a block if its row is a flexible box
        ("td", "width:0;overflow:hidden", MAYBE),
        ("td", "height:0;overflow:hidden;display:block", "extent"),
        ("tr", "visibility:collapse", "visibility"),
        ("p", "clip:rect(0 0 0 0)", ""),
        ("p", "clip:rect(0 0 0 0);position:absolute", "clip"),
    ],
)
def test_not_every_element_is_such_a_box(tag: str, style: str, verdict: str) -> None:
    assert judge(style, tag=tag) == verdict


@pytest.mark.parametrize(
    ("styles", "verdict"),
    [
        (["background:#000", "color:#fff"], ""),
        (["background:#000;color:#fff", "background:#fff"], "colour"),
        (["background:rgba(0,0,0,.5)", "color:#fff"], ""),
        (["color:#fff;background:url(x)"], MAYBE),
        (["color:#fff;background:url(x) #000"], ""),
        (["color:#fff;background:url(x)", "background:#fff"], "colour"),
        (["color:#fff;background:linear-gradient(#000,#222)"], ""),
        (["color:#fff;background:linear-gradient(#000,#fff)"], MAYBE),
        (["color:#fff;background:linear-gradient(rgba(0,0,0,.01),transparent)"], "colour"),
        (["color:transparent;background:linear-gradient(#f00,#00f);-webkit-background-clip:text"], ""),
        (["color:transparent;background:linear-gradient(#fff,#fff);-webkit-background-clip:text"], "colour"),
        (["background-clip:text"], ""),
        (["background:#000;background-clip:text;color:#fff"], MAYBE),
        (["-webkit-text-fill-color:#fff", "color:#000"], "colour"),
        (["-webkit-text-fill-color:#fff", "-webkit-text-fill-color:currentcolor;color:#000"], ""),
        (["background:currentcolor"], "colour"),
        (["background:calc(x)"], MAYBE),
        (["background:calc(x)", "background:#eee"], ""),
        (["background:#000", "float:left;color:#fff"], MAYBE),
        (["background:#000;overflow:hidden", "float:left;color:#fff"], ""),
        (["background:#000", "position:absolute;color:#fff"], MAYBE),
        (["color:#fff;text-shadow:0 0 2px #000"], MAYBE),
    ],
)
def test_text_is_seen_against_all_that_may_lie_behind_it(styles: list[str], verdict: str) -> None:
    assert judge(*styles) == verdict


@pytest.mark.parametrize(
    ("styles", "unchecked"),
    [
        (["position:relative;top:2px"], False),
        (["position:relative;top:-30px"], True),
        (["position:static;top:-30px"], False),
        (["position:absolute"], True),
        (["position:fixed"], True),
        (["margin-top:-8px"], False),
        (["margin-bottom:-30px"], True),
        (["margin-left:-90px"], True),
        (["margin-right:9999px"], True),
        (["padding-top:9999px"], True),
        (["font-size:9999px"], True),
        (["transform:scale(.5)"], True),
        (["transform:rotate(0)"], False),
        (["box-shadow:0 -40px 0 40px #fff"], True),
        (["outline:40px solid #fff"], True),
        (["width:9000px"], True),
        (["background:url(data:image/png,x)"], True),
        (["background:url(https://x.example/a.png)"], False),
        (["height:20px;overflow:hidden", "padding-top:90px"], True),
        (["height:20px;overflow:hidden", "color:red"], False),
        (["color-scheme:dark"], True),
    ],
)
def test_what_may_hide_other_text_is_unchecked(styles: list[str], *, unchecked: bool) -> None:
    assert compute(*styles).unchecked is unchecked


def test_a_dark_document_is_white_on_black() -> None:
    assert compute("color-scheme:dark", tag="html").judge_text() == ""
    assert compute("color-scheme:dark;color:#000", tag="html").judge_text() == "colour"


@pytest.mark.parametrize(
    ("style", "capacity"),
    [
        ("", None),
        ("height:100%", None),
        ("width:72px;height:20px", 12),
        ("width:72px;height:48px;line-height:24px", 20),
        ("width:72px;height:5px", 0),
        ("width:72px;white-space:nowrap", 10),
    ],
)
def test_a_box_of_fixed_size_holds_so_many_characters(style: str, capacity: int | None) -> None:
    assert compute(style).capacity == capacity

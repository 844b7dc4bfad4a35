import math

import pytest

from mailmcp.mail.html.hidden.overflow import OverflowEstimate
from mailmcp.mail.html.hidden.remove import parse_html


def overflows(inner: str, width: float = math.inf, height: float = math.inf, style: str = "") -> bool:
    body = parse_html(f"<div style='{style}'>{inner}</div>").tree.body
    assert body is not None
    box = body.first_child
    assert box is not None
    return OverflowEstimate().overflows(box, (width, height), 16)


@pytest.mark.parametrize(
    ("inner", "height"),
    [
        ("one line", 20),
        ("<div><div><p>one line</p></div></div>", 20),
        ("a<br>b", 40),
        ("<p>a</p><p>b</p>", 40),
        ("<a style='padding:10px'>Buy</a>", 40),
        ("", 0),
    ],
)
def test_what_fits_is_not_cut_off(inner: str, height: float) -> None:
    assert not overflows(inner, height=height)


@pytest.mark.parametrize(
    ("inner", "height", "style"),
    [
        ("<br><br><br>secret", 20, ""),
        ("shown<p>secret</p>", 20, ""),
        ("<div style='height:60px'></div>secret", 20, ""),
        ("<img height=90>secret", 20, ""),
        ("<p style='margin:30px 0 0'>secret</p>", 20, ""),
        ("secret", 20, "padding-top:40px;box-sizing:border-box"),
    ],
)
def test_what_lies_below_a_box_is(inner: str, height: float, style: str) -> None:
    assert overflows(inner, height=height, style=style)


def test_lines_break_at_the_width_unless_they_must_not() -> None:
    text = "word " * 30
    assert overflows(text, width=100, height=40)
    assert not overflows(text, width=100)
    assert overflows(text, width=100, style="white-space:nowrap")
    assert not overflows("word", width=100, style="white-space:nowrap")


def test_estimating_is_bounded() -> None:
    estimate = OverflowEstimate()
    body = parse_html("<p>a</p>" * 30_000).tree.body
    assert body is not None
    assert estimate.overflows(body, (math.inf, 1e9), 16)

"""Only what is known to show, shows."""

import math

import pytest

from mailmcp.mail.html.hidden.values import (
    MAYBE,
    ROWS,
    UNKNOWN,
    Length,
    is_understood,
    parse_font_size,
    parse_length,
    parse_lengths,
    parse_opacity,
)


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("0", 0), ("0.00em", 0), ("-0px", 0), (".0%", 0), ("-1.5px", -1.5), ("3pt", 4), ("2em", 20),
        ("2ex", 10), ("2rem", 10), ("1e2px", 100), ("50%", 400), ("100vw", 1024), ("-50vmax", -512),
        ("20q", 18.9),
    ],
)  # fmt: skip
def test_lengths_are_read(text: str, pixels: float) -> None:
    length = parse_length(text)
    assert length is not None
    assert math.isclose(length.to_px(10, 800, 5), pixels)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12",
        "auto",
        "px",
        "1furlong",
        "1 px",
        "1e999px",
        "calc(1px - 1px)",
        "calc(2px * 0)",
        "min(-1px, 2px)",
        "1rlh",
        "1ic",
        "1cqw",
        UNKNOWN,
    ],
)
def test_other_units_are_not_understood(text: str) -> None:
    assert parse_length(text) is None


@pytest.mark.parametrize("text", ["calc(1px - 1px)", "calc(2px * 0)", "min(-1px, 2px)", "max(x, 1px)"])
def test_math_functions_without_a_lower_bound_are_not_understood(text: str) -> None:
    assert parse_lengths(text) == ()


def test_math_functions_are_read_as_their_terms() -> None:
    assert parse_lengths("clamp(14px, 2em, 20px)") == (Length(14), Length(em=2), Length(20))
    assert parse_lengths("calc(1rem + 2px)") == (Length(rem=1), Length(2))
    assert parse_lengths("50%") == (Length(whole=0.5),)


def test_a_number_has_the_unit_that_is_said() -> None:
    assert parse_length("12", "px") == parse_length("12px")


@pytest.mark.parametrize(
    ("value", "pixels"),
    [("medium", 16), ("smaller", 25), ("50%", 15), ("initial", 16), ("12px", 12)],
)
def test_font_sizes_are_read(value: str, pixels: float) -> None:
    assert [size.to_px(30, 30) for size in parse_font_size(value)] == [pixels]


@pytest.mark.parametrize(
    ("value", "opacity"),
    [(".5", 0.5), ("50%", 0.5), ("7", 1), ("-1", 0), ("-0", 0), ("unset", 1), ("inherit", None), ("x", None)],
)
def test_opacity_is_between_nothing_and_all(value: str, opacity: float | None) -> None:
    assert parse_opacity(value) == opacity


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("display", "inline-block", ""),
        ("display", "inherit", ""),
        ("display", "none", "display"),
        ("display", "table-column", MAYBE),
        ("display", "nonsense", MAYBE),
        ("visibility", "collapse", "visibility"),
        ("transform", "translate(10px, -50%)", MAYBE),
        ("transform", "scale(.9) rotate(3deg)", MAYBE),
        ("transform", "matrix(1,0,0,1,0,0)", ""),
        ("transform", "scale(.02)", "transform"),
        ("transform", "scale(1, 0)", "transform"),
        ("transform", "matrix(0,0,0,0,0,0)", "transform"),
        ("transform", "scale(.5)", MAYBE),
        ("transform", "rotateX(.25turn)", MAYBE),
        ("transform", "translate(-999px)", MAYBE),
        ("scale", "1 0", "transform"),
        ("clip-path", "inset(0 5px)", MAYBE),
        ("clip-path", "inset(50%)", "clip"),
        ("clip-path", "circle(0)", "clip"),
        ("clip-path", "polygon(0 0, 0 0, 0 0)", MAYBE),
        ("letter-spacing", "-1px", ""),
        ("letter-spacing", "-.05em", ""),
        ("letter-spacing", "5px", ""),
        ("letter-spacing", "-1em", "font size"),
        ("letter-spacing", "-1.em", MAYBE),
        ("letter-spacing", "-10.px", MAYBE),
        ("filter", "opacity(-.07)", MAYBE),
        ("transform", "matrix(0%,0,0,0,0,0)", MAYBE),
        ("letter-spacing", "999px", MAYBE),
        ("line-height", "normal", ""),
        ("line-height", "1.5", ""),
        ("line-height", "150%", ""),
        ("line-height", "24px", ""),
        ("line-height", "0", MAYBE),
        ("line-height", "9999px", MAYBE),
        ("grid-template-rows", "auto 1fr", ""),
        ("grid-template-rows", "0fr", MAYBE),
        ("animation", "none", ""),
        ("animation", "x 1s", MAYBE),
        ("border-image", "url(x) 30 round", MAYBE),
        ("border-image", "linear-gradient(red, red) 1 fill", MAYBE),
        ("position", "relative", ""),
        ("position", "absolute", "position"),
        ("outline", "2px solid #333332", ""),
        ("outline", "1em solid #fff", ""),
        ("outline", "40px solid #fff", MAYBE),
        ("outline", "2em solid #fff", MAYBE),
        ("border-top", "90px solid", MAYBE),
        ("border-left-width", "99vw", MAYBE),
        ("border-left", "60px solid #fff", ""),
        ("border", "solid windowtext .5pt", ""),
        ("box-shadow", "0 0 6px 1px rgba(247, 147, 29, 0.5)", ""),
        ("box-shadow", "0 -40px 0 40px #fff", MAYBE),
        ("box-shadow", "inset 0 1px 3px rgba(0,0,0,.2)", ""),
        ("box-shadow", "#ccc 0 1px 0 inset", ""),
        ("box-shadow", "inset 0 2px #000", MAYBE),
        ("text-shadow", "0 1px 0 #fff", ""),
        ("text-shadow", "0 1px 0 #fff, 0 0 2px", MAYBE),
        ("vertical-align", "middle", ""),
        ("vertical-align", "-90px", MAYBE),
        ("text-decoration", "underline wavy red", ""),
        ("text-decoration", "line-through 3em white", MAYBE),
    ],
)
def test_a_value_alone_is_judged(name: str, value: str, verdict: str) -> None:
    assert ROWS[name].judge(value.lower()) == verdict


@pytest.mark.parametrize("name", sorted(ROWS))
def test_nothing_shows_whatever_its_value(name: str) -> None:
    assert ROWS[name].judge(UNKNOWN) == MAYBE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("padding-left", "-1px"), ("height", "-1px"), ("font-size", "-1px"), ("width", "1cqw"),
        ("color", "whitish"), ("background-color", "none"), ("left", "5"), ("position", "under"),
        ("opacity", "calc(0)"), ("background-size", "0"), ("box-shadow", "inset 0 0 0 99px #000"),
    ],
)  # fmt: skip
def test_a_value_that_is_invalid_or_computed_is_not_understood(name: str, value: str) -> None:
    assert not is_understood(name, value)

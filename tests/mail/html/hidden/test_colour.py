import pytest

from mailmcp.mail.html.hidden.colour import (
    BLACK,
    WHITE,
    Colour,
    blend,
    is_readable,
    parse_colour,
    parse_image,
)


@pytest.mark.parametrize(
    ("value", "colour"),
    [
        ("#fff", WHITE),
        ("FFFFFF", WHITE),
        ("#ffffff80", Colour(1, 1, 1, 128 / 255)),
        (" Black ", BLACK),
        ("rgb(0, 0, 0)", BLACK),
        ("rgb(0 0 0 / 0)", Colour(0, 0, 0, 0)),
        ("rgba(255,255,255,.5)", Colour(1, 1, 1, 0.5)),
        ("rgb(900,-5,0)", Colour(1, 0, 0)),
        ("hsl(0,0%,100%)", WHITE),
        ("transparent", Colour(0, 0, 0, 0)),
        ("currentcolor", None),
        ("inherit", None),
        ("lab(50% 0 0)", None),
        ("lab(100% 0 0)", None),
        ("oklch(0 0 0)", BLACK),
        ("oklch(1 0 0 / .5)", None),
        ("oklch(1 0)", None),
        ("oklch(.5 .1 1e999)", None),
        ("oklch(1e200 0 0)", None),
        ("color(srgb 1 1 1)", WHITE),
        ("color(display-p3 1 1 1)", None),
        ("rgb(from white r g b)", None),
        ("color-mix(in srgb, white, white)", None),
        ("light-dark(#fff, #000)", None),
        ("Window", WHITE),
        ("WindowText", BLACK),
        ("ButtonFace", None),
        ("Canvas", None),
        ("canvastext", None),
        ("rgb(none none none)", None),
        ("hsl(0,0,0)", None),
        ("hwb(0,0%,100%)", None),
        ("rgb(1e999, 0, 0)", None),
        ("var(--x)", None),
        ("", None),
    ],
)
def test_colours_are_parsed(value: str, colour: Colour | None) -> None:
    assert parse_colour(value) == colour


def test_a_transparent_colour_blends_with_what_is_below() -> None:
    assert blend(Colour(0, 0, 0, 0.5), WHITE) == Colour(0.5, 0.5, 0.5)
    assert blend(Colour(1, 0, 0, 0), WHITE) == WHITE


@pytest.mark.parametrize(
    ("text", "backgrounds", "seen"),
    [
        (WHITE, [WHITE], False),
        (Colour(0.95, 0.95, 0.95), [WHITE], False),
        (Colour(0.9, 0.9, 0.9), [WHITE], None),
        (Colour(0.88, 0.88, 0.88), [WHITE], True),
        (BLACK, [WHITE], True),
        (Colour(0, 0, 1), [BLACK], True),
        (Colour(0, 0, 0, 0.05), [WHITE], False),
        (Colour(1, 1, 1, 0.5), [WHITE], False),
        (WHITE, [WHITE, BLACK], None),
        (WHITE, [BLACK, Colour(0, 0, 0.5)], True),
        (WHITE, [None], None),
        (Colour(1, 1, 1, 0), [None], False),
        (None, [WHITE], None),
    ],
)
def test_text_is_readable_if_it_differs_from_all_that_may_lie_behind(
    text: Colour | None, backgrounds: list[Colour | None], *, seen: bool | None
) -> None:
    assert is_readable(text, backgrounds) is seen


@pytest.mark.parametrize(
    ("value", "colours"),
    [
        ("url(x.png)", ()),
        ("linear-gradient(#fff, #000)", (WHITE, BLACK)),
        ("linear-gradient(to right, white 0%, black)", (WHITE, BLACK)),
        ("radial-gradient(circle at top left, #000, black)", (BLACK,)),
        ("linear-gradient(var(--x), #000)", None),
        ("linear-gradient(red, Mark)", None),
        ("linear-gradient()", None),
        ("url(x), url(y)", None),
        ("image-set(url(x) 1x)", None),
        ("none", None),
    ],
)
def test_images_are_pictures_or_gradients(value: str, colours: tuple[Colour, ...] | None) -> None:
    found = parse_image(value)
    assert found == colours if not colours else found is not None and found[: len(colours)] == colours


def test_text_between_two_stops_of_a_gradient_is_not_readable_for_certain() -> None:
    shades = parse_image("linear-gradient(#f00, #00f)")
    assert shades is not None
    assert all(is_readable(Colour(1 - step / 50, 0, step / 50), shades) is None for step in range(51))
    assert is_readable(Colour(0, 1, 0), shades)
    faded = parse_image("linear-gradient(#f000, #f00f)")
    assert faded is not None
    assert {each[:3] for each in faded if each.alpha} == {(1.0, 0.0, 0.0)}


@pytest.mark.parametrize(
    ("value", "red_green_blue"),
    [
        ("oklch(1 0 0)", (255, 255, 255)),
        ("oklch(62.8% .2577 29.23)", (255, 0, 0)),
        ("oklch(.5 0 90deg)", (99, 99, 99)),
    ],
)
def test_oklch_is_converted_to_srgb(value: str, red_green_blue: tuple[int, int, int]) -> None:
    colour = parse_colour(value)
    assert colour is not None
    assert tuple(round(255 * part) for part in colour[:3]) == red_green_blue


def test_opacity_pales_text() -> None:
    pale = Colour(0.75, 0.75, 0.75)
    assert is_readable(pale, [WHITE])
    assert not is_readable(pale, [WHITE], opacity=0.3)

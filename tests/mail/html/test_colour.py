import pytest

from mailmcp.mail.html.colour import BLACK, WHITE, Colour, is_unseen, lay_over, parse_colour


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
        ("lab(100% 0 0)", WHITE),
        ("lab(none 0 0)", None),
        ("oklch(1 0 0 / 0.5)", Colour(1, 1, 1, 0.5)),
        ("oklch(1 0 0 / 0)", Colour(1, 1, 1, 0)),
        ("Canvas", WHITE),
        ("canvastext", BLACK),
        ("rgb(none none none)", BLACK),
        ("rgb(1e999, 0, 0)", None),
        ("var(--x)", None),
        ("", None),
    ],
)
def test_colours_are_read(value: str, colour: Colour | None) -> None:
    assert parse_colour(value) == colour


def test_a_colour_lies_over_another() -> None:
    assert lay_over(Colour(0, 0, 0, 0.5), WHITE) == Colour(0.5, 0.5, 0.5)
    assert lay_over(Colour(1, 0, 0, 0), WHITE) == WHITE


@pytest.mark.parametrize(
    ("text", "background", "unseen"),
    [
        (WHITE, WHITE, True),
        (Colour(0.95, 0.95, 0.95), WHITE, True),
        (Colour(0.88, 0.88, 0.88), WHITE, False),
        (BLACK, WHITE, False),
        (Colour(0, 0, 1), BLACK, False),
        (Colour(0, 0, 0, 0.05), WHITE, True),
        (Colour(1, 1, 1, 0.5), WHITE, True),
        (WHITE, None, False),
        (Colour(1, 1, 1, 0), None, True),
    ],
)
def test_text_is_seen_by_its_difference(text: Colour, background: Colour | None, *, unseen: bool) -> None:
    assert is_unseen(text, background) is unseen

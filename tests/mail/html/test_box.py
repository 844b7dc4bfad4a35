import pytest

from mailmcp.mail.html.box import hidden_by, is_indented_away, opacity_of
from mailmcp.mail.html.style import own_values, parse_style


def technique(style: str, tag: str = "div", em_px: float = 16) -> str:
    return hidden_by(own_values(parse_style(style)), tag, em_px)


@pytest.mark.parametrize("tag", ["table", "tr", "td", "th", "tbody"])
def test_tables_grow_with_their_content(tag: str) -> None:
    assert technique("height:0;overflow:hidden", tag) == ""
    assert technique("height:0;overflow:hidden") == "extent"


def test_ems_are_of_the_font() -> None:
    assert technique("position:absolute;left:-40em", em_px=16) == "position"
    assert technique("position:absolute;left:-40em", em_px=10) == ""


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("", ""),
        ("transform:scale3d(1,1,0)", "transform"),
        ("transform:scale(200%)", ""),
        ("transform:translate(-100%)", ""),
        ("transform:translatex(-9000%)", "transform"),
        ("transform:rotatex(90deg)", "transform"),
        ("transform:rotatex(9deg)", ""),
        ("transform:matrix(0,0)", ""),
        ("transform:none", ""),
        ("clip-path:inset(60% 0 40%)", "clip"),
        ("clip-path:inset(100% 0 0 0 round 3px)", "clip"),
        ("clip-path:inset(10px)", ""),
        ("clip-path:ellipse(0 5px)", "clip"),
        ("clip-path:circle()", ""),
        ("clip-path:circle(1px)", "clip"),
        ("clip-path:circle(closest-side)", ""),
        ("clip-path:circle(50px)", ""),
        ("clip-path:rect(0 0 0 0)", "clip"),
        ("clip-path:rect(0 90px 90px 0)", ""),
        ("position:fixed;clip:rect(0,0,0)", ""),
        ("position:fixed;clip:circle(0)", ""),
        ("position:relative;right:9999px", "position"),
        ("margin-inline-start:-9999px", "position"),
        ("scale:0", "transform"),
        ("scale:none", ""),
        ("translate:-9999px", "transform"),
        ("height:0;overflow:auto", "extent"),
        ("block-size:0;overflow:scroll", "extent"),
        ("max-inline-size:0;overflow-x:auto", "extent"),
        ("height:0;overflow:visible", ""),
        ("height:0;overflow:var(--x)", ""),
    ],
)
def test_boxes_are_transformed_clipped_and_moved(style: str, found: str) -> None:
    assert technique(style) == found


@pytest.mark.parametrize(
    ("style", "opacity"),
    [
        ("opacity:.5", 0.5),
        ("opacity:50%", 0.5),
        ("opacity:7", 1),
        ("opacity:-1", 1),
        ("opacity:x", 1),
        ("filter:alpha(opacity=50);opacity:.5", 0.25),
        ("filter:opacity(.5)", 0.5),
        ("filter:opacity(50%)", 0.5),
        ("filter:none", 1),
    ],
)
def test_opacity_is_read(style: str, opacity: float) -> None:
    assert opacity_of(own_values(parse_style(style))) == opacity


def test_an_indent_moves_text_off_the_page() -> None:
    assert is_indented_away({"text-indent": "-99em"}, 16)
    assert not is_indented_away({"text-indent": "2em"}, 16)

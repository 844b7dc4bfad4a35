import pytest

from mailmcp.mail.html.style import own_values, parse_style
from mailmcp.mail.html.validity import is_possible


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("display", "inline-block"),
        ("display", "table-cell"),
        ("display", "block flex"),
        ("display", "-webkit-box"),
        ("display", "revert-layer"),
        ("display", "var(--x, none)"),
        ("visibility", "collapse"),
        ("content-visibility", "auto"),
        ("opacity", ".5"),
        ("opacity", "50%"),
        ("position", "sticky"),
        ("overflow", "hidden auto"),
        ("font-size", "12px"),
        ("font-size", "12"),
        ("font-size", "xx-large"),
        ("font-size", "calc(1px * (2 + 3))"),
        ("text-indent", "2em hanging"),
        ("letter-spacing", "-1em"),
        ("width", "fit-content"),
        ("max-height", "none"),
        ("margin-left", "auto"),
        ("left", "-1.5vw"),
        ("color", "#FFF".lower()),
        ("color", "rgb(1, 2, 3)"),
        ("color", "transparent"),
        ("color", "currentcolor"),
        ("color", "buttontext"),
        ("color", "oklch(1 0 0)"),
        ("background-color", "inherit"),
        ("transform", "anything(1)"),
    ],
)
def test_a_value_that_a_browser_takes_is_possible(name: str, value: str) -> None:
    assert is_possible(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("display", "nonsense"),
        ("display", "calc(1px)"),
        ("display", "-ms-flexbox"),
        ("visibility", "no"),
        ("opacity", "x"),
        ("position", "under"),
        ("overflow", "hidden hidden hidden"),
        ("font-size", "12furlongs"),
        ("font-size", "big"),
        ("height", "1 px"),
        ("color", "whitish"),
        ("color", "rgb(nonsense)"),
        ("color", "url(x)"),
        ("background-color", "none"),
    ],
)
def test_a_value_that_no_browser_takes_is_not(name: str, value: str) -> None:
    assert not is_possible(name, value)


@pytest.mark.parametrize(
    ("style", "values"),
    [
        ("display:none;display:nonsense", {"display": "none"}),
        ("display:none;display:block!nonsense", {"display": "none"}),
        ("display:none;display:nonsense!important", {"display": "none"}),
        ("opacity:0;opacity:/**/x", {"opacity": "0"}),
        ("font-size:0;font:nonsense", {"font-size": "0"}),
        ("color:#fff;color:rgb(1)", {"color": "#fff"}),
    ],
)
def test_an_impossible_declaration_replaces_none(style: str, values: dict[str, str]) -> None:
    assert own_values(parse_style(style)) == values

import pytest

from mailmcp.mail.html.hidden.hints import presentation
from mailmcp.mail.html.hidden.selector import Element


def values(tag: str, **attributes: str) -> dict[str, str]:
    return {each.name: each.value for each in presentation(Element(tag=tag, attributes=attributes))}


@pytest.mark.parametrize(
    ("tag", "attributes", "expected"),
    [
        ("p", {}, {}),
        ("p", {"hidden": ""}, {"display": "none"}),
        ("p", {"popover": ""}, {"display": "none"}),
        ("dialog", {}, {"display": "none"}),
        ("dialog", {"open": ""}, {}),
        ("td", {"bgcolor": "red"}, {"background-color": "#ff0000"}),
        ("div", {"bgcolor": "red"}, {}),
        ("td", {"bgcolor": ""}, {}),
        ("td", {"background": "x.png"}, {"background-image": "url(x)"}),
        ("font", {"color": "navy", "size": "2"}, {"color": "#000080", "font-size": "small"}),
        ("font", {"size": "+2"}, {"font-size": "x-large"}),
        ("font", {"size": "-7"}, {"font-size": "x-small"}),
        ("font", {"size": "99"}, {"font-size": "xxx-large"}),
        ("font", {"size": "big"}, {}),
        ("font", {"size": ""}, {}),
        ("body", {"text": "#fff"}, {"color": "#ffffff"}),
        ("p", {"color": "red", "text": "red", "size": "1"}, {}),
        ("a", {"href": ""}, {"color": "#0000ee"}),
        ("a", {"name": "x"}, {}),
        ("small", {}, {"font-size": "smaller"}),
    ],
)
def test_names_and_attributes_say_how_elements_look(
    tag: str, attributes: dict[str, str], expected: dict[str, str]
) -> None:
    assert values(tag, **attributes) == expected

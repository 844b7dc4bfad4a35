import pytest

from mailmcp.mail.html.hidden.hints import presentation
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.values import UNKNOWN


def values(tag: str, **attributes: str) -> dict[str, str]:
    return {each.name: each.value for each in presentation(Element(tag=tag, attributes=attributes))}


@pytest.mark.parametrize(
    ("tag", "attributes", "expected"),
    [
        ("p", {}, {}),
        ("p", {"hidden": ""}, {"display": "none"}),
        ("datalist", {}, {"display": "none"}),
        ("td", {"bgcolor": "red"}, {"background-color": "red"}),
        ("div", {"bgcolor": "red"}, {}),
        ("td", {"bgcolor": ""}, {}),
        ("td", {"background": "x.png"}, {"background-image": "url(x:)"}),
        ("font", {"color": "navy", "size": "2"}, {"color": "navy", "font-size": "small"}),
        ("font", {"size": "+2"}, {"font-size": "x-large"}),
        ("font", {"size": "-7"}, {"font-size": "x-small"}),
        ("font", {"size": "99"}, {"font-size": "xxx-large"}),
        ("td", {"background": "CID:x"}, {"background-image": "url(cid:)"}),
        ("td", {"bgcolor": "chucknorris"}, {"background-color": "#c00000"}),
        ("td", {"bgcolor": "Window"}, {"background-color": "#000d00"}),
        ("td", {"bgcolor": "\u00a0white"}, {"background-color": UNKNOWN}),
        ("td", {"bgcolor": "blac\u212a"}, {"background-color": UNKNOWN}),
        ("td", {"bgcolor": "ffffff"}, {"background-color": "#ffffff"}),
        ("td", {"bgcolor": "FFF"}, {"background-color": "#0f0f0f"}),
        ("td", {"bgcolor": "#\U0001f600f"}, {"background-color": UNKNOWN}),
        ("td", {"bgcolor": "transparent"}, {}),
        ("td", {"width": "9.5%", "height": " 10em"}, {"width": "9.5%", "height": "10px"}),
        ("td", {"width": "0", "height": "x"}, {}),
        ("tr", {"width": "1", "height": "1"}, {"height": "1px"}),
        ("caption", {"width": "1", "height": "1"}, {}),
        ("table", {"width": "0", "height": "0"}, {"height": "0px"}),
        ("td", {"nowrap": ""}, {"white-space": "nowrap"}),
        ("div", {"height": "10"}, {}),
        ("table", {"align": "RIGHT", "border": "+100"}, {"float": "right", "border-width": UNKNOWN}),
        ("img", {"width": "9000"}, {"width": "9000px"}),
        ("img", {"width": "60"}, {"width": "60px"}),
        ("font", {"size": "big"}, {}),
        ("font", {"size": ""}, {}),
        ("body", {"text": "#fff"}, {"color": "#fff"}),
        ("td", {"bgcolor": " "}, {"background-color": "#000000"}),
        ("font", {"color": "\t\n"}, {"color": "#000000"}),
        ("p", {"color": "red", "text": "red", "size": "1"}, {}),
        ("a", {"href": ""}, {"color": "#0000ee"}),
        ("a", {"name": "x"}, {}),
        ("small", {}, {"font-size": "smaller"}),
    ],
)
def test_names_and_attributes_stand_for_declarations(
    tag: str, attributes: dict[str, str], expected: dict[str, str]
) -> None:
    assert values(tag, **attributes) == expected

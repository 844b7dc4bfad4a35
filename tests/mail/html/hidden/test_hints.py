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
        ("p", {"popover": ""}, {"display": "none"}),
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
        ("td", {"bgcolor": "chucknorris"}, {"background-color": UNKNOWN}),
        ("td", {"bgcolor": "Window"}, {"background-color": UNKNOWN}),
        ("img", {"width": "9000"}, {"width": "9000px"}),
        ("img", {"width": "60"}, {}),
        ("font", {"size": "big"}, {}),
        ("font", {"size": ""}, {}),
        ("body", {"text": "#fff"}, {"color": "#fff"}),
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

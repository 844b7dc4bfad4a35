import pytest
import tinycss2

from mailmcp.mail.html.selector import Element, Selector, classes_of, parse_selector, split_selectors


def selectors(text: str) -> list[Selector]:
    groups = split_selectors(tinycss2.parse_component_value_list(text))
    return [selector for group in groups if (selector := parse_selector(group)) is not None]


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("p", (0, 0, 1)),
        ("*", (0, 0, 0)),
        ("#a .b > c", (1, 1, 1)),
        ("p.a.b#c[d]:link:not(.e)", (1, 5, 1)),
        ("a + b ~ c  >  d", (0, 0, 4)),
        (" p ", (0, 0, 1)),
    ],
)
def test_specificity_is_counted(text: str, specificity: tuple[int, int, int]) -> None:
    assert [each.specificity for each in selectors(text)] == [specificity]


def test_combinators_part_compounds() -> None:
    (selector,) = selectors("a b>c + d ~e")
    assert [each.combinator for each in selector.compounds] == ["", " ", ">", "+", "~"]
    assert [each.tag for each in selector.compounds] == list("abcde")


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ">", "p:hover", "p::before", "p:", "p.", "p.3", "x|p", "p:nth-child(2n)", "p:is(.a)",
        "[", "[]", "[=x]",
        "[a=]", "[a ? b]", "[a=b c d]",
        "[a=3]", "p:not()", "p:not(:hover)", "p!", " ".join("abcdefghi"),
    ],
)  # fmt: skip
def test_what_is_not_understood_matches_nothing(text: str) -> None:
    assert selectors(text) == []


def test_the_others_of_a_list_stay() -> None:
    assert [each.compounds[0].tag for each in selectors("p:hover, b, ,i")] == ["b", "i"]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("P", True),
        ("a", False),
        ("*", True),
        ("#x", True),
        ("#X", False),
        (".one.two", True),
        (".one.three", False),
        ("[title]", True),
        ("[none]", False),
        ("[title=Hello]", True),
        ('[title="hello" i]', True),
        ("[title^=he]", True),
        ("[title$=lo]", True),
        ("[title*=ell]", True),
        ("[title*='']", False),
        ("[class~=two]", True),
        ("[class~=tw]", False),
        ("[lang|=en]", True),
        ("[lang|=e]", False),
        (":not(.three)", True),
        (":not(.one)", False),
        (":first-child", True),
        (":root", False),
        (":link", False),
    ],
)
def test_compounds_match(text: str, *, matches: bool) -> None:
    attributes = {"id": "x", "class": "one two", "title": "Hello", "lang": "en-GB"}
    element = Element(tag="p", attributes=attributes, first_child=True)
    (selector,) = selectors(text)
    assert selector.compounds[0].matches(element, classes_of(element)) is matches


def test_a_link_has_a_target() -> None:
    for text in (":link", "a:any-link"):
        (compound,) = selectors(text)[0].compounds
        assert compound.matches(Element(tag="a", attributes={"href": ""}), frozenset())
        assert not compound.matches(Element(tag="a", attributes={}), frozenset())

import pytest

from mailmcp.mail.html.hidden.selector import Element, classes_of, parse_selector


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("p", (0, 0, 1)),
        ("*", (0, 0, 0)),
        ("#a .b > c", (1, 1, 1)),
        ("p.a.b#c[d]:link", (1, 4, 1)),
        ("a + b ~ c  >  d", (0, 0, 4)),
        (" p ", (0, 0, 1)),
    ],
)
def test_specificity_is_counted(text: str, specificity: tuple[int, int, int]) -> None:
    assert parse_selector(text).specificity == specificity
    assert parse_selector(text).certain


def test_combinators_part_compounds() -> None:
    compounds = parse_selector("a b>c + d ~e").compounds
    assert [each.combinator for each in compounds] == ["", " ", ">", "+", "~"]
    assert [each.tag for each in compounds] == list("abcde")


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ">", "> p", "p >", "a > > b", "p.", "p.3", "p#3", "x|p", "*|p", "&", "p&", ".a p*",
        ".ap b.cp|d",
        "p:nth-child(2n)", "p:first-child", "* + p", "[a] ~ p", ":is(a) + p",
        "p:is(.a b)", "p:is(:is(a))", "p:not(:hover)", "p:not()", "p:has(a)", "p:foo",
        "[", "[]", "[=x]", "[a=]", "[a ? b]", "[a=b c d]", "[a=3]", "p!", "?",
        "p:hover:foo", "::before::before", "::-webkit-foo", " ".join("abcdefghi"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_certain(text: str) -> None:
    assert not parse_selector(text).certain


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("div p:nth-child(2)", ["div", "p"]),
        ("*|p", [""]),
        ("p:is(b, i:hover) a", ["p", "a"]),
        (" ".join("abcdefghi"), ["i"]),
        ("p:not((((((x))))):hover", [""]),
    ],
)
def test_it_matches_more_instead(text: str, names: list[str]) -> None:
    selector = parse_selector(text)
    assert [each.tag for each in selector.compounds] == names
    assert selector.matches


@pytest.mark.parametrize(
    "text", ["p:hover", "a:visited b", "p::before", "p::first-line", ".x:focus-within p"]
)
def test_what_waits_for_the_reader_matches_nothing(text: str) -> None:
    selector = parse_selector(text)
    assert (selector.matches, selector.certain) == (False, True)


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
        ("[title=hello]", False),
        ('[title="hello" i]', True),
        ('[title="hello" I]', True),
        ("[title^=He]", True),
        ("[title$=lo]", True),
        ("[title*=ell]", True),
        ("[title*='']", False),
        ("[class~=two]", True),
        ("[class~=tw]", False),
        ("[lang|=EN]", True),
        ("[lang|=e]", False),
        (":root", False),
        (":link", False),
        (":is(.one, b)", True),
        (":where(.three, b)", False),
        (":not(.three)", True),
        ("p:not(.one)", False),
    ],
)
def test_compounds_match(text: str, *, matches: bool) -> None:
    attributes = {"id": "x", "class": "one two", "title": "Hello", "lang": "en-GB"}
    element = Element(tag="p", attributes=attributes)
    assert parse_selector(text).compounds[0].matches(element, classes_of(element)) is matches


def test_a_link_has_a_target() -> None:
    (compound,) = parse_selector("a:link").compounds
    assert compound.matches(Element(tag="a", attributes={"href": ""}), frozenset())
    assert not compound.matches(Element(tag="a", attributes={}), frozenset())

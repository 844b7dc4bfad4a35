import pytest

from mailmcp.mail.html.hidden.selector import HEAVIEST, Compound, Element, classes_of, parse_selector


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("p", (0, 0, 1)),
        ("*", (0, 0, 0)),
        ("#a .b > c", (1, 1, 1)),
        ("p.a.b#c[d]:link", (1, 4, 1)),
        ("a b ~ c  >  d", (0, 0, 4)),
        (":is(a, .b, #c):where(#d)", (1, 0, 0)),
        ("p:not(.a.b, c)", (0, 2, 1)),
        (r".md\:a", (0, 1, 0)),
        (" p ", (0, 0, 1)),
    ],
)
def test_specificity_is_counted(text: str, specificity: tuple[int, int, int]) -> None:
    assert parse_selector(text).specificity == specificity
    assert parse_selector(text).certain


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("p:first-child", (0, 1, 1)),
        ("p:foo", (0, 1, 1)),
        ("td:nth-child( 2n + 1 )", (0, 1, 1)),
        (":lang(en)", (0, 1, 0)),
        (":nth-child(2 of p)", HEAVIEST),
        (":has(p)", HEAVIEST),
        (":not(:first-child)", HEAVIEST),
        (":-webkit-any(p)", HEAVIEST),
    ],
)
def test_pseudo_classes_that_are_not_known_weigh_what_all_do(
    text: str, specificity: tuple[int, int, int]
) -> None:
    """Selectors 4 section 15; those with selectors in them weigh what these do."""
    selector = parse_selector(text)
    assert (selector.specificity, selector.certain) == (specificity, False)


def test_combinators_part_compounds() -> None:
    compounds = parse_selector("a b>c + d ~e").compounds
    assert [each.combinator for each in compounds] == ["", " ", ">", "+", "~"]
    assert [each.tag for each in compounds] == list("abcde")


@pytest.mark.parametrize(
    "text",
    [
        "p:nth-child(2n)", "p:first-child", "b + p", "* + p", "[a] ~ p", ":is(a) + p",
        "p:is(.a b)", "p:not(:hover)", "p:has(a)", "p:has(a,b)", "p:foo", ":-webkit-any(.a)",
        "p:hover:foo", "::-webkit-foo", " ".join("abcdefghi"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_certain(text: str) -> None:
    selector = parse_selector(text)
    assert (selector.certain, selector.is_plain) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ">", "> p", "p >", "a > > b", "p.", "p.3", "p#3", "x|p", "*|p", "&", "p&", ".a p*",
        ".ap b.cp|d", ".é", r".\e9", r".a\ b", "--a", "[é]", "[a='é']", r"[a='\'']", "[|a=b]",
        "[", "[]", "[=x]", "[a=]", "[a ? b]", "[a=b c d]", "[a=3]", "[a=b s]", "p!", "?", "} p",
        "p:is(:is(a))", "p:not()", "p:is(a,)", "p:is(,a)", ":is(')')", "::before::before",
        "::before:hover", "::before p",
        "p:not((((((x))))):hover",
    ],
)  # fmt: skip
def test_what_is_outside_of_the_grammar_may_match_anything(text: str) -> None:
    selector = parse_selector(text)
    assert not selector.is_plain
    assert (selector.compounds, selector.specificity) == ((Compound(),), HEAVIEST)
    assert (selector.certain, selector.matches) == (False, True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("div p:nth-child(2)", ["div", "p"]),
        ("p:is(b, i:hover) a", ["p", "a"]),
        (" ".join("abcdefghi"), ["i"]),
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
        (":is([title='a)b,'], [lang])", True),
        (":is([title='a,[lang]'])", False),
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

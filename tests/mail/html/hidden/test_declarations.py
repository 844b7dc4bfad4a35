import pytest

from mailmcp.mail.html.hidden.declarations import Declaration, parse_style
from mailmcp.mail.html.hidden.values import OTHER, PROPERTIES, UNKNOWN


def values(style: str) -> dict[str, str]:
    return {each.name: each.value for each in parse_style(style)}


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("", {}),
        ("display:none;;color : Red ;x", {"display": "none", "color": "red"}),
        ("-ms-colour:red;font-weight:bold;--x:1;mso-hide:all", {}),
        # What isn't known may do anything.
        ("colour:red", {OTHER: UNKNOWN}),
        ("-webkit-box-reflect:below", {OTHER: UNKNOWN}),
        ("DISPLAY:\n NONE", {"display": "none"}),
        ("color:", {}),
        # With quotes, brackets, escapes and comments a parser must read it.
        ("content:'a;display:none';color:red", {"content": UNKNOWN, "color": "red"}),
        ("/*x*/display/**/:none", {"display": "none"}),
        (r"d\69splay:none", {"display": "none", OTHER: UNKNOWN}),
        ("color:red;}display:none", {"color": "red"}),
        ("color:red;x:url(;display:none)", {"color": "red", OTHER: UNKNOWN}),
        ("color:red;x:(;display:none;)", {"color": "red", OTHER: UNKNOWN}),
        ("@media x{display:none}color:red", {"color": "red", OTHER: UNKNOWN}),
        ("width:calc(((((((1px)))))));color:red/**/", {"width": UNKNOWN, "color": "red"}),
        # White space and letters are those of ASCII.
        ("\xa0display:none", {OTHER: UNKNOWN}),
        ("color:blac\u212a", {"color": UNKNOWN}),
        # What no browser of today reads.
        ("filter:alpha(opacity=0);display:-ms-flexbox;color:red!ie", {}),
        ("height:expression(1);color:alpha(from red)", {"height": UNKNOWN, "color": UNKNOWN}),
        ("font:1px 'a!b'", {"font-size": "1px", "line-height": "normal", "font-size-adjust": "none"}),
        ("opacity:1/**/%", {"opacity": UNKNOWN}),
        (
            "margin:0 initial",
            dict.fromkeys([f"margin-{side}" for side in ("top", "right", "bottom", "left")], UNKNOWN),
        ),
    ],
)
def test_declarations_are_read(style: str, expected: dict[str, str]) -> None:
    assert values(style) == expected


SIDES = ("margin-top", "margin-left")
FONT = ("font-size", "line-height")
BACKGROUND = ("background-image", "background-color", "background-size", "background-clip")


@pytest.mark.parametrize(
    ("style", "names", "expected"),
    [
        ("font:0/0 a", FONT, ("0", "0")),
        ("font:bold 12px/1.5 Arial, 'x y'", FONT, ("12px", "1.5")),
        ("font:italic small-caps 700 1em x", FONT, ("1em", "normal")),
        ("font:inherit", (*FONT, "font-size-adjust"), ("inherit",) * 3),
        ("white-space:inherit", ("white-space", "text-wrap-mode"), ("inherit",) * 2),
        ("font:menu", FONT, ("small", "normal")),
        ("font:14px", FONT, (UNKNOWN, UNKNOWN)),
        ("font:bold bold 14px a", FONT, (UNKNOWN, UNKNOWN)),
        ("font:calc(1px) a", FONT, (UNKNOWN, UNKNOWN)),
        ("margin:1px", SIDES, ("1px", "1px")),
        ("margin:1px 2px", SIDES, ("1px", "2px")),
        ("margin:1px 2px 3px", SIDES, ("1px", "2px")),
        ("margin:1px 2px 3px 4px", SIDES, ("1px", "4px")),
        ("margin:1px 2px 3px 4px 5px", SIDES, (UNKNOWN, UNKNOWN)),
        ("margin:1px calc(2px - 1px)", SIDES, (UNKNOWN, UNKNOWN)),
        ("margin-inline:1px 2px", ("margin-left", "margin-right"), ("1px", "2px")),
        ("inset:-9px", ("top", "right", "bottom", "left"), ("-9px",) * 4),
        ("overflow:hidden auto", ("overflow-x", "overflow-y"), ("hidden", "auto")),
        ("background:#fff", BACKGROUND, ("none", "#fff", "auto", "border-box")),
        ("background:no-repeat center white", BACKGROUND, ("none", "white", "auto", "border-box")),
        (
            "background:url(x) center / cover no-repeat #eee",
            BACKGROUND,
            ("url(x)", "#eee", "auto", "border-box"),
        ),
        ("background:#fff none no-repeat center/cover", BACKGROUND, ("none", "#fff", "auto", "border-box")),
        (
            "background:rgba(0, 0, 0, .5) no-repeat",
            BACKGROUND,
            ("none", "rgba(0, 0, 0, .5)", "auto", "border-box"),
        ),
        ("background:none", BACKGROUND, ("none", "transparent", "auto", "border-box")),
        ("background:#000 nonsense", BACKGROUND, (UNKNOWN,) * 4),
        ("background:#000 #111", BACKGROUND, (UNKNOWN,) * 4),
        ("background:#000 cover", BACKGROUND, (UNKNOWN,) * 4),
        ("background:url(x), #000", BACKGROUND, (UNKNOWN,) * 4),
        ("background:linear-gradient(#000,#000) 9px 0 no-repeat", BACKGROUND, (UNKNOWN,) * 4),
    ],
)
def test_shorthands_are_split(style: str, names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    found = values(style)
    assert tuple(found.get(name, UNKNOWN) for name in names) == expected


def test_all_is_every_property() -> None:
    assert values("all:unset") == dict.fromkeys(PROPERTIES, "unset")
    assert set(values("all:revert-layer").values()) == {UNKNOWN}


@pytest.mark.parametrize("value", ["revert-layer", "var(--x)", "var( --x, none )", "env(x)", "attr(x)"])
def test_what_depends_on_something_else_is_not_known(value: str) -> None:
    assert [name for name in PROPERTIES if set(values(f"{name}:{value}").values()) != {UNKNOWN}] == []


def test_the_order_and_importance_stay_for_the_cascade() -> None:
    assert parse_style("color:red! important;color:blue;color:lab(1 1 1)") == (
        Declaration("color", "red", important=True),
        Declaration("color", "blue"),
        Declaration("color", UNKNOWN, doubt="color"),
    )
    assert values("color:red;color:blue!ie") == {"color": "red"}


@pytest.mark.parametrize(
    "style",
    [
        "border:1px 1px", "border-top:foo", "padding-bottom:2", "min-height:]", "margin:0 2", "text-shadow:2",
        "align-items:auto auto", "gap:-1px", "list-style:2", "-moz-margin-start:0", "box-align:start",
        "mask-border:none", "font-size:calc(1px)",
    ],
)  # fmt: skip
def test_what_some_browsers_drop_is_not_certain(style: str) -> None:
    declarations = parse_style(style)
    assert declarations
    assert all(each.doubt for each in declarations)


@pytest.mark.parametrize(
    ("style", "name", "value"),
    [
        ("margin:10 0", "margin-top", "10px"),
        ("font-size:.5", "font-size", ".5px"),
        ("color:fff", "color", "fff"),
    ],
)
def test_what_old_browsers_alone_read_is_not_certain(style: str, name: str, value: str) -> None:
    assert parse_style(style)[0] == Declaration(name, value, doubt=style.partition(":")[0])


def test_numbers_where_they_belong_are_certain() -> None:
    assert not any(each.doubt for each in parse_style("opacity:1;line-height:2;z-index:3;margin:0;color:red"))


def test_what_browsers_end_in_different_places_is_not_certain() -> None:
    *declarations, other = parse_style("color:white;{}color:black")
    assert (other.name, other.value) == (OTHER, UNKNOWN)
    assert all(each.doubt for each in declarations)

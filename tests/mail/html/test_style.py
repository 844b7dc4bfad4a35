import pytest

from mailmcp.mail.html.style import Declaration, length_px, own_values, parse_style


@pytest.mark.parametrize(
    ("style", "values"),
    [
        (None, {}),
        ("", {}),
        ("display:none;;color : Red ;x", {"display": "none", "color": "red"}),
        ("-x-colour:red;line-height:0", {}),
        ("DISPLAY:\n NONE", {"display": "none"}),
        ("display:none;display:block", {"display": "block"}),
        ("display:none !important;display:block", {"display": "none"}),
        ("display:none!IMPORTANT;display:block ! important", {"display": "block"}),
        ("color:", {}),
        # With quotes, brackets, escapes and comments a parser must read it.
        ("background:url('a;display:none');color:red", {"background-image": "url(", "color": "red"}),
        ("/*x*/display/**/:none", {"display": "none"}),
        (r"d\69splay:none", {"display": "none"}),
        ("color:rgb(0,\n 0, 0) !important;color:red", {"color": "rgb(0, 0, 0)"}),
        ("color:red;}display:none", {"color": "red"}),
        ("@media x{display:none}color:red", {"color": "red"}),
        ("width:calc(((((((1px)))))));color:red/**/", {"color": "red"}),
    ],
)
def test_declarations_are_read(style: str | None, values: dict[str, str]) -> None:
    found = own_values(parse_style(style))
    found.pop("background-color", None)
    assert found == values


@pytest.mark.parametrize(
    ("style", "values"),
    [
        ("font:0/0 a", {"font-size": "0"}),
        ("font:bold 12px/1.5 Arial", {"font-size": "12px"}),
        ("font:700 1em x", {"font-size": "1em"}),
        ("font:inherit", {}),
        ("margin:1px", {"margin-top": "1px", "margin-left": "1px"}),
        ("margin:1px 2px", {"margin-top": "1px", "margin-left": "2px"}),
        ("margin:1px 2px 3px", {"margin-top": "1px", "margin-left": "2px"}),
        ("margin:1px 2px 3px 4px", {"margin-top": "1px", "margin-left": "4px"}),
        ("inset:-9px", {"top": "-9px", "left": "-9px"}),
        ("margin:", {}),
        ("overflow-x:hidden", {"overflow": "hidden"}),
        ("overflow-y:scroll", {"overflow": "scroll"}),
        ("overflow-y:visible", {}),
        ("background:#fff", {"background-image": "none", "background-color": "#fff"}),
        ("background:no-repeat center white", {"background-image": "none", "background-color": "white"}),
        ("background:10px 20px/3em red", {"background-image": "none", "background-color": "red"}),
        ("background:none", {"background-image": "none", "background-color": "transparent"}),
        ("background:url(x.png) #eee", {"background-image": "url(", "background-color": "#eee"}),
        (
            "background:rgba(0, 0, 0, .5) no-repeat",
            {"background-image": "none", "background-color": "rgba(0, 0, 0, .5)"},
        ),
    ],
)
def test_shorthands_are_split(style: str, values: dict[str, str]) -> None:
    assert own_values(parse_style(style)) == values


def test_the_order_and_importance_stay_for_the_cascade() -> None:
    assert parse_style("color:red!important;color:blue") == (
        Declaration("color", "red", important=True),
        Declaration("color", "blue"),
    )


@pytest.mark.parametrize(
    ("length", "pixels"),
    [
        ("0", 0),
        ("0.00em", 0),
        ("-0px", 0),
        (".0%", 0),
        ("12", 12),
        ("-1.5px", -1.5),
        ("3pt", 4),
        ("2em", 20),
        ("2ex", 10),
        ("1rem", 16),
        ("1e2px", 100),
        ("calc( 5px )", 5),
        ("10%", None),
        ("1furlong", None),
        ("", None),
        ("auto", None),
        ("px", None),
        ("1e999px", float("inf")),
    ],
)
def test_lengths_are_read(length: str, pixels: float | None) -> None:
    assert length_px(length, em_px=10) == pixels


def test_a_percentage_is_of_what_is_known() -> None:
    assert length_px("-50%", whole_px=1_000) == -500

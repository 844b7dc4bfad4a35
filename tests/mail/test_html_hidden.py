import pytest

from mailmcp.mail.html_hidden import is_zero, parse_html, parse_style, remove_hidden


def seen(html: str) -> tuple[str, int]:
    document = parse_html(html)
    count = remove_hidden(document)
    assert document.body is not None
    return " ".join(document.body.text().split()), count


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        "HIDDEN=''",
        "style=display:none",
        "style='Display : NONE !important'",
        "style='color:red;display:none'",
        "style='display:block;display:none'",
        "style='/* x */ display: /* y */ none'",
        "style='visibility:hidden'",
        "style='visibility: collapse'",
        "style='opacity:0'",
        "style='opacity: 0.0'",
        "style='font-size:0'",
        "style='font-size: 0px'",
        "style='max-height:0;overflow:hidden'",
        "style='overflow: hidden; height: 0px'",
        "style='overflow:clip;width:0'",
    ],
)
def test_what_people_do_not_see_is_removed_and_counted(attribute: str) -> None:
    assert seen(f"<p>a</p><div {attribute}>b<b>c</b></div><p>d</p>") == ("ad", 1)


@pytest.mark.parametrize(
    "attribute",
    [
        "aria-hidden=true",
        "style=''",
        "style='display'",
        "style='display:none;display:block'",
        "style='opacity:0.5'",
        "style='font-size:10px'",
        "style='max-height:0'",
        "style='max-height:10px;overflow:hidden'",
        "style='overflow:hidden'",
        "style='mso-hide:all'",
        "class=hidden",
    ],
)
def test_what_people_see_stays(attribute: str) -> None:
    assert seen(f"<div {attribute}>b</div>") == ("b", 0)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # Newsletters set the size of a column to nothing and that of its texts anew.
        ("<div style=font-size:0>a<p style=font-size:13px>b</p>c</div>", ("b", 2)),
        ("<div style=font-size:0><p style=font-size:2em>b</p></div>", ("", 1)),
        ("<div style=font-size:0><p style=font-size:inherit>b</p></div>", ("", 1)),
        ("<div style=font-size:0><p style=font-size:large>b</p></div>", ("b", 0)),
        ("<div style=visibility:hidden>a<p style=visibility:visible>b</p></div>", ("b", 1)),
        ("<div style=display:none>a<p style=display:block>b</p></div>", ("", 1)),
        ("<div hidden><div hidden>a</div></div><div hidden>b</div>", ("", 2)),
        ("<div hidden> <br> </div><img hidden>", ("", 0)),
        ("<template>a</template>", ("", 1)),
        ("<form hidden>a</form>", ("", 1)),
        ("<b><div hidden></b>a</div>b", ("b", 1)),
        ("", ("", 0)),
        ("text", ("text", 0)),
        ("<p>a</p>" * 3, ("aaa", 0)),
    ],
)
def test_children_inherit(html: str, expected: tuple[str, int]) -> None:
    assert seen(html) == expected


@pytest.mark.parametrize(
    ("style", "declarations"),
    [
        (None, {}),
        ("", {}),
        ("a:b;;c : d ;e", {"a": "b", "c": "d"}),
        ("A:URL(x:y)", {"a": "url(x:y)"}),
    ],
)
def test_styles_are_read(style: str | None, declarations: dict[str, str]) -> None:
    assert parse_style(style) == declarations


@pytest.mark.parametrize(
    ("length", "zero"),
    [
        ("0", True),
        ("0.00em", True),
        ("-0px", True),
        (".0%", True),
        ("1px", False),
        ("", False),
        ("auto", False),
    ],
)
def test_lengths_are_read(length: str, *, zero: bool) -> None:
    assert is_zero(length) is zero

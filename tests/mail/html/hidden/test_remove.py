import pytest

from mailmcp.limits import CSS_CHARS_MAX
from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.hidden.remove import Hidden, parse_html, remove_hidden


def take_out(html: str) -> tuple[str, Hidden]:
    document = parse_html(html)
    hidden = remove_hidden(document)
    assert document.tree.body is not None
    return " ".join(document.tree.body.text().split()), hidden


@pytest.mark.parametrize(
    ("html", "chars"),
    [
        ("<p>a</p>", 0),
        ("<p hidden>one  two\n<b>three</b></p>", len("one two three")),
        ("<p hidden>&zwnj;&nbsp;&zwnj;\u200b\u034f</p>", 0),
        ("a<span style=font-size:0>tiny <i>text</i></span>", len("tiny") + len("text")),
        ("<p hidden>one</p>b<p style=color:white>three</p>", len("one") + len("three")),
        ("<div hidden><p style=display:none>one</p> two</div>", len("one two")),
    ],
)
def test_what_was_hidden_is_measured_as_it_would_read(html: str, chars: int) -> None:
    assert take_out(html)[1].chars == chars


def seen(html: str) -> tuple[str, int]:
    text, hidden = take_out(html)
    return text, sum(hidden.by_technique.values())


@pytest.mark.parametrize(
    ("attribute", "technique"),
    [
        ("hidden", "display"),
        ("HIDDEN=''", "display"),
        ("style=display:none", "display"),
        ("style='Display : NONE !important'", "display"),
        ("style='color:red;display:none'", "display"),
        ("style='display:block;display:none'", "display"),
        ("style='display:none!important;display:block'", "display"),
        ("style='/* x */ display: /* y */ none'", "display"),
        ("style='background:url(\"a;b\");display:none'", "display"),
        ("style='content-visibility:hidden'", "display"),
        ("style='visibility:hidden'", "visibility"),
        ("style='visibility: collapse'", "visibility"),
        ("style='opacity:0'", "opacity"),
        ("style='opacity: 0.0'", "opacity"),
        ("style='opacity:.01'", "opacity"),
        ("style='opacity:1%'", "opacity"),
        ("style='opacity:-1'", "opacity"),
        ("style='opacity:-0'", "opacity"),
        ("style='filter: opacity(0%)'", "opacity"),
        ("style='font-size:0'", "font size"),
        ("style='font-size: 0px'", "font size"),
        ("style='font-size:1px;line-height:1px'", "font size"),
        ("style='font-size:.1em'", "font size"),
        ("style='font-size:2Q'", "font size"),
        ("style='font-size:.1vmin'", "font size"),
        ("style='font:0/0 a'", "font size"),
        ("style='max-height:0;overflow:hidden'", "extent"),
        ("style='overflow: hidden; height: 0px'", "extent"),
        ("style='overflow:clip;width:0'", "extent"),
        ("style='overflow-y:hidden;max-height:1px'", "extent"),
        ("style='color:#fff'", "colour"),
        ("style='color:white'", "colour"),
        ("style='color:#fefefe'", "colour"),
        ("style='color:rgb(250, 250, 250)'", "colour"),
        ("style='color:hsl(0,0%,99%)'", "colour"),
        ("style='color:transparent'", "colour"),
        ("style='color:Window'", "colour"),
        ("style='color:#fff;background:linear-gradient(#fff,#fff) #000'", "colour"),
        ("style='color:rgba(0,0,0,.02)'", "colour"),
        ("style='-webkit-text-fill-color:transparent'", "colour"),
        ("style='background:#222;color:#252525'", "colour"),
        ("style='background-color:rgba(0,0,0,1);color:black'", "colour"),
        ("style='position:absolute;left:-9999px'", "position"),
        ("style='position:absolute;left:-90vmax'", "position"),
        ("style='position:fixed;top:-100em'", "position"),
        ("style='position:absolute;inset:-999px 0'", "position"),
        ("style='position:absolute;left:99999px'", "position"),
        ("style='text-indent:-9999px'", "position"),
        ("style='margin-left:-9999px'", "position"),
        ("style='margin:0 0 0 -2000px'", "position"),
        ("style='transform:scale(0)'", "transform"),
        ("style='transform:scale(.02)'", "transform"),
        ("style='transform:matrix(.01,0,0,.01,0,0)'", "transform"),
        ("style='transform:scale(1,0)'", "transform"),
        ("style='transform:matrix(0,0,0,0,0,0)'", "transform"),
        ("style='position:absolute;clip:rect(0 0 0 0)'", "clip"),
        ("style='position:absolute;clip:rect(1px,1px,1px,1px)'", "clip"),
        ("style='clip-path:inset(50%)'", "clip"),
        ("style='clip-path:circle(0)'", "clip"),
    ],
)
def test_what_people_do_not_see_is_removed_and_counted(attribute: str, technique: str) -> None:
    text, hidden = take_out(f"<p>a</p><div {attribute}>b<b>c</b></div><p>d</p>")
    assert (text, hidden.by_technique) == ("ad", {technique: 1})


@pytest.mark.parametrize(
    "attribute",
    [
        "aria-hidden=true",
        "class=hidden",
        "hidden style=display:block",
        "style=''",
        "style='display'",
        "style='display:none;display:block'",
        "style='-x-display:none'",
        "style='opacity:0.5'",
        "style='opacity:.9'",
        "style='opacity:1'",
        "style='filter:alpha(opacity=0)'",
        "style='font-size:8px'",
        "style='font-size:50%'",
        "style='max-height:0'",
        "style='overflow:hidden'",
        "style='overflow:hidden;width:100%'",
        "style='mso-hide:all'",
        "style='color:#767676'",
        "style='color:#ddd'",
        "style='color:#fff;background:#333'",
        "style='color:#fff;background-image:linear-gradient(#000,#111)'",
        "style='color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text'",
        "style='color:currentColor'",
        "style='position:absolute;left:-10px'",
        "style='left:-9999px'",
        "style='position:relative;top:auto'",
        "style='text-indent:-1em'",
        "style='margin:-10px auto'",
        "style='margin:'",
        "style='transform:scale(1) rotate(0)'",
        "style='transform:translate(0, 0)'",
        "style='margin-left:.5in;text-indent:-.25in'",
        "style='transform:matrix(1,0,0,1,0,0)'",
        "style='clip:rect(0 0 0 0)'",
        "style='clip-path:none'",
        "style='visibility:visible'",
        "style='width:calc((((((1px))))))'",
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
        ("<div style=font-size:0><p style=font-size:larger>b</p></div>", ("", 1)),
        ("<div style=font-size:0><p style=font-size:large>b</p></div>", ("b", 0)),
        ("<div style=font-size:1px><p style=font-size:900%>b</p></div>", ("b", 0)),
        ("<div style=visibility:hidden>a<p style=visibility:visible>b</p></div>", ("b", 1)),
        ("<div style=visibility:hidden>a<p style=visibility:inherit>b</p></div>", ("", 1)),
        ("<div style=display:none>a<p style=display:block>b</p></div>", ("", 1)),
        ("<div style=opacity:.2>a<p style=opacity:.2>b</p></div>", ("a", 1)),
        ("<div style=text-indent:-999em>a<p style=text-indent:0>b</p></div>", ("b", 1)),
        ("<div hidden><div hidden>a</div></div><div hidden>b</div>", ("", 2)),
        ("<div hidden> <br> </div><img hidden>", ("", 0)),
        ("<template style=display:block>a</template>", ("", 1)),
        ("<form hidden>a</form>", ("", 1)),
        (
            "<!-- a --><!--[if mso]>b<![endif]--><!--[if !mso]><!-->c<!--<![endif]--><![if !mso]>d<![endif]>",
            ("cd", 0),
        ),
        ("<b><div hidden></b>a</div>b", ("b", 1)),
        ("<div style='display:contents;overflow:hidden;height:0;margin-left:-999px'>a</div>", ("a", 0)),
        # A cell grows with its content.
        ("<table><tr><td style='height:12px;overflow:hidden'>a</table>", ("a", 0)),
        ("", ("", 0)),
        ("text", ("text", 0)),
        ("<p>a</p>" * 3, ("aaa", 0)),
    ],
)
def test_children_inherit(html: str, expected: tuple[str, int]) -> None:
    assert seen(html) == expected


def test_what_holds_no_text_is_no_passage() -> None:
    assert take_out("<div hidden> <br></div><p style=font-size:0> </p>")[1].by_technique == {}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table bgcolor=#333333><tr><td style=color:#fff>a</table>", ("a", 0)),
        ("<table bgcolor=333><tr><td><font color=white>a</font></table>", ("a", 0)),
        ("<table><tr bgcolor=#ffffff><td><font color=FFFFFF>a</font></table>", ("", 1)),
        ("<div style=background:#036><p><span style='color:#fff'>a</span></p></div>", ("a", 0)),
        (
            "<div style=background:#036><p style=background:#fff><span style='color:#fff'>a</span></p></div>",
            ("", 1),
        ),
        ("<div style=background:#036><p style=background:transparent;color:#fff>a</p></div>", ("a", 0)),
        ("<div style='background:rgba(0,0,0,.5)'><p style=color:#fff>a</p></div>", ("a", 0)),
        ("<div style='background:rgba(0,0,0,.01)'><p style=color:#fff>a</p></div>", ("", 1)),
        (
            "<div style=background-image:url(x)><p style='background:rgba(0,0,0,.5);color:#fff'>a</p></div>",
            ("a", 0),
        ),
        ("<div style=color:#fff>a<p style=color:#000>b</p></div>", ("b", 1)),
        ("<body bgcolor=#000 text=#fff>a<p style=color:#000>b</p></body>", ("a", 1)),
        # Browsers paint links blue, whatever stands around them.
        ("<div style=color:#fff><a href=https://x.example/>a</a><a>b</a></div>", ("a", 1)),
        ("<div style=color:#fff><a href=https://x.example/ style=color:inherit>a</a></div>", ("", 1)),
        ("<div style='background:no-repeat url(x) 0 0 #fff'>a</div>", ("a", 0)),
    ],
)
def test_text_hides_in_the_colour_of_what_it_stands_on(html: str, expected: tuple[str, int]) -> None:
    assert seen(html) == expected


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        (".x{display:none}", "<p class='y x'>a</p><p class=y>b</p>", ("b", 1)),
        ("#x{display:none}", "<p id=x>a</p>b", ("b", 1)),
        ("p{display:none}", "<p>a</p>b", ("b", 1)),
        ("p.x{display:none}", "<p class=x>a</p><b class=x>b</b>", ("b", 1)),
        ("[data-x]{display:none}", "<p data-x>a</p>b", ("b", 1)),
        ("div p{display:none}", "<div><b><p>a</p></b></div><p>b</p>", ("b", 1)),
        ("div>p{display:none}", "<div><p>a</p><b><p>b</p></b></div>", ("b", 1)),
        ("body .x,.none{display:none}", "<p class=x>a</p>b", ("b", 1)),
        ("body{background:#000;color:#fff}", "<p>a</p>", ("a", 0)),
        ("form{display:none}", "<form>a</form><div>b</div>", ("b", 1)),
        (".x{font-size:1px;color:#fff;max-height:0}", "<p class=x>a</p>b", ("b", 1)),
        # Importance, the attribute, specificity, order.
        (".x{display:none}", "<p class=x style=display:block>a</p>", ("a", 0)),
        (".x{display:none!important}", "<p class=x style=display:block>a</p>", ("", 1)),
        (".x{display:none!important}", "<p class=x style=display:block!important>a</p>", ("a", 0)),
        ("p.x{display:none}.x{display:block}", "<p class=x>a</p>", ("", 1)),
        ("#x{display:block}p.x{display:none}", "<p class=x id=x>a</p>", ("a", 0)),
        (".x{display:none}.x{display:block}", "<p class=x>a</p>", ("a", 0)),
        (".x{display:none;}.x{color:red}", "<p class=x>a</p>", ("", 1)),
        # What does not hold in a window on a desk.
        ("@media print{p{display:none}}", "<p>a</p>", ("a", 0)),
        ("@media only screen and (max-width:480px){p{display:none}}", "<p>a</p>", ("a", 0)),
        ("@media (prefers-color-scheme:dark){p{color:#fff}}", "<p>a</p>", ("a", 0)),
        ("@media screen{p{display:none}}", "<p>a</p>b", ("b", 1)),
        ("@media all{@media screen{p{display:none}}}", "<p>a</p>b", ("b", 1)),
        ("p:hover{display:none}", "<p>a</p>", ("a", 0)),
        ("p::before{display:none}", "<p>a</p>", ("a", 0)),
        ("<!-- p{display:none} -->", "<p>a</p>b", ("b", 1)),
        ("p{", "<p>a</p>", ("a", 0)),
        ("b ~ i{display:none}", "<p><b>a</b><i>b</i></p><p>c<i>d</i></p>", ("acd", 1)),
    ],
)
def test_style_sheets_hide_as_well(css: str, body: str, expected: tuple[str, int]) -> None:
    assert seen(f"<html><head><style>{css}</style></head><body>{body}</body></html>") == expected


@pytest.mark.parametrize(
    "css", ["*{display:none}", "html{display:none}", "body{display:none}", ":root{opacity:0}"]
)
def test_a_whole_message_can_be_hidden(css: str) -> None:
    document = parse_html(f"<style>{css}</style><p>a</p>")
    hidden = remove_hidden(document)
    assert sum(hidden.by_technique.values()) == 1
    assert document.tree.body is None


def test_a_style_sheet_for_print_hides_nothing() -> None:
    assert seen("<style media=print>p{display:none}</style><p>a</p>") == ("a", 0)


def test_a_style_sheet_that_is_too_long_is_said() -> None:
    padding = "/*" + "x" * CSS_CHARS_MAX + "*/"
    text, hidden = take_out(f"<style>{padding} p{{display:none}}</style><p>a</p>")
    assert (text, hidden.unchecked) == ("a", True)
    assert not take_out("<style>p{}</style>a")[1].unchecked


@pytest.mark.parametrize(
    ("html", "marked", "unchecked"),
    [
        (f"<style>p{{order:{'9' * 5_000}}}</style><p>a", False, True),
        (f"<p style='display:none;order:{'9' * 5_000}'>a", True, False),
        (f"<table width={'9' * 5_000}><tr><td>a", True, False),
        ("<h1><div style='min-width:1e308px'><p style='height:1e308px;overflow:hidden'>a", False, True),
    ],
)
def test_numbers_too_large_for_any_browser_are_reported(html: str, *, marked: bool, unchecked: bool) -> None:
    shown = html_to_text(html)
    assert "a" in shown.text
    assert (bool(shown.maybe_hidden), shown.styles_unchecked) == (marked, unchecked)


def test_matching_that_costs_too_much_is_said_and_inline_styles_still_count() -> None:
    css = "".join(f"[data-x{number}],p[y{number}]{{color:red}}" for number in range(500))
    text, hidden = take_out(f"<style>{css}</style>{'<p id=i>a</p>' * 400}<p hidden>b</p>")
    assert (text, hidden.unchecked) == ("a" * 400, True)
    assert hidden.by_technique == {"display": 1}


@pytest.mark.parametrize(
    "html",
    [
        "<p><font color=white></p><p>MARK</p>",
        '<div><span><font style="opacity:0"></span></div><p>MARK</p>',
        "<style>.k{display:none}</style><div><u class=k></div><p>MARK</p>",
        "<p><b><i style='font-size:0'></b>MARK",
        r"<style>.md\:k{display:none}</style><p class='md:k'>MARK</p>",
        r"<style>.w-1\/2{display:none}</style><p class='w-1/2'>MARK</p>",
        r"<style>.a\:b\31{display:none}</style><p class='a:b1'>MARK</p>",
        r"<style>#a\.b{display:none}</style><p id='a.b'>MARK</p>",
    ],
)
def test_what_ends_with_a_block_goes_on_behind_it_and_names_may_have_escapes(html: str) -> None:
    read = html_to_text(html)
    assert "MARK" not in read.text


def test_elements_that_were_left_out_are_reported() -> None:
    deep = "<div>" * 256 + "<p style='display:none'>MARK</p>"
    assert html_to_text(deep).styles_unchecked


def test_raised_digits_are_seen_though_their_lines_have_no_height() -> None:
    page = "<style>sub,sup{font-size:75%;line-height:0}</style><p>10<sup>th</sup> of May</p>"
    assert "may be hidden" not in html_to_text(page).text


@pytest.mark.parametrize("style", ["line-height:0;display:block", "line-height:5001px", "line-height:9e9vh"])
def test_raised_text_is_marked_for_a_line_height_that_matters(style: str) -> None:
    assert html_to_text(f"<p>10<sup style='{style}'>MARK</sup></p>").text == "10[may be hidden: MARK]"

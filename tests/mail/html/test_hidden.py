"""What styles and elements hide, for certain or in doubt, and what looks like it and is shown."""

import pytest

from mailmcp.mail.html.convert import HtmlText, html_to_text, sanitize_html

SHOWN = "<p>shown</p>"


def read(html: str) -> HtmlText:
    """Read HTML both ways, which agree on what is hidden."""
    text, safe = html_to_text(f"{SHOWN}{html}"), sanitize_html(f"{SHOWN}{html}")
    assert "shown" in text.text
    for counts in (text.removed, safe.removed):
        assert (counts.hidden, counts.hidden_chars) == (text.removed.hidden, text.removed.hidden_chars)
    assert bool(text.removed.maybe_hidden) == bool(safe.removed.maybe_hidden)
    assert ("MARK" in text.text) == ("MARK" in safe.text)
    return text


@pytest.mark.parametrize(
    "style",
    [
        "display:n\\6fne",
        "display/**/:none",
        "display:none;display:foo",
        "display:none!important;display:block",
        "opacity:.09",
        "-webkit-filter:opacity(0)",
        "font-size:2pt",
        "color:rgba(0,0,0,.05)",
        "background:black none no-repeat",
        "background-color:currentColor",
        "color:#fff;background:linear-gradient(90deg,#fff,white 50%) #000",
        "position:fixed;top:-500px",
        "position:absolute;left:9999px",
        "transform:translate(0,-9999px)",
        "position:absolute;clip:rect(1px,1px,1px,1px)",
        "transform:rotate(9deg) scale(.05)",
    ],
)
def test_one_value_hides(style: str) -> None:
    """The plain ones are in `hostile.styles`."""
    hidden = read(f'<div style="{style}">MARK &#8203; <b>two</b></div>')
    assert hidden.text == "shown"
    assert hidden.removed.hidden == 1
    assert hidden.removed.hidden_chars in (7, 8)


@pytest.mark.parametrize(
    "html",
    [
        "<noscript>MARK</noscript>",
        "<dialog>MARK</dialog>",
        "<div style='opacity:.3'><p style='opacity:.3'>MARK</p></div>",
        "<div style='font-size:5px'><p style='font-size:50%'>MARK</p></div>",
        "<font color=FFFFFF>MARK</font>",
        "<table bgcolor=222222><tr><td><font color='#222'>MARK</font></table>",
        "<table><tr bgcolor=black><td>MARK</table>",
        "<div style='background:#000;color:#fff'><p style='background:#fff'>MARK</p></div>",
        "<p style='-webkit-text-fill-color:#fff;color:#000'>MARK</p>",
        "<span style='display:inline-block;width:0;overflow:hidden'>MARK</span>",
        "<svg style='display:none'><text>MARK</text></svg>",
        "<img alt=MARK width=1 height=1>",
        "<p style='visibility:hidden'><img alt=MARK></p>",
    ],
)
def test_elements_and_what_they_inherit_hide(html: str) -> None:
    assert read(html).text == "shown"


@pytest.mark.parametrize(
    "style",
    [
        "display:var(--x)",
        "color:var(--x)",
        "height:calc(0px);overflow:hidden",
        "transform:var(--x)",
        f"width:{'(' * 2_000}",
        f"font-family:'{'x' * 20_000}'",
    ],
)
def test_a_value_that_is_not_understood_may_hide(style: str) -> None:
    hidden = read(f'<div style="{style}">MARK [a]</div>')
    assert hidden.text == "shown\n\n[may be hidden: MARK (a)]"
    assert (hidden.removed.hidden, hidden.removed.maybe_hidden, hidden.removed.maybe_hidden_chars) == (
        0,
        1,
        8,
    )


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>x</summary>MARK</details>",
        "<select><option>MARK</select>",
        "<video>MARK</video>",
        "<svg><text>MARK</text></svg>",
        "<video><img alt=MARK></video>",
    ],
)
def test_what_only_some_programs_show_is_marked(html: str) -> None:
    hidden = read(html)
    assert "[may be hidden: MARK]" in hidden.text.replace("(MARK)", "MARK")
    assert "[may be hidden: x" not in hidden.text


@pytest.mark.parametrize(
    "style",
    [
        "font-size:3px",
        "color:#ddd",
        "color:fff",
        "color:#fff;background:#369",
        "color:#fff;background:url(https://x.example/a.png)",
        "color:#fff;background:url('cid:a')",
        "color:#fff;background:linear-gradient(#369,#000)",
        "background:12 px",
        "position:relative;left:-20px",
        "left:-9999px",
        "margin-left:calc(50% - 300px)",
        "height:0",
        "clip:rect(0,0,0,0)",
        "clip-path:inherit",
        "transform:rotate(-3deg) translateX(-50%)",
        "filter:drop-shadow(0 0 2px #000)",
        "line-height:0",
        "display:block;display:foo",
    ],
)
def test_what_looks_like_hiding_is_shown(style: str) -> None:
    shown = read(f'<div style="{style}">MARK</div>')
    assert shown.text == "shown\n\nMARK"
    assert (shown.removed.hidden, shown.removed.maybe_hidden) == (0, 0)


@pytest.mark.parametrize(
    "html",
    [
        "<div style='visibility:hidden'><p style='visibility:visible'>MARK</p></div>",
        "<div style='font-size:0'><p style='font-size:14px'>MARK</p></div>",
        "<div style='color:#fff'><p style='color:#000'>MARK</p></div>",
        "<div style='background:#000'><p style='color:#fff'>MARK</p></div>",
        "<table bgcolor=333333><tr><td><font color=white>MARK</font></table>",
        "<table background=https://x.example/a.png><tr><td style='color:#fff'>MARK</table>",
        "<span style='height:0;overflow:hidden'>MARK</span>",
        "<table><tr><td style='height:1px;overflow:hidden'>MARK</table>",
        "<details open><summary>x</summary>MARK</details>",
        "<dialog open>MARK</dialog>",
        "<font color=nonsense>MARK</font>",
        "<font size=1>MARK</font>",
        "<p aria-hidden=true>MARK</p>",
        "<div style='font-size:0'><img alt=MARK></div>",
        "<img alt=MARK width=100% height=auto>",
        "<p style='visibility:hidden'><img alt=MARK style='visibility:visible'></p>",
        "<div style='font-size:0;letter-spacing:0'><p style='font-size:14px'>MARK</p></div>",
        "<div style='overflow:hidden;height:0;min-height:50px'>MARK</div>",
        "<div style='overflow:hidden;width:0;min-width:100%'>MARK</div>",
        "<div style='width:calc(100% - 40px);overflow:hidden'>MARK</div>",
        "<p style='font-size:clamp(14px, 2vw, 18px)'>MARK</p>",
        "<p style='font-size:calc(14px + 1vw)'>MARK</p>",
        "<div style='display:contents;overflow:hidden;height:0;margin-left:-999px'>MARK</div>",
        "<h1 style='color:transparent;background:linear-gradient(red,blue);background-clip:text'>MARK</h1>",
    ],
)
def test_what_is_in_it_can_be_shown_again(html: str) -> None:
    shown = read(html)
    assert shown.text.replace("[MARK]", "MARK").endswith("MARK")
    assert (shown.removed.hidden, shown.removed.maybe_hidden) == (0, 0)


def test_passages_are_counted() -> None:
    """Texts that are hidden alike with nothing between them are one; white space is none."""
    dim = "<span style='color:#fff'>two</span>"
    counted = read(
        f"{dim} {dim}x{dim}<p hidden> </p><p hidden>six six</p><p hidden><b>a</b> b<style>p</style></p>"
    )
    assert counted.removed.hidden == 4
    assert counted.removed.hidden_chars == 3 * 3 + 7 + 2


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <img alt=b> c", "[may be hidden: a (b) c]"),
        ("a <a href='https://x.example/]'>b</a> c", "[may be hidden: a b <https://x.example/)> c]"),
        ("a</span> <img alt=b><span>c", "[may be hidden: a] [b]c"),
        ("a<br>&gt; b<br>c", "[may be hidden: a]\n[may be hidden: > b]\n[may be hidden: c]"),
        ("</span><table><tr><td style=opacity:var(--x)>a<td>b</table>", "[may be hidden: a] | b"),
    ],
)
def test_a_mark_is_on_one_line_and_nothing_closes_it(html: str, text: str) -> None:
    assert html_to_text(f"<span style='opacity:var(--x)'>{html}</span>").text == text


def test_a_link_is_blue_whatever_the_color_around_it_is() -> None:
    html = "<div style='color:#fff'>gone <a href='https://x.example/'>shown</a></div>"
    assert html_to_text(html).text == "shown <https://x.example/>"

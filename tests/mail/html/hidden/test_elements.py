"""Elements that HTML itself does not show, and styles of the document's own elements."""

import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.html.hidden.remove import parse_html, remove_hidden


def seen(html: str) -> str:
    document = parse_html(html)
    hidden = remove_hidden(document)
    assert document.tree.body is not None
    text = " ".join(document.tree.body.text().split())
    assert bool(hidden.by_technique) is ("secret" not in text)
    return text


@pytest.mark.parametrize(
    "html",
    [
        "<dialog>secret</dialog>",
        "<div popover>secret</div>",
        "<datalist><option>secret</datalist>",
        "<meter value=1>secret</meter>",
        "<progress>secret</progress>",
        "<ruby><rp>secret</rp></ruby>",
        "<ruby><rp>se</rp><rp>\u79d8</rp><rp>c</rp><rp> r</rp><rp>et</rp></ruby>",
        "<style>html>body>p{display:none}</style><html><body><p>secret</p></body></html>",
        "<style>html>body>p{display:none}</style><p>secret</p>",
        "<p style='background:currentColor'>secret</p>",
        "<p style='-webkit-text-fill-color:currentcolor;color:#fff'>secret</p>",
        "<div style='background:#000;color:#fff'><p style='color:initial'>secret</p></div>",
    ],
)
def test_it_is_taken_out(html: str) -> None:
    assert seen(f"{html}<div>shown</div>") == "shown"


@pytest.mark.parametrize(
    "html",
    [
        "<dialog open>secret</dialog>",
        "<dialog style='display:block'>secret</dialog>",
        "<div popover style='display:block'>secret</div>",
        "<details open><summary>more</summary>secret</details>",
        "<style>html>p{display:none}</style><html><body><p>secret</p></body></html>",
        "<p style='background-color:currentcolour'>secret</p>",
        "<div style='display:table;height:0;overflow:hidden'>secret</div>",
        "<div style='display:inline-table;max-height:0;overflow:hidden'>secret</div>",
        "<div style='display:table-row;height:0;overflow:hidden'>secret</div>",
        "<div style='overflow:hidden;height:0;min-height:50px'>secret</div>",
        "<div style='overflow:hidden;max-width:0;min-width:50px'>secret</div>",
        "<desc>secret</desc><annotation>secret</annotation>",  # out of pictures and formulas they are nothing
        "<font color=fff>secret</font>",
        "<body text=fff>secret",
        "<table bgcolor=333><tr><td><font color=white>secret</font></table>",
    ],
)
def test_it_stays(html: str) -> None:
    assert "secret" in seen(html)


def test_brackets_around_ruby_stay() -> None:
    """Without them a word and its reading run together."""
    assert seen("<ruby>secret<rp> (</rp><rt>si-krit</rt><rp>) </rp></ruby>") == "secret (si-krit)"


@pytest.mark.parametrize(
    "html",
    [
        "<details>secret</details>",
        "<details><summary>shown</summary>secret</details>",
        "<details><p>secret</p></details>",
        "<details><summary>shown</summary><summary>secret</summary></details>",
        "<select><option>secret</option></select>",
        "<select><option>secret<option selected>x</select>",
        "<noscript>secret</noscript>",
        "<video>secret</video>",
        "<audio>secret</audio>",
        "<object data=x>secret</object>",
        "<canvas style='display:block'>secret</canvas>",
        "<svg><text>secret</text></svg>",
        "<svg><desc>secret</desc></svg>",
        "<math><mi>secret</mi></math>",
        "<math><semantics><annotation>secret</annotation></semantics></math>",
        "<marquee>secret</marquee>",
    ],
)
def test_it_is_marked(html: str) -> None:
    document = parse_html(html)
    hidden = remove_hidden(document)
    assert document.tree.body is not None
    text = document.tree.body.text()
    assert "[may be hidden: secret]" in text.replace("x]", "]")
    assert "[may be hidden: shown" not in text
    assert hidden.marked == 1


@pytest.mark.parametrize(
    "css",
    [
        "@media (pointer:fine){p{display:none}}",
        "@media (pointer:coarse){p{display:none}}",
        "p{display:none}@media (hover:hover){p{display:block}}",
        "* + p{display:none}",
        "* ~ p{display:none}",
        "[type] + p{display:none}",
        "p:first-child{display:none}",
        "p:not(:first-child){display:none}",
        "p{display:none}p:first-child{display:block}",
    ],
)
def test_what_depends_on_the_device_or_on_elements_without_text_is_marked(css: str) -> None:
    assert html_to_text(f"<body><style type=text/css>{css}</style><p>secret</p>").text == (
        "[may be hidden: secret]"
    )


def test_what_is_open_is_shown() -> None:
    document = parse_html("<details open><summary>a</summary>b</details>")
    assert remove_hidden(document).marked == 0


_FLOATS = [f"<p style='float:left;color:rgb(0 {number} 0)'>x</p>" for number in range(20)]


@pytest.mark.parametrize(
    "html",
    [
        "<p>secret</p><div style='position:absolute;top:0;background:#fff'>x</div>",
        "<p>secret</p><div style='margin-top:-40px'><div style='background:#fff'>x</div></div>",
        "<p>secret</p><div style='position:relative;top:-40px;background:url(x)'>x</div>",
        "<div><template shadowrootmode=open>x</template>secret</div>",
        "<style>@font-face{font-family:x;src:url(data:font/woff2;base64,AAAA)}</style>secret",
        "<style>@font-face{font-family:x;src:local(a);size-adjust:0%}</style>secret",
        "<style>@import url('data:text/css,p{display:none}');</style>secret",
        r"<p style='d\69splay:n\6fne'>secret</p>",
        r"<p style='opacity:0;opacity:1\0000650'>secret</p>",
        r"<style>p{opacity:0;opacity:1\65 0}</style><p>secret</p>",
        "<style>body:focus-within p{display:none}</style><p>secret</p><a href=x autofocus>x</a>",
        "<meta http-equiv=Refresh content='0;url=about:blank'>secret",
        "<meta http-equiv=content-security-policy content='style-src none'>secret",
        "<style title=a>p{}</style>secret",
        "<style rel=alternate>p{}</style>secret",
        "<p style='border:9999px solid;border:1px 1px'>secret</p>",
        "<style>@namespace url(http://x.example);</style>secret",
        "<link rel=stylesheet href='data:text/css,p{display:none}'>secret",
        "<style>@import 'da\tta:text/css,p{display:none}';</style>secret",
        "<body style='margin-top:-18px'>secret",
        "<h6 style='margin-top:-20px'>secret",
        "<sup style='position:relative;top:-20px'>secret",
        "<sup style='position:relative;bottom:1.5em'>secret",
        "<p style='margin-bottom:-20px'>x</p><h6>secret</h6>",
        "<p style='font-size:calc(999px)'>secret</p>",
        "<p style='font-size:clamp(10px, 100vw, 999px)'>secret</p>",
        "<p style='font-size:max(5px, 100px);margin-left:-9em'>secret</p>",
        "<p style='margin-top:max(1px, 9999px)'>secret</p>",
        "<p style='width:max(1px, 9999px);text-align:right'>secret</p>",
        "<p>x<sup style='line-height:0'>secret<br>x</sup></p>",
        "<style>div{transition:color 1s step-end}</style><div><div><div>secret</div></div></div>",
        "<div style='transition-duration:1s'><p style='transition:.5s'><b style='transition-delay:1s'>secret",
        "<div style='float:left'>secret</div><p style='background:#000;color:#fff'>x",
        "<div style='float:left'><p style='float:left'>secret<p style='background:#000;color:#fff'>x</div>",
        "".join(_FLOATS[:17]) + "<p style='background:#fff'>secret",
        "".join(f"<div style='font-size:{size}px;font-size:max({size}em)'>" for size in (9, 12, 15))
        + "secret",
    ],
)
def test_what_may_hide_text_anywhere_is_reported(html: str) -> None:
    assert remove_hidden(parse_html(html)).unchecked


@pytest.mark.parametrize(
    "html",
    [
        "<div style='position:relative;background:#fff'>x</div>",
        "<div style='margin-top:-8px;margin-left:-15px'>x</div>",
        "<div style='position:absolute;left:-9999px'>x</div>",
        "<style>.a:after{content:'';display:table;clear:both} *:before{box-sizing:border-box}</style>x",
        "<p style='box-shadow:0 2px 3px rgba(0, 0, 0, 0.16), #e0e0e0 0 2px 0;outline:none'>x</p>",
        "<a style='border-top:10px solid #5a712d;border-left:20px solid red;padding:12px'>x</a>",
        "<style>@font-face{font-family:x;src:url(https://x.example/a.woff2)}</style>x",
        "<style>@import url(https://fonts.example/css?family=x);</style>x",
        "<link rel=stylesheet href=https://fonts.example/css>x",
        "<style type='text/css' rel='stylesheet' media='all' data-premailer=ignore>p{}</style>x",
        "<p style='font-size:clamp(12px, 2vw + 1rem, 40px)'>x</p>",
        "<p style='font-size:clamp(1rem, 2.5vw, 2rem);padding:0 clamp(16px,4vw,40px)'>x</p>",
        "<p style='width:min(600px, 100%);margin:0 max(10px,2vw)'>x</p>",
        "<style>a,a img{transition:.3s} p{transition:none}</style><p><a href=x>x <img alt=y></a></p>",
        "".join(_FLOATS[:16]) + "<p style='background:#fff'>secret",
        "<div style='float:left'>x</div><table><tr><td style='background:#000;color:#fff'>x</table>",
        r"<style>/* \31 */ .md\:a{} @font-face{font-family:'\@SimSun'}</style>x",
    ],
)
def test_what_newsletters_have_is_not_reported(html: str) -> None:
    assert not remove_hidden(parse_html(html)).unchecked


@pytest.mark.parametrize(
    "html",
    [
        "<html style=opacity:0><p>secret</p></html>",
        "<html class=x><style>.x p{display:none}</style><p>secret</p>",
        "<p>a</p><html hidden>secret",
        "<html><body style=display:none>secret",
        "<body style=display:none>secret<body style=display:block>",
    ],
)
def test_the_document_itself_can_be_hidden(html: str) -> None:
    document = parse_html(html)
    remove_hidden(document)
    assert "secret" not in (document.tree.root.text() if document.tree.root else "")


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<body link=white><a href=x>secret</a>", False),
        ("<body link=red><a href=x>secret</a>", True),
        ("<div bgcolor=black style=color:#fff>secret</div>", False),
        ("<table bgcolor=black><tr><td style=color:#fff>secret</table>", True),
        ("<div style=color:#fff><button>secret</button></div>", True),
        ("<div style=color:#fff><mark>secret</mark></div>", True),
        ("<div style=font-size:0><font size=3>secret</font></div>", True),
        ("<div style=font-size:0><font size=+1>secret</font></div>", True),
        ("<div style=font-size:0><font size=x>secret</font></div>", False),
        ("<style type=text/plain>p{display:none}</style><p>secret</p>", True),
        ("<meta name=color-scheme content='light dark'><p>secret</p>", True),
    ],
)
def test_old_attributes_and_the_styles_of_browsers_count(html: str, *, shown: bool) -> None:
    document = parse_html(html)
    remove_hidden(document)
    assert document.tree.body is not None
    assert ("secret" in document.tree.body.text()) is shown

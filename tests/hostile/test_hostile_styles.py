"""No style hides text unmarked, and none that mailing houses write costs any."""

from random import Random

import pytest

from hostile.layout import outside_marks
from hostile.styles import HIDING, harmless_page, hidden_page
from mailmcp.mail.html.convert import html_to_text, sanitize_html

MARKER = "canary"


@pytest.mark.parametrize("seed", range(20))
def test_what_a_style_hides_never_comes_out_unmarked(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - it must repeat
    for _ in range(50):
        page = hidden_page(random, MARKER)
        converted = html_to_text(f"<p>shown</p>{page}")
        assert MARKER not in outside_marks(converted.text), page
        assert MARKER not in outside_marks(sanitize_html(page).text), page
        assert converted.removed.hidden or converted.removed.maybe_hidden, page


@pytest.mark.parametrize("hiding", HIDING)
def test_each_style_hides_alone(hiding: str) -> None:
    page = f'<p>shown</p><div style="{hiding}">{MARKER}</div>'
    for text in (html_to_text(page).text, sanitize_html(page).text):
        assert MARKER not in outside_marks(text)
        assert "shown" in outside_marks(text)


@pytest.mark.parametrize("seed", range(20))
def test_what_mailing_houses_write_is_read_in_full(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - it must repeat
    for _ in range(50):
        page = harmless_page(random, MARKER)
        converted = html_to_text(page)
        assert MARKER in outside_marks(converted.text), page
        assert (converted.removed.hidden, converted.removed.maybe_hidden) == (0, 0), page


@pytest.mark.parametrize(
    "page",
    [
        "<body leftmargin=0 topmargin=10 marginwidth=0 marginheight=0><p>shown",
        "<style>blockquote,q{quotes:'\u201c' '\u201d'}</style><q>shown",
        "<style>ul{list-style:none inside} li{list-style-type:'- '}</style><ul><li>shown",
        "<ul style='list-style:square url(x.png)'><li>shown</ul>",
        "<button disabled>shown</button>",
        "<pre width=1 style='overflow:hidden'>shown</pre>",
        "<table><tr style='background:#000;color:#fff'><td>shown</table>",
        "<style>html,body{background:#222;color:#fff}</style><p>shown",
        "<style>html{background:#eee}body{background:#fff}</style><p>shown",
        "<style>html{background:#fff}body{background:#000;color:#fff}</style><p>shown",
        "<style>html,body{background:#f4f4f4}</style><p style='float:left'>shown",
        "<table width=1 height=1><td width=1 height=1 nowrap bgcolor=#000><font color=white>shown",
        "<body link=#ffffff><style>a{color:#000}</style><a href=https://shop.example/>shown</a>",
        "<table bgcolor=#eee><caption>shown</caption><tr><td>x</table>",
        "<a style='background:#06c;color:#fff;border-radius:100px;padding:12px 24px'>shown</a>",
        "<p style='font-variant-caps:normal;-webkit-nbsp-mode:space;mso-bidi-font-size:1pt'>shown",
        "<table style='-premailer-width:9%;border-spacing:0;*zoom:1;_height:1px'><tr><td>shown</table>",
        "<style>p{font-size:16px;padding:8px}p:first-child{font-size:18px;color:#111;margin:0}</style><p>shown",
        "<style>td{padding:8px}tr:nth-child(even){background:#eee}td:last-child{color:#111;padding:8px 0}"
        "</style><table><tr><td>shown</table>",
        "<img src=x style='height: 30px, width: 30px'><p style='text-underline-color:red'>shown",
        "<div style='border:solid windowtext 1.0pt;padding:0cm 5.4pt 0cm 5.4pt'>shown</div>",
        "<form><p>shown</form><h1>x<h2>y</h1>",
        "<table><form><tr><td>shown</tbody></table></form>",
        "<ul><li><div><p>shown<li>x</ul>",
        "<p><nobr>shown</nobr><a href=https://shop.example/><div>x</div></a></p>",
    ],
)
def test_what_looks_like_hiding_and_is_harmless(page: str) -> None:
    converted = html_to_text(f"<!doctype html>{page}")
    assert "shown" in converted.text
    assert (converted.removed.hidden, converted.removed.maybe_hidden) == (0, 0)

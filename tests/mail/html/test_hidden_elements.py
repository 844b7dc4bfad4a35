"""Elements that HTML itself does not show, and styles of the document's own elements."""

import pytest

from mailmcp.mail.html.hidden import parse_html, remove_hidden


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
        "<canvas style='display:block'>secret</canvas>",
        "<svg><desc>secret</desc></svg>",
        "<math><semantics><annotation>secret</annotation></semantics></math>",
        "<ruby><rp>secret</rp></ruby>",
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
        "<details><summary>more</summary>secret</details>",
        "<style>html>p{display:none}</style><html><body><p>secret</p></body></html>",
        "<p style='background-color:currentcolour'>secret</p>",
    ],
)
def test_it_stays(html: str) -> None:
    assert "secret" in seen(html)


def test_brackets_around_ruby_stay() -> None:
    """Without them a word and its reading run together."""
    assert seen("<ruby>secret<rp> (</rp><rt>si-krit</rt><rp>) </rp></ruby>") == "secret (si-krit)"


@pytest.mark.parametrize(
    "style",
    [
        "display:var(--x)",
        "color:light-dark(#fff,#000)",
        "color:color-mix(in srgb,white,white)",
        "font-size:calc(1px * 0)",
        "opacity:calc(1 - 1)",
        "visibility:env(x,hidden)",
    ],
)
def test_a_style_that_is_computed_is_told(style: str) -> None:
    document = parse_html(f"<p>shown</p><p style='{style}'>secret</p><p>shown</p>")
    assert not remove_hidden(document).judged


@pytest.mark.parametrize(
    "style", ["width:calc(100% - 20px)", "color:rgb(1,2,3)", "margin:var(--x)", "color:red"]
)
def test_a_style_that_hides_nothing_is_not_told(style: str) -> None:
    assert remove_hidden(parse_html(f"<p style='{style}'>shown</p>")).judged

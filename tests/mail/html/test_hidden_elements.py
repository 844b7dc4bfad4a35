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
        "<style>html>body>p{display:none}</style><html><body><p>secret</p></body></html>",
        "<style>html>body>p{display:none}</style><p>secret</p>",
        "<p style='background:currentColor'>secret</p>",
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

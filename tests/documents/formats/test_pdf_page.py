"""Pages of PDF as pictures."""

import io

import pytest

from documents.pdf_file import pdf
from documents.pictures import opened
from mailmcp import limits
from mailmcp.documents.formats.pdf_page import draw

_SIDE = limits.PICTURE_SIDE_MAX


def _box(height: float) -> bytes:
    return pdf(["x"]).replace(b"0 0 595 842", f"0 0 {height / 2:g} {height:g}".encode())


def test_each_page_is_drawn() -> None:
    content = pdf(["", "Hello", b"1 0 0 rg 0 0 595 842 re f"])
    colors = []
    for page in (1, 2, 3):
        facts, octets = draw(io.BytesIO(content), page)
        picture = opened(octets)
        assert picture.size == (facts["width"], facts["height"])
        assert picture.height == _SIDE
        assert (facts["pages"], facts["source_width"], facts["notes"]) == (3, 0, [])
        colors.append(picture.convert("RGB").getextrema())
    assert colors[0] == ((255, 255),) * 3
    assert colors[1] == ((0, 255),) * 3
    assert colors[2] == ((255, 255), (0, 0), (0, 0))
    facts, octets = draw(io.BytesIO(content), 4)
    assert (facts["pages"], octets) == (3, b"")


@pytest.mark.parametrize(("height", "pixels"), [(842, _SIDE), (10, 40), (14_400, _SIDE)])
def test_small_pages_stay_small_and_large_ones_fit(height: float, pixels: int) -> None:
    facts, _ = draw(io.BytesIO(_box(height)), 1)
    assert facts["height"] == pixels

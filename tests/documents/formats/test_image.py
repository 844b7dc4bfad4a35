"""Images as models take them."""

import io
import struct
from typing import Any

import pytest

from documents.pictures import image, opened
from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.image import draw

SIDE = limits.PICTURE_SIDE_MAX


def _drawn(content: bytes, page: int = 1) -> tuple[dict[str, Any], bytes]:
    facts, octets = draw(io.BytesIO(content), page)
    assert len(octets) <= limits.PICTURE_OCTETS_MAX
    if octets:
        assert opened(octets).size == (facts["width"], facts["height"])
    return facts, octets


@pytest.mark.parametrize(
    ("kind", "mode", "shown"),
    [
        ("PNG", "RGB", "PNG"),
        ("PNG", "I;16", "PNG"),
        ("JPEG", "RGB", "JPEG"),
        ("JPEG", "CMYK", "JPEG"),
        ("GIF", "P", "PNG"),
        ("WEBP", "RGBA", "PNG"),
        ("BMP", "RGB", "PNG"),
        ("TIFF", "CMYK", "PNG"),
    ],
)
def test_each_format_becomes_png_or_jpeg(kind: str, mode: str, shown: str) -> None:
    _, octets = _drawn(image(60, 40, 0, kind=kind, mode=mode))
    assert opened(octets).format == shown
    assert opened(octets).mode in {"L", "RGB", "RGBA"}


def test_the_longer_side_is_limited() -> None:
    facts, _ = _drawn(image(100, 4 * SIDE))
    assert (facts["width"], facts["height"]) == (25, SIDE)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize(
    ("orientation", "blue", "red"),
    [(1, (5, 5), (195, 95)), (3, (195, 95), (5, 5)), (6, (50, 5), (50, 195)), (8, (50, 195), (50, 5))],
)
def test_an_image_is_turned_as_its_exif_says_and_loses_it(
    kind: str, orientation: int, blue: tuple[int, int], red: tuple[int, int]
) -> None:
    facts, octets = _drawn(image(200, 100, kind=kind, orientation=orientation))
    size = (200, 100) if orientation < 5 else (100, 200)
    assert (facts["source_width"], facts["source_height"]) == (facts["width"], facts["height"]) == size
    shown = opened(octets).convert("RGB")
    for place, channel in ((blue, 2), (red, 0)):
        colors = shown.getpixel(place)
        assert isinstance(colors, tuple)
        assert max(colors) == colors[channel] > 240
    assert b"camera" not in octets
    assert dict(opened(octets).getexif()) == {}


def test_of_a_tiff_each_page_is_shown() -> None:
    content = image(10, 10, "red", kind="TIFF", frames=["lime", "blue"])
    colors = [opened(_drawn(content, page)[1]).getpixel((0, 0)) for page in (1, 2, 3)]
    assert colors == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    facts, octets = _drawn(content, 4)
    assert (facts["pages"], facts["notes"], octets) == (3, [], b"")


def test_too_many_pixels_are_refused_before_they_are_decoded() -> None:
    small = image(10, 10, kind="BMP")
    for side in (11_000, 40_000):
        content = small[:18] + struct.pack("<ii", side, side) + small[26:]
        with pytest.raises(UnreadableError) as refused:
            _drawn(content)
        assert refused.value.cause is Cause.TOO_LARGE

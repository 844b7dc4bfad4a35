"""Writes pictures as models take them: with limits on the longer side and the octets, without metadata."""

import io
from typing import Final

from PIL import Image

from mailmcp import limits

_JPEG_QUALITIES: Final = (85, 70, 50)
_WIDE_MODES: Final = frozenset({"I", "F", "I;16", "I;16B", "I;16L"})
"""More than 8 bits a pixel: Pillow's conversion would cut values off at 255."""


def shrink(image: Image.Image) -> Image.Image:
    """Return an image as grey, RGB or RGBA, with at most `PICTURE_SIDE_MAX` pixels on the longer side."""
    if image.mode in _WIDE_MODES:
        wide = image.convert("F")
        low, high = (float(each) for each in wide.getextrema() if not isinstance(each, tuple))
        scale = 255 / ((high - low) or 1)
        image = wide.point(lambda value: value * scale + -low * scale).convert("L")
    elif image.has_transparency_data:
        image = image.convert("RGBA")
    elif image.mode not in {"L", "RGB"}:
        image = image.convert("L" if image.mode == "1" else "RGB")
    image.thumbnail((limits.PICTURE_SIDE_MAX, limits.PICTURE_SIDE_MAX), reducing_gap=2.0)
    return image


def picture_facts(
    pages: int, size: tuple[int, int] = (0, 0), source: tuple[int, int] = (0, 0), *notes: str
) -> dict[str, object]:
    """Return what the server is told of a picture; its size is 0 if there is no such page."""
    return {
        "width": size[0],
        "height": size[1],
        "source_width": source[0],
        "source_height": source[1],
        "pages": pages,
        "notes": list(notes),
    }


def encode(image: Image.Image, *, as_png: bool) -> tuple[bytes, tuple[int, int]]:
    """Return a shrunken image, as PNG if requested and it fits, else as JPEG; and its width and height.

    What is transparent becomes white in a JPEG.
    """
    image.info = {}  # Pillow writes some of it
    if as_png:
        octets = _save(image, "PNG", optimize=True)
        if len(octets) <= limits.PICTURE_OCTETS_MAX:
            return octets, image.size
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image)
        image = ground.convert("RGB")
    while True:
        for quality in _JPEG_QUALITIES:
            octets = _save(image, "JPEG", quality=quality)
            if len(octets) <= limits.PICTURE_OCTETS_MAX:
                return octets, image.size
        image = image.reduce(2)


def _save(image: Image.Image, name: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, name, **options)
    return out.getvalue()
